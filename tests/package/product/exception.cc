/* SPDX-License-Identifier: Apache-2.0
 *
 * exception: a product in C++ whose parallel_for throws, before or after it did a part of the work. The exception passes through the
 * package NAME to the product's handler, and the package is as good as before. Exit code 0: so it is.
 */
#include "NAME_problem.h"

namespace {

typedef void Body(void *arg, int i);

struct Stop {
    int parts;
};

extern "C" void some_then_throw(void *ctx, int n, Body *body, void *arg)
{
    const int parts = *static_cast<const int *>(ctx);
    for (int i = 0; i < parts && i < n; i++)
        body(arg, i);
    throw Stop{ parts };
}

extern "C" void in_turn(void *, int n, Body *body, void *arg)
{
    for (int i = 0; i < n; i++)
        body(arg, i);
}

/* What the product holds on the way: its destructor must run. */
struct Held {
    int *count;
    explicit Held(int *c) : count(c) { ++*count; }
    ~Held() { --*count; }
};

bool is_caught(const NAME_problem &p, int kernel, int parts)
{
    NAME_exec exec = { 3, some_then_throw, &parts, kernel };
    int held = 0;
    try {
        const Held h(&held);
        NAME_problem_call(&p, &exec);
    } catch (const Stop &s) {
        return s.parts == parts && held == 0;
    }
    return false;
}

} // namespace

int main()
{
    NAME_problem p = NAME_problem_new(96, 301, 301);
    int wrong = 0;
    for (int kernel = 0; kernel <= NAME_nkernel(); kernel++) {
        NAME_exec exec = { 3, in_turn, 0, kernel };
        if (NAME_problem_call(&p, &exec) == NAME_BAD_KERNEL)
            continue;
        for (int parts = 0; parts < 2; parts++) {
            wrong += !is_caught(p, kernel, parts);
            wrong += !NAME_problem_solves(&p, &exec);
        }
    }
    NAME_problem_free(&p);
    return wrong != 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * use: what a product does with the package NAME, as C11 or C++11. Returns 0 when all results are right.
 */
#include "NAME.h"
#include "NAME_pool.h"
#include "NAME_problem.h"

int NAME_use(void);

int NAME_use(void)
{
    static const int64_t extents[][3] = {
        { 1, 48, 64 }, { 17, 48, 64 }, { 48, 80, 33 }, { 40, 144, 64 }, { 100, 37, 129 }
    };
    NAME_pool *pool = NAME_pool_start(2);
    NAME_exec exec;
    int wrong = 0;
    memset(&exec, 0, sizeof exec);
    exec.threads = 2;
    exec.parallel_for = NAME_pool_run;
    exec.ctx = pool;
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        NAME_problem p = NAME_problem_new(extents[i][0], extents[i][1], extents[i][2]);
        wrong += !NAME_problem_solves(&p, NULL);
        wrong += !NAME_problem_solves(&p, &exec);
        wrong += !NAME_kernel_text(NAME_choose(p.M, p.N, p.K));
        NAME_problem_free(&p);
    }
    NAME_pool_stop(pool);
    return wrong;
}

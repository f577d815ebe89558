#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The adapters of docs/package.md, as they stand there: a package computes right through them, and in more than one part.
# ctest: fixture=packages
. "$SRC/tests/package/common.sh"

name=pkg_a
adapter() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$SRC/docs/package.md" | sed -n "/adapter: $2/,/^\`\`\`\$/p" | grep -v '^```'; }
adapter c OpenMP >"$tmp/omp.h"
adapter cpp oneTBB >"$tmp/tbb.h"
[ -s "$tmp/omp.h" ] && [ -s "$tmp/tbb.h" ] || failed "docs/package.md has no adapters"
fill use.c "$name" >/dev/null      # problem.h comes along

# The product's loop counts the parts that it is asked for.
cat >"$tmp/main.c" <<C
#include "$name.h"
#include "${name}_problem.h"
#include ADAPTER
static int most;
static void counted(void *ctx, int n, void (*body)(void *arg, int i), void *arg)
{
    most = n > most ? n : most;
    PARALLEL_FOR(ctx, n, body, arg);
}
int main(void)
{
    static const int64_t extents[][3] = { { 3, 48, 64 }, { 70, 300, 200 }, { 256, 128, 128 } };
    int wrong = 0;
    for (int i = 0; i < 3; i++) {
        ${name}_exec exec;
        ${name}_problem p = ${name}_problem_new(extents[i][0], extents[i][1], extents[i][2]);
        memset(&exec, 0, sizeof exec);
        exec.threads = 3, exec.parallel_for = counted;
        wrong += !${name}_problem_solves(&p, &exec);
        ${name}_problem_free(&p);
    }
    return wrong ? 1 : most > 1 ? 0 : 2;
}
C

# runs WHAT COMPILER OPTION...: skipped where a program that does nothing cannot be built so
runs() {
    what=$1
    shift
    echo 'int main(void) { return 0; }' >"$tmp/probe.c"
    if ! "$@" "$tmp/probe.c" -o "$tmp/probe" >/dev/null 2>&1; then echo "skipped: $what is not installed"; return; fi
    silent "$@" -Wall -Wextra -O1 -I"$packages/$name" -I"$tmp" "$tmp/main.c" -x none "$built/$name/kernels.o" "$built/$name/pool.o" \
        -o "$tmp/program" -lm -pthread ${libraries:-}
    quiet "$tmp/program"
}
runs OpenMP gcc -std=gnu11 -fopenmp -DADAPTER='"omp.h"' -DPARALLEL_FOR=omp_parallel_for
libraries=-ltbb runs oneTBB g++ -x c++ -std=c++17 -include oneapi/tbb/version.h -DADAPTER='"tbb.h"' -DPARALLEL_FOR=tbb_parallel_for

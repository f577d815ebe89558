#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The workspace of packages for CPUs: a package's own test and benchmark bring one, find what writes beside it or reads what it did not write, and
# take its memory from the problem at hand. The operator turns rows around in scratch memory.
# ctest: cost=8
. "$SRC/tests/cli/lib.sh"

op=ops/turned
mkdir -p $op
cat >$op/op.cfg <<'CFG'
name = "turned";
doc  = "Y[r,c] = X[r,C-1-c]";
axes = ( { name = "R"; kind = "spatial"; doc = "rows"; }, { name = "C"; kind = "spatial"; doc = "columns"; } );
dtypes   = ["f32"];
operands = (
  { name = "X"; role = "in";  extents = ["R", "C"]; doc = "[R][C]"; },
  { name = "Y"; role = "out"; extents = ["R", "C"]; doc = "[R][C]"; } );
flops     = "100000*R*C";
reference = "reference.c";
CFG
cat >$op/reference.c <<'C'
#include <math.h>
#include <stdint.h>
int64_t dcgen_reference_terms(const int64_t *extent) { return 1 + 0 * extent[0]; }
void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    const int64_t C = extent[1];
    for (int64_t i = row0; i < row1; i++) { /* an element is a row */
        *y = (double)((const float *)operand[0])[i / C * C + C - 1 - i % C];
        *bound++ = fabs(*y++);
    }
}
C
cat >$op/by_rows.c <<'C'
/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "by_rows";
op      = "turned";
family  = "cpu";
doc     = "row by row";
params  = ( { name = "UC"; choices = [1, 4]; doc = "columns at once"; } );
general = ( { target = "avx512"; UC = 4; }, { target = "avx2"; UC = 4; }, { target = "portable"; UC = 4; } );
tile    = { R = "1"; C = "UC"; };
scratch = "4 * C"; # a row
*/
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    float *row = (float *)((char *)a->scratch + task * KERNEL_scratch(a));
    const int64_t last = KERNEL_scratch(a) / 4 - 1;
    for (int64_t r = a->R * task / ntask; r < a->R * (task + 1) / ntask; r++) {
        for (int64_t c0 = 0; c0 < a->C; c0 += UC)
            for (int64_t c = c0; c < a->C && c < c0 + UC; c++)
                row[last - c] = a->X[r * a->C + c];
        for (int64_t c = 0; c < a->C; c++)
            a->Y[r * a->C + c] = row[last + 1 - a->C + c];
    }
    return 0;
}
C
cat >turned.cfg <<'CFG'
name    = "turned_rows";
op      = "turned";
dims    = { T = { min = 1; max = 12; }; };
shapes  = ( { R = "T"; C = 24; }, { R = 9; C = "7*T"; } );
threads = [1, 3];
budget  = { kernels = 2; trials = 4; seconds = 20; };
CFG

section a kernel with scratch memory is right
run 0 --templates ops turned.cfg
whole out/turned_rows turned_rows
grep -q '^  [12] trials*, 0 failed;' "$out" || failed "a kernel is wrong"

{ cmake -S out/turned_rows -B built -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' && cmake --build built -j2; } >"$tmp/log/cmake" 2>&1 || { cat "$tmp/log/cmake"; failed "cmake"; }
built/turned_rows_test >"$out" 2>&1 || failed "its own test"
grep -q '^[1-9][0-9]* kernels, [0-9]* checks, 0 failed' "$out" || failed "its own test"
built/turned_rows_bench 3 >"$out" 2>&1 || failed "its own benchmark"

section what its own test finds
# broken SED: the test of a package whose kernels are spoilt fails
broken() {
    sed "$1" out/turned_rows/kernels.c >bad.c
    ! cmp -s bad.c out/turned_rows/kernels.c || failed "nothing to break: $1"
    cc -std=gnu11 -O1 -Iout/turned_rows -o own out/turned_rows/test.c bad.c pool.o -lm -pthread
    ! ./own >"$out" 2>&1 || failed "its own test does not find: $1"
    grep -q '^wrong: .* error inf of the tolerance$' "$out" || failed "its own test does not tell: $1"
}
cc -c out/turned_rows/pool.c -o pool.o
broken '/_k[0-9]*(/,/^}/ s/^    return 0;/    if (task == ntask - 1) row[last + 1] = 0;\n&/'
broken '/_k[0-9]*(/,/^}/ s/^    return 0;/    if (task == 0) row[-1] = 0;\n&/'
broken 's/row\[last - c\] = /if (c > 0) &/'
broken 's/^    const double bytes = .*/    const double bytes = 0;/'

section what a call says
cat >call.c <<'C'
#include "turned_rows.h"
#include <stdio.h>
#include <stdlib.h>
#define MUST(condition) do { if (!(condition)) { printf("not so: %s\n", #condition); exit(1); } } while (0)
int main(void)
{
    static float x[240], y[240], room[16 * 8];
    turned_rows_exec exec = { .threads = 3 };
    MUST(turned_rows_workspace_bytes(10, 24, NULL) == 128);
    MUST(turned_rows_workspace_bytes(10, 24, &exec) >= 3 * 128 && turned_rows_workspace_bytes(10, 24, &exec) % (3 * 128) == 0);
    MUST(turned_rows_workspace_bytes(0, 24, NULL) == 0 && turned_rows_workspace_bytes(10, 0, NULL) == 0);
    MUST(turned_rows_workspace_bytes(-1, 24, NULL) == 0);
    exec.threads = 1;
    exec.kernel = 1000;
    MUST(turned_rows_workspace_bytes(10, 24, &exec) == 0);
    MUST(turned_rows(10, 24, x, y, room, &exec) == turned_rows_BAD_KERNEL);
    MUST(turned_rows(10, 24, x, y, NULL, NULL) == turned_rows_BAD_POINTER);
    MUST(turned_rows(0, 24, x, y, NULL, NULL) == turned_rows_OK);
    x[0] = 7;
    MUST(turned_rows(10, 24, x, y, room, NULL) == turned_rows_OK && y[23] == 7);
    return 0;
}
C
# call SED: the program, with the kernels changed so
call() {
    sed "$1" out/turned_rows/kernels.c >kernels.c
    cc -std=gnu11 -O1 -Wall -Wextra -Werror -Iout/turned_rows -o call call.c kernels.c -pthread -lm >"$out" 2>&1 || failed "the program does not compile"
    ./call >"$out" 2>&1
}
call '' || failed "a call"
# more than memory can hold
sed -i 's/^    MUST(turned_rows_workspace_bytes(10, 24, NULL) == 128);/    MUST(turned_rows_workspace_bytes(10, 24, NULL) == 0 \&\& turned_rows(10, 24, x, y, room, NULL) == turned_rows_BAD_EXTENT);\n    return 0;/' call.c
call 's/^    const double bytes = .*/    const double bytes = C > 0 ? 1e30 : 0;/' || failed "a call whose workspace no memory can hold"

section memory of its own for each problem, as the benchmark of script/bench gives it
sed 's/@NAME@/turned_rows/g; s/@PACKAGE@/turned_rows/g; s/@ROLE@/package_tested/; s/@FUNCTION@/NULL/; s/@SPEC@/x/; s/@ARGUMENT_NAMES@/"R", "C"/
    s/@ARGUMENTS@/argument[0], argument[1]/; s|@TEST@|out/turned_rows/test.c|' "$SRC/bench/package.c.in" >package.c
cat >problems.c <<'C'
#include "bench/package.h"
#include <sys/mman.h>
static char *base;
static size_t used;
enum { ALL = 1 << 20 };
static void *take(size_t bytes)
{
    used += (bytes + 63) / 64 * 64;
    return used <= ALL ? base + used - (bytes + 63) / 64 * 64 : NULL;
}
int main(void)
{
    static const int64_t extent[][2] = { { 9, 84 }, { 12, 24 }, { 3, 5 }, { 9, 84 } };
    for (int i = 0; i < 4; i++) {
        void *operand[2], *pool = i % 2 ? package_tested.pool(3) : NULL;
        base = mmap(NULL, ALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        used = 0;
        const void *p = package_tested.problem(extent[i], operand, take);
        package_tested.spoil(p);
        for (int again = 0; again < 3; again++)
            if (!package_tested.call(p, pool ? 3 : 1, pool))
                return 1;
        if (!package_tested.is_right(p))
            return 2;
        package_tested.pool_end(pool);
        munmap(base, ALL);
    }
    return 0;
}
C
cc -std=gnu11 -O1 -Wall -Wextra -Werror -I"$SRC" -I. -Iout/turned_rows -o problems problems.c package.c out/turned_rows/kernels.c out/turned_rows/pool.c -pthread -lm >"$out" 2>&1 ||
    failed "the benchmark's part does not compile"
./problems || failed "the benchmark's part: $?"
nothing_left

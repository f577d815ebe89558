#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# An operator of a stranger's: a folder with op.cfg, its definition and one template is enough for a package with a test and a benchmark. The
# operator has what dense has not: an index, a packed constant of one extent, an attribute, a derived extent, operands with strides.
# ctest: label=slow cost=15
. "$SRC/tests/cli/lib.sh"

op=ops/pick
mkdir -p $op
# Y[p][c] = X[L[STEP*p]][c] * sqrt(|W[c]|)
cat >$op/op.cfg <<'CFG'
name = "pick";
doc  = "Y[p,c] = X[L[STEP*p],c] * sqrt(|W[c]|)";
axes = ( { name = "R"; kind = "spatial"; least = 1; doc = "rows of X"; }, { name = "C"; kind = "spatial"; doc = "columns"; } );
attributes = ( { name = "STEP"; min = 1; max = 8; default = 1; doc = "rows are taken from every STEP-th index"; } );
derived    = ( { name = "P"; expr = "ceil_div(R, STEP)"; doc = "rows of Y"; } );
dtypes   = ["f32"];
operands = (
  { name = "X"; role = "in";    extents = ["R", "C"]; strided = true; doc = "[R][C]"; },
  { name = "L"; role = "index"; extents = ["R"]; data = "permutation"; doc = "[R], rows of X"; },
  { name = "W"; role = "const"; extents = ["C"]; doc = "[C]"; },
  { name = "Y"; role = "out";   extents = ["P", "C"]; strided = true; doc = "[P][C]"; } );
flops     = "P*C";
reference = "reference.c";
CFG
cat >$op/reference.c <<'C'
#include <math.h>
#include <stdint.h>
int64_t dcgen_reference_terms(const int64_t *extent) { return 1 + 0 * extent[0]; }
void dcgen_reference_rows(const int64_t *extent, const void *const *operand, int64_t row0, int64_t row1, double *y, double *bound)
{
    const int64_t C = extent[1], STEP = extent[2];
    for (int64_t i = row0; i < row1; i++) { /* an element is a row */
        const int32_t from = ((const int32_t *)operand[1])[i / C * STEP];
        *y = (double)((const float *)operand[0])[from * C + i % C] * sqrt(fabs(((const float *)operand[2])[i % C]));
        *bound++ = fabs(*y++);
    }
}
C
cat >$op/pick_rows.c <<'C'
/* SPDX-License-Identifier: MIT-0 */
/* dcgen
name    = "pick_rows";
op      = "pick";
family  = "cpu";
doc     = "row by row";
packed  = true;
params  = ( { name = "UC"; choices = [4, 8]; doc = "columns at once"; } );
general = ( { target = "avx512"; UC = 4; }, { target = "avx2"; UC = 4; }, { target = "portable"; UC = 4; } );
tile    = { R = "1"; C = "UC"; };
*/
#include <math.h>
static TARGET_ATTRIBUTE int KERNEL(const NAME_args *a, int64_t task, int64_t ntask)
{
    for (int64_t p = a->P * task / ntask; p < a->P * (task + 1) / ntask; p++) {
        const float *x = a->X + a->L[p * NAME_STEP(a)] * a->X_stride[0];
        for (int64_t c0 = 0; c0 < a->C; c0 += UC)
            for (int64_t c = c0; c < a->C && c < c0 + UC; c++)
                a->Y[p * a->Y_stride[0] + c] = x[c] * sqrtf(fabsf(a->W[c]));
    }
    return 0;
}
C
cat >pick.cfg <<'CFG'
name   = "picked";
op     = "pick";
dims   = { T = { min = 1; max = 12; }; };
shapes = ( { R = "T"; C = 24; STEP = 2; }, { R = "3*T"; C = 10; STEP = 3; } );
layout = { packed = true; };
budget = { kernels = 2; trials = 4; seconds = 20; };
CFG

section three files are enough
run 0 --templates ops pick.cfg
whole out/picked picked
grep -q 'package/pack.c$' out/picked/MANIFEST || failed "the manifest does not name the pattern that packs"
grep -q '^ \*   STEP      rows are taken from every STEP-th index, 1 to 8$' out/picked/picked.h || failed "the header lacks the limits of STEP"
grep -q '^ \*   P         rows of Y: ceil_div(R, STEP)$' out/picked/picked.h || failed "the header does not say what P is"
nothing_left

section a product, with its own test and benchmark, without a warning
mkdir product
cat >product/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(product LANGUAGES C)
add_subdirectory(../out/picked picked)
add_executable(product main.c)
target_link_libraries(product PRIVATE picked::picked)
CMAKE
cat >product/main.c <<'C'
#include "picked.h"
int main(void) { return picked(0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0); }
C
{ cmake -S product -B made -Dpicked_TEST=ON -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' && cmake --build made -j2; } >"$tmp/log/cmake" 2>&1 || { cat "$tmp/log/cmake"; failed "cmake of a product"; }

made/picked/picked_test >"$out" 2>&1
grep -q '^[1-9][0-9]* kernels, [0-9]* checks, 0 failed' "$out" || failed "its own test"
made/picked/picked_bench 2 >"$out" 2>&1 || failed "its own benchmark"
[ "$(grep -c '^ *[0-9]' "$out")" -ge 4 ] || failed "the benchmark lacks shapes"

section a kernel that is wrong
for file in pool test; do gcc -std=gnu17 -O1 -c -o $file.o out/picked/$file.c; done
# broken SED TEXT: the test of a package whose kernels are spoilt fails, and says TEXT
broken() {
    sed "$1" out/picked/kernels.c >spoilt.c
    ! cmp -s spoilt.c out/picked/kernels.c || failed "nothing to break: $1"
    gcc -std=gnu17 -O1 -Iout/picked -o spoilt spoilt.c pool.o test.o -lm -pthread
    ! ./spoilt >"$out" 2>&1 || failed "its own test does not find: $1"
    grep -q "$2" "$out" || failed "its own test does not say '$2': $1"
}
broken 's/a->X_stride\[0\]/a->C/' '^wrong: R=.* strided: '
broken 's/a->Y_stride\[0\]/a->C/' '^wrong: R=.* strided: '
broken 's/a->L\[p \* /a->L[0 * /' '^wrong: R='
broken 's/c < a->C && //' '^wrong: R='
broken 's/task + 1/task/' '^wrong: R='

section a file of its own
sed 's/its elements as they lie/as this folder does it/' "$SRC/templates/package/pack.c" >$op/pack.c
run 0 --templates ops -o own pick.cfg
grep -q 'as this folder does it' own/kernels.c || failed "its own pack.c does not count"
grep -q 'pick/pack.c$' own/MANIFEST || failed "the manifest does not name its own pack.c"

section a template without parameters
sed -i -e 's/^params .*/params  = ();/' -e 's/ UC = 4;//g' -e 's/"UC"/"8"/' -e 's/UC/8/g' $op/pick_rows.c
run 0 --templates ops --fresh -o single pick.cfg
whole single picked

section rows that are not the output
cp $op/op.cfg whole.cfg
sed -i 's/^reference/rows = "P"; row_elems = "R";\n&/' $op/op.cfg
run 2 check --templates ops pick.cfg
said 'error: Y of this shape has 24 elements, but by op.cfg its rows, P, are 1, of R = 1 elements for T = 1'
cp whole.cfg $op/op.cfg

section files that lack what is called
# lacks FILE SED TEXT [SPEC]: with FILE of the folder (empty where it had none) changed so, `check` says TEXT, and no command goes on.
lacks() {
    rm -rf less
    cp -r ops less
    [ -f less/pick/"$1" ] || : >less/pick/"$1"
    sed -i "$2" less/pick/"$1"
    for command in check 'try pick_rows' ''; do
        run 2 $command --templates less "${4:-pick.cfg}"
        said "less/pick/$1: error: the file lacks $3"
    done
}
rm $op/pack.c
lacks reference.c s/dcgen_reference_rows/dcgen_reference_row/ "'dcgen_reference_rows', which computes the output"
lacks reference.c s/dcgen_reference_terms/terms/ "'dcgen_reference_terms', which says"
lacks pack.c s/./x/g "'NAME_packed_bytes', which"
lacks pack.c s/./x/g "'NAME_pack', which"
lacks test.c s/./x/g "'main', which"
lacks bench.c s/./x/g "'main', which"
lacks pack.cu s/./x/g "'NAME_cuda_packed_bytes', which"
sed -i 's/{ name = "X"; role = "in"; /{ name = "X"; role = "const"; /' $op/op.cfg
run 2 check --templates ops pick.cfg
said "error: the op 'pick' has 2 operands with the role \"const\": 'packed' needs a file 'pack.c' in its folder"
cp whole.cfg $op/op.cfg
cat >two.cfg <<'CFG'
name = "two";
dims = { T = { min = 1; max = 12; }; };
functions = ( { name = "one"; op = "dense"; shapes = ( { M = "T"; N = 8; K = 8; } ); },
              { name = "other"; op = "pick"; shapes = ( { R = "T"; C = 24; STEP = 2; } ); } );
CFG
lacks reference.c s/dcgen_reference_rows/dcgen_reference_row/ "'dcgen_reference_rows', which computes the output" two.cfg
nothing_left

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# gated_dense as a user of a package meets it, packed and as the weights lie: the package compiles without a warning and passes its own test; which
# weight is the gate's; what a search is told of layouts. A package for GPUs, packed and not, is executed by the emulator. (Kernels:
# tests/search/runner/test_cpu_kernels.c, test_kernel_rows.c.)
# ctest: label=slow,thorough timeout=600 cost=40
. "$SRC/tests/cli/lib.sh"
cp -R "$SRC/templates/gated_dense" "$SRC/templates/gemm" "$tmp/inst/share/dcgen/templates"
quiet() { "$@" >"$tmp/log/step" 2>&1 || { tail -n 40 "$tmp/log/step"; failed "$*"; }; }
shows() { grep -qE -- "$1" "$out" || failed "stdout does not show: $1"; }
emulator=$SRC/templates/device/emulator
strict='-std=gnu11 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Werror'

cat >gates.cfg <<'CFG'
name = "gates"; target = ["host"]; threads = [1]; dims = { T = { min = 1; max = 9; }; }; tune = { T = [1, 9]; };
functions = (
  { name = "packed"; op = "gated_dense"; epilogue = ["gated_silu"]; layout = { W = "KN"; packed = true; }; shapes = ( { M = "T"; N = 20; K = 12; } ); },
  { name = "plain"; op = "gated_dense"; epilogue = "acc * silu(gate + low[n]) + Y[m,n]"; shapes = ( { M = "T"; N = 20; K = 12; } ); } );
budget = { kernels = 4; trials = 4; seconds = 8; };
CFG

section a package
run 0 --no-report -o gates gates.cfg
quiet cc $strict -Igates -fsyntax-only gates/kernels.c
{ cmake -S gates -B built -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' && cmake --build built -j2; } >"$out" 2>&1 || failed "the package does not compile"
for test in built/*_test; do
    "$test" >"$out" 2>&1 || failed "$test"
    shows '^[1-9][0-9]* kernels, [1-9][0-9]* checks, 0 failed'
done
for bench in built/*_bench; do
    "$bench" 1 >"$out" 2>&1 || failed "$bench"
done
cat >calls.c <<'C'
#include <math.h>
#include <stdio.h>
#include "gates.h"

static _Alignas(64) char packed[1 << 14], workspace[1 << 16];

int main(void)
{
    const float X[] = { 2 }, W[] = { 3, 4 }, G[] = { 0.5F, -1 }, low[] = { 1, 0 };
    float y[2], z[] = { 100, 200 };
    if (gates_packed_packed_bytes(2, 1) > sizeof packed || gates_packed_pack(2, 1, W, G, packed) || gates_packed(1, 2, 1, X, packed, y, workspace, NULL) ||
        gates_plain(1, 2, 1, X, W, G, low, z, workspace, NULL) || gates_packed_pack(2, 1, W, NULL, packed) != gates_BAD_POINTER)
        return 1;
    for (int n = 0; n < 2; n++) {
        const double acc = X[0] * W[n], gate = X[0] * G[n], more = gate + low[n];
        if (fabs(y[n] - acc * gate / (1 + exp(-gate))) > 1e-5 || fabs(z[n] - (100 * (n + 1) + acc * more / (1 + exp(-more)))) > 1e-4) {
            printf("column %d is %g, added %g\n", n, y[n], z[n]);
            return 2;
        }
    }
    return 0;
}
C
quiet cc -std=gnu11 -O1 -Igates -o calls calls.c gates/kernels.c gates/pool.c -lm -pthread
quiet ./calls

section what is said of layouts
sed 's/"KN"; packed/"KN"; G = "NK"; packed/' gates.cfg >layouts.cfg
run 2 check layouts.cfg
said "error: unknown key 'G'; expected one of W, packed"

section GPUs
if ! [ -x "$BIN/dcgen-runner-emu" ] || ! command -v nvcc >/dev/null 2>&1 || ! command -v c++ >/dev/null 2>&1; then
    skipped "nvcc, a C++ compiler or the emulator is not here"
    nothing_left
    exit 0
fi
install_cuda
cp "$BIN/dcgen-runner-emu" "$tmp/inst/bin"
sed 's/"host"/"sm_80"/; s/trials = 4; seconds = 8/trials = 2; seconds = 30/; s/name = "plain";/name = "plain"; dtype = "bf16";/' gates.cfg >gpu.cfg
run 0 --no-report --offline --cxx "$SRC/tests/quick-c++" -o gpu gpu.cfg
quiet c++ -x c++ -std=gnu++17 -O1 -march=native -fsanitize=thread -fno-plt -fno-builtin -fno-exceptions -fno-rtti -fno-tree-vectorize \
    -fno-tree-slp-vectorize -w -DDCGEN_EMULATOR -I"$emulator" -Igpu -c -o kernels.o gpu/kernels.cu
for test in packed plain; do
    quiet cc -std=gnu11 -O2 -Wall -Wextra -Werror -DDCGEN_EMULATOR -I"$emulator" -c -o test.o "gpu/test_$test.c"
    quiet c++ -o emulated kernels.o test.o "$BIN/libdcgen_emulator.a" "$BIN/libroom_gen_base.a" -lm -ldl -pthread
    DCGEN_EMULATOR_CAPABILITY=80 ./emulated 8 >"$out" 2>&1 || failed "$test: its own test on an emulated GPU"
    shows '[1-9][0-9]* checks, 0 failed'
done
nothing_left

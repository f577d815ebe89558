#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Six operators that share little, as a stranger would bring them (tests/operators): folders with op.cfg, reference.c and a template for CPUs
# and one for GPUs, and a spec each. Every one is checked, tried on the CPU and on an emulated GPU, and generated, and its package built as a product
# would; the package's own test passes. Two have packages for GPUs too, of which nvcc builds one; their tests are executed by the emulator.
# ctest: label=slow,thorough timeout=1200 cost=100
. "$SRC/tests/cli/lib.sh"
ops=$SRC/tests/operators
emulator=$SRC/templates/device/emulator
shows() { grep -qE -- "$1" "$out" || failed "stdout does not show: $1"; }
quiet() { "$@" >"$tmp/log/step" 2>&1 || { tail -n 40 "$tmp/log/step"; failed "$*"; }; }

has_cuda=
if [ -x "$BIN/dcgen-runner-emu" ] && command -v nvcc >/dev/null 2>&1 && command -v c++ >/dev/null 2>&1; then
    has_cuda=1
    install_cuda
    cp "$BIN/dcgen-runner-emu" "$tmp/inst/bin"
else
    skipped "GPUs: nvcc, a C++ compiler or the emulator is not here"
fi

# cpu NAME: its package, built and tested
cpu() {
    quiet cmake -S "out/$1" -B "built/$1" -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_C_FLAGS='-Wall -Wextra -Werror'
    quiet cmake --build "built/$1" -j2
    "built/$1/$1_test" >"$out" 2>&1 || failed "$1: its own test"
    shows '^[1-9][0-9]* kernels, [1-9][0-9]* checks, 0 failed'
    "built/$1/$1_bench" 1 >"$out" 2>&1 || failed "$1: its own benchmark"
}

# cuda NAME: its package for GPUs, and its test executed by the emulator
cuda() {
    mkdir -p "built_gpu/$1"
    quiet c++ -x c++ -std=gnu++17 -O1 -march=native -fsanitize=thread -fno-plt -fno-builtin -fno-exceptions -fno-rtti -fno-tree-vectorize \
        -fno-tree-slp-vectorize -w -DDCGEN_EMULATOR -I"$emulator" -I"gpu/$1" -c -o "built_gpu/$1/kernels.o" "gpu/$1/kernels.cu"
    quiet cc -std=gnu11 -O2 -Wall -Wextra -Werror -DDCGEN_EMULATOR -I"$emulator" -c -o "built_gpu/$1/test.o" "gpu/$1/test.c"
    quiet c++ -o "built_gpu/$1/emulated" "built_gpu/$1/kernels.o" "built_gpu/$1/test.o" "$BIN/libdcgen_emulator.a" \
        "$BIN/libroom_gen_base.a" -lm -ldl -pthread
    DCGEN_EMULATOR_CAPABILITY=80 "built_gpu/$1/emulated" 16 >"$out" 2>&1 || failed "$1: its own test on an emulated GPU"
    shows '[1-9][0-9]* checks, 0 failed'
}

# operator SPEC CPU GPU [gpu]: the words of a kernel for CPUs, of one for GPUs; gpu: with a package for them
operator() {
    section "$1"
    name=$(sed -n 's/^name *= "\(.*\)";/\1/p' "$ops/$1.cfg")
    run 0 check --templates "$ops" "$ops/$1.cfg"
    run 0 try --templates "$ops" $2 "$ops/$1.cfg"
    shows ': right on [0-9]+ awkward shapes and on all tuned ones$'
    run 0 --templates "$ops" --trials 1 --seconds 20 "$ops/$1.cfg"
    cpu "$name"
    [ -n "$has_cuda" ] || return 0
    if [ -z "${4:-}" ]; then
        run 0 try --templates "$ops" $3 "$ops/$1.cfg" --target sm_80 --cxx "$SRC/tests/quick-c++"
        shows ': right on [0-9]+ awkward shapes and on all tuned ones'
        return 0
    fi
    run 0 --templates "$ops" --trials 1 --target sm_80 --offline --cxx "$SRC/tests/quick-c++" -o "gpu/$name" "$ops/$1.cfg"
    cuda "$name"
}
operator standardise 'three_passes LANES=8' 'row_a_block NT=64'
operator conv1d 'channels_by_places OT=4 PV=2' place_a_thread gpu
grep -qx ' \* F should hold finite numbers: what stands on padding is multiplied by zero\.' out/speech_conv/speech_conv.h || failed "the header does not say what must be finite"
operator tri_product 'rows_by_vectors MR=4 NV=2' 'column_a_thread MR=4 BK=8 NT=64'
operator grouped 'group_by_group MR=4' 'row_a_block NT=32'
run 0 try --templates "$ops" group_by_group MR=4 "$ops/grouped.cfg"
shows '^GFLOP/s are of the full shape'
cp -r out/grouped_rows all_in_one
sed -i 's/int64_t g = 0; g < a->G; g++/int64_t g = 0; g < 1; g++/' all_in_one/kernels.c
quiet cmake -S all_in_one -B built/all_in_one
quiet cmake --build built/all_in_one -j2
built/all_in_one/grouped_rows_test >"$out" && failed "the package's test misses that all groups but one are left out"
operator words 'byte_rows MR=4' column_a_thread gpu
grep -q '^int byte_weights_pack(int64_t N, int64_t K, const int32_t \*W, const float \*scale, void \*packed);' out/byte_weights/byte_weights.h ||
    failed "the package does not pack weights and scales together"
operator affine 'rows NV=2' 'rows_cuda NT=128'
if [ -n "$has_cuda" ]; then
    quiet nvcc -std=c++17 -Werror all-warnings -gencode=arch=compute_80,code=sm_80 -c -o built_gpu/kernels.o gpu/byte_weights/kernels.cu
fi

section conv1d with filters that are packed once
sed 's/speech_conv/packed_conv/; $a layout = { packed = true; };' "$ops/conv1d.cfg" >packed.cfg
run 0 try --templates "$ops" packed_filters PT=4 packed.cfg
shows ': right on [0-9]+ awkward shapes and on all tuned ones$'
run 0 --templates "$ops" --trials 1 --seconds 20 packed.cfg
grep -q 'int packed_conv_pack(' out/packed_conv/packed_conv.h || failed "packed_conv packs nothing"
cpu packed_conv
nothing_left

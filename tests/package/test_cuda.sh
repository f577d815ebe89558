#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Packages for GPUs where there is none. As a product takes them: nvcc builds them without a warning and without spills,
# their headers and symbols are in order. And all their kernels, with the dispatcher, executed by the emulator: the
# package's own test passes on devices of several kinds.
# In a project by itself, too; and it does not pass once a kernel is broken.
# ctest: label=thorough timeout=900 cost=150 fixture=cuda
packages=$BIN/tests/packages_cuda
[ -e "$packages/done" ] || { echo "skipped: there are no packages for GPUs (setup_cuda.sh says why)"; exit 77; }
. "$SRC/tests/package/common.sh"
emulator=$SRC/templates/device/emulator

# ---- as a product takes them

# No kernel may keep registers in memory, on no architecture. Takes what ptxas said.
no_spills() {
    grep -q 'bytes spill stores' "$1" || failed "$1: nothing about spills"
    ! grep 'bytes spill stores' "$1" | grep -v ' 0 bytes spill stores, 0 bytes spill loads' || failed "$1: spills"
}

configure() {   # configure FOLDER ARGUMENT...
    folder=$1
    shift
    quiet cmake -B "$folder" -DCMAKE_C_FLAGS='-Wall -Wextra -Wshadow -Werror' \
        -DCMAKE_CUDA_FLAGS='-Werror all-warnings -Xptxas -v' -DCMAKE_INSTALL_PREFIX="$tmp/installed" "$@"
}

build() {   # build FOLDER: and installs what is in it
    quiet cmake --build "$1" -j2 --verbose
    ! grep 'warning[: ]' "$tmp/log" || failed "$1: warnings"
    no_spills "$tmp/log"
    quiet cmake --install "$1"
}

check_built() {   # check_built NAME LIBRARY FOLDER: what is external, and that its test and benchmark there know where there is no GPU
    check_symbols "$1" "$2"
    for program in "$3/$1"*_test "$3/$1"*_bench; do
        if CUDA_VISIBLE_DEVICES= "$program" >"$tmp/log" 2>&1; then code=0; else code=$?; fi
        [ "$code" = 77 ] && logged '^skipped: no CUDA device' || failed "$program ends with $code without a GPU"
    done
}

check_header() {   # check_header NAME: alone, with nothing of CUDA
    flags='-Wall -Wextra -Wpedantic -Wshadow -Wundef -Werror -fsyntax-only'
    for cc in $(compilers); do
        silent "$cc" -x c -std=c11 $flags -Wstrict-prototypes "$packages/$1/$1.h"
        silent "$cc" -x c++ -std=c++11 $flags -Wold-style-cast "$packages/$1/$1.h"
    done
}

# External symbols begin with the package's name; variables are only those by which CUDA knows its kernels, and the driver's function that makes
# tensor maps, once it was found.
check_symbols() {   # check_symbols NAME LIBRARY
    library=$2
    strange=$(nm -g --defined-only --portability "$library" | awk -v n="$1_" \
        'NF > 1 && index($1, n) != 1 && $1 != "DW.ref.__gxx_personality_v0" { print $1 }')
    [ -z "$strange" ] || failed "$1: symbols without the prefix: $strange"
    variables=$(objdump -t "$library" | awk '{ for (i = 3; i < NF - 1; i++)
        if ($i ~ /^\.(data|bss|tdata|tbss)(\.|$)/ && $i !~ /^\.data\.rel\.ro/ && $(i - 1) != "d") print $NF }' |
        grep -v -e '__device_stub__' -e '__cudaFatCubinHandle' -e '^DW\.ref\.__gxx_personality_v0$' -e 'tensor_map.*found') || :
    [ -z "$variables" ] || failed "$1: variables: $variables"
    for function in $(grep -ohE "\\b$1(_[a-z_]+)?\\(" "$packages/$1/$1.h" | tr -d '(' | sort -u); do
        nm -g --defined-only --portability "$library" | grep -q "^$function T " || failed "$function is not defined"
    done
}

# ---- in the emulator

# emulated FOLDER NAME: the package in FOLDER with its tests, one a function, as FOLDER/test*.emulated. Only the kernels are watched.
emulated() {
    quiet c++ -x c++ -std=gnu++17 -O1 -g1 -march=native -fsanitize=thread -fno-plt -fno-builtin -fno-exceptions \
        -fno-rtti -fno-tree-vectorize -fno-tree-slp-vectorize -w -DDCGEN_EMULATOR -I"$emulator" -I"$packages/$2" -c \
        -o "$1/kernels.o" "$1/kernels.cu"
    for source in "$packages/$2"/test*.c; do
        silent cc -std=gnu11 -O1 -Wall -Wextra -DDCGEN_EMULATOR -I"$emulator" -c -o "$1/test.o" "$source"
        quiet c++ -o "$1/$(basename "$source" .c).emulated" "$1/kernels.o" "$1/test.o" "$BIN/libdcgen_emulator.a" \
            "$BIN/libroom_gen_base.a" -lm -ldl -pthread
    done
}

# run FOLDER CAPABILITY STRIDE
run() {
    : >"$1/log"
    for program in "$1"/test*.emulated; do
        DCGEN_EMULATOR_CAPABILITY=$2 "$program" "$3" >>"$1/log" 2>&1 || return
    done
}

check_emulated() {   # check_emulated NAME
    mkdir -p "$tmp/emu/$1"
    cp "$packages/$1"/kernels.cu "$packages/$1"/dispatch*.h "$tmp/emu/$1"
    emulated "$tmp/emu/$1" "$1"
    case $1 in
    gpu_a) devices="90,48 80,80" ;;
    *) devices="90,4 89,8 75,8" ;;
    esac
    for device in $devices; do
        run "$tmp/emu/$1" "${device%,*}" "${device#*,}" || { cat "$tmp/emu/$1/log"; failed "$1 on the emulated device $device"; }
        grep -q ' checks, 0 failed' "$tmp/emu/$1/log" || failed "$1: no result"
    done
    run "$tmp/emu/$1" 0 1 && failed "$1: runs without a device"
    grep -q '^skipped: no CUDA device' "$tmp/emu/$1/log" || failed "$1: does not say that there is no device"
}

# broken NAME WHAT SED-SCRIPT MESSAGE: the package spoilt: its test must fail, with that finding.
broken() {
    folder=$tmp/emu/$1-$2
    mkdir -p "$folder"
    cp "$packages/$1"/dispatch*.h "$folder"
    sed "$3" "$packages/$1/kernels.cu" >"$folder/kernels.cu"
    ! cmp -s "$folder/kernels.cu" "$packages/$1/kernels.cu" || failed "$1 $2: nothing to break"
    emulated "$folder" "$1"
    if run "$folder" 90 1; then code=0; else code=$?; fi
    [ "$code" != 0 ] || failed "$1 $2: is not found"
    grep -q "$4" "$folder/log" || { tail -n 5 "$folder/log"; failed "$1 $2: code $code, but not: $4"; }
}

broken_ones() {
    broken gpu_d barrier 's/__syncthreads();//' 'shared byte [0-9]*'
    broken gpu_d bounds 's/if (m >= [a-z0-9_]*_nrow(a) || n >= /if (n >= /' 'emulator: '
    broken gpu_b reset 's/^ *\*counter = 0;/;/' \
        'the counter at allocation [0-9]* byte [0-9]* is [0-9]* after the launch, not 0'
}

# ---- all of it, on two cores

have c++ || { echo "skipped: there is no C++ compiler"; exit 77; }
(
    tmp=$tmp/second
    mkdir -p "$tmp"
    for name in gpu_d gpu_a; do check_emulated $name; done
) &
second=$!
for name in $names; do check_header "$name"; done
# A product in C that takes packages as subdirectories, with their tests, and one that takes those that are installed.
for name in gpu_b gpu_d; do mv "$(fill use_cuda.c $name)" "$tmp/${name}_use.c"; done
main_of gpu_b gpu_d >"$tmp/main.c"
use="-S $product -DLANG=C;CXX -DNAMES=gpu_b;gpu_d -DUSES=$tmp"
configure "$tmp/sub" $use -DFOLDER="$packages" -Dgpu_b_TEST=ON -Dgpu_d_TEST=ON -Dgpu_b_INSTALL=ON -Dgpu_d_INSTALL=ON
build "$tmp/sub"
for name in gpu_b gpu_d; do check_built $name "$tmp/sub/third_party/$name/lib$name.a" "$tmp/sub/bin"; done
configure "$tmp/found" $use -DCMAKE_PREFIX_PATH="$tmp/installed"
quiet cmake --build "$tmp/found" -j2
quiet "$tmp/sub/bin/product"
quiet "$tmp/found/bin/product"
check_emulated gpu_b
configure "$tmp/alone" -S "$packages/gpu_a" # a project by itself
build "$tmp/alone"
check_built gpu_a "$tmp/alone/libgpu_a.a" "$tmp/alone"
broken_ones
wait $second

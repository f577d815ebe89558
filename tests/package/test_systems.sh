#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The package beyond POSIX and gcc. Without its pool it needs no threads. A compiler that cannot take it is told so. For Windows MinGW
# builds it, with the pool and without, and its test passes (under Wine, where that is installed).
# ctest: timeout=240 fixture=packages
. "$SRC/tests/package/common.sh"
name=pkg_b # packed, tuned for threads

# ---- without the pool

unset CMAKE_GENERATOR
cmake_here() { quiet cmake -S "$packages/$name" -B "$@" && quiet cmake --build "$1" -j2; }

# No word of threads in what the objects need, and none in what is installed.
cmake_here "$tmp/alone" -D"${name}_POOL=OFF" -DCMAKE_C_FLAGS='-Wall -Wextra -Werror' -DCMAKE_INSTALL_PREFIX="$tmp/installed" \
    -DCMAKE_INSTALL_LIBDIR=lib
quiet ctest --test-dir "$tmp/alone" --no-tests=error --output-on-failure
if have nm; then
    needs=$(nm -u --portability "$tmp/alone/lib$name.a" | awk '{ print $1 }' | grep -E '^(pthread_|sched_|thrd_)') || :
    [ -z "$needs" ] || failed "without the pool the package needs $needs"
fi
quiet cmake --install "$tmp/alone"
[ -f "$tmp/installed/include/$name.h" ] || failed "$name.h is not installed"
[ ! -e "$tmp/installed/include/${name}_pool.h" ] || failed "${name}_pool.h is installed without its pool"
! grep -r -i -e pthread -e find_dependency "$tmp/installed/lib/cmake" "$tmp/installed/lib/pkgconfig" || failed "what is installed asks for threads"

# A product with a parallel_for of its own (contract.c has some), and no pthread.h in sight.
mkdir "$tmp/none"
echo '#error "no threads here"' >"$tmp/none/pthread.h"
quiet cc -std=gnu11 -fsyntax-only -D"${name}_NO_THREADS" -I"$tmp/none" "$packages/$name/kernels.c"

# ---- a compiler without vector types

if cc -std=gnu11 -U__GNUC__ -fsyntax-only "$packages/$name/kernels.c" >"$tmp/log" 2>&1; then failed "compiled without __GNUC__"; fi
logged "error.*$name needs gcc or clang"

# ---- Windows

windows=
for cc in x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-gcc; do
    if [ -z "$windows" ] && have $cc; then windows=$cc; fi
done
[ -n "$windows" ] || { echo "skipped: x86_64-w64-mingw32-gcc is not installed: nothing is built for Windows"; exit 0; }
wine= PATH=$PATH:/usr/lib/wine # Debian keeps wine64 there
for program in wine64 wine; do
    if [ -z "$wine" ] && have $program; then wine=$program; fi
done
[ -n "$wine" ] || echo "skipped: wine is not installed: what is built for Windows is not run"
export WINEPREFIX="$tmp/wine" WINEDEBUG=-all TMPDIR="$tmp" # Wine leaves folders there
for pool in ON OFF; do
    cmake_here "$tmp/windows-$pool" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER="$windows" -D"${name}_POOL=$pool" \
        -DCMAKE_C_FLAGS='-Wall -Wextra -Wconversion -Wsign-conversion -Werror' -DCMAKE_EXE_LINKER_FLAGS=-static
    if [ -n "$wine" ]; then
        quiet "$wine" "$tmp/windows-$pool/${name}_test.exe"
        logged ' 0 failed'
    fi
done
if [ -n "$wine" ]; then wineserver -k >/dev/null 2>&1 && wineserver -w || :; fi

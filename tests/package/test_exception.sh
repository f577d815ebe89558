#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A C++ product whose parallel_for throws through the package: by gcc and clang, with and without link-time optimisation, with the
# options that README.md and CMakeLists.txt name.
# ctest: label=thorough timeout=300 fixture=packages
. "$SRC/tests/package/common.sh"
name=pkg_c # the smallest

# The link-time optimiser of this compiler, as an option that works here.
lto_of() {
    echo 'int main() { return 0; }' >"$tmp/probe.cc"
    for option in -flto '-flto -fuse-ld=lld'; do
        if "$1" $option "$tmp/probe.cc" -o "$tmp/probe" >/dev/null 2>&1; then echo "$option"; return; fi
    done
}

ran=0
for cc in $(compilers); do
    cxx=$(cxx_of "$cc")
    have "$cxx" || { echo "skipped: $cxx is not installed"; continue; }
    lto=$(lto_of "$cxx")
    [ -n "$lto" ] || echo "skipped: $cxx cannot link with -flto here"
    for flags in '' ${lto:+"$lto"}; do
        compile "$cc" "-O1 $flags" "$name" "$tmp/built"
        silent "$cxx" -std=c++11 -O1 -Wall -Wextra $flags -I"$packages/$name" -I"$tmp" "$(fill exception.cc "$name")" \
            "$tmp/built/kernels.o" -o "$tmp/program" -lm -pthread
        quiet "$tmp/program"
        ran=$((ran + 1))
    done
done
[ "$ran" -gt 0 ] || { echo "skipped: there is no C++ compiler"; exit 77; }

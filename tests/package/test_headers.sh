#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The public headers by gcc and clang, each alone as C11 and C++11, and all packages' together, twice and in either order, as C17 and
# C++17 and 20 too; and the packages' own C. No warning, with all that products like to ask for.
# ctest: timeout=120 fixture=packages
. "$SRC/tests/package/common.sh"

flags='-Wall -Wextra -Wpedantic -Wshadow -Wundef -Wconversion -Wsign-conversion -Wcast-qual -Werror -fsyntax-only'
headers=$(cd -- "$packages" && ls ./*/*.h | grep -v -e '/dispatch\.h$' -e '/pieces\.h$')
reversed=$(echo "$headers" | sort -r)

include_all() { for h in "$@"; do echo "#include \"$packages/$h\""; done; }

# Each header is a translation unit of its own; then one with all of them, twice and in both orders, that uses them.
mkdir "$tmp/unit"
for h in $headers; do
    include_all "$h" >"$tmp/unit/$(basename -- "$h").c"
done
{
    include_all $headers $reversed
    number=$("$DCGEN" --version | awk -F '[ .]' '{ print $2 * 10000 + $3 * 100 + $4 }')
    for name in $names; do
        echo "int use_$name(${name}_pool *pool); int use_$name(${name}_pool *pool) {"
        echo "    ${name}_exec e = { 2, ${name}_pool_run, pool, 0 };"
        bias=$(grep -c '^epilogue *= *\["bias"\]' "$packages/$name/spec.cfg" || :)     # -Wundef: both are defined
        echo "#if ${name}_HAS_BIAS != $bias || ${name}_ABI < 1"
        echo "#error \"not what the spec says\""
        echo "#endif"
        echo "#if ${name}_VERSION_MAJOR * 10000 + ${name}_VERSION_MINOR * 100 + ${name}_VERSION_PATCH != $number"
        echo "#error \"another version\""
        echo "#endif"
        echo "    if (!${name}_VERSION[0]) return -1;"
        echo "#if ${name}_W_PACKED == ${name}_W_PACKED && ${name}_W_KN + ${name}_W_NK == 1"
        echo "    return ${name}_choose(e.threads, 1, 1) + ${name}_OK + ${name}_BAD_EXTENT + ${name}_BAD_KERNEL;"
        echo "#endif"
        echo "}"
    done
} >"$tmp/unit/all.c"

for cc in $(compilers); do
    for unit in "$tmp"/unit/*; do
        case $unit in */all.c) later='c17 c++17 c++20' ;; *) later= ;; esac
        for std in c11 $later c++11; do
            case $std in
            c++*) silent "$cc" -x c++ -std=$std $flags -Wold-style-cast -Wzero-as-null-pointer-constant "$unit" ;;
            *) silent "$cc" -std=$std $flags -Wstrict-prototypes -Wmissing-prototypes "$unit" ;;
            esac
        done
    done
    for name in $names; do
        for file in kernels pool test bench library; do
            case $file in kernels | pool) own='-Wstrict-prototypes -Wmissing-prototypes' ;; *) own= ;; esac
            silent "$cc" -std=gnu11 $flags $own "$packages/$name/$file.c"
        done
    done
done

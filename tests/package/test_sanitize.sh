#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The packages under sanitizers, each sanitizer by one of gcc and clang: W packed and not, in either layout, with a bias and without; every kernel of
# each package, hence every instruction set that this CPU has, and each set as NAME_CPU fixes it.
# ctest: label=thorough timeout=1500 fixture=packages cost=150
. "$SRC/tests/package/common.sh"

all=$(compilers) ran=0

# sanitized CC SANITIZERS FLAG NAME PROGRAM...: skipped where CC has none
sanitized() {
    if ! can_sanitize "$1" "$2"; then
        echo "skipped: $1 cannot build and run with -fsanitize=$2 here"
        return
    fi
    ran=$((ran + 1))
    sanitized_runs "$@"
}

# How many instruction sets the package has (dispatch.h: "0 avx512, 1 avx2, 2 portable.").
nset() { sed -n 's|^/\* The best instruction set .*[ ,]\([0-9]*\) [a-z0-9]*\. Define .*|\1|p' "$packages/$1/dispatch.h"; }

# The fixture's packages have four of the eight variants. The others are the same, but for the bias.
fixture=$packages others=$tmp/others
mkdir "$others"
for name in $names; do
    if grep -q '^epilogue' "$packages/$name/spec.cfg"; then edit='/^epilogue/d'; else edit='$aepilogue = ["bias"];'; fi
    sed "$edit" "$SRC/tests/package/spec/$name.cfg" >"$tmp/$name.cfg"
    quiet "$DCGEN" "$tmp/$name.cfg" --no-report --progress=none --jobs 2 --out "$others/$name" --records "$tmp/$name.jsonl"
done
for name in $names; do
    for packages in "$fixture" "$others"; do
        for cc in $all; do
            for sanitizers in address,undefined thread; do
                case $all,$packages,$cc,$sanitizers in # of two compilers each has one half
                gcc*clang*,"$fixture",gcc,thread | gcc*clang*,"$fixture",clang,address* | gcc*clang*,"$others",gcc,address* | gcc*clang*,"$others",clang,thread) continue ;;
                esac
                case $sanitizers in thread) programs=stress.c ;; *) programs=test.c ;; esac
                sanitized "$cc" "$sanitizers" '' "$name" $programs contract.c
            done
        done
    done
    packages=$fixture
    for cpu in $(seq 1 "$(nset "$name")"); do
        sanitized "${all%%[!a-z]*}" address,undefined "-D${name}_CPU=$cpu" "$name" test.c contract.c
    done
done
[ "$ran" -gt 0 ] || exit 77

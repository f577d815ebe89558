#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# All there is of a package for CPUs, under the address, undefined behaviour and thread sanitizers of gcc and clang: W packed and not,
# in either layout, with a bias and without; every kernel of each package, hence every instruction set that this CPU has, and each set
# as NAME_CPU fixes it.
# ctest: label=thorough timeout=1500 fixture=packages
. "$SRC/tests/package/common.sh"

# The fixture's packages have four of the eight variants. These have the others: the same, but for the bias.
fixture=$packages others=$tmp/others
mkdir "$others"
for name in $names; do
    if grep -q '^epilogue' "$packages/$name/spec.cfg"; then edit='/^epilogue/d'; else edit='$aepilogue = ["bias"];'; fi
    sed "$edit" "$SRC/tests/package/spec/$name.cfg" >"$tmp/$name.cfg"
    quiet "$DCGEN" "$tmp/$name.cfg" --no-report --progress=none --jobs 2 --out "$others/$name" --records "$tmp/$name.jsonl"
done

# How many instruction sets the package has (dispatch.h: "0 avx512, 1 avx2, 2 portable.").
nset() { sed -n 's|^/\* The best instruction set .*[ ,]\([0-9]*\) [a-z0-9]*\. Define .*|\1|p' "$packages/$1/dispatch.h"; }

ran=0
for cc in $(compilers); do
    for sanitizers in address,undefined thread; do
        if ! can_sanitize "$cc" "$sanitizers"; then
            echo "skipped: $cc cannot build and run with -fsanitize=$sanitizers here"
            continue
        fi
        for packages in "$fixture" "$others"; do
            for name in $names; do
                sanitized_runs "$cc" "$sanitizers" '' "$name" test.c stress.c contract.c
                ran=$((ran + 1))
                [ "$cc,$sanitizers" = gcc,address,undefined ] || continue
                for cpu in $(seq 1 "$(nset "$name")"); do
                    sanitized_runs "$cc" "$sanitizers" "-D${name}_CPU=$cpu" "$name" test.c stress.c contract.c
                done
            done
        done
    done
done
[ "$ran" -gt 0 ] || { echo "skipped: no compiler here has sanitizers"; exit 77; }

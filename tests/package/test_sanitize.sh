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

# The fixture's packages have four of the eight variants. The others are the same, but for the bias; those that gain one have their edges tried, too. One kind
# has the sets one by one, and two of it threads; the other chooses among the sets itself.
fixture=$packages others=$tmp/others first=${all%%[!a-z]*} last=${all##*[!a-z]} set=0
mkdir "$others"
for name in $names; do
    case $name in *_a | *_d) sanitized "$last" thread '' "$name" stress.c contract.c ;; esac
    set=$((set % $(nset "$name") + 1))
    sanitized "$first" address,undefined "-D${name}_CPU=$set" "$name" test.c contract.c
    if grep -q '^epilogue' "$packages/$name/spec.cfg"; then edit='/^epilogue/d' edges=; else edit='$aepilogue = ["bias"];' edges=contract.c; fi
    sed "$edit" "$SRC/tests/package/spec/$name.cfg" >"$tmp/$name.cfg"
    quiet "$DCGEN" "$tmp/$name.cfg" --no-report --progress=none --trials 1 --jobs 2 --out "$others/$name" --records "$tmp/$name.jsonl"
    packages=$others
    sanitized "$last" address,undefined '' "$name" test.c $edges
    packages=$fixture
done
[ "$ran" -gt 0 ] || exit 77

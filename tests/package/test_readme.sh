#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The example in a package's README.md compiles as it stands, once its operands are declared. The scripts that it builds dcgen by are there,
# and its commands for making the package again work. No file of the package says NAME, as the patterns do, for its name.
# ctest: fixture=packages
. "$SRC/tests/package/common.sh"

for name in $names; do
    ! grep -rnE '(-D|lib|[^A-Z_])NAME[_.]' "$packages/$name" || failed "$name: the package's name is not filled in there"
    {
        sed -n '/^```c$/,/^```$/p' "$packages/$name/README.md" | grep '^#include' >"$tmp/example_head"
        cat "$tmp/example_head"
        for ending in ';' ' { (void)W; (void)bias;'; do
            echo 'void example(int64_t M, int64_t N, int64_t K, const float *X, const float *W, const float *bias,'
            echo "             float *Y)$ending"
        done
        sed -n '/^```c$/,/^```$/p' "$packages/$name/README.md" | grep -v -e '^#include' -e '^```'
        echo "    if (code != ${name}_OK) abort();"
        echo '}'
    } >"$tmp/example.c"
    [ -s "$tmp/example_head" ] || failed "$name: README.md has no example"
    for script in $(grep -oE 'script/[a-z]+' "$packages/$name/README.md"); do
        [ -x "$SRC/$script" ] || failed "$name: README.md names $script, which is not there"
    done
    grep -E '^dcgen replay' "$packages/$name/README.md" | sed 's/#.*//' >"$tmp/commands"
    [ "$(grep -c '' "$tmp/commands")" -eq 2 ] || failed "$name: README.md does not say how to make the package again"
    mkdir -p "$tmp/copy"
    cp -R "$packages/$name" "$tmp/copy/"
    (cd "$tmp/copy/$name" && PATH=$(dirname -- "$DCGEN"):$PATH && quiet sh -e "$tmp/commands")
    quiet diff -r "$packages/$name" "$tmp/copy/$name.new"
    silent cc -std=c11 -Wall -Wextra -Werror -I"$packages/$name" -c "$tmp/example.c" -o "$tmp/example.o"
done

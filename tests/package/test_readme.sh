#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The example in a package's README.md compiles as it stands, once its operands are declared.
# ctest: fixture=packages
. "$SRC/tests/package/common.sh"

for name in $names; do
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
    silent cc -std=c11 -Wall -Wextra -Werror -I"$packages/$name" -c "$tmp/example.c" -o "$tmp/example.o"
done

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Packed weights in a file, by the example of docs/package.md as it stands there: another process maps them, on any instruction set and by another
# package that packs alike; what is no such file is refused.
# ctest: timeout=120 fixture=packages cost=10
. "$SRC/tests/package/common.sh"

example() { sed -n '/^```c$/,/^```$/p' "$SRC/docs/package.md" | sed -n '/example: packed weights in a file/,/^```$/p' | grep -v '^```'; }
[ -n "$(example)" ] || failed "docs/package.md has no example of packed weights in a file"

# program NAME OBJECTS PROGRAM: $tmp/PROGRAM
program() {
    example | sed "s/\\bname\\([_.]\\)/$1\\1/g" >"$tmp/$1_packed_example.h"
    link cc '' "$1" "$2" "$tmp/$3" "$(fill packed_file.c "$1")"
}
compile cc '-O0 -Dpkg_a_CPU=2' pkg_a "$tmp/objects"
program pkg_a "$built/pkg_a" a
program pkg_b "$built/pkg_b" b
program pkg_a "$tmp/objects" portable
quiet "$tmp/portable" hostile

# ---- from one process to another, between packages and instruction sets

for by in a b portable; do
    quiet "$tmp/$by" write "$tmp/$by.packed" 37 19
    for of in a b portable; do
        quiet "$tmp/$of" use "$tmp/$by.packed" 37 19
    done
    cmp "$tmp/a.packed" "$tmp/$by.packed" || failed "$by writes another file"
    quiet "$tmp/$by" refused "$tmp/$by.packed" 19 37
done

# What dense packs is what files of this name have: other bytes at the same name would be mapped and taken for these. A change that is meant gives
# NAME_PACKED_AS of templates/dense/pack.c another text, and the sums here follow.
sum() { tail -c "+$1" "$tmp/a.packed" | head -c "$2" | sha256sum | cut -c1-16; }
[ "$(sum 1 8)" = "$(printf DCGPACK1 | sha256sum | cut -c1-16)" ] || { echo "skipped: the sums are of little-endian machines"; exit 0; }
[ "$(sum 65 99999)" = 9b21ce4910e86b94 ] || failed "dense packs otherwise ($(sum 65 99999)): has NAME_PACKED_AS another text?"
[ "$(sum 1 64)" = c37db34e5f2772e6 ] || failed "files that were written before are refused: the header is another ($(sum 1 64))"

# ---- files that are none

: >"$tmp/empty"
head -c 63 "$tmp/a.packed" >"$tmp/short"
head -c 1000 "$tmp/a.packed" >"$tmp/cut"
head -c 4096 /dev/urandom >"$tmp/noise"
for file in empty short cut noise missing; do
    quiet "$tmp/a" refused "$tmp/$file" 37 19
done

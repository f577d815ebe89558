#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Every file of records/ is of the spec that it is named after, says so, and makes the package of it. Where templates, or the text that dcgen writes
# around kernels, have changed since, nobody can replay it before a device has measured anew: that is said, and no failure.
set -eu
: "${DCGEN:?the program to test}" "${SRC:?the source tree}"
tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
failed() { echo "FAILED: $*"; cat -- "$tmp/err"; exit 1; }

stale=0
for records in "$SRC"/records/*/*.jsonl; do
    name=$(basename -- "$records" .jsonl)
    spec=$SRC/specs/$name.cfg
    [ -f "$spec" ] || failed "$records: there is no specs/$name.cfg"
    grep '"type":"spec"' "$records" >"$tmp/lines" || failed "$records does not say which spec it is of"
    ! grep -v "\"spec\":\"$name\"" "$tmp/lines" || failed "$records names another spec"
    targets=$(sed 's/.*"target":"\([^"]*\)".*/\1/' "$tmp/lines" | sort -u)
    for target in $targets; do
        if "$DCGEN" replay "$spec" -t "$target" --no-report -q --records "$records" -o "$tmp/$name" 2>"$tmp/err"; then
            # Each line is the one that a search would write.
            grep '"type":"spec"' "$tmp/$name/records.jsonl" | grep -Fvxf "$tmp/lines" &&
                failed "$records: a function's line is missing"
            echo "$records: $target"
        else
            ! grep -q 'which has' "$tmp/err" && grep -q 'kernels\{0,1\} of another version of \|made by another version of dcgen$\|of template .*, which is not here' "$tmp/err" ||
                failed "$records: not of specs/$name.cfg"
            echo "skipped: $records, $target: $(cat -- "$tmp/err")"
            stale=1
        fi
        rm -rf -- "${tmp:?}/$name"
    done
done
[ $stale -eq 0 ] || exit 77

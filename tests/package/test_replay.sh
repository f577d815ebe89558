#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The same spec and records give the same package, byte for byte: as generate wrote it, again, from another folder, in
# another time zone and language, with the records' lines in another order, and from the package's own spec and records.
# ctest: timeout=120 fixture=packages
. "$SRC/tests/package/common.sh"

same() { quiet diff -r "$packages/$1" "$2"; }

replayed() {   # replayed NAME SPEC RECORDS WHAT: replays into $tmp/NAME/WHAT and compares
    mkdir -p "$tmp/$1"
    quiet "$DCGEN" replay "$2" --records "$3" --out "$tmp/$1/$4"
    same "$1" "$tmp/$1/$4"
    rm -rf -- "${tmp:?}/$1/$4"
}

for name in $names; do
    spec=$SRC/tests/package/spec/$name.cfg records=$packages/$name.jsonl
    replayed "$name" "$spec" "$records" first
    replayed "$name" "$spec" "$records" second
    replayed "$name" "$packages/$name/spec.cfg" "$packages/$name/records.jsonl" from_itself

    (
        mkdir "$tmp/elsewhere" && cd "$tmp/elsewhere"
        cp "$spec" here.cfg
        cp "$records" here.jsonl
        export TZ=Pacific/Auckland LC_ALL=C.UTF-8 LANG=de_DE.UTF-8 HOME=/nonexistent TERM=dumb SOURCE_DATE_EPOCH=1
        umask 077
        replayed "$name" here.cfg here.jsonl there
    )
    rm -rf "$tmp/elsewhere"

    for seed in 1 2; do      # the order of lines; a fixed shuffle
        awk -v seed=$seed 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$records" | sort -k1,1g | cut -f2- \
            >"$tmp/shuffled.jsonl"
        ! cmp -s "$records" "$tmp/shuffled.jsonl" || failed "not shuffled"
        replayed "$name" "$spec" "$tmp/shuffled.jsonl" "shuffled$seed"
    done
    quiet "$DCGEN" generate --offline "$spec" --records "$records" --out "$tmp/$name/offline"
    same "$name" "$tmp/$name/offline"
done

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

# Along the curve of budgets without a measurement: what fewer kernels give is what the full package said of them.
point() { tr -d ' \n' <"$1" | sed 's/.*"curve":\[\([^]]*\)\].*/\1/; s/},{/}\n{/g' | sed -n "$2"; }   # point FILE SED-COMMAND
for name in $names; do
    "$DCGEN" replay "$packages/$name/spec.cfg" --records "$packages/$name/records.jsonl" --out "$tmp/full" --json >"$tmp/full.json"
    most=$(point "$tmp/full.json" '/"kept":true/p' | sed 's/.*"kernels":\([0-9]*\).*/\1/')
    for n in $(seq "$most"); do
        "$DCGEN" replay "$packages/$name/spec.cfg" --records "$packages/$name/records.jsonl" --kernels "$n" --out "$tmp/few" \
            --json >"$tmp/few.json"
        said=$(point "$tmp/full.json" "${n}p" | sed 's/,"kept".*//') got=$(point "$tmp/few.json" '/"kept":true/p' | sed 's/,"kept".*//')
        [ -n "$got" ] && [ "$got" = "$said" ] || failed "$name with $n kernels: $got, not $said"
        [ "$(grep -c "^/\* Kernel [0-9]*: [a-z_]* avx512" "$tmp/few/kernels.c" || :)" -le "$n" ] || failed "$name has more than $n kernels"
        rm -rf "${tmp:?}/few"
    done
    rm -rf "${tmp:?}/full"
done

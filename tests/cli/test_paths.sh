#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow,thorough cost=12
#
# Folders whose names mean something to a shell, to make, to CMake or to gnuplot: of the spec, the package, the records, the
# templates, the compiler, the working folder and TMPDIR. All is made as elsewhere, and nothing lands in another place.
. "$SRC/tests/cli/lib.sh"
BUDGET_S=30 write_spec tiny.cfg
run 0 -q -o plain --records plain.jsonl tiny.cfg
run 0 replay -q -o plain --records plain.jsonl tiny.cfg

# in_folder NAME HOW: everything in a folder of that name, the benchmark as HOW says
in_folder() {
    mkdir -p "$tmp/p/$1/tmp" "$tmp/p/$1/templates"
    cd "$tmp/p/$1"
    cp "$tmp/work/tiny.cfg" .
    echo 'exec gcc "$@"' | program cc
    export TMPDIR="$tmp/p/$1/tmp"
    here="$tmp/p/$1"
    run 0 -q --cc "$here/cc" --templates "$here/templates" -o "$here/package" --records "$here/r.jsonl" "$here/tiny.cfg"
    whole package
    run 0 replay -q -o "$here/again" --records "$tmp/work/plain.jsonl" "$here/tiny.cfg"
    quiet_diff "$tmp/work/plain" again
    run 0 replay --check "$here/package"
    run 0 explain package T=2
    if [ "$2" = loud ]; then
        run 0 bench --cc "$here/cc" "$here/package"
        said 'do it only with a package that you trust'
        [ "$(grep -c '^ *[1-4] *24 *16 .*[0-9]$' "$out")" = 4 ] || failed "no result of each shape"
    else
        run 0 bench -q package
        [ ! -s "$err" ] || failed "-q is not quiet"
    fi
    run 0 replay --check "$here/package" # it was built elsewhere
    [ "$(ls -A | tr '\n' ' ')" = 'again cc package r.jsonl templates tiny.cfg tmp ' ] || failed "in the folder: $(ls -A)"
    [ -z "$(ls -A tmp)" ] || failed "left in TMPDIR: $(ls -A tmp)"
    cd "$tmp/work"
    [ "$(ls "$tmp/p")" = "$(basename -- "$here")" ] || failed "there is another folder: $(ls "$tmp/p")"
    rm -rf "$tmp/p"
    export TMPDIR="$tmp/scratch"
}
quiet_diff() { diff -r "$1" "$2" >/dev/null || failed "$2 is another package than $1"; }

section everything in one name
# shellcheck disable=SC2016
in_folder 'a;b $(touch x) ${y} `z` #c '"'d'"' "e" \f %n & | *? [g] (h) <i> !' loud

section a new line
in_folder "a
b" quiet

section a name that begins like an option
mkdir -- -v
run 0 -q -o ./-v/package --records ./-v/r.jsonl tiny.cfg
whole ./-v/package
run 0 explain -- -v/package T=2
nothing_left

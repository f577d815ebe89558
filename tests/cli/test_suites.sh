#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# script/test: its options, and that its two suites share no test and leave none out.
set -eu

tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT

failed() { echo "FAILED: $1"; cat -- "$tmp/out" "$tmp/err"; exit 1; }

# says CODE FILE TEXT OPTION...: script/test exits with CODE and has TEXT in FILE (out or err), and builds nothing.
says() {
    code=$1 file=$2 text=$3 got=0
    shift 3
    "$SRC/script/test" "$@" >"$tmp/out" 2>"$tmp/err" || got=$?
    [ "$got" -eq "$code" ] || failed "script/test $*: exit code $got instead of $code"
    grep -qF -- "$text" "$tmp/$file" || failed "script/test $*: does not say: $text"
}

says 0 out 'usage: script/test [--thorough]' --help
says 2 err "unknown option '--quick'; usage: script/test [--thorough]" --quick
says 2 err "unknown option 'cli'; usage: script/test [--thorough]" --thorough cli

if [ "$BIN" != "$SRC/build/test" ]; then
    echo "skipped: the suites are presets of build/test"
    exit 0
fi

# The names of the tests of a preset, without the set-ups that ctest adds for them.
suite() { cd -- "$SRC" && ctest --preset "$1" -N -FA '.*' | awk '/ Test +#/ { print $3 }' | sort >"$tmp/$1"; }
suite test
suite thorough
[ -s "$tmp/thorough" ] || failed "the thorough suite is empty"
(cd -- "$SRC" && ctest --test-dir build/test -N) | awk '/ Test +#/ { print $3 }' | sort >"$tmp/all"
sort "$tmp/test" "$tmp/thorough" | cmp -s - "$tmp/all" || failed "the two suites are not all tests, each once"

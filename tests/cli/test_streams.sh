#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow
#
# What dcgen is started with: streams that are closed or full, a poor environment, a folder that it may not write to.
. "$SRC/tests/cli/lib.sh"
BUDGET_S=30 write_spec tiny.cfg
run 0 tiny.cfg
cp -R out/tiny before

# as CODE SHELL-COMMAND: "$dcgen" with other streams
as() {
    want=$1 got=0
    (eval "$2") || got=$?
    [ "$got" -eq "$want" ] || failed "exit code $got, not $want: $2"
    diff -r before out/tiny || failed "another package than before: $2"
    ! grep -q 'search:\|tiny: ' out/tiny.records.jsonl || failed "messages went into the records: $2"
    nothing_left
}

section streams
as 3 '"$dcgen" tiny.cfg >&- 2>$err'
said 'cannot write to standard output: Bad file descriptor'
as 0 '"$dcgen" -q tiny.cfg >&- 2>$err'
as 0 '"$dcgen" tiny.cfg >$out 2>&-'
as 0 '"$dcgen" -q tiny.cfg >&- 2>&- <&-'
as 2 '"$dcgen" none.cfg >&- 2>&- <&-'
as 3 '"$dcgen" tiny.cfg >/dev/full 2>$err'
said 'cannot write to standard output: No space left on device'
as 3 '"$dcgen" check tiny.cfg >/dev/full 2>$err'
as 3 '"$dcgen" --help >/dev/full 2>$err'
as 0 '"$dcgen" tiny.cfg >$out 2>/dev/full'
as 0 '{ "$dcgen" check tiny.cfg 2>$err; echo $? >code; } | :; exit $(cat code)'
as 0 '{ "$dcgen" tiny.cfg 2>&1; echo $? >code; } | :; exit $(cat code)'

section environment
as 3 'TMPDIR=/none "$dcgen" tiny.cfg >$out 2>$err'
said 'cannot make a temporary folder /none/dcgen-'
as 3 'TMPDIR=$tmp/work/tiny.cfg "$dcgen" tiny.cfg >$out 2>$err'
said 'Not a directory'
as 0 'env -i PATH="$PATH" TMPDIR="$TMPDIR" "$dcgen" tiny.cfg >$out 2>$err'
as 0 'unset HOME; TERM= LANG=tlh_QO "$dcgen" tiny.cfg >$out 2>$err'
as 0 'TMPDIR=../scratch "$dcgen" tiny.cfg >$out 2>$err'

section no terminal: no escapes, a line at a time
run 0 --fresh -o plain tiny.cfg
! LC_ALL=C grep -q '[^ -~]' "$err" || failed "not plain text"
grep -q '^search: 0/3$' "$err" || failed "no progress"
run 0 --fresh -o plain --progress none tiny.cfg
[ ! -s "$err" ] || failed "--progress none shows something"

section a current folder that cannot be written to
mkdir ro
cp tiny.cfg ro
if [ "$(id -u)" -ne 0 ]; then
    chmod 555 ro
    (cd ro && "$dcgen" -q -o ../elsewhere tiny.cfg >"$out" 2>"$err") || failed "-o elsewhere"
    chmod 755 ro
elif unshare -m true 2>/dev/null; then
    cat >ro.sh <<'RO'
mount --bind ro ro && mount -o remount,ro,bind ro && cd ro && ! touch x 2>/dev/null && exec "$@"
RO
    unshare -m sh ro.sh "$dcgen" -q -o ../elsewhere tiny.cfg >"$out" 2>"$err" || failed "-o elsewhere"
else
    skipped "a read-only current folder: root here, and no name space of mounts to be had"
    "$dcgen" -q -o elsewhere tiny.cfg
fi
whole elsewhere

section a current folder that is gone
mkdir gone
(cd gone && rmdir ../gone && "$dcgen" -q -o "$tmp/work/gone2" "$tmp/work/tiny.cfg" >"$out" 2>"$err") || failed "no current folder"
whole gone2
nothing_left

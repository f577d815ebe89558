#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the machine lacks for a moment: disk, memory, descriptors, time. A run says it, and records nothing of it as a kernel's fault; the same
# command, later, has the kernels that the first one could not build or run.
# ctest: label=thorough timeout=300 cost=30
. "$SRC/tests/cli/lib.sh"
TRIALS=5 write_spec tiny.cfg

# blameless FILE [LEAST]: kernels recorded, none of them failed
blameless() {
    [ ! -f "$1" ] || ! grep -q '"status":"\(invalid\|build_failed\|crashed\|timed_out\|wrong\)"' "$1" ||
        failed "recorded: $(grep -m1 '"status":"\(invalid\|build_failed\|crashed\|timed_out\|wrong\)"' "$1")"
    [ -z "${2:-}" ] || [ "$(ntrials "$1")" -ge "$2" ] || failed "$(ntrials "$1") kernels are recorded"
}
# later NAME: the same command again, with nothing in its way
later() {
    run 0 -o "$1" tiny.cfg
    whole "$1"
    blameless "$1.records.jsonl" 5
    nothing_left
}

section a compiler that lacks something, for kernels alone
# cc_wants COMMAND: gcc, but for kernels
cc_wants() {
    program cc <<CC
for last; do :; done
if grep -q dcgen_run -- "\$last" 2>/dev/null; then $1; fi
exec gcc "\$@"
CC
}
cc_wants "echo 'ld: final link failed: No space left on device' >&2; exit 1"
run 3 -o disk --cc "$tmp/work/cc" tiny.cfg
said 'dcgen: kernels cannot be built here: ld: final link failed: No space left on device'
said 'nothing is lost: what was measured is in disk.records.jsonl, and the same command goes on from there'
absent disk
blameless disk.records.jsonl
later disk
cc_wants "kill -KILL \$\$"
run 3 -o memory --cc "$tmp/work/cc" tiny.cfg
said 'dcgen: the machine could neither build nor run any of 5 candidates'
said '  5 x left out because the machine lacked something: the compiler was killed by SIGKILL'
said '    for one: plain '
blameless memory.records.jsonl
later memory

section a compiler that lacks something, for some kernels
cc_wants "if grep -q 'sum\[4\]' -- \"\$last\"; then echo 'cc1: out of memory allocating 65536 bytes' >&2; exit 1; fi"
run 0 -o some --cc "$tmp/work/cc" --trials 17 tiny.cfg
whole some
blameless some.records.jsonl 4
[ "$(ntrials some.records.jsonl)" -lt 17 ] || failed "no kernel was left out"
run 0 -o some --trials 17 tiny.cfg
blameless some.records.jsonl 17

section a runner that is killed, as one that takes too much memory is
mkdir -p own/dense
sed 's/"plain"/"hungry"/; s/\[1, 2, 3, 4, 8, 16\]/[4]/; s/\[1, 2, 4\];  /[1];/
    s/^    const int64_t n0 = .*/    if (getenv("HUNGRY")) raise(9);\n&/
    s/^static TARGET_ATTRIBUTE int KERNEL(/#include <signal.h>\n#include <stdlib.h>\n&/' "$SRC/tests/cli/templates/dense/plain.c" >own/dense/hungry.c
HUNGRY=yes run 0 -o killed --templates own tiny.cfg
blameless killed.records.jsonl 1
! grep -q hungry killed.records.jsonl || failed "a kernel has the blame"
run 0 -o killed --templates own tiny.cfg
grep -q '"template":"hungry".*"status":"ok"' killed.records.jsonl || failed "it was not tried again"
blameless killed.records.jsonl 5

section few descriptors
for n in 8 12 14; do
    code=0
    (ulimit -n $n; exec "$dcgen" -o few tiny.cfg) >"$out" 2>"$err" </dev/null || code=$?
    [ $code -eq 0 ] || [ $code -eq 3 ] || failed "exit code $code with $n descriptors"
    blameless few.records.jsonl
    echo "$n descriptors: exit code $code, $(tail -n1 "$err")"
done
later few

section little memory for compilers
for mib in 36 44 48; do
    cc_wants "ulimit -v $((mib * 1024)); exec $real_gcc \"\$@\""
    code=0
    "$dcgen" -o poor --cc "$tmp/work/cc" tiny.cfg >"$out" 2>"$err" </dev/null || code=$?
    [ $code -eq 0 ] || [ $code -eq 3 ] || failed "exit code $code with $mib MiB"
    blameless poor.records.jsonl
    echo "$mib MiB: exit code $code"
done
later poor

section a full folder for temporary files
if unshare -m true 2>/dev/null; then
    cat >full.sh <<'FULL'
mount -t tmpfs -o size=$2k none "$TMPDIR"
"$1" -o full --trials 8 tiny.cfg
FULL
    for kib in 40 100; do
        code=0
        unshare -m sh full.sh "$dcgen" $kib >"$out" 2>"$err" </dev/null || code=$?
        [ $code -eq 0 ] || [ $code -eq 3 ] || failed "exit code $code with $kib KiB"
        [ $code -eq 0 ] || said 'No space left on device'
        blameless full.records.jsonl
    echo "$kib KiB: exit code $code"
    done
    later full
else
    skipped "a full folder: no name space of mounts to be had"
fi

section a folder of builds that takes none of them
run 0 build --builds kept --trials 1 tiny.cfg
for file in kept/*.build; do rm "$file"; mkdir "$file"; done # root may write anywhere
run 3 build --builds kept --trials 1 -q tiny.cfg
said "builds could not be stored in 'kept': Is a directory"
[ ! -s "$out" ] || failed "build says that it kept them: $(cat "$out")"
run 0 --builds kept -o elsewhere tiny.cfg
said "builds could not be stored in 'kept': Is a directory"
whole elsewhere

section the time is up
program cc <<'CC'
sleep 0.6
exec gcc "$@"
CC
run 0 -o hasty --cc "$tmp/work/cc" --seconds 1 tiny.cfg   # the first round comes in any case
whole hasty
nothing_left

section a general kernel that failed is tried again
cc_wants "echo \"\$last:7:1: error: a header is missing\" >&2; exit 1"
run 1 -o general --cc "$tmp/work/cc" --trials 1 tiny.cfg
said 'dcgen: none of 1 candidate could be built'
said '  1 x build_failed: error: a header is missing'
run 0 -o general --trials 1 tiny.cfg
whole general
grep -q '"status":"ok".*"again":true' general.records.jsonl || failed "it was not tried again"
run 0 --offline --records general/records.jsonl -o replayed --trials 1 tiny.cfg
for file in kernels.c dispatch.h records.jsonl; do
    cmp -s general/$file replayed/$file || failed "$file differs in the replay"
done
nothing_left

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# kill -9 at many moments of a run: nothing that was started lives on, the former package is whole, no record is lost,
# and the same command goes on from there: what was built and measured is not built and measured again.
# ctest: label=slow thorough cost=50
. "$SRC/tests/cli/lib.sh"
TRIALS=8 BUDGET_S=200 write_spec tiny.cfg
records=out/tiny.records.jsonl

# Slow enough that a kill meets every phase. While there is a file $HOLD, no kernel is compiled to its end.
program cc <<'CC'
echo "$@" >>"$CC_LOG"
for last; do :; done
case ${last##*/} in ????????????????????????????????.c) while [ -e "$HOLD" ]; do sleep 0.02; done ;; esac
sleep 0.05
exec gcc "$@"
CC
export CC_LOG="$tmp/log/cc" HOLD="$tmp/work/hold"
set -- -q --progress none --cc "$tmp/work/cc" -j 2 tiny.cfg

began=$(date +%s%N)
run 0 "$@"
took_ms=$((($(date +%s%N) - began) / 1000000))
whole out/tiny
cp -R out/tiny before
nkernel=$(ntrials $records)
built=$(lines '/[0-9a-f]\{32\}\.c$' "$CC_LOG")
[ "$nkernel" -eq 8 ] && [ "$built" -ge 8 ] || failed "$nkernel kernels recorded, $built built"

section a second run measures nothing
cp $records first
: >"$CC_LOG"
run 0 "$@"
cmp -s first $records || failed "the records grew"
[ "$(lines '/[0-9a-f]\{32\}\.c$' "$CC_LOG")" -eq 0 ] || failed "kernels were built again"

# One line a measurement: key, shape, in the last comparison or not.
measured() { sed -n 's/.*"type":"measure","key":"\([^"]*\)".*"extent":\(\[[^]]*\]\).*"final":\([a-z]*\).*/\1 \2 \3/p' "$1" | sort; }

# The search measures a kernel on a shape once, but the anchor (the general kernel, tried first) in every request. The last comparison has three
# passes, and one that was cut off is held again; settling has two more of a chosen pair and its rival, for each choice it makes, and on a
# busy machine, where the regret cannot be said, another six.
too_often() {
    awk -v anchor="$(trials $records | sed -n '1s/.*"key":"\([^"]*\)".*/\1/p')" '
        { n[$0]++ }
        $NF == "false" && $1 != anchor && n[$0] > 1 { print }
        $NF == "true" && n[$0] > 20 { print }'
}

# How many different kernels: one that was verified, but not timed when the run was killed, is built again and recorded again, with a
# number of its own.
kernels() { trials "$1" | sed 's/,"n":[0-9]*//' | sort -u | grep -c ''; }

begin() {
    "$dcgen" "$@" >/dev/null 2>"$err" &
    pid=$!
    pids=$pid
}
# held: waits until the run compiles a kernel, and so is held there
held() {
    tries=0
    until grep -q '/[0-9a-f]\{32\}\.c$' "$CC_LOG"; do
        tries=$((tries + 1))
        [ $tries -lt 3000 ] || failed "no kernel is compiled"
        sleep 0.02
    done
}

kills=0
# kill_now WHEN: afterwards nothing is left but what was there before, and the records of $tmp/work/seen
kill_now() {
    kill -KILL $pid 2>/dev/null || :
    wait $pid 2>/dev/null || :
    kills=$((kills + 1))
    no_process
    left=$(ls -A "$tmp/scratch")
    [ -z "$left" ] || failed "left in TMPDIR after a kill $1: $left"
    whole out/tiny
    [ ! -f $records ] || head -c "$(wc -c <seen)" $records | cmp -s - seen || failed "records before the kill $1 are not there any more"
}
# goes_on: the run after a kill keeps all records, adds what is missing, and measures nothing twice
goes_on() {
    [ ! -f $records ] || sed '/}$/!d' $records >seen        # without a torn line
    known=$(lines '"type":"kernel"' seen)
    : >"$CC_LOG"
    run 0 "$@"
    nothing_left
    whole out/tiny
    head -c "$(wc -c <seen)" $records | cmp -s - seen || failed "earlier records are gone"
    [ "$(kernels $records)" -eq 8 ] || failed "$(kernels $records) kernels are recorded, not 8"
    measured $records | too_often >twice
    [ ! -s twice ] || failed "measured too often: $(head -n1 twice)"
}

section "killed at times within $took_ms ms, one after another"
rm $records
for part in ${THOROUGH:+1 2 3} 4 ${THOROUGH:+5} 6; do
    ms=$((part * took_ms / 7))
    : >seen
    [ ! -f $records ] || sed '/}$/!d' $records >seen
    begin "$@"
    sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
    kill_now "at $ms ms"
done
: >seen
goes_on "$@"

section killed when so many records are written
for least in 1 ${THOROUGH:+2 5} 9 ${THOROUGH:+10 16} 26 ${THOROUGH:+40}; do
    rm $records
    : >seen
    begin "$@"
    until [ -f $records ] && [ "$(wc -l <$records)" -ge $least ]; do
        kill -0 $pid 2>/dev/null || break
        sleep 0.005
    done
    kill_now "at $least records"
    cp $records killed
    goes_on "$@"
    head -c "$(wc -c <killed)" $records | cmp -s - killed || sed '/}$/!d' killed | cmp -s - seen || failed "records are gone"
    echo "killed with $(wc -l <killed) records: knew $known of 8 kernels, built $(lines '/[0-9a-f]\{32\}\.c$' "$CC_LOG")"
done
[ $kills -eq $((5 ${THOROUGH:+ + 9})) ] || failed "only $kills kills"

section killed while it writes the package
# A record file that is complete: nearly all of what is left to do is writing.
for part in ${THOROUGH:+1} 2 ${THOROUGH:+3} 4 ${THOROUGH:+5 6}; do
    "$dcgen" --offline -q tiny.cfg 2>"$err" &
    pid=$!
    pids=$pid
    sleep 0.00$((part + 2))
    kill -KILL $pid 2>/dev/null || :
    wait $pid 2>/dev/null || :
    whole out/tiny
done
run 0 --offline -q tiny.cfg
nothing_left
whole out/tiny

section the guard is killed too: the next run removes the folder
: >"$CC_LOG"
: >"$HOLD"
"$dcgen" --fresh "$@" 2>"$err" &
pid=$!
pids=$pid
held
guard=$(grep -l '^dcgen-guard$' /proc/[0-9]*/comm 2>/dev/null | while read -r comm; do
    [ "$(awk '{ print $4 }' "${comm%comm}stat")" = $pid ] && basename "${comm%/comm}" || :
done)
[ -n "$guard" ] || failed "no guard"
kill -KILL "$guard" $pid
wait $pid 2>/dev/null || :
ls "$tmp/scratch" | grep -q "^dcgen-$pid-" || failed "no folder is left to be removed"
rm "$HOLD"
no_process # compilers that nobody ends any more write there until they are done
mkdir "$tmp/scratch/dcgen-mine" "$tmp/scratch/dcgen-1-mine"
run 0 "$@"
[ "$(ls "$tmp/scratch" | tr '\n' ' ')" = 'dcgen-1-mine dcgen-mine ' ] || failed "in TMPDIR: $(ls "$tmp/scratch")"
rmdir "$tmp/scratch/dcgen-mine" "$tmp/scratch/dcgen-1-mine"
nothing_left

section two runs at once
rm $records
: >"$CC_LOG"
: >"$HOLD"
start first --cc "$tmp/work/cc" tiny.cfg
held
for option in '' --fresh; do
    run 3 $option tiny.cfg
    said "dcgen: $records is in use by process "
done
rm "$HOLD"
finish first 0
whole out/tiny
[ "$(ntrials $records)" -eq 8 ] || failed "the first run was disturbed"
nothing_left

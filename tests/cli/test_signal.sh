#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# SIGINT, SIGTERM and SIGHUP in every phase: exit code 130, what was measured is kept, nothing lives on, and the same command goes on.
# Ctrl-C on a terminal leaves it as it was.
# ctest: label=slow cost=15
. "$SRC/tests/cli/lib.sh"
if ! env --default-signal=INT true 2>/dev/null; then
    skipped "env cannot restore signals, which a shell without job control has ignored"
    exit 77
fi
# Shapes are held out, so that there is always a last comparison.
TRIALS=8 BUDGET_S=200 write_spec tiny.cfg "tune = { T = [1, 4]; };"
records=out/tiny.records.jsonl

# While there is a file $HOLD, no kernel is compiled to its end: what is to happen before that cannot come too late.
program cc <<'CC'
echo "$*" >>"$CC_LOG"
for last; do :; done
case ${last##*/} in ????????????????????????????????.c) while [ -e "$HOLD" ]; do sleep 0.02; done ;; esac
exec gcc "$@"
CC
export CC_LOG="$tmp/log/cc" HOLD="$tmp/work/hold"
program cc_mute <<'CC'
echo "$*" >>"$CC_LOG"
trap '' INT TERM HUP
sleep 300
CC
program run_mute <<'RUN'
echo runner >>"$CC_LOG"
trap '' INT TERM HUP
sleep 300
RUN
# Asks the runner nothing more once the records have $WHAT.
program run_held <<'RUN'
while read -r line; do
    ! grep -q "$WHAT" "$RECORDS" 2>/dev/null || sleep 300
    printf '%s\n' "$line"
done | "$RUNNER"
RUN
export RUNNER="$runner" RECORDS="$tmp/work/$records"

# begin ARGUMENT...
begin() {
    out=$tmp/log/out err=$tmp/log/err
    : >"$CC_LOG"
    env --default-signal=INT,TERM,HUP "$dcgen" --progress none "$@" >"$out" 2>"$err" &
    pid=$!
    pids=$pid
}
# wait_until COMMAND...
wait_until() {
    tries=0
    until "$@" 2>/dev/null; do
        kill -0 $pid 2>/dev/null || failed "it ended before: $*"
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || failed "never: $*"
        sleep 0.005
    done
}
# stopped SIGNAL: it is sent, the run ends in order, and waits for nobody: a mute compiler would have 10 s, a mute runner 20 s
stopped() {
    kill -"$1" $pid
    began=$(date +%s)
    code=0
    wait $pid || code=$?
    [ $code -eq 130 ] || failed "exit code $code after SIG$1, not 130"
    [ $(($(date +%s) - began)) -lt 9 ] || failed "it took long to end"
    nothing_left
    [ ! -s "$out" ] || failed "something on stdout"
}
safe() { said "dcgen: interrupted; what was measured is in $records, and the same command goes on from there"; }

section before anything is measured
for row in 'HUP --cc cc_mute version' 'TERM --runner run_mute runner'; do
    # shellcheck disable=SC2086
    set -- $row
    begin $2 "$tmp/work/$3" tiny.cfg
    wait_until grep -q $4 "$CC_LOG"
    stopped $1
    said 'dcgen: interrupted; nothing was measured yet'
done
absent out

section while it compiles
: >"$HOLD"
for signal in INT TERM HUP; do
    begin --cc "$tmp/work/cc" tiny.cfg
    wait_until grep -q '[0-9a-f]\{32\}\.c$' "$CC_LOG"
    stopped $signal
    safe
done
rm "$HOLD"

section while it verifies and measures
for row in 'HUP "type":"kernel"' 'INT "type":"measure"' 'TERM "final":true'; do
    rm -f $records
    WHAT=${row#* } begin --runner "$tmp/work/run_held" tiny.cfg
    wait_until grep -q "${row#* }" $records
    stopped ${row%% *}
    safe
    absent out/tiny
    cp $records seen
done

section the run that goes on
run 0 tiny.cfg
head -c "$(wc -c <seen)" $records | cmp -s - seen || failed "records are gone"
whole out/tiny
nothing_left

section signals that are to be ignored are
rm $records
: >"$CC_LOG"
: >"$HOLD"
env --ignore-signal=HUP "$dcgen" -q --cc "$tmp/work/cc" tiny.cfg 2>"$err" &
pid=$!
pids=$pid
wait_until grep -q '[0-9a-f]\{32\}\.c$' "$CC_LOG"
kill -HUP $pid
rm "$HOLD"
wait $pid || failed "nohup does not help"
whole out/tiny

section a terminal
if command -v script >/dev/null; then
    # on_terminal CODE KEYS ARGUMENT...: with a bar, at which the keys are pressed; what was on the terminal goes to $out
    on_terminal() {
        want=$1 keys=$2 got=0
        shift 2
        rm -f ended
        : >"$out"
        {
            until [ -z "$keys" ] || { grep -q '[0-9a-f]\{32\}\.c$' "$CC_LOG" && grep -aq '\[?25l' "$out"; }; do sleep 0.02; done
            printf "$keys"
            until [ -e ended ]; do sleep 0.05; done
        } |
            TERM=xterm LC_ALL=C.UTF-8 script -qec "trap : INT; stty -echo; code=0; $dcgen --cc $tmp/work/cc $* || code=\$?; : >ended; exit \$code" \
                /dev/null >"$out" || got=$?
        [ $got -eq "$want" ] || failed "exit code $got, not $want"
        [ "$(LC_ALL=C grep -ao "$(printf '\033')\[?25[hl]" "$out" | tail -n 1)" = "$(printf '\033[?25h')" ] || failed "the cursor is not shown again"
        grep -q "$(printf '\033\\[?25l')" "$out" || failed "there was no bar"
        no_process
    }
    rm $records
    : >"$CC_LOG"
    : >"$HOLD"
    on_terminal 130 '\003' tiny.cfg
    grep -q 'interrupted; what was measured is in' "$out" || failed "no word of the interruption"
    rm "$HOLD"
    on_terminal 0 '' tiny.cfg
    for phase in search race 'hold out'; do
        grep -q "$phase" "$out" || failed "no phase '$phase'"
    done
    # A second Ctrl-C does not wait, and even so nothing is left.
    rm $records
    : >"$CC_LOG"
    : >"$HOLD"
    on_terminal 130 '\003\003\003' tiny.cfg
    nothing_left
else
    skipped "a terminal: script(1) is not here"
fi

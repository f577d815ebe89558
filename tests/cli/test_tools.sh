#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Compilers and runners that are missing, fail, lie, or hang. Those that hang are waited for in the background.
# ctest: label=slow cost=50
. "$SRC/tests/cli/lib.sh"
BUDGET_S=100 write_spec tiny.cfg

# nothing_made NAME
nothing_made() { absent "$1" "$1.records.jsonl"; }

section tools that hang
program cc_mute <<'CC'
exec sleep 300
CC
program cc_slow <<'CC'
for last; do :; done
if grep -q 'sum\[4\]' -- "$last" && grep -q 'm0 += 4' -- "$last"; then sleep 300; fi 2>/dev/null
exec gcc "$@"
CC
program run_mute <<'RUN'
sleep 300
RUN
start cc_mute -o mute --cc "$tmp/work/cc_mute" tiny.cfg
start cc_slow -o slow --cc "$tmp/work/cc_slow" --trials 17 --seconds 100 tiny.cfg
start run_mute -o silent --runner "$tmp/work/run_mute" tiny.cfg

section compilers
run 3 -o x --cc no-such-cc tiny.cfg
said 'cannot start the compiler no-such-cc: No such file'
nothing_made x
(PATH=/nowhere; code=0; "$dcgen" -o x tiny.cfg >"$tmp/log/out" 2>"$tmp/log/err" || code=$?; [ $code -eq 3 ]) || failed "PATH without a compiler"
said 'cannot start the compiler gcc: No such file'
nothing_made x
run 3 -o x --cc false tiny.cfg
said 'false --version exited with code 1'
nothing_made x
echo 'not a program' >cc_text
run 3 -o x --cc ./cc_text tiny.cfg
said 'cannot start the compiler ./cc_text: Permission denied'
program cc_none <<'CC'
[ "$1" != --version ] || exit 0
CC
run 3 -o x --cc "$tmp/work/cc_none" tiny.cfg
said 'cannot build a shared object: the compiler made no assembly'
program cc_noise <<'CC'
[ "$1" != --version ] || { head -c 20000 /bin/sh; exit 0; }
head -c 200000 /bin/sh >&2
while [ "$1" != -o ]; do shift; done
head -c 5000 /bin/sh | tail -c 4000 >"$2"
CC
run 3 -o x --cc "$tmp/work/cc_noise" tiny.cfg
said 'cannot build a shared object'
! LC_ALL=C grep -q '[^ -~]' "$err" || failed "garbage reaches the terminal"
nothing_made x

section a machine whose assembly nobody reads
if setarch i686 true 2>/dev/null; then
    code=0
    setarch i686 "$dcgen" -o unread --trials 2 --seconds 5 tiny.cfg >"$out" 2>"$err" || code=$?
    [ $code -eq 0 ] || failed "exit code $code"
    said 'cannot read the assembly of i686: a kernel that does not fit its registers is not refused'
    [ "$(lines '"spilled"' unread.records.jsonl)" -eq 0 ] || failed "spills are recorded that nobody looked for"
    whole unread
else
    skipped "this machine cannot claim to be another (setarch)"
fi

section a compiler that fails for every kernel
program cc_fails <<'CC'
for last; do :; done
if grep -q dcgen_run -- "$last" 2>/dev/null; then echo "$last:7:1: error: I do not like it" >&2; exit 1; fi
exec gcc "$@"
CC
run 1 -o fails --cc "$tmp/work/cc_fails" tiny.cfg
said 'dcgen: none of 3 candidates could be built'
said '  3 x build_failed: error: I do not like it'
absent fails
[ "$(trials fails.records.jsonl | grep -c '"status":"build_failed","code_bytes":0,"n":[0-9]*,"why":"[^"]*I do not like it"')" -eq 3 ] ||
    failed "three failures are not recorded"

section a compiler that fails for some
program cc_some <<'CC'
for last; do :; done
if grep -q 'sum\[4\]' -- "$last" 2>/dev/null; then kill -SEGV $$; fi
exec gcc "$@"
CC
run 0 -o some --cc "$tmp/work/cc_some" --trials 18 tiny.cfg
[ "$(lines 'the compiler was killed by SIGSEGV' some.records.jsonl)" -gt 0 ] || failed "no failure is recorded"
grep -q ' failed; ' "$out" || failed "the summary does not count failures"
whole some

section runners
run 3 -o x --runner no-such-runner tiny.cfg
said 'cannot start the runner no-such-runner: No such file'
run 3 -o x --runner "sh -c exit" tiny.cfg
said 'cannot start the runner sh: exited with code 0'
program run_dies <<'RUN'
echo 'no route to the device' >&2
exit 9
RUN
run 3 -o x --runner "$tmp/work/run_dies" tiny.cfg
said 'exited with code 9: no route to the device'
run 3 -o x --runner "head -c 100000 /dev/urandom" tiny.cfg
said 'does not speak the runner protocol'
run 3 -o x --runner "yes {}" tiny.cfg
said 'does not speak the runner protocol'
program run_old <<'RUN'
"$RUNNER" | sed -u 's/"protocol":1/"protocol":0/'
RUN
export RUNNER="$runner"
run 3 -o x --runner "$tmp/work/run_old" tiny.cfg
said 'it speaks protocol 0, not 1'
mv "$runner" "$runner.away"
run 3 -o x tiny.cfg
said 'dcgen-runner-c is not beside dcgen nor in its installation'
mv "$runner.away" "$runner"
nothing_made x

section a runner that dies from time to time
# All of its processes end at once: while one of them lives, dcgen waits for it, as for a runner that hangs.
program run_frail <<'RUN'
sed -u 40q | "$RUNNER" | { sed -u 150q; kill 0; }
RUN
run 0 -o frail --trials 12 --runner "$tmp/work/run_frail" tiny.cfg
whole frail

section a runner that dies of everything
program run_never <<'RUN'
sed -u 1q | "$RUNNER"
RUN
run 3 -o never --runner "$tmp/work/run_never" tiny.cfg
said 'dcgen: the runner cannot measure M=1 N=1 K=4: exited with code 0 while preparing'
[ "$(lines '"type":"kernel"' never.records.jsonl)" -eq 0 ] || failed "a candidate has the blame"
absent never

section what became of those that hang
finish cc_mute 3
said 'cc_mute --version does not end within 10 s'
nothing_made mute
finish cc_slow 0
[ "$(lines '"status":"timed_out"[^}]*killed after 30 s' slow.records.jsonl)" -eq 1 ] || failed "no timeout is recorded"
whole slow
late=$(sed -n 's/.*"key":"\([0-9a-f]*\)".*"status":"timed_out".*/\1/p' slow.records.jsonl)
# What was too slow once is tried once more by the next run, where it is not; and no further. That run has the time for all kernels.
run 0 -o slow --trials 17 --seconds 100 tiny.cfg
[ "$(lines "\"key\":\"$late\".*\"status\":\"ok\".*\"again\":true,\"why\"" slow.records.jsonl)" -eq 1 ] || failed "it was not tried again"
[ "$(lines "\"type\":\"measure\",\"key\":\"$late\".*\"again\":true" slow.records.jsonl)" -gt 0 ] || failed "it was not measured"
cp slow.records.jsonl settled
run 0 -o slow --trials 17 --seconds 100 tiny.cfg
cmp -s settled slow.records.jsonl || failed "the third run measured again"
finish run_mute 3
said 'says nothing for 20 s'
nothing_made silent
nothing_left

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=thorough timeout=180
#
# script/gpu check and calibrate on the fake GPU, when a program does not do its part: what cannot be asked is left out, the rest
# goes on.
. "$SRC/tests/cli/gpu_fake.sh"
out=$tmp/out
on="$out --pack $tmp/pack --work $tmp/work"
journal=$tmp/work/results.jsonl

echo "0 0  0 0" >"$tmp/behaviours"
run 0 pack "$tmp/pack" --portable "$tmp/portable" --spec "$tmp/good.cfg" --only f32_NK -j 2
run 0 check $on --dry-run # unpacks it
again() { rm -rf "$out" "$journal"; }

# combinations N: f32_NK behind N others whose reference does not load
combinations() {
    python3 - "$tmp/work/pack/check/combos.json" "$1" <<'PY'
import json, sys
path, n = sys.argv[1], int(sys.argv[2])
good = [c for c in json.load(open(path)) if c["name"] == "f32_NK"]
bad = [{**good[0], "name": f"bad{i}_NK", "setup": {**good[0]["setup"], "reference": "nowhere.so"}} for i in range(n)]
json.dump(bad + good, open(path, "w"))
PY
}
# runner TEXT COMMAND: one that does COMMAND in place of a request that has TEXT in it
runner() {
    program "$tmp/work/pack/bin/dcgen-runner-cuda" <<RUN
#!/bin/sh
while read -r line; do
    case \$line in *'$1'*) $2 ;; esac
    printf '%s\n' "\$line"
done | "$fake" "\$@"
RUN
}
tells() { [ "$(grep -c "$2" "$journal")" -eq "$1" ] || fail "not $1 lines: $2"; }

# ---- a reference that does not load; three in a row, which look like the runner's fault

combinations 1
run 1 check $on
said "FOUND: bad0_NK: dcgen-runner-cuda: .*nowhere.so"
said "32 of 32 checks right, 0 left"
tells 1 '"type": "lost"'
run 0 check $on
tells 1 '"type": "lost"'
again
combinations 4
run 1 check $on
said "FOUND: no more checks in this call: dcgen-runner-cuda: 3 requests are lost in a row"
said "0 of 0 checks right, 64 left"
run 1 check $on
said "FOUND: bad3_NK: dcgen-runner-cuda: "
said "32 of 32 checks right, 0 left"

# ---- a runner that dies at one shape, no kernel being to blame; one that does not start at all

again
combinations 0
runner '[2, 3, 5]' 'exit 9'
run 1 check $on
said "FOUND: f32_NK on 2x3x5: dcgen-runner-cuda: exited with code 0"
said "30 of 30 checks right, 0 left"
run 0 check $on
tells 1 '"type": "lost"'

# ---- a runner that falls silent: nothing waits for it longer than there is time, nothing is blamed. The archive is renewed by
# the clock, behind a check as well as in the silence

again
runner '[80, 76, 76]' 'sleep 100'
sed -i 's/^RENEW_S = .*/RENEW_S = 0/' "$tmp/src/script/gpu.d/stage.py"
began=$(date +%s)
run 0 check $on --minutes 0.2
[ $(($(date +%s) - began)) -lt 60 ] || fail "it takes $(($(date +%s) - began)) s, not 12: it waits for the runner, which takes 100"
said "6 of 6 checks right, 26 left"
tells 0 '"type": "lost"'
renewed='"stage": "check", "type": "spent"'
[ "$(sed '1,/"type": "check"/d; /^.*"type": "check"/{n;p;}; d' "$journal" | grep -c "$renewed")" -ge 4 ] || fail "not renewed behind a check"
[ "$(tac "$journal" | sed '/"type": "check"/q' | grep -c "$renewed")" -ge 4 ] || fail "not renewed in the silence"

# ---- its share of `all` is for all calls together: when that is spent, the other stages come first

runner nothing exit
sed -i 's/"check": 80/"check": 10/' "$tmp/src/script/gpu.d/steps.py"
run 0 all $on --spec "$tmp/good.cfg"
said "check: 32 of 32"
sed -n '/^check: /,$p' "$tmp/said" | grep -q '^calibrate: ' && fail "check comes first again"

# ---- a tune is done when what is left of its share is too short to measure in: else bench would be made anew for nothing

PYTHONPATH=$tmp/src/script/gpu.d python3 -B - >"$tmp/said" 2>&1 <<'PY' || fail "when a tune is done"
import types, tune
for share, spent, done in ((240, 179, False), (240, 181, True), (160, 99, False), (160, 110, True), (48, 1, False)):
    assert tune.is_used_up(types.SimpleNamespace(share=share, spent=lambda: spent)) == done, (share, spent)
PY

# ---- limits that cannot be measured are tried once more, by the next call

again
runs_limits() { grep -c '^limits' "$tmp/dcgen.log"; }
: >"$tmp/busy"
: >"$tmp/dcgen.log"
run 4 all $on --spec "$tmp/good.cfg"
said "FOUND: good: dcgen limits ends with 1: the GPU is busy"
summary "still to do: calibrate "
[ "$(runs_limits)" -eq 1 ] || fail "limits are tried $(runs_limits) times in a call"
run 1 all $on --spec "$tmp/good.cfg"
run 0 all $on --spec "$tmp/good.cfg"
[ "$(runs_limits)" -eq 2 ] || fail "limits are tried $(runs_limits) times, not 2"
summary "all is done"

# ---- limits are measured once a data type: all its specs have them among their records

again
rm -rf "$tmp/work/records" "$tmp/busy"
: >"$tmp/dcgen.log"
echo 'name = "half"; dtype = "f16";' >"$tmp/half.cfg"
run 0 calibrate $on --spec "$tmp/good.cfg" --spec "$tmp/half.cfg" --spec "$tmp/slow.cfg"
[ "$(runs_limits)" -eq 2 ] || fail "limits are measured $(runs_limits) times, not 2"
for name in good half slow; do
    [ "$(grep -c limits "$tmp/work/records/fake-gpu/$name.jsonl")" -eq 1 ] || fail "limits among the records of $name"
done

# ---- counters that may not be read: a word, and no second try

again
: >"$tmp/no_counters"
: >"$tmp/ncu.log"
run 3 counters $on
said "left out: f32_NK: ncu counts nothing here: .*ERR_NVGPUCTRPERM"
run 0 all $on --spec "$tmp/good.cfg"
[ "$(wc -l <"$tmp/ncu.log")" -eq 1 ] || fail "ncu runs $(wc -l <"$tmp/ncu.log") times, not once"
rm "$tmp/no_counters"

# ---- what is for another loan is done when all else is

PYTHONPATH=$tmp/src/script/gpu.d python3 -B - >"$tmp/said" 2>&1 <<'PY' || fail "what is for another loan"
import types, gpu, steps
done, made = [], [steps.Step("late", None, 20, soon=False), steps.Step("early", None, 20)]
gpu.run_step = lambda session, step, seconds: done.append((step.name, seconds))
gpu.run_steps(types.SimpleNamespace(
    options=types.SimpleNamespace(command="all"), steps=made, left=lambda: 50,
    is_complete=lambda name, this_pack: name in dict(done)))
assert done == [("early", 20), ("late", 50)], done
PY
exit $failed

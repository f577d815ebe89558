#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=thorough timeout=180 cost=15
#
# script/gpu without a GPU: pack and all stages on the fake GPU, with a dcgen and an nvcc made of a few lines (gpu_fake.sh).
# What it finds and writes, how it goes on after SIGKILL of everything, on a fresh machine too, and what comes back.
. "$SRC/tests/cli/gpu_fake.sh"
out=$tmp/out
pack=$tmp/pack
on="--pack $pack --work $tmp/work"

# ---- bad usage, nothing there

run 2
run 2 all
said "the following arguments are required: OUTDIR"
run 2 check "$out" --dance
run 3 check "$out" --pack "$tmp/nowhere" --work "$tmp/work"
said "there is no pack in $tmp/nowhere: script/gpu pack makes it"
run 3 pack "$pack" --portable "$tmp/nowhere"
said "dcgen is not there: script/build portable makes it"

# ---- pack: compiles once; what the emulator finds goes along

echo "0 0  5 5  14 0  10 0" >"$tmp/behaviours"
run 1 pack "$pack" --portable "$tmp/portable" --spec "$tmp/good.cfg" -j 2
said "FOUND: f32_NK: the emulator finds 16 verdicts wrong"
said "f32_NK: 4 candidates, 64 verdicts of the emulator"
said "good.cfg: 1 new builds"
said "rehearsal: a package's benchmark is built in [0-9.]* s of a core"
said "pack: $pack: [0-9.]* MiB in"
before=$(wc -l <"$tmp/compiled")
run 1 pack "$pack" --portable "$tmp/portable" --spec "$tmp/good.cfg"
[ "$(wc -l <"$tmp/compiled")" -eq "$before" ] || fail "the second pack compiles again"
run 0 plan --pack "$pack" --spec "$tmp/good.cfg"
said "tune good  *1  *150"
said "bench good .* %"
run 0 plan --pack "$pack"
said "tune bert_values_f16 "
said "tune bert_dense_bf16  *1  *150"
said "bench bert_dense  *1  *45"
said "bench bert_dense_tf32x3  *2  *45"
said "tune bert_softmax  *-  .* another loan"
said "520 + 180 seconds of a quarter of an hour, --minutes 8.66, --minutes 3; 16 cores"
said "in all .* of 700"
sed -i 's/^CALLS_S = .*/CALLS_S = [520, 130]/' "$tmp/src/script/gpu.d/plan.py" # too little for the last benchmark
run 1 plan --pack "$pack"
said "bench bert_dense_tf32x3  *-  *45"

# ---- all: every stage, in order, each once. A kernel that both find wrong, one only the GPU, one that crashes there; a race

FAKE_GPU=nodriver run 3 all "$out" $on
said "no GPU: dcgen-runner-cuda: no NVIDIA driver is installed"
FAKE_RACE=racecheck run 1 all "$out" $on --spec "$tmp/good.cfg"
said "an empty kernel takes 1500.0 ns, timed by cupti"
said "ladder: made by nvcc, run by dcgen-runner-cuda"
said "t1 key1 on 5x17x33: GPU wrong row 4 element 16"
said "t2 key2 on 5x17x33: GPU and emulator disagree: GPU wrong .*emulator ok"
said "t3 key3 on 5x17x33: GPU and emulator disagree: GPU crashed exited with code 4; emulator ok"
said "check: 16 of 49 checks right, 0 left; 1 of 78 combinations of type and layout, 4 of 4 of these"
said "calibrate: good: 990 TFLOP/s"
said "counters: f32_NK: t2: Duration 41,500.25 us, Issued Warp Per Scheduler 0.61"
wrote "$tmp/ncu.said" '"event":"result"'
wrote "$tmp/ncu.log" "--csv --kernel-name regex:_k0 .*--section WarpStateStats .*dcgen-runner-cuda .*--timer events"
said "bench good: good: 2 shapes"
said "bench good: good_second: 2 shapes"
said "tune good: of 9 builds 7 were found | "
said "sanitize: f32_NK: memcheck: 3 kernels, nothing"
said "FOUND: f32_NK: racecheck: .*Race reported"
wrote "$tmp/dcgen.log" "good.cfg --target cuda --records $tmp/work/records/fake-gpu/good.jsonl .* --builds $tmp/work/pack/builds"
for command in "build .*" "limits .*" "$tmp/good.cfg --target cuda .*" "$tmp/good.cfg --target sm_90a .*"; do
    wrote "$tmp/dcgen.log" "^$command --nvcc $tmp/bin/nvcc"
done
summary "FOUND WRONG (4)"
summary "t1 key1 on 5x17x33: .*(and 15 more like it)"
summary "all is done"
[ "$(ls -A "$out" | tr '\n' ' ')" = "gpu.tgz summary.txt " ] || fail "in OUTDIR: $(ls -A "$out")"
before=$(wc -l <"$tmp/work/results.jsonl")
run 0 all "$out" $on --spec "$tmp/good.cfg"
grep -q '"type": "spent"' "$tmp/work/results.jsonl" || fail "no times"
[ "$(sed "1,${before}d" "$tmp/work/results.jsonl" | grep -cE '"type": "(check|limits|tune|bench)"')" -eq 0 ] || fail "what was done is done again"

# ---- a spec that fails, and one whose dcgen is killed: its package is made of its records; too little time

run 1 tune "$out" $on --spec "$tmp/bad.cfg"
said "FOUND: bad: dcgen ends with exit code 1: cannot"
said "bad: dcgen failed; nothing was measured"
: >"$tmp/dies"
run 1 tune "$out" $on --spec "$tmp/slow.cfg"
said "FOUND: slow: dcgen was killed by signal 9: "
said "slow: dcgen failed; the package is of its records"
[ -s "$tmp/work/packages/fake-gpu/slow/bench.c" ] || fail "no package"
rm "$tmp/dies" "$tmp/work/records/fake-gpu/slow.jsonl"
run 0 tune "$out" $on --spec "$tmp/good.cfg" --minutes 1.5
said "good: no time: it takes 85 s at the least"
run 4 all "$tmp/short" --pack "$pack" --work "$tmp/shortwork" --spec "$tmp/good.cfg" --minutes 1.4
grep -q "tune good: " "$tmp/said" && fail "a tune is begun that has no time"

# ---- SIGKILL of everything while dcgen runs, on a machine that is gone then; the next one has the archive alone

sed -i 's/^RENEW_S = .*/RENEW_S = 0.3/' "$tmp/src/script/gpu.d/stage.py"
setsid "$gpu" all "$out" $on --spec "$tmp/slow.cfg" >"$tmp/said" 2>&1 &
pid=$!
tries=0
until tar xzOf "$out/gpu.tgz" records/fake-gpu/slow.jsonl 2>/dev/null | grep -q . || [ $((tries += 1)) -gt 200 ]; do sleep 0.2; done
kill -KILL "-$pid"
wait "$pid" 2>/dev/null
tries=0
while kill -0 "$(cat "$tmp/slow.pid")" 2>/dev/null && [ $((tries += 1)) -lt 300 ]; do sleep 0.1; done # of its 100 s
kill -0 "$(cat "$tmp/slow.pid")" 2>/dev/null && fail "dcgen lives on"
: >"$tmp/quick"
mv "$out/gpu.tgz" "$tmp/carried.tgz"
rm -rf "$out" "$tmp/work"
gpu=$pack/script/gpu # the pack works by itself
run 0 all "$out" --work "$tmp/work" --spec "$tmp/slow.cfg" --from "$tmp/carried.tgz"
said "1 kernel"
[ "$(grep -c '"type": "check"' "$tmp/work/results.jsonl")" -eq 49 ] || fail "checks were made twice, or are lost"
summary "all is done"
[ "$(grep -c n "$tmp/work/records/fake-gpu/slow.jsonl")" -eq 2 ] || fail "records of the killed run are lost"

# ---- without a GPU: the steps that need none; what comes back

FAKE_GPU=nodriver run 0 all "$tmp/dry" --pack "$pack" --work "$tmp/drywork" --spec "$tmp/good.cfg" --dry-run
said "check: 64 checks wait for a GPU"
said "good: its benchmark is built; there is no GPU to run it"
wrote "$tmp/dry/summary.txt" "dry run: no GPU was used, nothing was measured"
wrote "$tmp/dry/summary.txt" "all is done"
wrote "$tmp/dcgen.log" "good.cfg --target sm_90a .*--offline"
mkdir "$tmp/tree"
run 0 unpack "$tmp/dry/gpu.tgz" --root "$tmp/tree"
run 0 unpack "$out/gpu.tgz" --root "$tmp/tree"
said "records/fake-gpu/slow.jsonl: 2 records added to 0"
wrote "$tmp/tree/bench/results/fake-gpu/good.json" '"time_ns": 5000.0'
run 0 unpack "$tmp/carried.tgz" --root "$tmp/tree"
said "records/fake-gpu/slow.jsonl: 0 records added to 2"
wrote "$tmp/tree/records/fake-gpu/slow.jsonl" '"n":'
exit $failed

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=thorough timeout=1800 cost=110
#
# script/gpu with the real dcgen, nvcc and emulator, as far as that goes without a GPU: a small pack, a dry run of all stages
# that is killed in the middle of tune, a second one that goes on, and what comes back of it.
. "$SRC/tests/cli/gpu.sh"
for name in nvcc cmake; do
    command -v $name >/dev/null || { echo "skipped: no $name"; exit 77; }
done
for name in dcgen dcgen-runner-cuda dcgen-runner-emu; do
    [ -x "$BIN/$name" ] || { echo "skipped: no $name in this build"; exit 77; }
done

# Kernels that nvcc compiles soon; of the package for one GPU alone (CMake before 3.21 compiles for all).
cat >"$tmp/tiny.cfg" <<'SPEC'
name   = "tiny";
op     = "rows";
dtype  = "f32";
dims   = { T = { min = 1; max = 4; }; };
shapes = ( { M = "16*T"; N = 96; } );
formula = "x[m,n] * s[n]";
budget = { kernels = 2; };
SPEC
echo 'set(tiny_CUDA_ARCHITECTURES "90a-real")' >"$tmp/one.cmake"
export CMAKE_TOOLCHAIN_FILE="$tmp/one.cmake"
pack=$tmp/pack
out=$tmp/out
specs="--spec $tmp/tiny.cfg"
on="$out --pack $pack --work $tmp/work $specs --dry-run"
only="--only batched_f32_KM_KN"
run 0 pack "$pack" --portable "$BIN" $only --sample 2 --trials 2 $specs -j 2
said "batched_f32_KM_KN: 2 candidates, 19 verdicts of the emulator"
said "microtests of the primitives are made"
said "rehearsal: a package's benchmark is built in"
said "files; programs need GLIBC"
# A machine on which a benchmark is built fast enough, and a slower one, whatever this one is.
took() { sed -i "s/\"$1\": *[0-9.]*/\"$1\": $2/" "$pack/timing.json"; }
took nvcc_cpu_s 3
took bench_build_cpu_s 12
run 0 plan --pack "$pack" --spec "$tmp/tiny.cfg"
said "tune tiny "
said "3 s of a core for a candidate by nvcc, 12 to build a benchmark"
took bench_build_cpu_s 30
run 1 plan --pack "$pack" --spec "$tmp/tiny.cfg"
said "bench tiny .* too much"

# Killed with everything while dcgen is at work; then the rest of it, from the archive alone.
setsid "$gpu" all $on >"$tmp/said" 2>&1 &
pid=$!
begun "$tmp/work/log/tune_tiny.txt"
kill -KILL "-$pid"
wait "$pid" 2>/dev/null
summary "check  *done"
summary "still to do: tune tiny, bench tiny"
rm -rf "$tmp/work"
run 0 all $on
said "tune tiny: .*no time was measured"
said "tiny: its benchmark is built; there is no GPU to run it"
summary "all is done"
[ "$(ls "$tmp/out" | tr '\n' ' ')" = "gpu.tgz summary.txt " ] || fail "in OUTDIR: $(ls -A "$tmp/out")"
mkdir "$tmp/tree"
run 0 unpack "$tmp/out/gpu.tgz" --root "$tmp/tree"
said "records/dry-run/tiny.jsonl: [1-9]"
[ -s "$tmp/tree/records/dry-run/tiny.jsonl" ] || fail "no records came back"
exit $failed

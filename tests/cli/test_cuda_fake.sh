#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow timeout=200 cost=20
#
# The whole way on a GPU, on the fake one of tests/search/runner/cuda: nvcc is a script that compiles the same dense kernel whatever it is
# given, or one with a fault. Search, last comparison, records, package, and what became of the faulty.
. "$SRC/tests/cli/lib.sh"
fake=$BIN/tests/dcgen-runner-cuda-fake
[ -x "$fake" ] || { echo "skipped: dcgen-runner-cuda was left out of this build"; exit 77; }
install_cuda
TRIALS=6 BUDGET_S=120 write_spec tiny.cfg
export FAKE="$fake" SRC LD_LIBRARY_PATH="$BIN/tests/cuda${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    ASAN_OPTIONS=detect_leaks=0:handle_segv=0 TARGETS="$share/targets"
program fake-gpu <<'END'
exec "$FAKE" --targets "$TARGETS" --deadline "${DEADLINE:-10}" "$@"
END
# The candidate is the same C for all, compiled once a fault; its own text tells which it shall have. One never ends, where HANG is set.
program fake-nvcc <<'END'
made() { # made NAME SOURCE FLAG...
    object=made-$1.so source=$SRC/tests/search/runner/cuda/$2
    shift 2
    [ -f "$object" ] || { cc -O1 -shared -fPIC -I "$SRC" "$@" -o "$object.$$" "$source" && mv "$object.$$" "$object"; }
    exec cp "$object" "$out"
}
[ "$1" = --version ] && { echo "nvcc: a script"; echo "Cuda compilation tools, release 13.0, V13.0.0"; exit 0; }
behaviour=0 spill=0 ns=4000
for word; do
    [ "$last" = -o ] && out=$word
    last=$word
done
case $(grep -o 'Kernel 0: .*' "$last") in
    *'sm_90a TM=4 BK=32'*) behaviour=10 ;;
    *'sm_90a TM=4 BK=16'*) behaviour=${HANG:+11} ;;
    *'sm_90a TM=1 BK=32'*) behaviour=5 ;;
    *'sm_90a TM=1 BK=16'*) spill=8 ;;
esac
# The vendor's library is a candidate too.
if grep -q '^extern "C" const int dcgen_aligned' "$last"; then
    behaviour=${LIBRARY:-16} ns=6000
    [ "$behaviour" != none ] || { echo "library.cu:7: error: cublasLt.h: No such file or directory" >&2; exit 1; }
fi
if [ "${LIMITS:-}" ] && grep -q '^extern "C" int dcgen_limit' "$last"; then
    made limits limits.c
fi
echo "ptxas info    : Compiling entry function 'k' for 'sm_90a'" >&2
echo "    0 bytes stack frame, $spill bytes spill stores, $spill bytes spill loads" >&2
echo "ptxas info    : Used 40 registers, used 1 barriers" >&2
bias=0
! grep -q ')operand\[3\]' "$last" || bias=1
made "$bias-${behaviour:-0}-$ns" candidate.c -DHAS_BIAS=$bias -DBEHAVIOUR=${behaviour:-0} -DTAKES_NS=$ns
END

section what the GPU is asked
run 3 -t cuda --runner "./no-such-runner" --nvcc ./fake-nvcc tiny.cfg
said "cannot start ./no-such-runner"
FAKE_GPU=nodevice run 3 -t cuda --runner ./fake-gpu --nvcc ./fake-nvcc tiny.cfg
said "there is no CUDA device"
FAKE_GPU=olddriver run 3 -t sm_90a --runner ./fake-gpu --nvcc ./fake-nvcc tiny.cfg
said "the driver is for CUDA 12.4, older than"
run 3 -t sm_80 --runner ./fake-gpu --nvcc ./fake-nvcc tiny.cfg
said "Fake GPU does not run it"
absent out/tiny
run 0 check -v -t cuda --runner ./fake-gpu tiny.cfg
grep -q '^target: sm_90a on Fake GPU: 4 multiprocessors' "$out" || failed "check does not describe the device"

section search on a GPU
HANG=1 DEADLINE=3 run 0 -t cuda --runner ./fake-gpu --nvcc ./fake-nvcc -v -o gpu tiny.cfg
grep -q 'for sm_90a (Fake GPU)' "$out" || failed "it does not say where it measured"
grep -q 'no time was measured' "$out" && failed "times were measured"
said "crashed: plain_cuda sm_90a TM=4 BK=32: on M="
said ": exited with code 4 while verifying: verifying "
said ": cudaErrorIllegalAddress (an illegal memory access was encountered)"
said "crashed: plain_cuda sm_90a TM=4 BK=16: on M="
said ": exited with code 5 while verifying: no end within 3 s: verifying "
said "wrong: plain_cuda sm_90a TM=1 BK=32: on M="
said "build_failed: plain_cuda sm_90a TM=1 BK=16: spills 8 bytes a thread in local memory"
grep -q 'Tuned for Fake GPU, sm_90a' gpu/kernels.cu || failed "kernels.cu does not name the device"
grep -q '"cold_ns":8000' gpu/records.jsonl || failed "no times with a cold cache"
grep -q '"final":true' gpu/records.jsonl || failed "no last comparison"
grep -q '"facts":{"regs":40' gpu/records.jsonl || failed "no registers"
grep -q '"library_ns":6000.0' gpu/records.jsonl || failed "the vendor's library was not timed"
grep -q '1.50x as fast as the vendor.s library, geometric mean of 4 shapes; 1.50x at the worst' "$out" || failed "no comparison with the vendor's library"
grep -q '<td class="num">× 1\.50*</td>' gpu/report.html || failed "the report does not compare with the vendor's library"
grep -q 'dcgen_aligned' gpu/kernels.cu && failed "the vendor's library is in the package"
grep -qE 'TM=(1|4)' gpu/kernels.cu && failed "a faulty kernel is in the package"
grep -q '"target": "sm_90a", "device": "Fake GPU", .*"measured": true' gpu/regret.json || failed "no regret contract of what was measured"

section the contract on a GPU
run 0 bench gpu --regret --runner ./fake-gpu --nvcc ./fake-nvcc
[ "$(lines '^M .* +0.00 %  tuned' "$out")" -eq 4 ] || failed "four tuned shapes were not measured again"
grep -q '^within the stated bound' "$out" || failed "no verdict"

section without the vendor\'s library
library() {   # library BEHAVIOUR WORDS: the search ends well, and says why there is no comparison
    LIBRARY=$1 run 0 -t cuda --runner ./fake-gpu --nvcc ./fake-nvcc -o "no-$1" tiny.cfg
    said "the vendor's library was not timed: $2"
    ! grep -q 'as fast as the vendor' "$out" || failed "library $1: there is a comparison"
    ! grep -q library_ns "no-$1/records.jsonl" || failed "library $1: it has times"
}
library none "it does not compile: library.cu:7: error: cublasLt.h"
library 12 "invalid: refuses these extents (-3)"
library 10 "crashed: exited with code 4 while verifying"

section from its records, without a GPU
run 0 -t sm_90a --offline --records gpu/records.jsonl -o again tiny.cfg
sed 's/"cuda"/"sm_90a"/' gpu/spec.cfg | cmp -s - again/spec.cfg || failed "the specs differ"
for file in kernels.cu dispatch.h records.jsonl report.html regret.json tiny.h; do
    cmp -s "gpu/$file" "again/$file" || failed "$file differs"
done
run 0 explain gpu T=3
grep -q 'plain_cuda' "$out" || failed "explain names no kernel"
grep -q 'of the data sheet' "$out" || failed "a device that was not measured has a data sheet"

section the same command measures nothing again
before=$(cksum <gpu.records.jsonl)
run 0 -t cuda --runner ./fake-gpu --nvcc ./fake-nvcc -o gpu tiny.cfg
[ "$before" = "$(cksum <gpu.records.jsonl)" ] || failed "a finished search measured again"

section what the device does at most
limits() { LIMITS=1 run "$1" limits -t cuda --runner ./fake-gpu --nvcc "$2" --records "$3" ${4:-} tiny.cfg; }
limits 0 ./fake-nvcc gpu.records.jsonl "--seconds 1"
grep -q '^sm_90a f32 on Fake GPU$' "$out" && grep -qE '^ +1 +60000 +30000 +5500 +3000 +[0-9]+ +1500 +1800 +66000$' "$out" || failed "no table of the limits"
limits 0 ./fake-nvcc l.jsonl --json
grep -q '"launch_ns": 1500' "$out" && grep -qE '"memory": (2.99|3)[0-9]*e12' "$out" || failed "no JSON of the limits"
run 0 replay -t sm_90a --records gpu.records.jsonl -o with tiny.cfg
grep -q '"type":"limit",.*"handover_ns":1800.*"reuse_flops_per_s":6.[56][0-9]*e13' with/records.jsonl || failed "the package does not keep the limits"
grep -q 'Measured throughout the search' with/report.html || failed "the report does not say where its limits are from"
run 0 explain with T=3
grep -q ' at 66000 GFLOP/s, .* from the L2 cache .* at 5500 GB/s$' "$out" || failed "the roofline is not the measured one"
run 0 replay --check with
run 0 explain with --dump model
cp "$out" model.measured
run 0 explain gpu --dump model
! cmp -s "$out" model.measured || failed "the model does not see the device's rates"
printf '#!/bin/sh\ncase "$*" in *limits*) echo "limits.cu:1: error: no C" >&2; exit 1 ;; esac\nexec ./fake-nvcc "$@"\n' >bad-nvcc
chmod +x bad-nvcc
limits 3 "$PWD/bad-nvcc" m.jsonl
said "what measures it does not compile: limits.cu:1: error: no C"
rm "$share/device/limits.cu"
limits 3 ./fake-nvcc m.jsonl
said "dcgen's own kernels that measure it are not there"

section times with gaps are of another device
cp gpu.records.jsonl both.jsonl
run 0 -t cuda --runner "./fake-gpu --timer events" --nvcc ./fake-nvcc --records both.jsonl --trials 3 -o events tiny.cfg
grep -q 'Tuned for Fake GPU (timed by events), sm_90a' events/kernels.cu || failed "the package does not say how it was timed"
[ "$(grep -c '"type":"device"' both.jsonl)" -eq 2 ] || failed "times of two kinds are of one device"
[ "$(grep -c '"type":"device"' events/records.jsonl)" -eq 1 ] || failed "times of two kinds are in one package"
nothing_left
echo done

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: timeout=120 cost=12
#
# dcgen-runner-cuda whole, on the fake GPU of tests/search/runner/cuda: protocol, verification, times, faults, hangs.
set -u

runner=$BIN/tests/dcgen-runner-cuda-fake
[ -x "$runner" ] || { echo "skipped: dcgen-runner-cuda was left out of this build"; exit 77; }
cc=${CC:-cc}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf -- "$tmp"' EXIT
failed=0
# Candidates are not instrumented.
export LD_LIBRARY_PATH="$BIN/tests/cuda${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ASAN_OPTIONS=detect_leaks=0:handle_segv=0 TSAN_OPTIONS=handle_segv=0:atexit_sleep_ms=0

fail() { echo "FAILED: $*"; sed 's/^/    /' "$tmp/out" "$tmp/err"; failed=1; }

"$cc" -O1 -shared -fPIC -I "$SRC" -o "$tmp/reference.so" "$SRC/tests/search/runner/cuda/reference.c" -lm || exit 1
for b in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27; do
    "$cc" -O1 -shared -fPIC -I "$SRC" -DHAS_BIAS=1 -DBEHAVIOUR=$b -o "$tmp/k$b.so" "$SRC/tests/search/runner/cuda/candidate.c" || exit 1
done

setup='{"cmd":"setup","reference":"'$tmp'/reference.so","dtype":"f32","seed":1,"operands":[{"name":"X","role":"in","dtype":"f32"},{"name":"W","role":"const","dtype":"f32"},{"name":"bias","role":"in","dtype":"f32"},{"name":"Y","role":"out","dtype":"f32"}]}'

# measure REPEATS BEHAVIOUR...: the line that asks for these kernels on 5 x 7 x 9.
measure() {
    repeats=$1
    shift
    kernels=
    for b in "$@"; do kernels="$kernels${kernels:+,}{\"key\":\"key$b\",\"so\":\"$tmp/k$b.so\"}"; done
    echo '{"cmd":"measure","id":7,"extent":[5,7,9],"elems":[45,63,7,35],"rows":5,"row_elems":7,"flops":630,"threads":1,"repeats":'"$repeats"',"sample_ns":40000,"max_ns":2000000000,"hot":true,"kernels":['"$kernels"']}'
}

# run [OPTION...] < requests: stdout into $tmp/out, stderr into $tmp/err, the exit code into $code.
run() {
    "$runner" --targets "$SRC/templates/targets" --deadline 1 "$@" >"$tmp/out" 2>"$tmp/err"
    code=$?
}

# ask REPEATS BEHAVIOUR...: sets up and measures.
ask() {
    { echo "$setup"; measure "$@"; } >"$tmp/in"
    run <"$tmp/in"
}

expect() { grep -q -e "$2" "$tmp/out" || fail "$1: no $2"; }
expect_err() { grep -q -e "$2" "$tmp/err" || fail "$1: stderr has no $2"; }
expect_code() { [ "$code" -eq "$2" ] || fail "$1: exit code $code, not $2"; }

# ---- no device

for row in "nodriver:no NVIDIA driver is installed" "olddriver:the driver is for CUDA 12.4, older than" \
    "noruntime:no CUDA device can be used: " "nodevice:there is no CUDA device" "newer:no target's code runs on Fake GPU (compute capability 99.0)"; do
    for probe in "" --probe; do
        FAKE_GPU=${row%%:*} run $probe </dev/null
        expect_code "${row%%:*}" 3
        expect_err "${row%%:*}" "^dcgen-runner-cuda: ${row#*:}"
        [ "$(wc -l <"$tmp/err")" -eq 1 ] || fail "${row%%:*}: more than one line"
        [ -s "$tmp/out" ] && fail "${row%%:*}: says something on stdout"
    done
done

# ---- hello, probe, arguments

run </dev/null
expect_code hello 0
expect hello '"event":"hello","protocol":1,"runner":"cuda"'
expect hello '"name":"Fake GPU","arch":"sm_90","cores":4,"l1_bytes":233472,"l2_bytes":1048576,"l3_bytes":0'
expect hello '"isa":\["sm_90a"'
expect hello '"timer":"cupti","null_ns":1500'
expect hello '"found":{"driver":"CUDA 13[^"]*","runtime":"CUDA 13[^"]*","cupti":"[^"]*/tests/cuda/libcupti.so.13","nvml":"[^"]*/libnvidia-ml.so.1","cublasLt":"[^"]*"}'
head -n 1 "$tmp/err" | grep -q '^dcgen-runner-cuda: driver: CUDA 13' || fail "stderr does not begin with what was found"
expect_err hello '^dcgen-runner-cuda: cupti: /.*/libcupti.so.13$'
expect_err hello '^dcgen-runner-cuda: nvml: /.*/libnvidia-ml.so.1$'
id=$(sed 's/.*"id":"\([0-9a-f]*\)".*/\1/' "$tmp/out")
mkdir "$tmp/mine" # a target with the code of another one is not listed, one with code of its own is
mine() { "$runner" --targets "$tmp/mine" --targets "$SRC/templates/targets" --deadline 1 </dev/null >"$tmp/out" 2>"$tmp/err" || fail "two folders of targets"; }
printf 'name = "h200"; like = "sm_90a"; dram_gbs = 4300;\n' >"$tmp/mine/h200.cfg"
mine
grep -q "\"id\":\"$id\"" "$tmp/out" || fail "another device with a target that has the code of another one"
printf 'name = "plain90"; like = "h200"; gencode = "arch=compute_90,code=sm_90"; exact = false;\n' >"$tmp/mine/plain90.cfg"
mine
expect "a target with code of its own" '"isa":\["sm_90a","plain90"'
run --probe </dev/null
expect_code probe 0
expect probe '^{"id":"'$id'","name":"Fake GPU".*"timer":"cupti".*"found":{'
run --probe --timer events </dev/null
expect "probe by events" '^{"id":"[0-9a-f]\{16\}","name":"Fake GPU (timed by events)".*"timer":"events"'
expect "probe by events" '"cupti":"not wanted"'
grep -q "$id" "$tmp/out" && fail "timed by events, and of the same id"
run --timer sundial </dev/null
expect_code "a bad argument" 2

# ---- right kernels: hot 4000 ns, cold 8000; the one of two kernels twice 4000, of which the first is cold

ask 5 0 1 7
expect_code right 0
expect right '"kernel":0,"status":"ok","ns":\[4000.0,4000.0,4000.0,4000.0,4000.0\]'
expect right '"kernel":0.*"cold_ns":8000.0,"timer":"cupti","clock_mhz":1700,"throttle":"power"'
expect right '"kernel":1,"status":"ok","ns":\[8000.0,8000.0,8000.0,8000.0,8000.0\].*"cold_ns":12000.0'
expect right '"kernel":2,"status":"ok"'
expect right '"event":"done","id":7'
order=$(sed -n 's/.*"kernel":\([0-9]\),"phase":"time".*/\1/p' "$tmp/out" | tr -d '\n')
[ "$order" = 210012210012210012012 ] || fail "interleaving: $order"

FAKE_GPU=noflush ask 3 0
expect "without a flush" '"ns":\[4000.0,4000.0,4000.0\],"max_err":[^,]*,"timer":"cupti"'
grep -q cold_ns "$tmp/out" && fail "without a flush: a cold time"
expect_err "without a flush" "no times with a cold cache: "

ask 3 16
expect "for aligned operands alone" '"kernel":0,"status":"ok","ns":\[4000.0,4000.0,4000.0\]'

ask 0 0
expect "verified only" '"kernel":0,"status":"ok","ns":\[\]'

# Equal results are compared with the reference once: of two kernels, at two placements, in two requests.
{ echo "$setup"; measure 2 0 7; measure 2 7 1; measure 2 24; } >"$tmp/in"
FAKE_COUNT=140 run <"$tmp/in"
expect_err "equal results" "fake GPU: 2 copies of 140 bytes"
[ "$(grep -c '"status":"ok".*"max_err":0.0382' "$tmp/out")" -eq 4 ] || fail "equal results: errors"

# A second request finds the GPU warm: after the first it works for its samples alone, unless its clock has fallen.
worked() {
    FAKE_WORK=1 run <"$tmp/in"
    sed -n 's/^fake GPU: worked for \([0-9]*\) ms$/\1/p' "$tmp/err"
}
{ echo "$setup"; measure 3 0; } >"$tmp/in"
first=$(worked)
{ echo "$setup"; measure 3 0; measure 3 0; } >"$tmp/in"
second=$(worked)
[ $((second - first)) -lt 10 ] || fail "warm: $first ms, then $second ms"
fallen=$(FAKE_NVML=falls worked)
echo "worked for $first ms, with a second request $second, with a clock that falls $fallen"
[ $((fallen - first)) -gt 20 ] || fail "a clock that has fallen: $first ms, then $fallen ms"

# ---- wrong ones

wrong() {
    ask 3 "$1" 0
    expect_code "$3" 0
    expect "$3" "\"kernel\":0,\"status\":\"$2\".*\"why\":\"$3"
    expect "$3: the next kernel" '"kernel":1,"status":"ok","ns":\[4000.0,4000.0,4000.0\]'
}
wrong 2 wrong "writes outside of operand 3"
wrong 3 wrong "\(changes operand 0, an input\|a second call\|row \)"
wrong 4 wrong "\(row 0 element 0 is\|a second call\)"
wrong 5 wrong "row 4 element 6 is -\?nan"
wrong 6 wrong "writes outside of its scratch memory or counters"
wrong 27 wrong "leaves counters that are not zero"
wrong 8 wrong "\(changes the packed operand\|a second call\|row \)"
wrong 9 invalid "cannot be launched: cudaErrorInvalidValue (invalid argument)"
wrong 12 invalid "refuses these extents (-3)"
wrong 17 invalid "not on a Sunday"
wrong 13 invalid "cannot be launched"
wrong 14 wrong "row 0 element 0 is"
wrong 21 wrong "right at first, but not when it had been timed: row 0 element 0 is"
wrong 22 wrong "right at first, but not when it had been timed: row 0 element 0 is -\?nan"
wrong 23 wrong "right at first, but not when it had been timed: writes outside of operand 3"
wrong 24 wrong "a second call on the same data gives other bits"
ask 3 21 0
grep '"kernel":0,"status":"wrong"' "$tmp/out" | grep -q '"ns":\[\]' || fail "samples of a kernel that goes wrong later"

# Operands that were written to are mended where they lie: the others go on when there is no more memory. (8 operands of 16640 bytes with bands.)
{ echo "$setup"; measure 3 0 3 2; } >"$tmp/in"
FAKE_FEW=16640:8 run <"$tmp/in"
expect_code "mended operands" 0
expect "mended operands" '"kernel":1,"status":"wrong"'
expect "mended operands" '"kernel":2,"status":"wrong"'
expect "mended operands" '"kernel":0,"status":"ok","ns":\[4000.0,4000.0,4000.0\]'
FAKE_FEW=16640:7 run <"$tmp/in"
expect "too little memory" '"event":"error","text":"no memory for the operands"'

# An error of the runner's own, when it took memory for digests, is not laid to the first kernel.
FAKE_FEW=4096:0 ask 3 0
expect_err "no memory for digests" "operands are compared by the CPU"
expect "no memory for digests" '"kernel":0,"status":"ok","ns":\[4000.0,4000.0,4000.0\]'

# The same without the GPU's digests: where its own kernels are not loaded, or do not work, memory is downloaded.
for gpu in noptx nodigest wrongdigest; do
    FAKE_GPU=$gpu
    export FAKE_GPU
    run </dev/null
    expect_err $gpu "operands are compared by the CPU: "
    [ $gpu = noptx ] && continue # nothing proves CUPTI then
    wrong 3 wrong "\(changes operand 0, an input\|a second call\|row \)"
    wrong 21 wrong "right at first, but not when it had been timed: row 0 element 0 is"
    wrong 24 wrong "a second call on the same data gives other bits"
done
# An operand of 256 MiB, and others: too much for the CPU.
FAKE_GPU=nodigest
{ echo "$setup"; measure 3 0 | sed 's/"elems":.45/"elems":[67108864/'; measure 3 0; } >"$tmp/in"
run <"$tmp/in"
expect "large operands" '"event":"error","text":"the GPU makes no digests, and operands of 256 MiB are too much to be compared by the CPU"'
expect "large operands" '"status":"ok","ns":\[4000.0,4000.0,4000.0\]'
unset FAKE_GPU

# ---- faults end the process, behind the begin of the culprit

ask 3 0 10
expect_code "illegal address" 4
expect_err "illegal address" "verifying key10: cudaErrorIllegalAddress (an illegal memory access was encountered)"
tail -n 1 "$tmp/out" | grep -q '"begin","id":7,"kernel":1,"phase":"verify"' || fail "illegal address: who is to blame?"

ask 3 0 11
expect_code hang 5
expect_err hang "no end within 1 s: verifying key11"
tail -n 1 "$tmp/out" | grep -q '"begin","id":7,"kernel":1,"phase":"verify"' || fail "hang: who is to blame?"

ask 3 15
[ "$code" -ge 128 ] || fail "segmentation fault: exit code $code"

# ---- what loads for long is no hang (1 s), and says every second that it goes on

for row in 25:3 26:2; do
    ask 3 ${row%:*}
    expect_code "slow to load" 0
    expect "slow to load" '"kernel":0,"status":"ok","ns":\[4000.0,4000.0,4000.0\]'
    [ "$(grep -c '"begin","id":7,"kernel":0,"phase":"verify"' "$tmp/out")" -eq ${row#*:} ] || fail "slow to load: not a beat a second"
done

# ---- calls, from file to file

# call BEHAVIOUR ADDED WORDS: adds to words 1, 2, 3 ...
call() { echo '{"cmd":"call","id":3,"so":"'$tmp/k$1.so'","extent":['$2','$3',0],"in":"'$tmp'/words","out":"'$tmp'/sums","out_bytes":'$((4 * $3))'}'; }
printf '\001\000\000\000\002\000\000\000\003\000\000\000' >"$tmp/words"
{ call 18 5 3; call 18 6 2; } >"$tmp/in"
run <"$tmp/in"
expect_code call 0
[ "$(grep -c '"event":"called","id":3,"status":"ok","why":""' "$tmp/out")" -eq 2 ] || fail "two calls"
[ "$(od -An -tu4 "$tmp/sums" | tr -s ' ')" = " 7 8" ] || fail "sums: $(od -An -tu4 "$tmp/sums")"
bad_call() { # BEHAVIOUR ADDED STATUS WHY
    call "$1" "$2" 3 >"$tmp/in"
    run <"$tmp/in"
    expect "call $1" "\"event\":\"called\",\"id\":3,\"status\":\"$3\",\"why\":\"$4"
}
bad_call 19 5 wrong "writes outside of its output, scratch memory and counters"
bad_call 20 5 wrong "changes its input"
bad_call 18 77 invalid "wants -1 bytes of scratch memory"
bad_call 9 5 invalid "cannot be launched: cudaErrorInvalidValue"
bad_call none 5 invalid ".*knone.so"
call 10 0 3 >"$tmp/in"
run <"$tmp/in"
expect_code "call: illegal address" 4
expect_err "call: illegal address" "k10.so: cudaErrorIllegalAddress"
call 11 0 3 >"$tmp/in"
run <"$tmp/in"
expect_code "call: hang" 5
expect_err "call: hang" "no end within 1 s: .*k11.so"

# ---- timing by events: gaps between calls count

for why in "busy:CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" "drop:records were dropped" \
    "nolinks:calls without a kernel record" "zero:kernel records with impossible times"; do
    { echo "$setup"; measure 3 0; } >"$tmp/in"
    FAKE_CUPTI=${why%%:*} run <"$tmp/in"
    expect "${why%%:*}" '"timer":"events".*"timer_why":".*'"${why#*:}"
    expect "${why%%:*}" '"status":"ok","ns":\[4500.0.*"cold_ns":8500.0.*,"timer":"events"'
done
run --timer events <"$tmp/in"
expect "events wanted" '"timer":"events".*"timer_why":"not wanted"'
expect "events wanted" '"ns":\[4500.0'
FAKE_CUPTI=droplate run <"$tmp/in"
expect_code "records lost later" 0
expect "records lost later" '"timer":"cupti"'
expect "records lost later" '"event":"error","text":"times of kernels are lost: CUPTI: records were dropped"'
grep -q '"status":"ok"' "$tmp/out" && fail "records lost later: a time"
FAKE_CUPTI=droponce run <"$tmp/in"
expect "one lost record" '"ns":\[4000.0,4000.0,4000.0\].*"timer":"cupti"'

# A kernel's record that is late, of a call that has another one: it is waited for. One that never comes: no time, and no fault of the kernel's.
{ echo "$setup"; measure 9 1; } >"$tmp/in"
FAKE_CUPTI=late run <"$tmp/in"
expect "late records" '"kernel":0,"status":"ok","ns":\[8000.0\(,8000.0\)\{8\}\].*"cold_ns":12000.0,"timer":"cupti"'
FAKE_CUPTI=uneven run <"$tmp/in"
expect "records that never come" '"kernel":0,"status":"invalid".*"why":"times of kernels are lost: CUPTI: calls with fewer kernel records than others"'

# Records that come only when they are forced to are not waited for each time: 0.25 s for each of 30.
{ echo "$setup"; measure 9 0; } >"$tmp/in"
began=$(date +%s)
FAKE_CUPTI=withhold run <"$tmp/in"
expect "forced records" '"ns":\[4000.0\(,4000.0\)\{8\}\].*"timer":"cupti"'
[ $(($(date +%s) - began)) -lt 5 ] || fail "forced records: waited for"

{ echo "$setup"; measure 3 0; } >"$tmp/in"
mkdir "$tmp/empty"
echo 'int nothing;' | "$cc" -x c -shared -fPIC -o "$tmp/empty/libcupti.so.13" - || exit 1
LD_LIBRARY_PATH=$tmp/empty run <"$tmp/in"
expect "not CUPTI" '"timer":"events".*"timer_why":"the library lacks cuptiActivityRegisterCallbacks"'
expect "not CUPTI" '"cupti":"not used: the library lacks .*/empty/libcupti.so.13)"'
expect_err "no NVML" "nvml: not found: .*libnvidia-ml.so.1"
grep -q clock_mhz "$tmp/out" && fail "no NVML: a clock"
for nvml in denied blind; do
    FAKE_NVML=$nvml run <"$tmp/in"
    expect "NVML $nvml" '"status":"ok","ns":\[4000.0,4000.0,4000.0\].*"timer":"cupti"'
    grep -q clock_mhz "$tmp/out" && fail "NVML $nvml: a clock"
    [ $nvml = blind ] || expect_err "NVML $nvml" "nvml: not found: nvmlDeviceGetHandleByPciBusId(0000:01:00.0): Insufficient Permissions"
done

# Without a compiler of PTX: nothing proves CUPTI, nothing is cold, the CPU makes digests; all else goes on.
FAKE_GPU=noptx run <"$tmp/in"
expect "no PTX" '"null_ns":0'
expect "no PTX" '"status":"ok","ns":\[4000.0,4000.0,4000.0\],"max_err":[^,]*,"timer":"cupti"'

# ---- limits

"$cc" -O1 -shared -fPIC -I "$SRC" -o "$tmp/limits.so" "$SRC/tests/search/runner/cuda/limits.c" || exit 1
for b in 1 2 3 4; do "$cc" -O1 -shared -fPIC -I "$SRC" -DBROKEN=$b -o "$tmp/limits$b.so" "$SRC/tests/search/runner/cuda/limits.c" || exit 1; done
limits() {   # limits DTYPE SO [MS]: the line that asks for them
    echo '{"cmd":"limits","id":8,"target":"sm_90a","dtype":"'"$1"'","threads":[1],"max_ns":'"${3:-20}"'e6,"so":"'"$tmp/$2"'"}'
}
limits bf16 limits.so >"$tmp/in"
run <"$tmp/in"
expect limits '"event":"limits","id":8,"limits":\[{"threads":1,"rounds":[1-9][0-9]*,"flops_per_s":5.9[.e0-9+]*14,"bytes_per_s":{"l1":2.9[.e0-9+]*13,"l2":5.[45][.e0-9+]*12,"memory":2.9[.e0-9+]*12},"clock_mhz":1[0-9]*'
expect limits '"launch_ns":1500'
expect limits '"handover_ns":1[78][0-9][0-9]'
grep -q reuse_flops "$tmp/out" && fail "limits: tensor cores are said to reuse registers"
limits tf32x3 limits.so >"$tmp/in" # a third of tf32's
run <"$tmp/in"
expect limits '"flops_per_s":9.9[.e0-9+]*13'
limits f32 limits.so >"$tmp/in"
run <"$tmp/in"
expect "limits of FMAs" '"flops_per_s":5.9[.e0-9+]*13,.*"reuse_flops_per_s":6.5[.e0-9+]*13'
for row in 1:"it has no function dcgen_limit" 2:"the probe shared cannot be launched: invalid argument" 3:"there is no probe fma for this GPU"; do
    limits f32 "limits${row%%:*}.so" >"$tmp/in"
    run <"$tmp/in"
    expect "${row#*:}" '"event":"error","text":"'"${row#*:}"
done
limits f32 limits4.so >"$tmp/in"
run <"$tmp/in"
expect_code "a probe that faults" 4
{ limits s8 limits.so; limits f32 none.so; limits f32 limits.so | sed 's/,"so".*/}/'; limits tf32 limits.so 0; } >"$tmp/in"
run <"$tmp/in"
expect "bad limits" "the limits of that dtype cannot be measured"
expect "bad limits" "none.so: cannot open"
expect "bad limits" "limits of a GPU are measured by code that comes with the request (so)"
expect "no time at all" '"rounds":1,"flops_per_s":[23]'

# ---- malformed lines do no harm

{
    echo 'nonsense'
    echo '{"cmd":"dance"}'
    measure 3 0
    echo '{"cmd":"setup"}'
    echo "$setup"
    echo '{"cmd":"measure","id":8}'
    measure 3 0 | sed 's/"rows":5/"rows":6/'
    measure 99999 0
    measure 3 0 | sed 's/k0.so/none.so/'
    measure 3 0
} >"$tmp/in"
run <"$tmp/in"
expect_code "malformed lines" 0
[ "$(grep -c '"event":"error"' "$tmp/out")" -eq 7 ] || fail "malformed lines: $(grep -c '"event":"error"' "$tmp/out") errors"
expect "malformed lines" '"status":"invalid".*none.so'
expect "malformed lines" '"status":"ok","ns":\[4000.0,4000.0,4000.0\]'

exit $failed

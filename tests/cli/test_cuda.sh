#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow timeout=300 cost=35
#
# CUDA targets where there is no GPU: what is said when something is missing, the way without measurements, its package. The only CUDA
# template is tests/cli/templates/dense/plain.cu, which compiles at once.
. "$SRC/tests/cli/lib.sh"
install_cuda
write_spec tiny.cfg
[ -x "$BIN/dcgen-runner-emu" ] || { echo "skipped: dcgen-runner-emu is left out of this build"; exit 77; }
cp "$BIN/dcgen-runner-emu" "$tmp/inst/bin"
# Whatever GPU this machine has is not there.
[ ! -x "$BIN/dcgen-runner-cuda" ] || { echo '#!/bin/sh'; echo 'echo "dcgen-runner-cuda: no driver for this test" >&2; exit 3'; } >"$tmp/inst/bin/dcgen-runner-cuda"
[ ! -e "$tmp/inst/bin/dcgen-runner-cuda" ] || chmod +x "$tmp/inst/bin/dcgen-runner-cuda"

section no GPU
run 3 -t sm_90a tiny.cfg
said "no GPU here to measure target 'sm_90a' on"
said "--offline"
run 3 -t cuda tiny.cfg
said "target 'cuda' asks the GPU of this machine"
said "; name a target instead, as in --target sm_90a --offline"
run 3 check -t cuda tiny.cfg
said "; name a target instead, as in --target sm_90a"
not_said --offline
for target in sm_90a cuda; do
    run 3 limits -t $target tiny.cfg
    not_said --offline
done
absent out/tiny
run 0 check -v -t sm_80 tiny.cfg
grep -q '^target: sm_80 on typical sm_80 device: 108 multiprocessors' "$out" || failed "check does not describe the device"

section several targets
run 2 -t sm_90a,avx2 tiny.cfg
said "several targets in one package must all be CPUs or all be GPUs"
run 2 -t sm_80,cuda tiny.cfg
said "several targets in one package must all be CPUs or all be GPUs"
run 2 -t sm_80,sm_80 tiny.cfg
said "target 'sm_80' is there twice"

section element types
sed 's/"f32"/"bf16"/' tiny.cfg >bf16.cfg
run 2 check bf16.cfg
said "no kernel computes 'tiny' (op dense, dtype bf16"

section a compiler that is missing, or does not know the target
run 3 -t sm_90a --offline --nvcc ./no-such-nvcc tiny.cfg
said "cannot start the compiler ./no-such-nvcc"
program old-nvcc <<'END'
[ "$1" = --version ] && { echo "Cuda compilation tools, release 10.2, V10.2.89"; exit 0; }
echo "nvcc fatal   : Unsupported gpu architecture 'compute_90a'" >&2
exit 1
END
run 3 -t sm_90a --offline --nvcc ./old-nvcc tiny.cfg
said "./old-nvcc does not know target 'sm_90a'"
run 3 -t sm_90a --offline --cxx ./no-such-c++ --nvcc "$(command -v nvcc || echo ./old-nvcc)" tiny.cfg
absent out/tiny
# A target that the toolkit has dropped looks the same.
sed 's/sm_75/sm_60/g; s/compute_75/compute_60/; s/^sm_arch.*/sm_arch = 60;/; s/^rank.*/rank = 100;/' "$share/targets/sm_75.cfg" >"$share/targets/sm_60.cfg"
if command -v nvcc >/dev/null; then
    cp "$share/dense/plain.cu" keep.cu
    sed 's/^  { target = "sm_75"/  { target = "sm_60"; TM = 2; BK = 16; },\n&/' keep.cu >"$share/dense/plain.cu"
    run 3 -t sm_60 --offline tiny.cfg
    said "does not know target 'sm_60'"
    cp keep.cu "$share/dense/plain.cu"
fi
rm "$share/targets/sm_60.cfg"

nvcc=$(command -v nvcc || :)
if [ -z "$nvcc" ] || ! command -v g++ >/dev/null; then
    skipped "the way without measurements: nvcc or g++ is missing"
    exit 0
fi

section a package by the model
# What nvcc built in one run serves the next.
model="-t sm_90a --offline --builds builds --cxx $SRC/tests/quick-c++"
cp tiny.cfg short.cfg
sed -i 's/seconds = 20/seconds = 300/' tiny.cfg # what is chosen shall not depend on how fast this machine is
run 0 $model -o first tiny.cfg
grep -q 'no time was measured: kernels were chosen by an analytic model' "$out" || failed "it does not say that nothing was measured"
for file in kernels.cu dispatch.h tiny.h CMakeLists.txt README.md spec.cfg records.jsonl report.html regret.json test.c bench.c; do
    [ -s "first/$file" ] || failed "first/$file is missing"
done
grep -q 'Chosen for sm_90a by a model' first/kernels.cu || failed "kernels.cu does not say that a model chose"
grep -q 'No time was measured' first/dispatch.h || failed "dispatch.h does not say that no time was measured"
grep -q 'No time in this report was measured' first/report.html || failed "the report does not say that no time was measured"
grep -q '"target": "sm_90a", .*"measured": false' first/regret.json || failed "regret.json does not say that nothing was measured"
grep -q '^For sm_90a there is no regret contract' first/README.md || failed "README.md does not say that there is no contract"
run 3 bench first --regret
said 'the package states no regret'
grep -q '"modelled":true' first/records.jsonl || failed "the records do not say that the device was none"
grep -q '"facts":{"regs":[0-9]*,"spill_bytes":0,"stack_bytes":0,"sectors_read":[1-9]' first/records.jsonl || failed "no facts in the records"
grep '"type":"measure"' first/records.jsonl | grep -qv '"ns":\[\]' && failed "a time was made up"
for t in 1 2 3 4; do
    grep '"type":"measure"' first/records.jsonl | grep -q "\"extent\":\[$t,24,16\].*\"status\":\"ok\"" || failed "the choice was not checked at T=$t"
done
grep -q '^#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)' first/kernels.cu || failed "the kernel does not guard its body"

section compiled for plain sm_90
# What is for sm_90a is empty and cannot be started; what is for sm_80 and later is there.
nvcc -std=c++17 -gencode=arch=compute_90,code=compute_90 -ptx -o plain.ptx first/kernels.cu
# Kernels in their order: threads that they may have, loads from global memory.
awk '/\.entry/ { k++ } /^\.maxntid/ { sub(/,.*/, ""); t[k] = $2 } /ld\.global/ { n[k]++ } END { for (i = 1; i <= k; i++) print t[i], n[i] + 0 }' plain.ptx >plain.kernels
awk '/^\/\* Kernel [0-9]+: / { print $5 }' first/kernels.cu | paste -d ' ' - plain.kernels >kernels
awk '$1 == "sm_90a" { own++; bad += $2 != 1 || $3 != 0 } $1 != "sm_90a" { others++; bad += $2 < 32 || $3 == 0 }
     END { exit !(own && others && !bad && NF == 3) }' kernels || failed "kernels in code for plain sm_90: $(tr '\n' ';' <kernels)"

section little time
# One kernel is verified in any case, and no more than fit; of its own shapes the choice is executed on what the time allows.
run 0 -t sm_90a --offline --seconds 1 --trials 40 -o hasty short.cfg
grep -qE '^  [1-3] candidates? compiled and executed by the emulator, 0 failed' "$out" || failed "the time was not kept"
grep -q '"type":"kernel".*"target":"sm_90a".*"status":"ok".*"facts":{"regs"' hasty/records.jsonl || failed "nothing was verified"
said 'the time was too short to execute'

section the same again
run 0 $model -o second tiny.cfg
diff -r first second >/dev/null || failed "two runs differ: $(diff -rq first second)"
run 0 $model -o first tiny.cfg
diff -r first second >/dev/null || failed "a run on records that are there differs: $(diff -rq first second)"
run 0 replay -o third --records first/records.jsonl first/spec.cfg
diff -r first third >/dev/null || failed "replay differs: $(diff -rq first third)"
run 2 explain first T=3 threads=2
said 'threads=2: calls on a GPU are not split among threads'
run 0 explain first T=3
grep -q 'plain_cuda' "$out" || failed "explain names no kernel"

# recorded_times RECORDS: the same kernels as if a GPU had timed them, on which the last of them is the fastest
recorded_times() {
    awk '/"type":"device"/ { sub(/,"modelled":true/, ""); sub(/"name":"[^"]*"/, "\"name\":\"Recorded GPU\""); print }
         /"type":"kernel"/ {
             print
             if (!/"target":"sm_90a"/ || !/"status":"ok"/) next
             match($0, /"key":"[0-9a-f]*"/); key = substr($0, RSTART, RLENGTH)
             match($0, /"device":"[0-9a-f]*"/); device = substr($0, RSTART, RLENGTH)
             last = $0
             for (t = 1; t <= 4; t++) {
                 ns = 9000 - 500 * n
                 printf "{\"v\":1,\"type\":\"measure\",%s,%s,\"extent\":[%d,24,16],\"threads\":1,\"status\":\"ok\",", key, device, t
                 printf "\"ns\":[%d,%d,%d],\"max_err\":0.1,\"cold_ns\":%d,\"final\":true,\"why\":\"\"}\n", ns, ns, ns, 2 * ns
             }
             n++
         }' "$1"
}
section recorded times
recorded_times first/records.jsonl >timed.jsonl
run 0 $model -o timed --records timed.jsonl tiny.cfg
grep -q 'no time was measured' "$out" && failed "recorded times were not used"
grep -q 'for sm_90a (Recorded GPU)' "$out" || failed "the device of the records is not named"
grep -q 'Tuned for Recorded GPU, sm_90a' timed/kernels.cu || failed "kernels.cu does not name the device"
grep -q '"cold_ns"' timed/records.jsonl || failed "times with a cold cache were dropped"
# Those that come with dcgen, in a folder a device, serve too.
mkdir -p "$tmp/inst/share/dcgen/records/recorded-gpu"
cp timed.jsonl "$tmp/inst/share/dcgen/records/recorded-gpu/tiny.jsonl"
run 0 $model -o timed2 tiny.cfg
diff -r timed timed2 >/dev/null || failed "records that come with dcgen give another package: $(diff -rq timed timed2)"
# They are a package's, not those of a function whose calls begin with that name.
mv "$tmp/inst/share/dcgen/records/recorded-gpu/tiny.jsonl" "$tmp/inst/share/dcgen/records/recorded-gpu/ti_ny.jsonl"
cat >ti.cfg <<'SPEC'
name = "ti"; dtype = "f32"; dims = { T = { min = 1; max = 4; }; }; budget = { kernels = 2; trials = 3; seconds = 300; };
functions = ( { name = "ny"; op = "dense"; layout = { W = "NK"; }; shapes = ( { M = "T"; N = 24; K = 16; } ); } );
SPEC
run 0 $model -o ti ti.cfg
grep -q 'no time was measured' "$out" || failed "times of another package were used"
# They are not those of another target.
run 0 -t sm_80 --offline --builds builds --trials 1 -o other tiny.cfg
grep -q 'no time was measured' "$out" || failed "times of sm_90a were used for sm_80"
rm -r "$tmp/inst/share/dcgen/records"

section two GPUs in one file
cat first/records.jsonl other/records.jsonl >both.jsonl
run 0 -t sm_80,sm_90a --offline --builds builds -o both --records both.jsonl tiny.cfg
grep -q 'tiny_tree_sm_90a' both/dispatch.h && grep -q 'tiny_tree_sm_80' both/dispatch.h || failed "a tree is missing"
grep -q '"90a-real" "80" "75")' both/CMakeLists.txt || failed "architectures: $(grep ARCHITECTURES both/CMakeLists.txt)"
"$nvcc" -std=c++17 -Werror all-warnings -gencode=arch=compute_90a,code=sm_90a -gencode=arch=compute_80,code=sm_80 -c -o both.o both/kernels.cu ||
    failed "the package of two does not compile"
run 0 replay -o both2 --records both/records.jsonl both/spec.cfg
run 0 replay --check both
for path in dense/plain.cu package/pack.cu package/kernels.cu package/candidate.cu targets/sm_80.cfg device/launch.cuh; do
    grep -qE "^# template [0-9a-f]{64}  $path\$" both/MANIFEST || failed "MANIFEST does not name $path"
done
! grep -q -e 'plain\.c$' -e avx both/MANIFEST || failed "MANIFEST names what is for CPUs"
diff -r both both2 >/dev/null || failed "replay of two differs: $(diff -rq both both2)"

# faulty NAME SED-SCRIPT: the template with one candidate, spoilt
faulty() {
    sed -e "s/\"plain_cuda\"/\"$1\"/; s/= \[1, 2, 4\]/= [2]/; s/= \[16, 32\]/= [16]/; /target = \"sm_8/d; /target = \"sm_75/d" -e "$2" "$SRC/tests/cli/templates/dense/plain.cu" >"faulty/dense/$1.cu"
}
# found NAME WHAT: it failed
found() {
    said "$2"
    grep "\"template\":\"$1\"" bad.records.jsonl | grep -q '"status":"ok"' && failed "$1 passed"
    grep -q "\"template\":\"$1\"" bad.records.jsonl || failed "$1 was not tried"
}
section faulty kernels are found without a GPU
mkdir -p faulty/dense
faulty race    '/the rows are there/d'
faulty outside 's/m < a.M \&\& k < a.K ?/k < a.K ?/'
faulty spill   's/float sum\[TM\];/float sum[TM], far[64];\n    for (int i = 0; i < 64; i++) far[i] = a.X[i % (a.K * a.M)];/; s/float y = sum\[r\];/float y = sum[r] + 0 * far[(a.N + n + r) % 64];/'
run 0 $model -v --trials 8 --templates faulty -o bad tiny.cfg
found race    'which nobody has written'
found outside 'operand 0 (X)'
found spill   'bytes a thread in local memory'
nothing_left
echo done

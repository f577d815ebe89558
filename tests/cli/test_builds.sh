#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is compiled elsewhere or before need not be compiled again: `dcgen build`, --builds, and what becomes of builds in the background
# when a search on a GPU (the fake one of tests/search/runner/cuda) ends, is interrupted or killed. nvcc is a script.
# ctest: label=slow thorough timeout=200
. "$SRC/tests/cli/lib.sh"
fake=$BIN/tests/dcgen-runner-cuda-fake
[ -x "$fake" ] || { echo "skipped: dcgen-runner-cuda was left out of this build"; exit 77; }
install_cuda
sed -i 's/choices = \[1, 2, 4\]/choices = [1, 2, 3, 4, 5, 6, 7, 8]/; s/choices = \[16, 32\]/choices = [8, 16, 24, 32, 40, 48, 56, 64]/' \
    "$share/dense/plain.cu" # 64 candidates
n=${THOROUGH:+10} n=${n:-6}
TRIALS=$n BUDGET_S=120 write_spec tiny.cfg # what is built shall not depend on how fast this machine is
export FAKE="$fake" SRC LD_LIBRARY_PATH="$BIN/tests/cuda${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    ASAN_OPTIONS=detect_leaks=0:handle_segv=0 TARGETS="$share/targets"
program fake-gpu <<'END'
exec "$FAKE" --targets "$TARGETS" "$@"
END
# One object for all; those behind the first $SLOW take long.
cc -O1 -shared -fPIC -I "$SRC" -DBEHAVIOUR=0 -o candidate.so "$SRC/tests/search/runner/cuda/candidate.c"
cc -O1 -shared -fPIC -I "$SRC" -o limits.so "$SRC/tests/search/runner/cuda/limits.c"
program fake-nvcc <<'END'
[ "$1" = --version ] && { echo "nvcc: a script"; echo "Cuda compilation tools, release 13.0, ${VERSION:-V13.0.0}"; exit 0; }
for word; do
    [ "$last" = -o ] && out=$word
    last=$word
done
case $last in */limits.cu) exec cp limits.so "$out" ;; esac
echo "$last" >>"$CC_LOG"
[ -z "${SLOW:-}" ] || [ "$(wc -l <"$CC_LOG")" -le "$SLOW" ] || { [ -e slow_since ] || date +%s >slow_since; sleep 300; }
echo "ptxas info    : Compiling entry function 'k' for 'sm_90a'" >&2
echo "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" >&2
echo "ptxas info    : Used 40 registers, used 1 barriers" >&2
cp candidate.so "$out"
END
export CC_LOG="$tmp/log/cc"
: >"$CC_LOG"
compiled() { lines '\.cu$' "$CC_LOG"; }
search() { run 0 -t cuda --runner ./fake-gpu --nvcc ./fake-nvcc -o gpu --no-report --fresh "$@" tiny.cfg; }

section built ahead, without a device
run 2 build tiny.cfg
said 'build: missing --builds DIR'
run 0 build -t sm_90a --nvcc ./fake-nvcc --builds some/builds --trials $n tiny.cfg
built=$(compiled)
grep -q "^tiny: [0-9]* kernels for sm_90a compiled, [0-9]* of them usable: some/builds$" "$out" || failed "it does not say what it did"
[ "$(ls some/builds | grep -c '\.build$')" -eq $((built + 3)) ] || failed "$built were compiled, others are kept" # and the op's definition, C's empty text, limits.cu
run 0 build -t sm_90a --nvcc ./fake-nvcc --builds some/builds --trials $n --json tiny.cfg
[ "$(compiled)" -eq "$built" ] || failed "the same is compiled again"
grep -q '"target": *"sm_90a"' "$out" || failed "no JSON"

section a search finds it
: >"$CC_LOG"
search --builds some/builds
[ "$(compiled)" -eq 0 ] || failed "$(compiled) were compiled again"
said "found in 'some/builds', and 0 stored there"
whole_gpu() { [ -s gpu/kernels.cu ] && [ -s gpu/MANIFEST ] || failed "no package"; }
whole_gpu

[ -n "${THOROUGH:-}" ] || { nothing_left; exit 0; }

section another compiler finds nothing, and a damaged entry is one less
: >"$CC_LOG"
VERSION=V13.0.1 search --builds some/builds
[ "$(compiled)" -ge $n ] || failed "code of another compiler was taken"
for file in some/builds/*.build; do echo x >>"$file"; done
: >"$CC_LOG"
search --builds some/builds
[ "$(compiled)" -ge $n ] || failed "damaged code was taken"
said "in 'some/builds' were built anew, such as '"
search --builds some/builds
not_said 'built anew'

section a folder that cannot be one
: >file
run 3 -t cuda --runner ./fake-gpu --nvcc ./fake-nvcc --builds file/x tiny.cfg
said "cannot create the folder 'file"
run 3 build -t sm_90a --nvcc ./fake-nvcc --builds file tiny.cfg
said "cannot read the folder 'file': Not a directory"

section C is kept too
run 0 --builds c -o cpu --no-report tiny.cfg
said "0 were found in 'c'"
run 0 --builds c -o cpu --no-report --fresh tiny.cfg
said "and 0 stored there"

# One that it waited for would be killed after 30 s.
section a search whose time is up does not wait for compilers
: >"$CC_LOG"
SLOW=10 search --seconds 6 --trials 60
[ -s slow_since ] || failed "none was slow"
[ $(($(date +%s) - $(cat slow_since))) -lt 10 ] || failed "it waited for what it does not need"
whole_gpu
nothing_left

# The records of a run are the lines that it wrote, one after another: one that is killed leaves the first of them.
section whenever a search is killed its records make a package
cp gpu.records.jsonl all
first=$(grep -n -m1 '"type":"measure".*"ns":\[[0-9]' all | cut -d: -f1)
total=$(wc -l <all)
for n in $first $((first + 1)) $((first + 4)) $(((first + total) / 2)) $((total - 1)) $total; do
    { head -n "$n" all; printf '{"type":"meas'; } >some.jsonl
    run 0 replay --records some.jsonl -o replayed --no-report --force -t sm_90a tiny.cfg
    [ -s replayed/kernels.cu ] || failed "no package of $n lines"
done

section interrupted and killed while compilers run in the background
for signal in INT KILL; do
    : >"$CC_LOG"
    rm -f gpu.records.jsonl
    SLOW=24 env --default-signal=INT "$dcgen" -t cuda --runner ./fake-gpu --nvcc ./fake-nvcc --builds more -o gpu --no-report -q --trials 60 tiny.cfg 2>"$err" &
    pid=$! tries=0
    pids=$pid
    until [ "$(compiled)" -gt 24 ] && grep -q '"ns":\[[0-9]' gpu.records.jsonl; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || failed "no compiler runs beside the measurements"
        sleep 0.01
    done
    kill -$signal $pid
    code=0
    wait $pid || code=$?
    [ $signal = KILL ] || [ $code -eq 130 ] || failed "exit code $code"
    no_process
    nothing_left
    run 0 replay --records gpu.records.jsonl -o replayed --no-report --force -t sm_90a tiny.cfg
done
search --builds more
[ -z "$(ls -A more | grep -v '\.build$')" ] || failed "left among the builds: $(ls -A more)"
nothing_left

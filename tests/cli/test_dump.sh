#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What a run prints of itself: --dump of every stage, --json, -v. CMake reads the JSON.
# ctest: label=slow
. "$SRC/tests/cli/lib.sh"
TRIALS=6 BUDGET_S=30 write_spec tiny.cfg

# json WANT PATH...: the value at PATH of what was printed is WANT
json() {
    want=$1
    shift
    { printf 'file(READ "%s" text)\nstring(JSON value GET "${text}"' "$out"; printf ' %s' "$@"; printf ')\nmessage("${value}")\n'; } >json.cmake
    got=$(cmake -P json.cmake 2>&1) || failed "no JSON with $*: $got"
    case $got in $want) ;; *) failed "$* is $got, not $want" ;; esac
}
# length N PATH...: of the array there
length() {
    want=$1
    shift
    { printf 'file(READ "%s" text)\nstring(JSON value LENGTH "${text}"' "$out"; printf ' %s' "$@"; printf ')\nmessage("${value}")\n'; } >json.cmake
    got=$(cmake -P json.cmake 2>&1) || failed "no JSON with $*: $got"
    [ "$got" -eq "$want" ] || failed "$* has $got entries, not $want"
}

section before anything is measured
run 0 --dump spec tiny.cfg
grep -q '^M=3 N=24 K=16 threads=1  shape 0  weight 1  tuned$' "$out" || failed "no shape M=3"
run 0 --dump spec --json tiny.cfg
json tiny name
json 4 dims 0 max
length 4 instances
json 3 instances 2 M
run 0 check --json tiny.cfg
json 17 candidates
json 1 rejected 0 count
run 0 --dump space tiny.cfg
[ "$(lines '^plain [a-z0-9]* MB=[0-9]* UK=[0-9]*$' "$out")" -eq 17 ] || failed "not every candidate"
run 0 --dump space --json tiny.cfg
length 17 candidates
json 4 general 0 params MB
run 3 --dump tree tiny.cfg
said 'tiny.records.jsonl: No such file'
run 2 --dump leaf tiny.cfg
said "--dump: 'leaf' is none of spec|space|source|records|model|assign|tree|trace"
absent out
nothing_left

section what a spec says, the command line may change
sed 's/^budget.*/budget = { kernels = 3; code_kib = 77; }; target = ["portable"];/' tiny.cfg >kept.cfg
run 0 --dump spec kept.cfg
grep -q '^budget: 3 kernels, 77 KiB, ' "$out" || failed "kernels and code are not as kept"
run 0 --dump spec --kernels 5 --code-kib 99 kept.cfg
grep -q '^budget: 5 kernels, 99 KiB, ' "$out" || failed "kernels and code are not as asked for"
run 0 check --json kept.cfg
json portable target
run 0 check --json --target avx2 kept.cfg
json avx2 target

section afterwards
run 0 --json tiny.cfg
json tiny name
json out/tiny package
json 6 trials
json 0 failed
json 4 dispatcher_checked
grep -v '"dispatcher_' "$out" >summary
run 0 replay --json tiny.cfg
json 0 dispatcher_checked
grep -v '"dispatcher_' "$out" | cmp -s - summary || failed "replay says something else"
run 0 --dump records --json tiny.cfg
length "$(sort -u out/tiny.records.jsonl | grep -c '')"
json device 0 type
run 0 --dump trace tiny.cfg
grep -q '^6 kernels in [1-9]* rounds; they are the 6 of the records, in their order$' "$out" || failed "another trace: $(head -n1 "$out")"
run 0 --dump trace --search random tiny.cfg
grep -q 'they are not the 6 of the records' "$out" || failed "the trace of another search"
run 0 --dump trace --json tiny.cfg
json ON same
length 6 trials
run 0 --search exhaustive --trials 99 --seconds 60 --records all.jsonl -o all tiny.cfg
[ "$(ntrials all.jsonl)" -eq 17 ] || failed "not every candidate was measured"
run 0 --dump trace --search exhaustive --trials 99 --records all.jsonl tiny.cfg
grep -q 'they are the 17 of' "$out" || failed "another trace: $(head -n1 "$out")"
run 0 --dump records tiny.cfg
[ "$(lines '^kernel ' "$out")" -eq "$(lines '"type":"kernel"' out/tiny/records.jsonl)" ] || failed "not every kernel"
run 0 --dump model tiny.cfg
grep -q 'predicted' "$out" || failed "no predictions"
run 0 --dump model --json tiny.cfg
length 6 trials
json '[0-9]*' trials 0 shapes 0 predicted_ns
run 0 --dump assign tiny.cfg
[ "$(lines '^M=[1-4] N=24 K=16 threads=1  k[01] ' "$out")" -eq 4 ] || failed "not every shape"
run 0 --dump assign --json tiny.cfg
length 4 instances
json '[01]' instances 3 kernel
run 0 --dump tree tiny.cfg
grep -q '^ *k[01]  [1-4] shape' "$out" || failed "no leaf"
cp "$out" tree
run 0 --dump tree --json tiny.cfg
json 4 shapes
run 0 explain out/tiny --dump tree
cmp -s "$out" tree || failed "the package has another tree"
nothing_left

section the failures, with -v
mkdir -p bad/dense
sed -e 's/"plain"/"wrong"/; s/\[1, 2, 3, 4, 8, 16\]/[4]/; s/\[1, 2, 4\]/[1]/; s/+= x\[k\]/-= x[k]/' \
    "$SRC/tests/cli/templates/dense/plain.c" >bad/dense/wrong.c
run 0 -v --templates bad -o verbose tiny.cfg
said 'wrong: wrong '
grep -q ' failed; ' "$out" || failed "no count"
nothing_left

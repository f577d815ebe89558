#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow timeout=300 cost=20
#
# Two CPU targets tuned in one package: each has its search, its tree, its kernels and its contract; every command speaks of both; one
# that was killed between them goes on with the second; a machine that lacks the better one takes its times from the records.
. "$SRC/tests/cli/lib.sh"
BUDGET_S=30 write_spec tiny.cfg
has=$("$dcgen" check -t avx512,avx2 --json tiny.cfg | sed -n 's/^ "runs": \(.*\),$/\1/p' | tr '\n' ' ')
case $has in
'true true ') best=avx512 lesser=avx2 third=portable ;;
'false true ')
    skipped "this CPU has no AVX-512: avx2 and portable instead"
    best=avx2 lesser=portable third= ;;
*) echo "skipped: this CPU has one instruction set only"; exit 77 ;;
esac
both="target = [\"$lesser\", \"$best\"];" # in any order
BUDGET_S=30 write_spec tiny.cfg "$both"
records=out/tiny.records.jsonl

# of TARGET FILE: the lines of its kernels, and of what was measured of them
of() {
    grep "\"type\":\"kernel\".*\"target\":\"$1\"" "$2" || :
    grep "\"type\":\"kernel\".*\"target\":\"$1\"" "$2" | sed 's/.*"key":"\([^"]*\)".*/"key":"\1"/' | sort -u >keys
    grep '"type":"measure"' "$2" | grep -F -f keys || :
}
kernels_of() { of "$1" "$2" | grep '"type":"kernel"' | sed 's/.*"key":"\([^"]*\)".*/\1/' | sort -u | grep -c '' || :; }
dispatches() { # dispatches DIR: a tree for each, no general kernel of the lesser
    for t in $best $lesser; do grep -q "tiny_tree_$t(" "$1/dispatch.h" || failed "$1: no tree for $t"; done
    grep -q "0 $best, 1 $lesser${third:+, 2 $third}\." "$1/dispatch.h" || failed "$1: not these instruction sets, best first"
}

section both are tuned
run 0 tiny.cfg
whole out/tiny
dispatches out/tiny
grep -q "^tiny: .* for $best (" "$out" && grep -q "^tiny: .* for $lesser (" "$out" || failed "the summary does not tell of both"
grep -q 'dispatcher compiled: ' "$out" || failed "the dispatcher was not checked"
[ "$(grep -c '^  out/tiny$' "$out")" -eq 1 ] || failed "one package is written, once"
said "tuning for $best"
said "tuning for $lesser"
for t in $best $lesser; do
    [ "$(kernels_of $t $records)" -eq 3 ] || failed "$t: $(kernels_of $t $records) kernels were tried, not 3"
    of $t $records | grep -q '"final":true' || failed "$t: no last comparison"
    grep -q "\"type\":\"limit\".*\"target\":\"$t\"" $records || failed "$t: the machine's limits were not measured"
    grep -q "{ \"target\": \"$t\", .*\"measured\": true" out/tiny/regret.json || failed "$t: no contract"
    grep -q "^| [01] | $t | [12] | tuned on " out/tiny/README.md || failed "README.md does not name $t"
    grep -q "<article id=\"$t\">" out/tiny/report.html || failed "the report has no part for $t"
    [ "$(grep -c "id=\"$t-shapes\"" out/tiny/report.html)" -eq 1 ] || failed "the part for $t has no table of shapes"
done
first=$(grep -c "Kernel [0-9]*: plain $best " out/tiny/kernels.c)
sed -n "/<article id=\"$lesser\">/,/<\/article>/p" out/tiny/report.html >article
grep -q ">k$first[ <]" article && ! grep -q '>k0[ <]' article || failed "the part for $lesser does not number kernels as the package does"
[ -z "$(grep -o ' id="[^"]*"' out/tiny/report.html | sort | uniq -d)" ] || failed "an id is there twice in the report"
nothing_left

section its own test passes with each
i=0
for t in $best $lesser $third; do
    gcc -std=gnu17 -O1 -Dtiny_CPU=$i -Iout/tiny out/tiny/kernels.c out/tiny/pool.c out/tiny/test.c -o test$i -lm -pthread
    ./test$i >test.out || failed "$t: $(cat test.out)"
    grep -q ' 0 failed' test.out || failed "$t: $(cat test.out)"
    printf '#include <stdio.h>\n#include "tiny.h"\nint main(void) { puts(tiny_kernel_text(tiny_choose(3, 24, 16))); puts(tiny_kernel_text(tiny_choose(99, 24, 16))); return 0; }\n' >which.c
    gcc -std=gnu17 -O1 -Dtiny_CPU=$i -Iout/tiny out/tiny/kernels.c out/tiny/pool.c which.c -o which -lm -pthread
    [ "$(./which | grep -c "^plain $t ")" -eq 2 ] || failed "tiny_CPU=$i takes: $(./which)"
    i=$((i + 1))
done

section the same bytes
run 0 replay out/tiny/spec.cfg --records out/tiny/records.jsonl -o again
diff -r out/tiny again >/dev/null || failed "replay differs: $(diff -rq out/tiny again)"
run 0 replay --check out/tiny
cp $records seen
run 0 tiny.cfg
cmp -s seen $records || failed "a finished search measured again"
diff -r out/tiny again >/dev/null || failed "the same command again gives another package"
run 0 --offline tiny.cfg -o offline --records $records
diff -r out/tiny offline >/dev/null || failed "--offline differs: $(diff -rq out/tiny offline)"

section each by itself, as if the other were not there
for t in $best $lesser; do
    run 0 replay -t $t tiny.cfg --records $records -o alone
    grep -v "\"target\":\"$t\"" alone/records.jsonl | grep '"type":"kernel"' | grep -q "\"target\":\"$best\"" && failed "$t: kernels of another target"
    grep -o "Kernel [0-9]*: plain $t .*" alone/kernels.c | sed 's/Kernel [0-9]*: //' | sort >one
    grep -o "Kernel [0-9]*: plain $t .*" out/tiny/kernels.c | sed 's/Kernel [0-9]*: //' | sort >two
    cmp -s one two || failed "$t: other kernels than alone: $(diff one two)"
done

section explain, check, dump and bench
run 0 explain out/tiny T=3
[ "$(grep "^tiny at T = 3: .* kernels\{0,1\} for " "$out" | sed 's/.* for \(.*\), times.*/\1/' | tr '\n' ' ')" = "$best $lesser " ] ||
    failed "explain does not tell of both, the best first"
run 0 explain out/tiny T=3 -t $lesser
[ "$(grep -c '^tiny at T = 3: ' "$out")" -eq 1 ] && grep -q " for $lesser, times" "$out" || failed "explain -t $lesser tells of others"
number=$(sed -n 's/^  kernel *\([0-9]*\): plain.*/\1/p' "$out")
sed -n "/tiny_text\[\]/,/^};/p" out/tiny/kernels.c | sed -n "$((number + 2))p" | grep -q "\"plain $lesser " || failed "kernel $number is none of $lesser's"
run 2 explain out/tiny T=3 -t portable,sm_90a
said "the package is not tuned for "
run 0 check -v tiny.cfg
[ "$(sed -n 's/^target: \([a-z0-9_]*\) .*/\1/p' "$out" | tr '\n' ' ')" = "$best $lesser " ] || failed "check does not tell of both"
run 0 --dump tree tiny.cfg
[ "$(grep '^target ' "$out" | tr '\n' ' ')" = "target $best target $lesser " ] || failed "--dump tree does not tell of both"
run 0 --dump records --json tiny.cfg
[ "$(grep -c '"type": "kernel"' "$out")" -eq "$(sort -u $records | grep -c '"type":"kernel"')" ] ||
    failed "--dump records does not tell of each record once"
# judges TARGET OPTION...: bench --regret measures it; a busy machine's verdict may be any
judges() {
    target=$1 code=0
    shift
    "$dcgen" bench out/tiny --regret 2 --json "$@" >"$out" 2>"$err" </dev/null || code=$?
    case $code in 0 | 1 | 3) ;; *) failed "exit code $code of bench --regret $*" ;; esac
    grep -q "^ \"target\": \"$target\"" "$out" || failed "bench --regret $* does not measure $target"
}
judges $best # which is the best that runs here
judges $lesser -t $lesser
if command -v cmake >/dev/null; then
    run 0 bench out/tiny -t $lesser
    awk -v first="$first" '$1 == 3 && $2 == 24 && $4 >= first { ok = 1 } END { exit !ok }' "$out" ||
        failed "bench -t $lesser runs other kernels"
    run 2 bench out/tiny -t sm_80
    said "the package has no kernels for 'sm_80'"
fi

section wrong names
run 2 -t $best,nonsense tiny.cfg
said "unknown target 'nonsense'"
run 2 -t $best,$best tiny.cfg
said "target '$best' is there twice"
run 2 -t $best,sm_80 tiny.cfg
said "several targets in one package must all be CPUs or all be GPUs"
run 2 -t host,$lesser tiny.cfg
said "each named, as in avx512,avx2"

section killed between the two
program cc <<'CC'
for last; do :; done
if [ -e "$HOLD" ] && grep -q "Kernel 0: plain $LESSER " -- "$last" 2>/dev/null; then
    echo there >"$HOLD"
    exec sleep 100
fi
exec gcc "$@"
CC
export HOLD="$tmp/work/hold" LESSER=$lesser
: >hold
rm -r out
start killed --cc "$tmp/work/cc" tiny.cfg
tries=0
while [ ! -s hold ]; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || failed "the second target is never searched for"
    sleep 0.1
done
for process in $(started | sed 's|/proc/||; s|/.*||'); do kill -KILL "$process" 2>/dev/null || :; done
no_process
absent out/tiny
of $best $records >before
grep -q '"final":true' before || failed "the first target is not finished"
of $lesser $records | grep -q '"type":"measure"' && failed "the second target was measured"
rm -rf hold "$tmp/scratch/"*
run 0 tiny.cfg
whole out/tiny
dispatches out/tiny
of $best $records | cmp -s - before || failed "the first target was searched for again"
[ "$(kernels_of $lesser $records)" -eq 3 ] || failed "the second target was not searched for"
run 0 replay --check out/tiny

section a machine that lacks the better one
program lesser-runner <<END
"$runner" "\$@" | sed -u 's/"$best",//'
END
rm -rf out
run 2 --runner ./lesser-runner tiny.cfg
said "cannot run target '$best'"
said "records of a machine that runs it"
absent out/tiny
TRIALS=6 write_spec more.cfg "target = [\"$best\"];"
run 0 more.cfg
run 0 --runner ./lesser-runner tiny.cfg
said "cannot run target '$best'"
said "the times in the records are taken"
whole out/tiny
dispatches out/tiny
[ "$(lines '"type":"device"' out/tiny/records.jsonl)" -eq 2 ] || failed "not the records of two machines"
run 0 replay --check out/tiny
run 2 --fresh --runner ./lesser-runner tiny.cfg

section both begun anew
run 0 --fresh --trials 2 tiny.cfg
dispatches out/tiny
[ -s $records~ ] || failed "the former records are not kept"
for t in $best $lesser; do
    [ "$(kernels_of $t $records)" -eq 2 ] || failed "$t: $(kernels_of $t $records) kernels in the new records, not 2"
done
nothing_left
echo done

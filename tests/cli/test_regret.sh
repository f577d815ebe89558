#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=slow,thorough timeout=200 cost=20
#
# The regret contract: what a package states, that held-out measurements change no choice, that chosen pairs which were not compared are
# measured, and that `bench --regret` finds a wrong choice. The kernels here take each sum once, three times or nine times: which of them is best, and by
# how much, no noise changes.
. "$SRC/tests/cli/lib.sh"
rm "$tmp/inst/share/dcgen/templates/dense/plain.c"
cp "$SRC/tests/cli/templates/dense/repeated.c" "$tmp/inst/share/dcgen/templates/dense"
write_regret_spec() { # FILE LINE
    sed 's/max = 4;/max = 16;/; s/N = 24; K = 16;/N = 24; K = 200;/; s/kernels = 2;/kernels = 1;/' >"$1" <<SPEC
$(BUDGET_S=30 write_spec /dev/stdout "tune = { T = [1, 4, 9, 14]; }; weights = { T = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]; }; $2")
SPEC
}
write_regret_spec tiny.cfg ""

# key TIMES: of that kernel for the tuned target
key() { trials good | grep "\"TIMES\":$1[,}]" | sed 's/.*"key":"\([^"]*\)".*/\1/'; }
# steady FILE: the records of a machine at rest: each kernel takes TIMES as long as the anchor, which takes each sum once, within a thousandth
steady() {
    awk -v three="$(key 3)" -v nine="$(key 9)" '/"type":"measure"/ && /"ns":\[[0-9]/ {
        match($0, /"anchor_ns":[^,}]*/)
        ns = substr($0, RSTART + 12, RLENGTH - 12) * (index($0, three) ? 3 : index($0, nine) ? 9 : 1)
        sub(/"ns":\[[^]]*\]/, "\"ns\":[" ns "," 1.001 * ns "]") } { print }' "$1"
}
# held_out FILE: lines of measurements on shapes that are not tuned
held_out() { grep '"type":"measure"' "$1" | grep -v '"extent":\[\(1\|4\|9\|14\),' || :; }
# Of regret.json: a line a shape; a figure of the line that begins with "bound" or "regret", as in stated FILE bound held_out mean
shapes() { grep -e '"tuned": true' -e '"tuned": false' "$1" || :; }
stated() { grep "^ *\"$2\": { \"tuned\": " "$1" | sed "s/.*\"$3\": { \([^}]*\) }.*/\1/" | tr ',' '\n' | sed -n "s/.*\"$4\": //p"; }
holds() { awk "BEGIN { exit !($1) }"; }
# again CODE PKG ARGUMENT...: bench --regret as JSON, a key a line, in regret.out; group FILE NAME KEY: of the sums there
again() { want=$1 pkg=$2; shift 2; run "$want" bench "$pkg" --json --regret "$@"; cp "$out" regret.out; }
group() { sed -n "/^ \"$1\": {/,/^ }/s/.*\"$2\": \([^,]*\),*/\1/p" regret.out; }

section what a package states
run 0 tiny.cfg
cp out/tiny.records.jsonl good
whole out/tiny
grep -q 'shapes that were held out' "$out" || failed "nothing is said of the shapes held out"
json=out/tiny/regret.json
[ "$(stated $json regret tuned measured)" -eq 4 ] || failed "not every tuned shape was compared: $(cat $json)"
[ "$(stated $json regret held_out measured)" -ge 8 ] || failed "less than 8 shapes were held out: $(cat $json)"
holds "$(stated $json bound tuned mean) > 0 && $(stated $json bound tuned worst) > 0.02 && $(stated $json bound held_out worst) < 1" ||
    failed "no bound, or one that nothing breaks: $(cat $json)"
[ "$(shapes $json | wc -l)" -eq $((4 + $(stated $json regret held_out measured))) ] || failed "not a line a shape"
[ "$(shapes $json | grep -c '"tuned": true')" -eq 4 ] || failed "not four tuned shapes"
! shapes $json | grep '"tuned": false' | grep -q '"M": \(1\|4\|9\|14\),' || failed "a tuned shape was held out"
! shapes $json | grep -q '"M": \(15\|16\),' || failed "a shape that never occurs was held out"
[ -z "$(shapes $json | sed 's/.*"M": \([0-9]*\),.*/\1/' | sort | uniq -d)" ] || failed "a shape is there twice"
[ "$(held_out good | grep -c '"final":true')" -ge 8 ] || failed "no records of shapes held out"
grep -q '^| held out | ' out/tiny/README.md || failed "README.md has no contract"

section the same command measures nothing again
run 0 tiny.cfg
cmp -s good out/tiny.records.jsonl || failed "a finished search measured again"

section shapes held out change no choice
grep -v -F "$(held_out good)" good >tuned
[ "$(wc -l <tuned)" -lt "$(wc -l <good)" ] || failed "no line was left out"
run 0 replay tiny.cfg --records good -o with
run 0 replay tiny.cfg --records tuned -o without
cp "$out" "$out.without"
cmp -s with/regret.json out/tiny/regret.json || failed "replay states another regret"
for file in kernels.c dispatch.h tiny.h; do
    cmp -s "with/$file" "without/$file" || failed "$file depends on shapes held out"
done
[ "$(stated without/regret.json bound held_out mean)" = null ] || failed "what was not measured is stated"
grep -q 'none of the shapes that are held out was measured' "$out.without" || failed "it does not say that nothing was held out"
[ "$(shapes without/regret.json | wc -l)" -eq 4 ] || failed "shapes that were not measured are listed"
held_out good | sed "/$(key 1)/!{s/\"ns\":\[[^]]*\]/\"ns\":[1,1,1]/; s/\"median_ns\":[^,]*/\"median_ns\":1/}" | cat tuned - >absurd
run 0 replay tiny.cfg --records absurd -o absurd.out
cmp -s with/dispatch.h absurd.out/dispatch.h || failed "dispatch.h depends on times of shapes held out"

section it says so where times are no better known
# twice A B: every pair was timed twice in the last comparison, and took A and B ns
twice() {
    awk -v a="$1" -v b="$2" '/"type":"measure"/ {
        match($0, /"key":"[^"]*"/); pair = substr($0, RSTART, RLENGTH)
        match($0, /"extent":\[[^]]*\]/); pair = pair substr($0, RSTART, RLENGTH)
        if (seen[pair]++) next
        sub(/"final":false/, "\"final\":true")
        sub(/"median_ns":[^,}]*/, "\"median_ns\":10000"); sub(/"anchor_ns":[^,}]*/, "\"anchor_ns\":10000")
        sub(/"ns":\[[^]]*\]/, "\"ns\":[" a "," a "]"); print
        sub(/"ns":\[[^]]*\]/, "\"ns\":[" b "," b "]") } { print }' tuned
}
twice 10000 11000 >busy
twice 10000 10010 >calm
run 0 replay tiny.cfg --records busy -o busy.out
grep -q 'the machine was busy: times are off by 7%' "$out" || failed "noise is not told"
grep -q 'on 4 of 4 shapes the regret cannot be said, as their times differ by too much: the machine was too busy' "$out" ||
    failed "the summary does not say so"
[ "$(stated busy.out/regret.json bound tuned worst)" = null ] || failed "a bound of what cannot be said"
[ "$(stated busy.out/regret.json regret tuned resolved)" = 0 ] || failed "it is said all the same"
grep -q 'On 4 shapes it cannot be said' busy.out/README.md || failed "README.md does not say on how many"
[ "$(grep -c '^- M = .*: kernel [0-9]* or .*, off by [1-9]' busy.out/README.md)" -eq 4 ] || failed "README.md does not name the shapes"
grep -q 'These are most shapes: the machine was too busy' busy.out/README.md || failed "README.md does not say that it is vague"
run 0 bench busy.out --regret
grep -q '^within the stated bound' "$out" && failed "a verdict without a bound"
run 0 replay tiny.cfg --records calm -o calm.out
not_said 'the machine was busy'
grep -q 'cannot be said' "$out" && failed "it says so of calm times"

section a shape whose times differ is counted
# On T = 9 the other kernels once took less than the anchor and once more.
steady tuned | awk -v key="$(key 1)" '/"type":"measure"/ && /"extent":\[9,/ && !index($0, key) {
    sub(/"anchor_ns":[^,}]*/, "\"anchor_ns\":10000")
    sub(/"ns":\[[^]]*\]/, "\"ns\":[9000,9000]"); print
    sub(/"ns":\[[^]]*\]/, "\"ns\":[14000,14000]") } { print }' >differing
run 0 replay tiny.cfg --records differing -o differing.out
grep -q 'on 1 of 4 shapes the regret cannot be said, as their times differ by too much$' "$out" || failed "the summary does not say so"
json=differing.out/regret.json
shapes $json | grep '"resolved": false' >unresolved
[ "$(wc -l <unresolved)" -eq 1 ] && grep -q '"M": 9,' unresolved || failed "not T = 9 alone cannot be said: $(cat $json)"
[ "$(stated $json regret tuned measured),$(stated $json regret tuned resolved)" = 4,3 ] || failed "it is not counted"
grep -q 'On 1 shape it cannot be said' differing.out/README.md || failed "README.md does not count it"
grep -q 'cannot be said' differing.out/report.html || failed "report.html does not mark it"

section it is measured again while there is time
cp differing out/tiny.records.jsonl
cp out/tiny.records.jsonl before
run 0 tiny.cfg
passes() { grep '"final":true' "$1" | grep "\"extent\":\[$2," | grep -c "$(key 3)" || :; }
more=$(($(passes out/tiny.records.jsonl 9) - $(passes before 9)))
[ $more -ge 2 ] || failed "it was measured again $more times alone"
[ "$(passes out/tiny.records.jsonl 4)" -eq "$(passes before 4)" ] || failed "others were measured again"
cp good out/tiny.records.jsonl
run 0 tiny.cfg

section a machine too busy to judge
cp -R out/tiny hurried # it measures again and again until its seconds are over
sed -i 's/seconds = [0-9]*/seconds = 4/' hurried/spec.cfg
program busy-runner <<'RUN'
"$RUNNER" --targets "$TARGETS" | sed -u 's/"ns":\[/"ns":[1.0,/'
RUN
RUNNER="$runner" TARGETS="$tmp/inst/share/dcgen/templates/targets" run 3 bench hurried --regret 4 --runner ./busy-runner
said 'of most shapes the regret cannot be said'
grep -q '^within the stated bound' "$out" && failed "a verdict on nothing"

section a good choice is within its bound
run 0 bench out/tiny --regret
grep -q '^within the stated bound' "$out" || failed "no verdict"
[ "$(grep '  tuned' "$out" | sed 's/ threads .*//' | sort -u | wc -l)" -eq 4 ] || failed "not every tuned shape was measured"
not_said 'above the stated bound'
again 0 out/tiny 3
[ "$(grep -c '"group":' regret.out)" -eq 3 ] || failed "not three shapes"
[ "$(grep -c '"group": "held_out"' regret.out)" -ge 2 ] || failed "the three are not spread over all of the contract"
all=$(shapes out/tiny/regret.json | wc -l)
again 0 out/tiny $((all + 2))
[ "$(grep -c '"group": "further"' regret.out)" -eq 2 ] || failed "not two shapes besides the contract's"
[ "$(group further worst_bound)" = null ] || failed "shapes without a contract have a bound"

section a wrong choice is not
swap() { sed "/\"type\":\"measure\"/{s/$(key 1)/FIRST/; s/$(key 3)/$(key 1)/; s/FIRST/$(key 3)/}" "$1"; }
steady good >steadied
swap steadied >swapped
run 0 replay tiny.cfg --records swapped -o wrong
grep -q 'TIMES=3' wrong/kernels.c || failed "the records were doctored in vain"
again 1 wrong
said 'above the stated bound: the mean regret of the shapes tuned is'
said 'above the stated bound: the worst regret of the shapes tuned is'
said 'above the stated bound: the mean regret of the shapes held out is'
grep -q '^ "within": false' regret.out || failed "JSON says that it is within the bound"
holds "$(group tuned mean) > 1 && $(group held_out mean) > 1" || failed "three times the time is no regret: $(cat regret.out)"

section the bound is the package\'s own
sed 's/"bound": .*/"bound": { "tuned": { "mean": 50, "worst": 50 }, "held_out": { "mean": 50, "worst": null } },/' wrong/regret.json >loose
cp loose wrong/regret.json
again 0 wrong 4
sed 's/"bound": .*/"bound": { "tuned": { "mean": 0, "worst": 0 }, "held_out": { "mean": 0, "worst": 0 } },/' wrong/regret.json >tight
cp tight wrong/regret.json
again 1 wrong 4
said 'above the stated bound: the worst regret'
not_said 'the mean regret'
echo '{ "schema": 2 }' >wrong/regret.json # and other text: tests/gen/package/test_regret_file.c
run 3 bench wrong --regret
said "wrong/regret.json: "
rm wrong/regret.json
run 3 bench wrong --regret
said "wrong/regret.json: No such file"

section on another machine, with another compiler
sed '/"type":"device"/{s/"name":"[^"]*"/"name":"Other CPU"/}' good >other
run 0 replay tiny.cfg --records other -o other.out
again 0 other.out 2
said 'the bound was measured on another machine: Other CPU; this is '
program other-cc <<'CC'
[ "$1" != --version ] || { echo "other cc 1.0"; exit 0; }
exec gcc "$@"
CC
again 0 out/tiny 1 --cc ./other-cc
said 'the bound was measured with another compiler: '

section what the spec demands
write_regret_spec demand.cfg 'regret = { mean = 0.5; worst = 0.25; };'
run 0 replay demand.cfg --records absurd -o demand
said 'the regret is above what the spec demands: mean of the shapes held out'
[ "$(stated demand/regret.json bound held_out mean),$(stated demand/regret.json bound tuned worst)" = "0.5000,0.2500" ] || failed "the bound is not what is demanded"
grep -q 'above what the spec demands' demand/README.md || failed "README.md does not say that a demand is not met"
run 0 replay demand.cfg --records good -o demand
not_said 'above what the spec demands'
again 0 demand 2

section a chosen pair that was not compared is measured
# On T = 4 the kernel that the package takes has no line.
awk -v key="$(key 1)" '!(/"type":"measure"/ && /"extent":\[4,/ && index($0, key))' good >out/tiny.records.jsonl
cp out/tiny.records.jsonl lacking
compared() { grep '"extent":\[4,' "$1" | grep -c "$(key 1)" || :; }
[ "$(compared lacking)" -eq 0 ] || failed "the pair is still there"
run 0 replay tiny.cfg --records lacking -o lacking.out
said 'on 1 of the 4 tuned shapes the chosen kernel was not measured, or not beside its rivals'
shapes lacking.out/regret.json | grep '"regret": null' >missing
[ "$(wc -l <missing)" -eq 1 ] && grep -q '"M": 4,' missing || failed "the contract does not show what is missing"
run 0 tiny.cfg
not_said 'was not measured'
[ "$(compared out/tiny.records.jsonl)" -ge 1 ] || failed "the pair was not measured"
tail -n "+$(($(wc -l <lacking) + 1))" out/tiny.records.jsonl | grep '"type":"measure"' | grep -qv '"extent":\[4,' && failed "more than the pair was measured"
[ "$(stated out/tiny/regret.json regret tuned measured)" -eq 4 ] || failed "the contract still lacks a shape"

section time is up before that
cp lacking out/tiny.records.jsonl
program slow-runner <<'RUN'
sleep 1.5
exec "$RUNNER" --targets "$TARGETS"
RUN
RUNNER="$runner" TARGETS="$tmp/inst/share/dcgen/templates/targets" run 0 --seconds 1 --runner ./slow-runner tiny.cfg
said 'on 1 of the 4 tuned shapes the chosen kernel was not measured, or not beside its rivals: a search that has time left begins with that'
nothing_left
echo done

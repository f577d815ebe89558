#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A package of two functions: an operator each, one header, one file of kernels, one record file, one budget. Each has its own test, benchmark and
# dispatcher; all of them are found to be right, and replayed to the byte.
# ctest: cost=80
. "$SRC/tests/cli/lib.sh"

shows() { grep -qE -- "$1" "$out" || failed "stdout does not show: $1"; }
bad() { text=$1; shift; run 2 "$@"; said "$text"; }

functions() {   # functions TEXT: pair.cfg with these functions
    cat >pair.cfg <<CFG
name = "pair";
dtype = "f32";
target = ["host"];
dims = { T = { min = 1; max = 40; }; S = { min = 1; max = 20; }; };
functions = ( $1 );
tune = { T = [1, 17, 40]; S = [1, 7, 20]; };
budget = { kernels = 4; trials = 10; seconds = 20; };
CFG
}
proj='{ name = "proj"; op = "dense"; weight = 3.0; epilogue = ["bias"]; layout = { W = "NK"; packed = true; };
        shapes = ( { M = "T"; N = 48; K = 40; } ); }'
scores='{ name = "scores"; op = "batch_matmul"; layout = { B = "NK"; };
          shapes = ( { B0 = 2; B1 = 3; M = "S"; N = "S"; K = 16; } ); }'

section one package
functions "$proj, $scores"
run 0 check --templates "$SRC/templates" pair.cfg
shows '^pair_proj: dense, f32, 40 shapes, 3 of them tuned; [1-9][0-9]* candidates for [a-z0-9]+$'
shows '^pair_scores: batch_matmul, f32, 20 shapes, 3 of them tuned; [1-9][0-9]* candidates for [a-z0-9]+$'
[ "$(wc -l <"$out")" -eq 2 ] || failed 'check says more than a line a function'
run 0 check -v --templates "$SRC/templates" pair.cfg
shows '^pair_proj: dense, f32, 40 shapes'
shows '^op: Y\[M,N\] = '
shows '^formula: bias$'
shows '^space: [0-9]+ candidates of [0-9]+ combinations$'
run 0 --templates "$SRC/templates" pair.cfg
said 'tuning pair_proj'
said 'tuning pair_scores'
for file in pair.h kernels.c dispatch_proj.h dispatch_scores.h test_proj.c test_scores.c bench_proj.c bench_scores.c; do
    [ -f out/pair/$file ] || failed "there is no $file"
done
[ "$(grep -c '^const char \*pair_strerror' out/pair/pair.h)" = 1 ] || failed 'pair_strerror is not there once'
cmake -S out/pair -B built -DCMAKE_C_FLAGS='-Wall -Wextra -Wshadow -Werror' >"$tmp/log/cmake" && cmake --build built -j2 >"$tmp/log/build" 2>&1 ||
    { tail -n 20 "$tmp/log/cmake" "$tmp/log/build"; failed 'the package is not built'; }
for name in proj scores; do
    built/pair_${name}_test >"$tmp/log/own" || { cat "$tmp/log/own"; failed "the test of $name"; }
    grep -q ' checks, 0 failed' "$tmp/log/own" || failed "the test of $name checks nothing"
done
cp -r out/pair first
run 0 replay --templates "$SRC/templates" pair.cfg
diff -r first out/pair >"$tmp/log/diff" || { head "$tmp/log/diff"; failed 'the replay differs'; }
run 0 replay --check out/pair
shows 'byte for byte'

section their benchmarks
run 0 bench out/pair
shows '^pair_proj_bench'
shows '^pair_scores_bench'

[ -z "$(grep -o ' id="[^"]*"' out/pair/report.html | sort | uniq -d)" ] || failed 'the report names two things alike'

section one of them
run 0 explain out/pair scores S=7
shows 'pair_scores at S = 7:'
run 0 explain out/pair scores S=7 T=99 # which makes no difference to it
shows 'pair_scores at S = 7:'
! grep -q 'outside its range' "$out" || failed 'a dim that the function does not use is said to be outside its range'
for range in 'T = 1 to 40' 'S = 1 to 20'; do
    grep -qF "<td>$range</td>" out/pair/report.html || failed "the report does not say just: $range"
done
run 0 explain out/pair proj T=7
shows 'pair_proj at T = 7'
bad 'which function? Name one behind the package: proj, scores' explain out/pair T=7
bad "no function 'score'; expected one of proj, scores" explain out/pair score T=7
run 0 --dump spec --templates "$SRC/templates" pair.cfg
shows '^function scores'

section a kernel is tried for the functions that its template serves
run 0 try dot_bmm MR=4 NR=2 --templates "$SRC/templates" pair.cfg
shows '^pair_scores: dot_bmm .*: right on'
[ "$(grep -c ': right on' "$out")" -eq 1 ] || failed 'another function was tried'
run 0 try dot_bmm MR=4 NR=2 --templates "$SRC/templates" pair.cfg --dump source
shows '^static .* pair_scores_k0'
bad "no template of op 'dense' is called 'dot_bm'" try dot_bm MR=4 NR=4 --templates "$SRC/templates" pair.cfg

section functions that are alike
functions "$proj, $(echo "$proj" | sed 's/"proj"/"twin"/; s/N = 48/N = 64/'), $(echo "$proj" | sed 's/"proj"/"other"/; s/\["bias"\]/"gelu(acc + bias[n])"/')"
sed 's/name = "pair"/name = "alike"/; s/trials = 10; seconds = 20/trials = 6; seconds = 40/' pair.cfg >alike.cfg
run 0 --templates "$SRC/templates" alike.cfg
# The same kernel is there once: their general kernels for lesser CPUs are one at least.
grep -q '^/\* It is alike_proj_k[0-9]*\. \*/$' out/alike/kernels.c || failed 'the functions have no kernel in common'
grep -q 'typedef alike_proj_args alike_twin_args;' out/alike/kernels.c || failed 'the functions have other arguments'
cmake -S out/alike -B alike -DCMAKE_C_FLAGS='-Wall -Wextra -Wshadow -Werror' >"$tmp/log/cmake" && cmake --build alike -j2 >"$tmp/log/build" 2>&1 ||
    { tail -n 20 "$tmp/log/cmake" "$tmp/log/build"; failed 'the package of functions that are alike is not built'; }
for name in proj twin other; do # the other one has the same arguments and kernels, but they call its own formula
    alike/alike_${name}_test >"$tmp/log/own" || { cat "$tmp/log/own"; failed "the test of $name"; }
done

section a kernel that both have takes bytes once
functions "$(echo "$proj" | sed 's/weight = 3.0/weight = 15.0/'), $(echo "$proj" | sed 's/"proj"/"twin"/; s/N = 48/N = 64/; s/weight = 3.0/weight = 1.0/')"
sed 's/name = "pair"/name = "tight"/; s/kernels = 4; trials = 10; seconds = 20/kernels = 2; trials = 2; seconds = 30; code_kib = 18/' pair.cfg >tight.cfg
run 0 --templates "$SRC/templates" tight.cfg
[ "$(grep -c '^tight_.*: 1 kernel, ' "$out")" -eq 2 ] || failed 'not a kernel for each of the functions'
grep -q '^/\* It is tight_proj_k0\. \*/$' out/tight/kernels.c || failed 'the kernel is not there once'
run 0 replay --check out/tight
run 0 --templates "$SRC/templates" --dump tree tight.cfg

section little time
# The seconds are shared by all, however slow the compiler is: a kernel for each function, where three more candidates would be allowed.
cat >cc_slow <<'CC'
#!/bin/sh
sleep 0.5
exec gcc "$@"
CC
chmod +x cc_slow
functions "$proj, $scores"
run 0 --templates "$SRC/templates" --cc "$PWD/cc_slow" --seconds 2 -o out/hasty --records hasty.jsonl pair.cfg
[ "$(grep -c '^  1 trial, 0 failed' "$out")" -eq 2 ] || failed 'not a candidate for each of the functions'
said 'function 1 of 2, proj: search: 0/'
said 'function 2 of 2, scores: search: 0/'
for op in dense batch_matmul; do
    [ "$(grep -c "\"op\":\"$op\".*\"target\":\"portable\".*\"status\":\"ok\"" hasty.jsonl)" -eq 1 ] || failed "not one kernel of $op for any CPU"
done

section one of which no kernel works
functions "$proj, $scores"
cp -r "$SRC/templates" wrong
sed -i 's/^static TARGET_ATTRIBUTE int KERNEL(/#error no kernel\n&/' wrong/batch_matmul/*.c
run 1 --templates wrong --trials 4 --seconds 4 -o out/none --records none.jsonl pair.cfg
grep -q '^dcgen: pair_scores: none of [0-9]* candidates* could be built' "$err" || failed 'the function without a kernel is not named'

section faults
functions "$proj, $(echo "$scores" | sed 's/"scores"/"proj_pack"/')"
bad "the functions 'proj' and 'proj_pack' would have symbols that begin alike" check --templates "$SRC/templates" pair.cfg
functions "$(echo "$scores" | sed 's/"scores"/"exec"/')"
bad "the name 'exec' is taken: 'pair_exec' would be the function's and the package's own" check --templates "$SRC/templates" pair.cfg
for name in OK BAD_EXTENT ABI VERSION H TARGET_avx2 ONE_COPY pool_run pool load_portable; do
    functions "$(echo "$scores" | sed "s/\"scores\"/\"$name\"/")"
    bad "error: the name '$name' is taken: 'pair_$name" check --templates "$SRC/templates" pair.cfg
    said 'pair.cfg:5:'
done
for name in OK_x cuda load x_exec; do
    functions "$(echo "$scores" | sed "s/\"scores\"/\"$name\"/")"
    run 0 check --templates "$SRC/templates" pair.cfg
done
operand() { # operand NAME TEXT: what is said of an operand of that name
    functions "$(echo "$scores" | sed "s/op = /epilogue = \"acc + $1[n]\"; op = /")"
    bad "error: the operand '$1' $2" check --templates "$SRC/templates" pair.cfg
    said 'pair.cfg:5:'
}
for name in pair_exec pair_VERSION pair_args; do
    operand $name 'begins as names of the package do'
done
for name in args exec workspace A_stride Y_extent; do
    operand $name "is taken: the package's code has that name beside its operands"
done
for name in M_PI I complex near EINVAL size_t; do
    operand $name 'is taken by a macro or a type of C'
done
functions "$(echo "$scores" | sed 's/"scores"/"at"/; s/op = /epilogue = "acc + t[id[m],n]"; types = { id = "s32"; }; extents = { t = ["args", "N"]; }; op = /; s/K = 16/&; args = 5/')"
bad "the extent 'args' is taken" check --templates "$SRC/templates" pair.cfg
functions "$(echo "$scores" | sed 's/name = "scores";//')"
bad "'name'" check --templates "$SRC/templates" pair.cfg
functions "$(echo "$proj" | sed 's/weight = 3.0/weight = 0.0/')"
bad "a function's weight must be above 0" check --templates "$SRC/templates" pair.cfg
functions ''
bad "'functions': 0 functions, expected 1 to 64" check --templates "$SRC/templates" pair.cfg
functions "$proj, $scores"
sed -i 's/kernels = 4/kernels = 1/' pair.cfg
bad "'kernels': 1 for 2 functions, of which each needs one at least" check --templates "$SRC/templates" pair.cfg
sed -i 's/kernels = 1/kernels = 4/' pair.cfg
bad '--kernels: 1 for 2 functions, of which each needs one at least' --kernels 1 --templates "$SRC/templates" pair.cfg

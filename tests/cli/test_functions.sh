#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A package of two functions: an operator each, one header, one file of kernels, one record file, one budget. Each has its own test, benchmark and
# dispatcher; all of them are found to be right, and replayed to the byte.
# ctest: label=slow cost=15
. "$SRC/tests/cli/lib.sh"

# A second operator, of one template that compiles soon.
bmm=$tmp/inst/share/dcgen/templates/batch_matmul
mkdir "$bmm" "$bmm/../gemm"
cp "$SRC"/templates/batch_matmul/op.cfg "$SRC"/templates/batch_matmul/reference.c "$SRC"/templates/batch_matmul/dot_bmm.c "$SRC"/templates/batch_matmul/*.h "$bmm"
cp "$SRC"/templates/gemm/*.h "$bmm/../gemm"

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
budget = { kernels = 4; trials = 6; seconds = 20; };
CFG
}
proj='{ name = "proj"; op = "dense"; weight = 3.0; epilogue = ["bias"]; layout = { W = "NK"; };
        shapes = ( { M = "T"; N = 48; K = 40; } ); }'
scores='{ name = "scores"; op = "batch_matmul"; layout = { B = "NK"; };
          shapes = ( { B0 = 2; B1 = 3; M = "S"; N = "S"; K = 16; } ); }'
twin=$(echo "$proj" | sed 's/"proj"/"twin"/; s/N = 48/N = 64/')
# passes PKG NAME...: the tests of these functions, whose package compiles without a warning
passes() {
    pkg=$1
    shift
    for file in kernels pool; do
        gcc -std=gnu17 -O1 -Wall -Wextra -Wshadow -Werror -c -o "$pkg.$file.o" "out/$pkg/$file.c" || failed "$file.c of $pkg"
    done
    for name in "$@"; do
        gcc -std=gnu17 -O1 -Wall -Wextra -Wshadow -Werror -o test "out/$pkg/test_$name.c" "$pkg".*.o -lm -pthread || failed "test_$name.c"
        ./test >"$tmp/log/own" || { cat "$tmp/log/own"; failed "the test of $name"; }
        grep -q '[1-9][0-9]* checks, 0 failed' "$tmp/log/own" || failed "the test of $name checks nothing"
    done
}

section one package
functions "$proj, $scores"
run 0 check pair.cfg
shows '^pair_proj: dense, f32, 40 shapes, 3 of them tuned; [1-9][0-9]* candidates for [a-z0-9]+$'
shows '^pair_scores: batch_matmul, f32, 20 shapes, 3 of them tuned; [1-9][0-9]* candidates for [a-z0-9]+$'
[ "$(wc -l <"$out")" -eq 2 ] || failed 'check says more than a line a function'
run 0 check -v pair.cfg
for line in '^pair_proj: dense, f32, 40 shapes' '^op: Y\[M,N\] = ' '^formula: bias$' '^space: [0-9]+ candidates of [0-9]+ combinations$'; do
    shows "$line"
done
run 0 pair.cfg
said 'tuning pair_proj'
said 'tuning pair_scores'
for file in pair.h kernels.c dispatch_proj.h dispatch_scores.h test_proj.c test_scores.c bench_proj.c bench_scores.c; do
    [ -f out/pair/$file ] || failed "there is no $file"
done
[ "$(grep -c '^const char \*pair_strerror' out/pair/pair.h)" = 1 ] || failed 'pair_strerror is not there once'
[ -z "$(grep -o ' id="[^"]*"' out/pair/report.html | sort | uniq -d)" ] || failed 'the report names two things alike'
passes pair proj scores
cmake -S out/pair -B built >"$tmp/log/cmake" && cmake --build built --target help >"$tmp/log/cmake" || failed 'cmake'
for name in proj scores; do grep -q "pair_${name}_test" "$tmp/log/cmake" || failed "CMake does not build the test of $name"; done
cp -r out/pair first
run 0 replay pair.cfg
diff -r first out/pair >"$tmp/log/diff" || { head "$tmp/log/diff"; failed 'the replay differs'; }
run 0 replay --check out/pair
shows 'byte for byte'

section their benchmarks
run 0 bench out/pair
shows '^pair_proj_bench'
shows '^pair_scores_bench'

section one of them
for words in S=7 'S=7 T=99'; do # T makes no difference to it
    run 0 explain out/pair scores $words
    shows 'pair_scores at S = 7:'
    ! grep -q 'outside its range\|pair_proj at' "$out" || failed 'a dim that the function does not use is said to be outside its range'
done
for range in 'T = 1 to 40' 'S = 1 to 20'; do
    grep -qF "<td>$range</td>" out/pair/report.html || failed "the report does not say just: $range"
done
run 0 explain out/pair proj T=7
shows 'pair_proj at T = 7'
bad 'which function? Name one behind the package: proj, scores' explain out/pair T=7
bad "no function 'score'; expected one of proj, scores" explain out/pair score T=7
run 0 --dump spec pair.cfg
shows '^function scores'

section a kernel is tried for the functions that its template serves
run 0 try dot_bmm MR=4 NR=2 pair.cfg
shows '^pair_scores: dot_bmm .*: right on'
[ "$(grep -c ': right on' "$out")" -eq 1 ] || failed 'another function was tried'
run 0 try dot_bmm MR=4 NR=2 pair.cfg --dump source
shows '^static .* pair_scores_k0'
bad "no template of op 'dense' is called 'dot_bm'" try dot_bm MR=4 NR=4 pair.cfg

section functions that are alike
functions "$proj, $twin, $(echo "$proj" | sed 's/"proj"/"other"/; s/\["bias"\]/"gelu(acc + bias[n])"/')"
sed 's/name = "pair"/name = "alike"/; s/seconds = 20/seconds = 40/' pair.cfg >alike.cfg
run 0 alike.cfg
# The same kernel is there once: their general kernels for lesser CPUs are one at least.
grep -q '^/\* It is alike_proj_k[0-9]*\. \*/$' out/alike/kernels.c || failed 'the functions have no kernel in common'
grep -q 'typedef alike_proj_args alike_twin_args;' out/alike/kernels.c || failed 'the functions have other arguments'
passes alike proj twin other # the other one has the same arguments and kernels, but they call its own formula

section a kernel that both have takes bytes once
functions "$(echo "$proj" | sed 's/weight = 3.0/weight = 15.0/'), $(echo "$twin" | sed 's/weight = 3.0/weight = 1.0/')"
sed 's/name = "pair"/name = "tight"/; s/kernels = 4; trials = 6; seconds = 20/kernels = 2; trials = 2; seconds = 30; code_kib = 18/' pair.cfg >tight.cfg
mkdir -p large/dense # kernels of some KiB
sed 's/^    for (int64_t k = 0; k < K; k++)/#pragma GCC unroll 16\n&/' "$SRC/tests/cli/templates/dense/plain.c" >large/dense/plain.c
run 0 --templates large tight.cfg
[ "$(grep -c '^tight_.*: 1 kernel, ' "$out")" -eq 2 ] || failed 'not a kernel for each of the functions'
grep -q '^/\* It is tight_proj_k0\. \*/$' out/tight/kernels.c || failed 'the kernel is not there once'
run 0 replay --check out/tight
run 0 --dump tree --templates large tight.cfg

section little time
# The seconds are shared by all, however slow the compiler is: a kernel for each function, where more candidates would be allowed.
program cc_slow <<'CC'
sleep 0.5
exec gcc "$@"
CC
functions "$proj, $scores"
run 0 --cc "$PWD/cc_slow" --seconds 2 -o out/hasty --records hasty.jsonl pair.cfg
[ "$(grep -c '^  1 trial, 0 failed' "$out")" -eq 2 ] || failed 'not a candidate for each of the functions'
said 'function 1 of 2, proj: search: 0/'
said 'function 2 of 2, scores: search: 0/'
for op in dense batch_matmul; do
    [ "$(grep -c "\"op\":\"$op\".*\"target\":\"portable\".*\"status\":\"ok\"" hasty.jsonl)" -eq 1 ] || failed "not one kernel of $op for any CPU"
done

section one of which no kernel works
mkdir wrong
cp -r "$bmm" wrong
sed -i 's/^static TARGET_ATTRIBUTE int KERNEL(/#error no kernel\n&/' wrong/batch_matmul/*.c
run 1 --templates wrong --trials 4 --seconds 4 -o out/none --records none.jsonl pair.cfg
grep -q '^dcgen: pair_scores: none of [0-9]* candidates* could be built' "$err" || failed 'the function without a kernel is not named'

section faults
# faulty TEXT FUNCTION...: check says TEXT of a package of these
faulty() {
    text=$1
    shift
    functions "$*"
    bad "$text" check pair.cfg
}
# scores_with SED: the function, changed
scores_with() { echo "$scores" | sed "$1"; }
faulty "the functions 'proj' and 'proj_pack' would have symbols that begin alike" "$proj, $(scores_with 's/"scores"/"proj_pack"/')"
faulty "the name 'exec' is taken: 'pair_exec' would be the function's and the package's own" "$(scores_with 's/"scores"/"exec"/')"
for name in OK BAD_EXTENT ABI VERSION H TARGET_avx2 ONE_COPY pool_run pool load_portable; do
    faulty "pair.cfg:5:" "$(scores_with "s/\"scores\"/\"$name\"/")"
    said "error: the name '$name' is taken: 'pair_$name"
done
functions "$(for name in OK_x cuda load x_exec; do scores_with "s/\"scores\"/\"$name\"/; 2s/$/,/"; done | sed '$s/,$//')"
run 0 check pair.cfg
for row in 'pair_exec begins as' 'pair_VERSION begins as' 'pair_args begins as' 'args is taken:' 'exec is taken:' 'workspace is taken:' \
    'A_stride is taken:' 'Y_extent is taken:' 'M_PI is taken by a macro' 'I is taken by a macro' 'complex is taken by a macro' \
    'near is taken by a macro' 'EINVAL is taken by a macro' 'size_t is taken by a macro'; do
    faulty "pair.cfg:5:" "$(scores_with "s/op = /epilogue = \"acc + ${row%% *}[n]\"; op = /")"
    said "error: the operand '${row%% *}' ${row#* }"
done
faulty "the extent 'args' is taken" \
    "$(scores_with 's/"scores"/"at"/; s/op = /epilogue = "acc + t[id[m],n]"; types = { id = "s32"; }; extents = { t = ["args", "N"]; }; op = /; s/K = 16/&; args = 5/')"
faulty "'name'" "$(scores_with 's/name = "scores";//')"
faulty "a function's weight must be above 0" "$(echo "$proj" | sed 's/weight = 3.0/weight = 0.0/')"
faulty "'functions': 0 functions, expected 1 to 64" ''
functions "$proj, $scores"
sed 's/kernels = 4/kernels = 1/' pair.cfg >one.cfg
bad "'kernels': 1 for 2 functions, of which each needs one at least" check one.cfg
bad '--kernels: 1 for 2 functions, of which each needs one at least' --kernels 1 pair.cfg

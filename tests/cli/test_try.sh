#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# dcgen try: one kernel of a template, right or wrong in every way, by name and by file; what is wrong with its words; the emulator.
# ctest: label=slow cost=20
. "$SRC/tests/cli/lib.sh"
BUDGET_S=30 write_spec tiny.cfg
plain=$SRC/tests/cli/templates/dense/plain.c
mkdir -p mine/dense

# mine SCRIPT: mine/dense/mine.c is plain.c, changed
mine() {
    sed -e 's/"plain"/"mine"/' "$plain" >mine.c
    sed -e "$1" mine.c >mine/dense/mine.c
    [ -z "$1" ] || ! cmp -s mine.c mine/dense/mine.c || failed "the script changes nothing: $1"
}
shows() { grep -qE -- "$1" "$out" || failed "stdout does not show: $1"; }
printed_nothing() { [ ! -s "$out" ] || failed "stdout is not empty"; }

section a kernel that is right
run 0 try plain MB=4 UK=1 tiny.cfg
shows '^plain [a-z0-9]* MB=4 UK=1 on .*: right on [0-9]+ awkward shapes and on all tuned ones$'
shows '^shape +time +GFLOP/s( +GB/s)? +of peak$'
[ "$(lines '^M = [1-4], N = 24, K = 16, 1 thread  *[0-9.]* [num]s ' "$out")" -eq 4 ] || failed "not a time for each tuned shape"
mine ''
run 0 try mine/dense/mine.c tiny.cfg UK=1 MB=4 # by its file, values behind
shows '^mine '
(cd mine/dense && "$dcgen" try mine.c MB=4 UK=1 ../../tiny.cfg) | grep -q '^mine .*: right on' || failed "a file in the current folder"
run 0 try mine --templates mine MB=4 UK=1 --json tiny.cfg
shows '"status": "ok"'
shows '"part_of_peak": 0?[0-9]*\.[0-9]'
shows '"best_other": null'
run 0 try plain MB=4 UK=1 tiny.cfg --dump source
shows 'tiny_k0'
shows 'dcgen_run'

section a copy of a whole tree of templates, in which one was changed
cp -R "$SRC/tests/cli/templates" whole
sed -i 's|^static .*KERNEL(.*|/* the changed one */\n&|' whole/dense/plain.c
run 0 try plain MB=4 UK=1 --templates whole tiny.cfg --dump source
shows 'the changed one'

section an operator that moves more than it computes
mkdir moves
cp -R "$SRC/tests/operators/affine" moves
sed -i 's/"2\*B\*H\*C"/"C"/' moves/affine/op.cfg # so few, that memory is the limit however busy the machine is
run 0 try rows NV=2 --templates moves "$SRC/tests/operators/affine.cfg"
shows '^shape +time +GFLOP/s +GB/s +of peak$'
[ "$(lines '^B = 2, .* [num]*s  *[0-9.][0-9.]*  *[0-9.][0-9.]*  *[0-9.][0-9.]* %$' "$out")" -eq 2 ] || failed "no bytes a second on each tuned shape"
run 0 try rows NV=2 --templates moves --json "$SRC/tests/operators/affine.cfg"
shows '"bytes_per_s": [1-9]'

section the best other kernel of the records
run 0 --templates mine --trials 4 tiny.cfg
cp -R out out.before
run 0 try mine/dense/mine.c MB=4 UK=1 tiny.cfg
shows '^shape .* best other kernel of the records$'
[ "$(lines '^M = .* [num]s  [a-z]* [a-z0-9]* MB=[0-9]* UK=[0-9]*$' "$out")" -eq 4 ] || failed "no other kernel is shown"
diff -r out out.before || failed "it changed the records or the package"
rm -rf out out.before

section words that are wrong
wrong() { # wrong TEXT ARGUMENT...
    text=$1
    shift
    run 2 try "$@"
    said "$text"
    printed_nothing
}
wrong "did you mean 'plain'?" plian MB=4 UK=1 tiny.cfg
wrong "template 'plain' has no parameter 'MC'; did you mean 'MB'?" plain MB=4 UK=1 MC=2 tiny.cfg
wrong "MB is missing; expected one of 1, 2, 3, 4, 8, 16 (" plain UK=1 tiny.cfg
wrong "MB=5 is no choice; expected one of 1, 2, 3, 4, 8, 16 (" plain MB=5 UK=1 tiny.cfg
said_first "MB=5" # and what else is wrong
wrong "UK is missing" plain MB=5 tiny.cfg
wrong "none.c: No such file" none.c MB=4 UK=1 tiny.cfg
cp "$plain" stray.c
wrong "stray.c: templates of the spec's op 'dense' lie in a folder of that name, as in DIR/dense/stray.c" stray.c MB=4 UK=1 tiny.cfg
echo '/* no template */' >mine/dense/other.c
wrong "mine/dense/other.c: it has no template's head" mine/dense/other.c tiny.cfg
sed 's/W = "NK"/W = "NK"; packed = true/' tiny.cfg >packed.cfg
wrong "template 'plain' does not serve this spec: it reads no packed operand" plain MB=4 UK=1 packed.cfg
wrong "missing SPEC" plain MB=4
mine 's/m0 += MB/m0 += MC/'
wrong "mine/dense/mine.c:" mine/dense/mine.c MB=4 UK=1 tiny.cfg

section one choice alone
mine 's/\[1, 2, 4\];  /[1];/'
run 0 try mine/dense/mine.c MB=4 tiny.cfg
shows '^mine .* UK=1 on '

# bad SCRIPT TEXT: such a kernel is tried, and fails with that text
bad() {
    mine "$1"
    run 1 try mine/dense/mine.c MB=4 UK=1 tiny.cfg
    said "$2"
    printed_nothing
}
section kernels that are wrong
bad 's/STEP <= 32/STEP <= 2/' ' needs STEP <= 2'
said 'is refused: its values break a constraint'
bad 's/^    const int64_t n0 = .*/    int bad = lacking_one + lacking_two; (void)bad;\n&/' "'lacking_two' undeclared"
said ' is not built: candidate.c:'
not_said "$tmp"
bad 's/sum\[k % UK\] +=/sum[k % UK] -=/' ' is wrong: on M='
said ' element 0 is '
said ' instead of '
bad 's/^    return 0;/    *(volatile int *)8 = 1;\n&/' ' crashes: on M='
said ' while verifying'
bad 's/^    return 0;/    return PACKAGE_BAD_EXTENT;/' ' is refused: on M='
mine 's/sum\[k % UK\] +=/sum[k % UK] -=/'
run 1 try mine/dense/mine.c MB=4 UK=1 --json tiny.cfg
shows '"status": "wrong"'
shows '"why": "on M='
absent out

section the template of docs/templates-reference.md
sed -n '/^```c$/,/^```$/p' "$SRC/docs/templates-reference.md" | sed '1d; /^```$/,$d' >mine/dense/outer_gemm.c
rm mine/dense/mine.c mine/dense/other.c
sed 's/"NK"/"KN"/' tiny.cfg >kn.cfg
for mr in 1 8; do
    run 0 try mine/dense/outer_gemm.c MR=$mr kn.cfg
done
printf 'epilogue = ["bias"];\nthreads = [1, 3];\n' >>kn.cfg
run 0 try mine/dense/outer_gemm.c MR=4 kn.cfg
shows 'N = 24, K = 16, 3 threads '

section functions with many constants
sed 's/\["bias"\]/"tanh(acc)"/' kn.cfg >tanh.cfg
if grep -qw avx2 /proc/cpuinfo; then
    run 0 try direct_gemm MR=6 NV=2 UK=8 KC=0 PF=0 HOLD=1 ORDER=0 EVEN=1 SPLIT=0 tanh.cfg --target avx2 --templates "$SRC/templates"
fi

section several targets
if "$dcgen" try plain MB=4 UK=1 tiny.cfg --target avx2,portable >"$tmp/log/out" 2>"$tmp/log/err"; then
    [ "$(lines ': right on ' "$tmp/log/out")" -eq 2 ] || failed "not one table for each target"
fi

section the emulator
if [ -x "$BIN/dcgen-runner-emu" ] && command -v nvcc >/dev/null 2>&1; then
    install_cuda
    cp "$BIN/dcgen-runner-emu" "$tmp/inst/bin"
    run 0 try plain_cuda TM=4 BK=16 --target sm_80 tiny.cfg
    said 'the emulator takes its place'
    shows '^plain_cuda sm_80 TM=4 BK=16 on typical sm_80 device: right on '
    [ "$(lines '  right$' "$out")" -eq 4 ] || failed "it was not executed on each tuned shape"
    wrong "template 'plain_cuda' does not serve this spec: it is for GPUs" plain_cuda TM=4 BK=16 --target host tiny.cfg
else
    skipped "nvcc or the emulator is not here"
fi
absent out
nothing_left

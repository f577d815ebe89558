#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# --templates DIR with functions on vectors and targets, and what it says of files of later folders: all are found, keys and MANIFEST follow those that a kernel is made from and no others, every
# command works with them from any folder, and what is wrong with such a file is told at its place.
# ctest: label=slow cost=8
. "$SRC/tests/cli/lib.sh"
BUDGET_S=30 write_spec tiny.cfg
share=$tmp/inst/share/dcgen/templates
plain=$SRC/tests/cli/templates/dense/plain.c

# A kernel that calls a primitive without a formula: its key and MANIFEST follow that primitive, those that it calls, and no other.
section a primitive that nothing calls
sed 's/x\[k\] \* w\[k\]/PACKAGE_load_MACHINE(x + k, 1)[0] * w[k]/' "$plain" >"$share/dense/plain.c"
grep -q PACKAGE_load_MACHINE "$share/dense/plain.c" || failed "the template calls no primitive"
run 0 --no-report -o own tiny.cfg
! grep -q 'vector/erf.h' own/MANIFEST || failed "MANIFEST names what nothing calls"
echo '/* changed */' >>"$share/vector/erf.h"
run 0 replay --no-report --records own.records.jsonl -o again tiny.cfg
run 0 replay --check own

for path in load floats copy; do # load.h calls floats.h on every target, copy.h on one
    section "$path.h"
    grep -qE "^# template [0-9a-f]{64}  vector/$path.h\$" own/MANIFEST || failed "MANIFEST does not name $path.h"
    cp "$share/vector/$path.h" kept.h
    echo '/* changed */' >>"$share/vector/$path.h"
    run 1 replay --no-report --records own.records.jsonl -o again tiny.cfg
    said '3 kernels of another version of dense/plain.c'
    run 1 replay --check own
    grep -q "vector/$path.h" "$out" || failed "replay --check does not name it"
    cp kept.h "$share/vector/$path.h"
done
cp "$plain" "$share/dense"

mkdir mine mine/dense mine/vector mine/targets
sed -e 's/"plain"/"own"/; s/x\[k\] \* w\[k\]/PACKAGE_take_MACHINE(x + k)[0] * w[k]/' "$plain" >mine/dense/own.c
grep -q PACKAGE_take_MACHINE mine/dense/own.c || failed "the template calls no function of the folder"
cat >mine/vector/take.h <<'H'
static inline TARGET_ATTRIBUTE PACKAGE_floats_MACHINE PACKAGE_take_MACHINE(const float *p) /* no line with a licence comes before it */
{
    return PACKAGE_load_MACHINE(p, 1);
}
H
cat >mine/targets/few.cfg <<'CFG'
name = "few";
like = "portable";
vector_registers = 8;
CFG
mv "$share/dense/plain.c" plain.c # so that the package has kernels of the folder

section a package for a target of the folder
run 0 --templates mine -t few --no-report -o tiny tiny.cfg
for path in dense/own.c vector/take.h vector/load.h targets/few.cfg targets/portable.cfg; do
    grep -qE "^# template [0-9a-f]{64}  $path\$" tiny/MANIFEST || failed "MANIFEST does not name $path"
done
grep -q 'tiny_take_few(const float' tiny/kernels.c || failed "the package has not all that its kernels call"
gcc -std=gnu17 -O1 -Wall -Wextra -Werror -Itiny tiny/kernels.c tiny/pool.c tiny/test.c -o test -lm -pthread
./test >test.out && grep -q ' 0 failed' test.out || failed "its own test: $(cat test.out)"

section every command, from another folder
mkdir elsewhere
cd elsewhere
run 0 replay ../tiny/spec.cfg --records ../tiny/records.jsonl -o ../again
diff -r ../tiny ../again >"$tmp/diff" 2>&1 || failed "replay differs: $(cat "$tmp/diff")"
run 0 replay --check ../tiny
run 0 try ../mine/dense/own.c MB=4 UK=1 -t few ../tiny.cfg --dump source
grep -q 'tiny_take_few(const float' "$out" || failed "--dump source does not tell what the kernel calls"
run 0 check -v --templates ../mine -t few ../tiny.cfg
grep -q '^target: few on .*: 8 vector registers of 16 bytes' "$out" || failed "check tells of another target"
cd ..

section which target is the best
of_host() { sed -n 's/^target: \([a-z0-9_]*\) .*/\1/p' "$out"; }
cp plain.c mine/dense
run 0 check -v tiny.cfg --templates mine
[ "$(of_host)" != few ] || failed "a target takes the place of a better one"
printf 'rank = 999;\n' >>mine/targets/few.cfg
run 0 check -v tiny.cfg --templates mine
[ "$(of_host)" = few ] || failed "the highest rank is not taken"
sed -i '/rank/d' mine/targets/few.cfg
rm mine/dense/plain.c
if [ "$(uname -m)" = x86_64 ]; then
    printf 'name = "newer";\nlike = "portable";\narch = "x86_64";\nattribute = "ssse3";\nruntime_check = "__builtin_cpu_supports(\\"ssse3\\")";\n' >mine/targets/newer.cfg
    run 0 try mine/dense/own.c MB=4 UK=1 -t newer tiny.cfg # the runner knows of it
    sed -i 's/attribute.*/attribute = "no_such_feature";/' mine/targets/newer.cfg
    run 2 try mine/dense/own.c MB=4 UK=1 -t newer tiny.cfg
    said "cannot run target 'newer'"
    rm mine/targets/newer.cfg
fi

section what keys follow
records="--no-report --templates mine -t few --records tiny.records.jsonl"
# counts FILE LINE WHY: records of kernels do not count while the line is there
counts() {
    [ ! -e "$1" ] || cp "$1" kept
    printf '%s\n' "$2" >>"$1"
    run 1 replay $records -o again tiny.cfg
    said "$3"
    rm "$1"
    [ ! -e kept ] || mv kept "$1"
    run 0 replay $records -o again tiny.cfg
}
run 0 replay $records -o again tiny.cfg
counts mine/vector/take.h '/* changed */' '3 kernels of another version of dense/own.c'
counts mine/targets/few.cfg 'vector_bytes = 32;' "3 kernels of spec 'tiny', made by another version of dcgen or of a folder of --templates"
load=$(cat "$tmp/inst/share/dcgen/templates/vector/load.h")
counts mine/vector/load.h "$load /* in the place of the other */" '3 kernels of another version of dense/own.c'
printf 'name = "other";\nlike = "few";\n' >mine/targets/other.cfg
cp "$tmp/inst/share/dcgen/templates/vector/erf.h" mine/vector
run 0 replay $records -o again tiny.cfg # what no kernel is made from does not count

section what lies in later folders
mkdir later later/dense later/my_rows
sed 's|^static TARGET_ATTRIBUTE int KERNEL|#include "note.h"\n&|' plain.c >"$share/dense/plain.c"
echo '/* a note beside the other */' >"$share/dense/note.h"
printf '/* dcgen\nname = "twin"; op = "dense"; family = "cpu"; doc = "x"; like = "plain.c";\n*/\n' >later/dense/twin.c
run 0 try twin MB=4 UK=1 --templates later tiny.cfg --dump source
grep -q 'a note beside the other' "$out" || failed "the file that its body includes is not there"
sed 's/"plain"/"third"/; s|^static TARGET_ATTRIBUTE int KERNEL|#include "../dense/note.h"\n&|' plain.c >later/dense/third.c
run 0 try third MB=4 UK=1 --templates later tiny.cfg --dump source
grep -q 'a note beside the other' "$out" || failed "a file of a later folder is not there"
cp plain.c "$share/dense"
mkdir "$share/rows"
find "$SRC/templates/rows" -type f ! -name '*.cu' -exec cp {} "$share/rows" \;
{ sed 's/"rows"/"my_rows"/' "$share/rows/op.cfg"; echo 'templates = "rows";'; } >later/my_rows/op.cfg
printf 'name = "soft"; op = "my_rows"; dims = { T = { min = 1; max = 8; }; };\nshapes = ( { M = "T"; N = 64; } ); formula = "exp(x[m,n])";\n' >soft.cfg
run 0 check --templates later soft.cfg
rm "$share/dense/plain.c"

section instructions in the place of built-in ones
# Kernels call silu(), which calls sigmoid(): the emulator executes that of the folder, which is wrong.
if command -v nvcc >/dev/null && [ -x "$BIN/dcgen-runner-emu" ]; then
    install_cuda
    cp "$BIN/dcgen-runner-emu" "$tmp/inst/bin"
    write_spec silu.cfg 'epilogue = "silu(acc)";'
    mkdir place place/device
    sed '1d; s/return /return 1 - /' "$share/device/sigmoid.cuh" >place/device/sigmoid.cuh
    run 1 try plain_cuda TM=2 BK=16 -t sm_80 --templates place silu.cfg
    said 'is wrong: on M='
else
    skipped "instructions, without nvcc or dcgen-runner-emu"
fi

section faulty files
# told TEXT: check says so, and exits with 2
told() {
    run 2 check --templates mine -t few tiny.cfg
    said "$1"
}
mv mine/vector/take.h take.h
mkdir mine/vector/take.h
told 'mine/vector/take.h: error: this is a folder, expected a file'
rmdir mine/vector/take.h
sed 's/take/took/' take.h >mine/vector/take.h
told "mine/vector/take.h:1:1: error: this file has no 'PACKAGE_take_MACHINE': expected the function that its name says"
{ cat take.h; echo '#if VECTOR_BYTES'; } >mine/vector/take.h
told "mine/vector/take.h:5:2: error: this condition has no '#endif'"
cp take.h mine/vector/take.h
if [ "$(id -u)" -ne 0 ]; then
    chmod 0 mine/vector/take.h
    told 'mine/vector/take.h: error: cannot read the file: Permission denied'
    chmod 600 mine/vector/take.h
fi
sed 's/PACKAGE_take_MACHINE(x + k)\[0\]/x[k] * PACKAGE_device::dp4()/; s/family  = "cpu"/family = "cuda"/; s/"own"/"gpu"/' mine/dense/own.c >mine/dense/gpu.cu
mkdir mine/device
echo 'int dp4a() { return 1; }' >mine/device/dp4a.cuh
told "error: there is no primitive 'dp4': no folder of templates has a file 'device/dp4.cuh'; did you mean 'dp4a'?"
said "mine/dense/gpu.cu:$(grep -n dp4 mine/dense/gpu.cu | cut -d: -f1):"
rm mine/dense/gpu.cu
printf 'name = "other";\nlike = "fwe";\n' >mine/targets/other.cfg
told "mine/targets/other.cfg:2:8: error: unknown target 'fwe'; did you mean 'few'?"
rm -r mine/targets
echo >mine/targets
told 'mine/targets: error: cannot read the folder of targets'

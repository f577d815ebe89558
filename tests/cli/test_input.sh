#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Bad input: exit code 2, the first line says where and what, and nothing is made. (The diagnostics themselves: tests/gen.)
. "$SRC/tests/cli/lib.sh"

# bad CODE FIRST-LINE ARGUMENT...
bad() {
    code=$1 text=$2
    shift 2
    run "$code" "$@"
    [ ! -s "$out" ] || failed "something on stdout"
    said_first "$text"
    absent out tiny tiny.records.jsonl
    nothing_left
}
write_spec good.cfg

# edit SED-SCRIPT: bad.cfg, from good.cfg
edit() { sed "$1" good.cfg >bad.cfg; }

section files
bad 2 'none.cfg: error: ' none.cfg
said 'No such file'
run 2 check goood.cfg
said "goood.cfg: error: cannot read the file: No such file or directory; did you mean 'good.cfg'?"
run 2 check "$tmp/work/goo.cfg"
said "did you mean '$tmp/work/good.cfg'?"
run 2 check nothing_like_it.cfg
said 'No such file or directory; expected a spec, such as specs/bert_dense.cfg'
for model in missing.onnx weights.safetensors; do
    run 2 check $model
    said "$model: error: this is the name of a model; expected a spec"
done
: >empty.cfg
bad 2 'empty.cfg' empty.cfg
mkdir folder
bad 2 'folder: error: ' folder
printf 'name = "x"\nop op op' >bad.cfg
bad 2 'bad.cfg:2:' bad.cfg
head -c 3000 /bin/sh >binary.cfg
bad 2 'binary.cfg' binary.cfg
bad 2 '/dev/zero: error: ' /dev/zero
mkfifo pipe.cfg
bad 2 'pipe.cfg: error: ' pipe.cfg
ln -s loop.cfg loop.cfg
bad 2 'loop.cfg: error: ' loop.cfg

section keys and types
edit 's/"f32"/3/';                      bad 2 'bad.cfg:3:' bad.cfg
edit 's/^name .*/name = ["a"];/';       bad 2 'bad.cfg:1:' bad.cfg
edit 's/^layout /layuot /';             bad 2 "unknown key 'layuot'; did you mean 'layout'?" bad.cfg
edit '2s/.*/&\n&/';                     bad 2 'bad.cfg:3:' bad.cfg
edit 's/dense/dens/';                   bad 2 "bad.cfg:2:" bad.cfg
edit 's/f32/f33/';                      bad 2 "bad.cfg:3:" bad.cfg
edit 's/^layout.*/layout = { W = "XY"; };/'; bad 2 'bad.cfg:6:' bad.cfg
edit '$s/$/epilogue = ["bais"];/';      bad 2 "'bais'" bad.cfg

section targets
edit '$s/$/target = ["nonsense"];/';    bad 2 "unknown target 'nonsense'" bad.cfg
said 'bad.cfg:'
bad 2 "unknown target 'nonsense'; expected one of host, auto, cuda," good.cfg --target nonsense
bad 2 'must all be CPUs or all be GPUs' good.cfg -t portable,sm_80

section sizes
edit 's/N = 24/N = 0/';                 bad 2 'bad.cfg:5:' bad.cfg
edit 's/N = 24/N = -24/';               bad 2 'bad.cfg:5:' bad.cfg
edit 's/N = 24/N = "T - 3"/';           bad 2 'bad.cfg:5:' bad.cfg
edit 's/"T"/"T * 9223372036854775807"/'; bad 2 'bad.cfg:5:' bad.cfg
edit 's/N = 24/N = 9223372036854775807L/;s/"T"/9223372036854775807L/'; bad 2 'bad.cfg:5:' bad.cfg
edit 's/min = 1; max = 4/min = 4; max = 1/'; bad 2 'bad.cfg:4:' bad.cfg
edit 's/"T"/"S"/';                      bad 2 "'S'" bad.cfg
edit 's/"T"/"16 \/ (T - T)"/';          bad 2 'bad.cfg:5:' bad.cfg
edit 's/"T"/"16 * (T"/';                bad 2 'bad.cfg:5:' bad.cfg
edit 's/trials = 3/trials = -1/';       bad 2 'bad.cfg:7:' bad.cfg

section names
for name in '' '1x' 'a-b' '../out' 'a/b' '.' 'int' "$(printf '\303\244')" 'a b'; do
    printf '%s\n' "name = \"$name\";" >bad.cfg
    sed 1d good.cfg >>bad.cfg
    bad 2 'bad.cfg:1:' bad.cfg
done

section names of a package
for name in exec run_package weight dcgen_reference_rows N bias; do   # by its form, or as the op's benchmark or definition uses it
    printf '%s\n' "name = \"$name\";" >bad.cfg
    sed 1d good.cfg >>bad.cfg
    bad 2 'bad.cfg:1:' bad.cfg
    said "would do"
done

section command line
bad 2 'missing SPEC'
bad 2 "unknown option '--nonsense'" --nonsense good.cfg
bad 2 "--trials: '0' is not a whole number" --trials 0 good.cfg
bad 2 "--trials: '99999999999999999999' is not" --trials 99999999999999999999 good.cfg
bad 2 "too many operands" good.cfg good.cfg
bad 2 "--out: its DIR is empty" -o '' good.cfg
bad 2 '--offline measures nothing' --offline --fresh good.cfg
bad 2 "did you mean 'check'" chek good.cfg
bad 3 'tiny.records.jsonl: No such file' replay good.cfg
bad 3 'none.jsonl' --offline --records none.jsonl good.cfg

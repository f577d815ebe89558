# SPDX-License-Identifier: Apache-2.0
"""models: packages of small models, which the pack has ready made, on the GPU: their own tests, and the outputs that tests/models
gives for inputs. model: the package of a whole model that tune made, next to PyTorch, which is used if a Python here has it."""

import array
import json
import math
import os
import random
import re
import shutil
import subprocess

import bench
import journal
from specs import name_of
from stage import tail

SMALL = ["bert", "gpt2", "llama", "vit_b_16", "whisper_encoder", "resnet50", "mobilenet_v2", "efficientnet_b0"]
RANGES = ["batch=B:1..3", "seq=T:1..33", "past=P:0..9", "height=H:32..64", "width=W:32..64"]  # of tests/models
FULL = {"bert": ["batch=B:1..8", "seq=T:1..384"]}  # what tune makes a package of: script/models has the model
SIZES = [{"B": 1, "T": t} for t in (1, 16, 43, 128, 384)] + [{"B": 8, "T": t} for t in (16, 128)]
RUN_S, TIMES, PEER_S = 60, 200, 25  # PEER_S: with less, PyTorch is not begun
GOALS = {"eager": 3.3, "compiled": 1.0}
SKIPPED = 77


# ---- small models


def programs_of(name):
    return [f"{name}_small_test_model", f"{name}_small_run_model"]


def try_model(stage, name):
    """Whether all was tried."""
    folder = stage.session.pack.path("models", name)
    test, run = (os.path.join(folder, program) for program in programs_of(name))
    weights, env = os.path.join(folder, "weights.safetensors"), {**os.environ, "LD_LIBRARY_PATH": folder}
    pairs = sorted(f for f in os.listdir(folder) if re.fullmatch(r"pair\d+\.safetensors", f))
    commands = {"its test": [test, weights]}
    commands.update({pair: [run, weights, os.path.join(folder, pair)] for pair in pairs})
    nright = 0
    for what, argv in commands.items():
        if stage.left() < 2:
            return False
        log = stage.log(f"models {name} {what}.txt")
        code = stage.run(argv, log, RUN_S, env=env)
        stage.write("model", model=name, what=what, exit_code=code)
        nright += code == 0
        if code == SKIPPED:
            stage.missing(f"{name}: {tail(log)}")
            return True
        if code != 0:
            stage.found(f"{name}, {what}: exit code {code}: {tail(log)}")
    stage.say(f"{name}: {nright} of {len(commands)} right")
    return True


def models(stage):
    names = sorted(os.listdir(stage.session.pack.path("models")))
    done = {n["model"] for n in stage.before("model", pack=stage.session.pack.id)}
    if not stage.session.device:
        stage.say("there is no GPU to run small models on")
    elif not all(try_model(stage, name) for name in names if name not in done):
        return
    stage.complete()


# ---- a whole model


def normal_numbers(n):
    """Bytes of n floats, as weights are: normal, 0.02 wide. (0 would take less power than a model does.)"""
    some = array.array("f", (random.gauss(0, 0.02) for _ in range(min(n, 1 << 18))))
    return (some.tobytes() * (n // max(1, len(some)) + 1))[: 4 * n]


def write_safetensors(path, tensors):
    """tensors: {name: (type, extents, bytes)}."""
    head, at = {}, 0
    for name, (kind, extents, data) in tensors.items():
        head[name] = {"dtype": kind, "shape": extents, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text)
        for _, _, data in tensors.values():
            f.write(data)


def weights_of(model):
    found = {}
    for w in model["weights"]:
        extents = [int(e) for e in w["extents"]]
        n = math.prod(extents)
        found[w["name"]] = (w["type"], extents, normal_numbers(n) if w["type"] == "F32" else bytes(4 * n))
    return found


def inputs_of(model, dims):
    """Whole numbers are tokens, or ones of a mask."""
    found = {}
    for one in model["inputs"]:
        extents = [dims.get(e) or int(e) for e in one["extents"]]
        n = math.prod(extents)
        whole = [1] * n if "mask" in one["name"] else [i * 37 % 100 for i in range(n)]
        data = normal_numbers(n) if one["dtype"] == "f32" else array.array("i", whole).tobytes()
        found["in." + one["from"]] = ("F32" if one["dtype"] == "f32" else "I32", extents, data)
    return found


def medians(text):
    """{"calls": microseconds, "kept calls": ...}."""
    return {what: float(us) for what, us in re.findall(r"median of \d+ (calls|kept calls): ([0-9.]+) us", text)}


def own_times(stage, name, program, model):
    """A line a size; None: it does not run."""
    weights, pair = stage.path("weights.safetensors"), stage.path("pair.safetensors")
    write_safetensors(weights, weights_of(model))
    rows = []
    for dims in SIZES:
        write_safetensors(pair, inputs_of(model, dims))
        log = stage.log(f"model {name} " + " ".join(f"{d}{n}" for d, n in dims.items()) + ".txt")
        code = stage.run([program, weights, pair, "--times", str(TIMES)], log, RUN_S)
        with open(log, errors="replace") as f:
            found = medians(f.read())
        if code != 0 or "kept calls" not in found:
            stage.found(f"{name} at {dims}: exit code {code}: {tail(log)}")
            return None
        rows.append({**dims, "call_us": found["calls"], "kept_us": found["kept calls"]})
    os.remove(weights)
    return rows


def python_of_torch():
    """A Python that has PyTorch and transformers."""
    for name in dict.fromkeys(filter(None, [shutil.which("python3"), shutil.which("python")])):
        try:
            asked = [name, "-c", "import torch, transformers; assert torch.cuda.is_available()"]
            if subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, timeout=60).returncode == 0:
                return name
        except (OSError, subprocess.TimeoutExpired):
            pass
    return None


def peers(stage, name, rows):
    """Adds to rows what PyTorch takes, as far as the time goes."""
    python = python_of_torch() if stage.left() >= PEER_S else None
    if not python:
        stage.missing(f"{name}: PyTorch and transformers, which see this GPU, or the time for them")
        return
    log, script = stage.log(f"model {name} torch.txt"), os.path.join(os.path.dirname(__file__), "torch_model.py")
    stage.run([python, "-B", script, name[: -len("_full")], json.dumps(SIZES)], log, stage.left() - 5)
    with open(log, errors="replace") as f:
        for line in f:
            if line.startswith("{"):
                said = journal.value(line)
                row = next(r for r in rows if all(r[d] == said["dims"][d] for d in said["dims"]))
                row[said["way"] + "_us"] = said["us"]


def told(rows):
    """The geometric mean against each way of PyTorch, at batch 1."""
    text = []
    for way, goal in GOALS.items():
        ratios = [r[way + "_us"] / r["kept_us"] for r in rows if r["B"] == 1 and way + "_us" in r]
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            text.append(f"{mean:.2f}x PyTorch {way} (goal {goal}) on {len(ratios)} sizes of batch 1")
    return "; ".join(text) or "nothing to compare with"


def model(stage, spec):
    name, session = name_of(spec), stage.session
    package, programs, _ = bench.built(stage, spec, f"{name}_run_model") or (None, bench.LATE, None)
    if programs == bench.LATE:
        return
    if programs and session.device:
        with open(os.path.join(package, "package.json")) as f:
            rows = own_times(stage, name, next(iter(programs.values())), json.load(f)["model"])
        if rows:
            peers(stage, name, rows)
            with open(stage.kept("tables", f"model_{name}.json"), "w") as f:
                json.dump({"schema": 1, "device": session.device, "model": name, "times": rows}, f, indent=1, sort_keys=True)
            stage.say(f"{name}: {told(rows)}")
    stage.complete()

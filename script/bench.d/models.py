# SPDX-License-Identifier: Apache-2.0
"""What the benchmark knows of each model that tests/models/make.py makes in full size: how it is imported, and the sizes that are timed."""

import typing
import zlib

import numpy as np

TOKENS, IMAGES = (1, 16, 43, 128, 384), (160, 224, 320)
KEPT = 1024  # tokens that a decoder has room for

TEXT = ["--dim", "batch=B:1..8", "--dim", f"seq=T:1..{TOKENS[-1]}"]
PIXELS = ["--dim", "batch=B:1..1", "--dim", "height=H:160..320", "--dim", "width=W:160..320"]
DECODED = ["--keep", "--dim", "batch=B:1..2", "--dim", f"seq=T:1..{TOKENS[-1]}"]
DECODED += ["--dim", f"past=P:0..{KEPT - 1}", "--dim", f"kept=K:1..{KEPT}"]


def texts(batches):
    return [{"batch": batch, "seq": seq} for batch in batches for seq in TOKENS]


def images():
    return [{"batch": 1, "side": side} for side in IMAGES]


def decodings():
    """All tokens at once, then a token behind P others."""
    return [{"batch": 1, "seq": seq, "past": 0} for seq in TOKENS] + [
        {"batch": 1, "seq": 1, "past": past} for past in (100, 1000)
    ]


class Model(typing.NamedTuple):
    options: list  # of `dcgen import`
    sizes: list
    settings: str = ""  # what is written behind the imported spec


WINOGRAD = 'accuracy = "winograd";\n'

MODELS = {
    "bert": Model(TEXT, texts([1, 8])),
    "gpt2": Model(DECODED, decodings()),
    "llama": Model(DECODED, decodings()),
    "vit_b_16": Model(TEXT[:2], [{"batch": 1}, {"batch": 8}]),
    "whisper_encoder": Model(["--dim", "batch=B:1..4"], [{"batch": 1}]),
    "resnet50": Model(PIXELS, images(), WINOGRAD),
    "mobilenet_v2": Model(PIXELS, images()),
    "efficientnet_b0": Model(PIXELS, images()),
}
DIM_OF = {"batch": "B", "seq": "T", "past": "P"}  # what the package calls a size


def first_sizes(name):
    """100 sizes that are each seen for the first time, in no order; none of a model that has one size."""
    size = MODELS[name].sizes[0]
    axis, values = ("side", range(160, 320)) if "side" in size else ("seq", range(2, 200))
    if axis not in size:
        return []
    return [{**size, axis: int(value)} for value in np.random.default_rng(2).permutation(values)[:100]]


def largest_size(name):
    size = MODELS[name].sizes[0]
    return {**size, "side": IMAGES[-1]} if "side" in size else {**size, "seq": 200}


def make_inputs(signature, size):
    """Random inputs for a model's (name, shape, is_integer) list, of each name the same; an extent that is no number is found in the size."""
    found = {}
    for name, shape, is_integer in signature:
        random = np.random.default_rng(zlib.crc32(name.encode()))
        if name == "attention_mask":
            found[name] = np.ones((size["batch"], size.get("past", 0) + size["seq"]), np.int64)
        elif is_integer:
            found[name] = random.integers(0, 2 if name == "token_type_ids" else 100, (size["batch"], size["seq"]))
        else:
            last = size.get("side", size.get("past"))
            sizes = [size["batch"], size.get("seq"), last, last]
            extents = [one if isinstance(one, int) else sizes[axis] for axis, one in enumerate(shape)]
            found[name] = random.standard_normal(extents, np.float32)
    return found

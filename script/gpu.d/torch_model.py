# SPDX-License-Identifier: Apache-2.0
"""torch_model.py MODEL SIZES: what a call of the model takes by PyTorch in f32, as it comes and compiled for sizes that change: a JSON
line each, {"way", "dims", "us"}. SIZES: a JSON list of {"B", "T"}. Its Python has PyTorch and transformers."""

import json
import statistics
import sys
import time

import torch
import transformers

MODELS = {"bert": lambda: transformers.BertModel(transformers.BertConfig())}
WARM, CALLS = 5, 100


def median_us(call):
    """To when the device has done it, as run_model times a call."""
    for _ in range(WARM):
        call()
    torch.cuda.synchronize()
    spent = []
    for _ in range(CALLS):
        began = time.perf_counter()
        call()
        torch.cuda.synchronize()
        spent.append((time.perf_counter() - began) * 1e6)
    return statistics.median(spent)


def main(name, sizes):
    torch.manual_seed(1)
    model = MODELS[name]().cuda().eval()
    with torch.inference_mode():
        for way, run in (("eager", model), ("compiled", torch.compile(model, dynamic=True))):
            for dims in sizes:
                tokens = torch.arange(dims["B"] * dims["T"], device="cuda").reshape(dims["B"], dims["T"]) * 37 % 100
                mask = torch.ones_like(tokens)
                us = median_us(lambda: run(input_ids=tokens, attention_mask=mask))
                print(json.dumps({"way": way, "dims": dims, "us": round(us, 1)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))

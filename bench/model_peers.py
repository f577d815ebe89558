#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of whole models by ONNX Runtime and OpenVINO, in f32 on the CPU: what dcgen's models are compared with.

    model_peers.py [--threads 1,2] [--rounds 7] [--quick] FILE.onnx ...  a line for each model, peer, threads and dims
    model_peers.py --first [--threads N] FILE.onnx ...   each of 20 shapes for the first time, and for the second
    model_peers.py --memory [--threads N] FILE.onnx ...  a process's peak memory for each peer, after sizes of the list

What is printed are JSON objects, one a line.

FILE is made by tests/models/make.py --size full; its name up to the first "_full" or "_small" says which dims there
are. All peers and numbers of threads take turns in one process: a round gives each one burst of calls, and `ns` is the
median over rounds of the mean of a burst, `least_ns` the least. Calls before the first round are not counted, nor is
the first of a burst, and a burst waits until the threads of the one before have stopped spinning. Bursts in which other
processes took more than a quarter of a core are not counted where 3 others are left (nquiet of nburst), and rounds are
added for them. Inputs are bound before, and outputs stay in the peer's own memory: a call is the model, without
copies of Python's.
ONNX Runtime: all graph optimizations, inter_op 1, idle threads spin as it comes. OpenVINO: latency hint, one stream,
inference precision f32; a decoder with kept keys also as "openvino-stateful", which keeps them inside.

Needs from PyPI: numpy onnx onnxruntime openvino. Taken with onnxruntime 1.32.0, openvino 2026.4.1.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np

BURST_NS, WARM_NS, LONG_NS, OTHERS_SHARE = 150_000_000, 200_000_000, 300_000_000, 0.25
TOKENS, IMAGES = (1, 16, 43, 128, 384), (160, 224, 320)


def grid(**axes):
    """Every choice of one value an axis, as dicts."""
    found = [{}]
    for name, values in axes.items():
        found = [{**dims, name: value} for dims in found for value in values]
    return found


DECODER = grid(batch=[1], seq=[16, 43, 128, 384], past=[0]) + grid(batch=[1], seq=[1], past=[0, 1, 100, 1000])
DIMS = {
    "bert": grid(batch=[1, 8], seq=TOKENS),
    "gpt2": DECODER[:-1] + [dict(batch=1, seq=1, past=1000)],
    "llama": DECODER,
    "vit_b_16": grid(batch=[1, 8]),
    "vit_hf": grid(batch=[1, 8]),
    "whisper_encoder": grid(batch=[1]),
    "resnet50": grid(batch=[1], side=IMAGES),
    "mobilenet_v2": grid(batch=[1], side=IMAGES),
    "efficientnet_b0": grid(batch=[1], side=IMAGES),
}


def kind_of(path):
    return pathlib.Path(path).name.split("_full")[0].split("_small")[0]


def make_inputs(signature, dims):
    """Random inputs for a model's (name, shape, is_integer) list; a shape's dims may be anything but a number."""
    random = np.random.default_rng(1)
    total = dims.get("past", 0) + dims.get("seq", 0)
    found = {}
    for name, shape, is_integer in signature:
        if name == "attention_mask":
            found[name] = np.ones((dims["batch"], total), np.int64)
        elif is_integer:
            found[name] = random.integers(0, 2 if name == "token_type_ids" else 100, (dims["batch"], dims["seq"]))
        else:
            sizes = {0: dims["batch"], 1: dims.get("seq"), 2: dims.get("past", dims.get("side")), 3: dims.get("side")}
            real = [size if isinstance(size, int) else sizes[axis] for axis, size in enumerate(shape)]
            found[name] = random.standard_normal(real, np.float32)
    return found


class Ort:
    """ONNX Runtime with so many threads."""
    name = "onnxruntime"

    def __init__(self, path, threads):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.signature = [(one.name, one.shape, "int" in one.type) for one in self.session.get_inputs()]

    def bind(self, dims):
        self.inputs = make_inputs(self.signature, dims)
        self.binding = self.session.io_binding()
        for name, array in self.inputs.items():
            self.binding.bind_input(name, "cpu", 0, array.dtype.type, array.shape, array.ctypes.data)
        for output in self.session.get_outputs():
            self.binding.bind_output(output.name, "cpu")

    def run(self):
        self.session.run_with_iobinding(self.binding)


class OpenVino:
    """OpenVINO with so many threads."""
    name = "openvino"

    def __init__(self, path, threads):
        import openvino
        self.openvino = openvino
        core = openvino.Core()
        model = self.change(core.read_model(str(path)))
        self.compiled = core.compile_model(model, "CPU", {
            "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": "1",
            "INFERENCE_PRECISION_HINT": "f32"})
        self.request = self.compiled.create_infer_request()
        self.signature = [(one.get_any_name(), [size.get_length() if size.is_static else None
                                                for size in one.get_partial_shape()],
                           one.get_element_type().is_integral()) for one in self.compiled.inputs]

    def change(self, model):
        return model

    def bind(self, dims):
        self.inputs = make_inputs(self.signature, dims)
        for name, array in self.inputs.items():
            self.request.set_tensor(name, self.openvino.Tensor(array, shared_memory=True))

    def run(self):
        self.request.infer()


class OpenVinoStateful(OpenVino):
    """The same with kept keys and values inside the peer: a call appends to them."""
    name = "openvino-stateful"

    def change(self, model):
        from openvino._offline_transformations import apply_make_stateful_transformation
        past = [one.get_any_name() for one in model.inputs if one.get_any_name().startswith("past")]
        if not past:
            raise NotImplementedError("it keeps nothing")
        model.reshape({one.get_any_name(): [1, *list(one.get_partial_shape())[1:]]
                       for one in model.inputs})            # of batch 1: what is kept begins as [1, heads, 0, width]
        apply_make_stateful_transformation(model, {name: name.replace("past_key_values", "present") for name in past})
        return model

    def bind(self, dims):
        self.dims = dims
        if dims["past"]:
            self.start()
        super().bind(dims)

    def start(self):
        """Forgets all, then reads `past` tokens."""
        self.request.reset_state()
        super().bind({**self.dims, "seq": self.dims["past"], "past": 0})
        self.request.infer()
        self.length = self.dims["past"]

    def run(self):
        if not self.dims["past"]:
            self.request.reset_state()
        elif self.length > self.dims["past"]:       # kept longer by what was run before: the mask grows with it
            super().bind({**self.dims, "past": self.length})
        self.request.infer()
        if self.dims["past"]:
            self.length += self.dims["seq"]

    def fresh(self):
        """Back to the length that was asked for, not timed."""
        if self.dims["past"] and self.length > self.dims["past"] + 8:
            self.start()
            super().bind(self.dims)


PEERS = (Ort, OpenVino, OpenVinoStateful)


def busy_ns():
    """The time that all processes have used."""
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) * (1_000_000_000 // os.sysconf("SC_CLK_TCK"))


def settle():
    """Waits until no thread of this process spins."""
    for _ in range(200):
        before = time.process_time_ns()
        time.sleep(0.005)
        if time.process_time_ns() - before < 500_000:
            return


def burst(peer, burst_ns, is_long):
    """The mean time of a call over calls that take burst_ns together, and the share of a core that others took."""
    settle()
    if hasattr(peer, "fresh"):
        peer.fresh()
    if not is_long:
        peer.run()
    ncall, others, start = 0, time.process_time_ns() - busy_ns(), time.perf_counter_ns()
    while True:
        peer.run()
        ncall += 1
        spent = time.perf_counter_ns() - start
        if spent >= burst_ns or (hasattr(peer, "fresh") and ncall == 8):
            return spent / ncall, (others + busy_ns() - time.process_time_ns()) / spent


def say(**line):
    print(json.dumps(line), flush=True)


def load(path, threads):
    """Every peer that takes this model, with every number of threads."""
    found = []
    for peer in PEERS:
        for number in threads:
            try:
                found.append((peer(path, number), number))
            except Exception as error:      # a peer may refuse a model: that is said, and the others go on
                if not isinstance(error, NotImplementedError):
                    print(f"{path}: {peer.name}: {str(error).strip().splitlines()[0]}", file=sys.stderr)
                break
    return found


def bind_all(path, peers, dims):
    """The peers that can run these dims, with the longest time of a call."""
    alive, longest = [], 0
    for peer, number in peers:
        try:
            peer.bind(dims)
            longest = max(longest, burst(peer, WARM_NS, False)[0])
            alive.append((peer, number))
        except Exception as error:
            print(f"{path}: {peer.name} at {dims}: {str(error).strip().splitlines()[0]}", file=sys.stderr)
    return alive, longest


def measure(path, threads, rounds, quick):
    peers = load(path, threads)
    for dims in DIMS[kind_of(path)][:2 if quick else None]:
        alive, longest = bind_all(path, peers, dims)
        wanted = rounds if longest < LONG_NS else 3
        bursts = {key: [] for key in alive}
        for _ in range(3 * wanted):
            for key in alive:
                if sum(others <= OTHERS_SHARE for _, others in bursts[key]) < wanted:
                    bursts[key].append(burst(key[0], BURST_NS, longest >= LONG_NS))
        for (peer, number), found in bursts.items():
            found.sort(key=lambda one: one[1])
            quiet = [one for one in found if one[1] <= OTHERS_SHARE]
            times = [one[0] for one in (quiet if len(quiet) >= 3 else found[:wanted])]
            say(model=pathlib.Path(path).stem, peer=peer.name, threads=number, dims=dims,
                ns=round(float(np.median(times))), least_ns=round(min(times)), nburst=len(found), nquiet=len(quiet))


def measure_first(path, threads):
    """20 shapes that a peer has not seen: each is called twice."""
    keys = {"seq": [17, 90, 33, 5, 64, 121, 48, 11, 77, 100, 29, 56, 3, 110, 40, 85, 22, 70, 14, 95],
            "side": list(range(160, 320, 8))}
    base = DIMS[kind_of(path)][0]
    axis = "side" if "side" in base else "seq"
    for peer in PEERS[:2]:
        one = peer(path, threads)
        ratios = []
        for value in keys[axis]:
            one.bind({**base, axis: value})
            spans = []
            settle()
            for _ in range(2):
                start = time.perf_counter_ns()
                one.run()
                spans.append(time.perf_counter_ns() - start)
            ratios.append(spans[0] / spans[1])
            say(model=pathlib.Path(path).stem, peer=peer.name, threads=threads, dims={**base, axis: value},
                first_ns=spans[0], second_ns=spans[1])
        say(model=pathlib.Path(path).stem, peer=peer.name, threads=threads, first_to_second_median=
            round(float(np.median(ratios)), 3), first_to_second_largest=round(max(ratios[1:]), 3))


def measure_memory(path, threads, peer_name):
    """The peak memory of this process after the model was read and after every size of the list was run."""
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    def now():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    peer_class = next(peer for peer in PEERS if peer.name == peer_name)
    __import__(peer_name)
    before = now()
    peer = peer_class(path, threads)
    loaded, loaded_peak = now(), peak()
    for dims in DIMS[kind_of(path)]:
        peer.bind(dims)
        peer.run()
    say(model=pathlib.Path(path).stem, peer=peer_name, threads=threads, bytes_before=before, bytes_loaded=loaded,
        peak_bytes_loading=loaded_peak, peak_bytes=peak())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="the first two sizes of each model")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--memory-of", metavar="PEER", help="what --memory runs for each peer")
    parser.add_argument("files", nargs="+", metavar="FILE.onnx")
    options = parser.parse_args()
    threads = [int(number) for number in options.threads.split(",")]
    for path in options.files:
        if options.memory_of:
            measure_memory(path, threads[0], options.memory_of)
        elif options.memory:
            for peer in PEERS[:2]:
                subprocess.run([sys.executable, __file__, "--threads", str(threads[0]), "--memory-of", peer.name, path],
                               check=True)
        elif options.first:
            measure_first(path, threads[0])
        else:
            measure(path, threads, options.rounds, options.quick)


if __name__ == "__main__":
    main()

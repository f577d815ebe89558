# SPDX-License-Identifier: Apache-2.0
"""Whole models by ONNX Runtime and OpenVINO, in f32. Each file of a model is a way for a peer; the fastest at a size is what counts.

Inputs are bound before, and outputs stay in the peer's own memory: a call is the model, without copies of Python's. ONNX Runtime: all graph
optimizations, and idle threads spin as it comes. OpenVINO: latency hint, one stream, f32; a decoder with kept keys also as "stateful", which keeps
them inside.
"""

import logging
import pathlib

from models import make_inputs

HEADS, HIDDEN = 12, 768
FUSED = {"bert": "bert", "gpt2": "gpt2", "vit_b_16": "vit"}  # onnxruntime's names of models that its optimizer knows


def files(folder, name):
    """The exporters' files of a model, and what ONNX Runtime's own optimizer makes of the first, where it knows the model."""
    found = sorted(path for path in pathlib.Path(folder).glob(f"{name}_full.*.onnx") if ".fused." not in path.name)
    fused = pathlib.Path(folder) / f"{name}_full.fused.onnx"
    if found and name in FUSED and not fused.exists():
        from onnxruntime.transformers import optimizer

        logging.getLogger("onnxruntime.transformers").setLevel(logging.ERROR)
        made = optimizer.optimize_model(str(found[-1]), FUSED[name], num_heads=HEADS, hidden_size=HIDDEN, opt_level=0)
        made.save_model_to_file(str(fused))
    return found + ([fused] if fused.exists() else [])


def way_of(path):
    return path.name.split(".")[1]


class Ort:
    name = "ONNX Runtime"

    @staticmethod
    def load():
        import onnxruntime

        return onnxruntime

    def __init__(self, path, threads):
        onnxruntime = self.load()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        self.way = way_of(path)
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.signature = [(one.name, one.shape, "int" in one.type) for one in self.session.get_inputs()]

    def bind(self, size):
        self.inputs = make_inputs(self.signature, size)
        self.binding = self.session.io_binding()
        for name, array in self.inputs.items():
            self.binding.bind_input(name, "cpu", 0, array.dtype.type, array.shape, array.ctypes.data)
        for output in self.session.get_outputs():
            self.binding.bind_output(output.name, "cpu")

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def results(self):
        return dict(zip((one.name for one in self.session.get_outputs()), self.binding.copy_outputs_to_cpu(), strict=True))


class OpenVino:
    name = "OpenVINO"

    @staticmethod
    def load():
        import openvino

        return openvino

    def __init__(self, path, threads):
        self.openvino, core = self.load(), self.load().Core()
        model = core.read_model(str(path))
        self.way = way_of(path)
        self.change(model)
        hints = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": "1"}
        compiled = core.compile_model(model, "CPU", hints | {"INFERENCE_PRECISION_HINT": "f32"})
        self.request = compiled.create_infer_request()
        self.signature = []
        for one in compiled.inputs:
            shape = [extent.get_length() if extent.is_static else None for extent in one.get_partial_shape()]
            self.signature.append((one.get_any_name(), shape, one.get_element_type().is_integral()))

    def change(self, model):
        pass

    def bind(self, size):
        self.inputs = make_inputs(self.signature, size)
        for name, array in self.inputs.items():
            self.request.set_tensor(name, self.openvino.Tensor(array, shared_memory=True))

    def run(self):
        self.request.infer()


class OpenVinoStateful(OpenVino):
    """Keeps keys and values inside; each call appends to them."""

    def change(self, model):
        from openvino._offline_transformations import apply_make_stateful_transformation

        past = [one.get_any_name() for one in model.inputs if one.get_any_name().startswith("past")]
        if not past:
            raise NotImplementedError
        one_batch = {one.get_any_name(): [1, *list(one.get_partial_shape())[1:]] for one in model.inputs}
        model.reshape(one_batch)  # what is kept begins as [1, heads, 0, width]
        apply_make_stateful_transformation(model, {name: name.replace("past_key_values", "present") for name in past})
        self.way += ", stateful"

    def bind(self, size):
        self.size = size
        self.start()

    def start(self):
        """Forgets all, then reads `past` tokens."""
        self.request.reset_state()
        self.length = self.size["past"]
        if self.length:
            super().bind({**self.size, "seq": self.length, "past": 0})
            self.request.infer()
        super().bind(self.size)

    def run(self):
        if not self.size["past"]:
            self.request.reset_state()
        elif self.length > self.size["past"]:  # longer by what was run before: the mask grows with it
            super().bind({**self.size, "past": self.length})
        self.request.infer()
        self.length += self.size["seq"]

    def rest(self):
        """Back to the length that was asked for, where it is far from it; not timed."""
        if self.size["past"] and self.length > self.size["past"] + 8:
            self.start()


PEERS = (Ort, OpenVino, OpenVinoStateful)

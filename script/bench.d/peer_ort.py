# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's CPU provider: three graphs of the layer, of which the fastest at each size is what the package meets.

`exported`: the graph as exporters write it, fused by the session itself (ORT_ENABLE_ALL). `bert`: the same after
onnxruntime.transformers.optimizer, which knows Attention, SkipLayerNormalization and BiasGelu. `by_hand`: these operators written by hand, with
lengths in place of a mask. Input and output are bound where they lie: nothing is copied, nothing allocated but by ONNX Runtime itself.
"""

import logging
import os
import tempfile

import numpy as np
import onnx
import onnxruntime

import layer_onnx
from problem import HEADS, HIDDEN

WAYS = ("exported", "bert", "by_hand")


def version():
    return f"ONNX Runtime {onnxruntime.__version__}"


def bert_optimized(path):
    from onnxruntime.transformers import optimizer

    logging.getLogger("onnxruntime.transformers").setLevel(logging.ERROR)
    found = optimizer.optimize_model(path, "bert", num_heads=HEADS, hidden_size=HIDDEN, opt_level=0)
    fused = found.get_fused_operator_statistics()
    if not fused["Attention"] or not fused["BiasGelu"] or fused["SkipLayerNormalization"] != 2:
        raise RuntimeError(f"onnxruntime.transformers.optimizer did not fuse the layer: {fused}")
    return found.model


def make_models(weights):
    """The three graphs, as bytes."""
    models = {"exported": layer_onnx.exported(weights), "by_hand": layer_onnx.by_hand(weights)}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "layer.onnx")
        onnx.save(models["exported"], path)
        models["bert"] = bert_optimized(path)
    return {name: model.SerializeToString() for name, model in models.items()}


class OrtPeer:
    """One graph, as a session with so many threads, at one size. `spin`: idle threads spin for a while, which is the default."""

    name = "ONNX Runtime"

    def __init__(self, model, size, threads, way, spin=True):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.enable_cpu_mem_arena = True
        options.log_severity_level = 3
        if not spin:
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.size, self.threads = size, threads
        self.way = way if spin else f"{way}, no spinning"

    def bind(self, x, lengths):
        size = self.size
        mask = (np.arange(size.T)[None, :] < lengths[:, None]).astype(np.int64)
        self.arrays = {"x": x.reshape(size.batch, size.T, HIDDEN), "mask": mask, "lengths": lengths}
        self.y = np.full((size.batch, size.T, HIDDEN), np.nan, np.float32)
        self.binding = self.session.io_binding()
        for inp in self.session.get_inputs():
            array = self.arrays[inp.name]
            self.binding.bind_input(inp.name, "cpu", 0, array.dtype.type, array.shape, array.ctypes.data)
        self.binding.bind_output("y", "cpu", 0, np.float32, self.y.shape, self.y.ctypes.data)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def result(self):
        return self.y

# SPDX-License-Identifier: Apache-2.0
"""Inputs and outputs of a small model, kept as safetensors: inputs "in.X" (int64 and bool as I32), outputs "out.X".

Outputs are computed in double from the ONNX file by onnx.reference, then rounded to float. ONNX Runtime must agree with
them for this file, and so for every other file of the same model.
"""
import pathlib

import numpy as np
import onnx
import onnx.reference
import onnxruntime
import safetensors.numpy


def doubled(path):
    """The ONNX model with float made double everywhere."""
    single, double = onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE
    model = onnx.load(path)

    def twice(tensor):
        if tensor.data_type == single:
            tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor).astype(np.float64),
                                                         tensor.name))

    def graph_twice(graph):
        del graph.value_info[:]
        for tensor in graph.initializer:
            twice(tensor)
        for value in list(graph.input) + list(graph.output):
            if value.type.tensor_type.elem_type == single:
                value.type.tensor_type.elem_type = double
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("t"):
                    twice(attribute.t)
                if attribute.HasField("g"):
                    graph_twice(attribute.g)
                if node.op_type == "Cast" and attribute.name == "to" and attribute.i == single:
                    attribute.i = double
    graph_twice(model.graph)
    return model


def run_reference(path, inputs):
    feed = {name: value.astype(np.float64) if value.dtype == np.float32 else value for name, value in inputs.items()}
    return onnx.reference.ReferenceEvaluator(doubled(path)).run(None, feed)


def run_onnxruntime(path, inputs):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, inputs)


def error(found, wanted):
    """The largest difference over the largest size of what was wanted."""
    return max(float(np.max(np.abs(a - b), initial=0) / max(np.max(np.abs(b), initial=0), 1e-30))
               for a, b in zip(found, wanted))


def make(path, prefix, cases):
    """Writes PREFIX.1.safetensors ... for the inputs of each case where there is none, then checks the file at `path`
    against each."""
    outputs = [value.name for value in onnx.load(path, load_external_data=False).graph.output]
    for number, inputs in enumerate(cases, 1):
        pair = pathlib.Path(f"{prefix}.{number}.safetensors")
        if not pair.exists():
            kept = {"in." + name: value if value.dtype == np.float32 else value.astype(np.int32)
                    for name, value in inputs.items()}
            kept |= {"out." + name: value.astype(np.float32)
                     for name, value in zip(outputs, run_reference(path, inputs))}
            safetensors.numpy.save_file({name: np.ascontiguousarray(value) for name, value in kept.items()}, pair)
        kept = safetensors.numpy.load_file(pair)
        worst = error(run_onnxruntime(path, inputs), [kept["out." + name] for name in outputs])
        print(f"  {pathlib.Path(path).name}, pair {number}: onnxruntime differs by {worst:.1e}")
        if not worst < 1e-4:
            raise SystemExit(f"{path}: onnxruntime and the reference differ by {worst}")

# SPDX-License-Identifier: Apache-2.0
"""The layer as ONNX: as exporters of BERT write it, and with ONNX Runtime's own fused operators written by hand.

Inputs: x [batch][T][768]; mask [batch][T] int64, 1 for a key that counts (`exported`), or lengths [batch] int32 (`by_hand`). Output: y.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from problem import DEPTH, EPSILON, HEADS, HIDDEN

FUSED = "com.microsoft"


class Graph:
    """Nodes and constants as they are added; each call gives the name of what it made."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, array, name=None):
        name = name or f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, op, *inputs, out=None, **attributes):
        out = out or f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(op, list(inputs), [out], name=f"node_{len(self.nodes)}", **attributes)
        )
        return out

    def dense(self, x, weights, w, b, part=slice(None)):
        """The add has its constant first, as PyTorch's exporter writes it."""
        turned = self.constant(weights[w][part].T, f"{w}_{part.start or 0}")
        bias = self.constant(weights[b][part], f"{b}_{part.start or 0}")
        return self.add("Add", bias, self.add("MatMul", x, turned))

    def model(self, inputs):
        shaped = {
            "x": (TensorProto.FLOAT, ["batch", "T", HIDDEN]),
            "mask": (TensorProto.INT64, ["batch", "T"]),
        }
        shaped["lengths"] = (TensorProto.INT32, ["batch"])
        described = [helper.make_tensor_value_info(name, *shaped[name]) for name in inputs]
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", "T", HIDDEN])
        graph = helper.make_graph(self.nodes, "bert_layer", described, [y], self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def split_heads(g, x, turn):
    shape = g.constant(np.array([0, 0, HEADS, DEPTH], np.int64))
    return g.add("Transpose", g.add("Reshape", x, shape), perm=turn)


def exported_attention(g, weights):
    q, k, v = (g.dense("x", weights, "Wqkv", "bqkv", slice(i * HIDDEN, (i + 1) * HIDDEN)) for i in range(3))
    q, k, v = (
        split_heads(g, q, [0, 2, 1, 3]),
        split_heads(g, k, [0, 2, 3, 1]),
        split_heads(g, v, [0, 2, 1, 3]),
    )
    scores = g.add("Div", g.add("MatMul", q, k), g.constant(np.float32(DEPTH**0.5)))
    added = g.add("Unsqueeze", "mask", g.constant(np.array([1], np.int64)))
    added = g.add("Unsqueeze", added, g.constant(np.array([2], np.int64)))
    added = g.add("Sub", g.constant(np.float32(1)), g.add("Cast", added, to=TensorProto.FLOAT))
    added = g.add("Mul", added, g.constant(np.float32(-10000)))
    attended = g.add("MatMul", g.add("Softmax", g.add("Add", scores, added), axis=-1), v)
    attended = g.add("Transpose", attended, perm=[0, 2, 1, 3])
    return g.add("Reshape", attended, g.constant(np.array([0, 0, HIDDEN], np.int64)))


def exported_norm(g, weights, x, number, out=None):
    gamma, beta = (g.constant(weights[f"{n}{number}"], f"{n}{number}") for n in ("gamma", "beta"))
    return g.add("LayerNormalization", x, gamma, beta, out=out, axis=-1, epsilon=EPSILON)


def exported_gelu(g, x):
    curve = g.add("Erf", g.add("Div", x, g.constant(np.float32(2**0.5))))
    return g.add(
        "Mul", g.add("Mul", x, g.add("Add", curve, g.constant(np.float32(1)))), g.constant(np.float32(0.5))
    )


def exported(weights):
    g = Graph()
    projected = g.dense(exported_attention(g, weights), weights, "Wproj", "bproj")
    middle = exported_norm(g, weights, g.add("Add", projected, "x"), 1)
    inner = exported_gelu(g, g.dense(middle, weights, "Wup", "bup"))
    exported_norm(g, weights, g.add("Add", g.dense(inner, weights, "Wdown", "bdown"), middle), 2, out="y")
    return g.model(["x", "mask"])


def fused_norm(g, weights, x, residual, number, bias, out=None):
    inputs = [g.constant(weights[n], n) for n in (f"gamma{number}", f"beta{number}", bias)]
    return g.add("SkipLayerNormalization", x, residual, *inputs, out=out, domain=FUSED, epsilon=EPSILON)


def by_hand(weights):
    g = Graph()
    wqkv, bqkv = g.constant(weights["Wqkv"].T, "Wqkv"), g.constant(weights["bqkv"], "bqkv")
    attended = g.add("Attention", "x", wqkv, bqkv, "lengths", domain=FUSED, num_heads=HEADS)
    projected = g.add("MatMul", attended, g.constant(weights["Wproj"].T, "Wproj"))
    middle = fused_norm(g, weights, projected, "x", 1, "bproj")
    inner = g.add("MatMul", middle, g.constant(weights["Wup"].T, "Wup"))
    inner = g.add("BiasGelu", inner, g.constant(weights["bup"], "bup"), domain=FUSED)
    down = g.add("MatMul", inner, g.constant(weights["Wdown"].T, "Wdown"))
    fused_norm(g, weights, down, middle, 2, "bdown", out="y")
    return g.model(["x", "lengths"])

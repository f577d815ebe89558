# SPDX-License-Identifier: Apache-2.0
#
# node_tests: runs ONNX's own backend node tests (PyPI: onnx, onnxruntime, numpy), and some of ours, through the importer: each
# node's model is imported, many of them are joined to one model, whose package is made, loaded and compared with the outputs
# that ONNX expects.
#
#   node_tests.py BUILD [--only REGEX] [--import-only] [--work DIR] [--verbose]
#
# BUILD: the folder with dcgen. A table goes to stdout: of each operator how many tests passed, were refused by the importer
# (with its words), left out (not of this importer's opsets, or not of tensors of numbers), or failed. Fails if any did.
import argparse
import collections
import concurrent.futures
import ctypes
import json
import pathlib
import re
import subprocess
import sys
import warnings

warnings.filterwarnings("ignore")
import numpy as np
import onnx
import onnx.numpy_helper
from onnx.backend.test.loader import load_model_tests

np.seterr(all="ignore")
LEAST_OPSET, MOST_OPSET = 11, 21
LATER_OPERATORS = {"RMSNormalization", "RotaryEmbedding", "Swish"}  # that the importer knows in earlier opsets too
MOST_CALLS = 60  # of a package: a spec takes 64 functions
REAL = (np.float32, np.float64, np.float16)


def is_whole(x):
    return x.dtype.kind in "iub"


class Own:
    """A test of our own, of what ONNX has none of: its outputs are ONNX Runtime's."""

    def __init__(self, name, op, inputs, opset=17, domain="", outputs=1, **attributes):
        names = ["x%d" % i if x is not None else "" for i, x in enumerate(inputs)]
        outs = ["y%d" % i for i in range(outputs)] if isinstance(outputs, int) else outputs
        node = onnx.helper.make_node(op, names, outs, domain=domain, **attributes)
        self.of_nodes(name, [node], {n: np.asarray(x) for n, x in zip(names, inputs) if n}, {}, [o for o in outs if o], opset, domain)

    def of_nodes(self, name, nodes, inputs, constants, outs, opset=17, domain=""):
        import onnxruntime
        self.name = name
        value = lambda n, x: onnx.helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        graph = onnx.helper.make_graph(nodes, name, [value(n, x) for n, x in inputs.items()],
                                       [onnx.helper.make_empty_tensor_value_info(o) for o in outs],
                                       [onnx.numpy_helper.from_array(x, n) for n, x in constants.items()])
        opsets = [onnx.helper.make_opsetid("", opset)] + ([onnx.helper.make_opsetid(domain, 1)] if domain else [])
        self.model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(self.model.SerializeToString(), options)
        self.data_sets = [(list(inputs.values()), session.run(outs, inputs))]
        del graph.output[:], self.model.graph.output[:]
        self.model.graph.output.extend(value(o, x) for o, x in zip(outs, self.data_sets[0][1]))


class Graph(Own):
    """Several nodes, drawn at random: any may read what was there before, and any value may be an output. So results are
    read by several nodes in all orders, and what one makes of them must not show in what another gets."""

    def __init__(self, seed):
        self.r, self.nodes = np.random.default_rng(seed), []
        f = lambda *shape: self.r.standard_normal(shape).astype(np.float32)
        self.constants = {"w": f(8, 8) / 2, "b": f(8), "f": f(8, 8, 3, 3) / 8, "s": np.abs(f(8)) + 0.5, "t": f(8), "v": np.abs(f(8)) + 0.5,
                          "flat": np.int64([0, -1]), "back": np.int64([2, 4, 6, 8]), "ends": np.int64([0, -1]), "turn": np.int64([-1, 0, 1]),
                          "half2": np.int64([2, 4]), "half3": np.int64([4, 4]), "flat24": np.int64([0, 24, 8]), "order": self.r.permutation(24)}
        inputs = {"x0": f(2, 4, 6, 8), "x1": f(2, 4, 6, 8)}
        values = list(inputs)  # all of one shape
        for _ in range(self.r.integers(3, 9)):
            values.append(self.one(values))
        made = values[2:]
        read = {name for n in self.nodes for name in n.input}
        outs = [v for v in made if v not in read or self.r.random() < 0.15]
        self.of_nodes("graph_%d" % seed, self.nodes, inputs, self.constants, outs)

    def node(self, op, *inputs, **attributes):
        out = "v%d" % len(self.nodes)
        self.nodes.append(onnx.helper.make_node(op, inputs, [out], **attributes))
        return out

    def one(self, values):
        pick = lambda: values[-1 - min(int(self.r.exponential(1.5)), len(values) - 1)]
        x, node = pick(), self.node
        which = self.r.integers(14)
        if which < 3:
            return node(str(self.r.choice(["Relu", "Sigmoid", "Tanh", "Neg"])), x)
        if which < 5:
            return node(str(self.r.choice(["Add", "Mul", "Sub"])), x, pick())
        if which < 7:
            p = node("MatMul", x, "w")
            return node("Add", p, "b") if which == 6 else p
        if which == 7:
            turned = node("Transpose", x, perm=[0, 3, 1, 2])
            c = node("Conv", turned, "f", pads=[1, 1, 1, 1])
            c = node("BatchNormalization", c, "s", "t", "t", "v") if self.r.random() < 0.5 else c
            if self.r.random() < 0.5:  # as another reads it, too
                c = node("Add", node("Relu", c), c)
            return node("Transpose", c, perm=[0, 2, 3, 1])
        if which == 8:
            return node("Softmax", x, axis=int(self.r.integers(1, 4)))
        if which == 9:
            return node("Reshape", node(str(self.r.choice(["Relu", "Identity"])), node("Reshape", x, "flat")), "back")
        if which == 10:
            return node("Mul", x, node("ReduceMean", x, axes=[int(self.r.integers(1, 4))]))
        if which == 11:  # rows of which parts are taken
            n = node("Softmax", x, axis=3) if self.r.random() < 0.5 else node("LayerNormalization", x, "s", "t", axis=-1)
            halves = ["h%d_%d" % (len(self.nodes), k) for k in range(2)]
            axis = int(self.r.choice([2, 3]))
            self.nodes.append(onnx.helper.make_node("Split", [n, "half%d" % axis], halves, axis=axis))
            return node("Concat", *halves[::-1], axis=axis)
        if which == 12:
            return node("Reshape", node("Gather", node("Reshape", x, "flat24"), "order", axis=1), "back")
        ends = node("Gather", x, str(self.r.choice(["ends", "turn"])), axis=2)
        return node("Add", x, node("ReduceMax", ends, axes=[2]))


def several(name, inputs, constants, outs, *nodes):
    """A test of several nodes: each an operator, its inputs, its output, its attributes."""
    test = Own.__new__(Own)
    made = [onnx.helper.make_node(op, ins.split(), [out], **(more[0] if more else {})) for op, ins, out, *more in nodes]
    test.of_nodes(name, made, inputs, constants, outs.split())
    return test


def whole_tests(f):
    """Whole numbers that come of real ones, or of sums, and are indices then: as RoBERTa, T5 and classifiers of the last token have them."""
    ids = np.array([[5, 1, 7, 9, 1], [3, 4, 1, 1, 1], [2, 8, 1, 6, 2]])
    one, table, to_int, to_float = np.int64(1), f(12, 4), {"to": 7}, {"to": 1}
    yield several("whole_positions", {"ids": ids}, {"one": one, "t": table}, "y at", ("Equal", "ids one", "pad"), ("Not", "pad", "word"),
                  ("Cast", "word", "mask", to_int), ("CumSum", "mask one", "sum"), ("Mul", "sum mask", "here"), ("Add", "here one", "at"),
                  ("Gather", "t at", "y"))
    yield several("whole_buckets", {"far": np.int64([[-300, -40, -9, -1, 0], [1, 2, 17, 90, 4000]])},
                  {"zero": np.int64(0), "four": np.int64(4), "k": np.float32(1.3), "s": np.float32(4), "last": np.int64(11), "t": table}, "y",
                  ("Abs", "far", "n"), ("Cast", "n", "real", to_float), ("Div", "real s", "part"), ("Log", "part", "log"), ("Mul", "log k", "scaled"),
                  ("Cast", "scaled", "large", to_int), ("Add", "large four", "above"), ("Min", "above last", "most"), ("Less", "n four", "small"),
                  ("Where", "small n most", "at"), ("Gather", "t at", "y"))
    yield several("whole_last", {"ids": ids, "h": f(3, 5, 4)}, {"one": one, "axes": np.int64([1]), "last": np.int64([2]), "like": np.int64([3, 1, 4])}, "y",
                  ("Equal", "ids one", "pad"), ("Not", "pad", "word"), ("Cast", "word", "mask", to_int), ("ReduceSum", "mask axes", "n"),
                  ("Sub", "n one", "before"), ("Unsqueeze", "before last", "at"), ("Expand", "at like", "wide"), ("GatherElements", "h wide", "y", {"axis": 1}))
    x = f(4, 6) * 5
    yield several("whole_cast", {"x": x}, {"one": one}, "y z w", ("Cast", "x", "y", {"to": 6}), ("Round", "x", "near"), ("Cast", "near", "z", to_int),
                  ("Abs", "z", "size"), ("Add", "size one", "w"))
    yield several("whole_greatest", {"ids": ids}, {"t": table}, "y n", ("ReduceMax", "ids", "at", {"axes": [1], "keepdims": 0}), ("Gather", "t at", "y"),
                  ("ReduceMin", "ids", "n", {"axes": [0]}))
    yield several("whole_quotient", {"ids": ids, "by": np.int64([[2, 3, 1, 4, 2]])}, {"t": table}, "y q", ("Div", "ids by", "q"), ("Gather", "t q", "y"))


def own_tests():
    yield from (Graph(seed) for seed in range(100))
    r = np.random.default_rng(1)
    f = lambda *shape: r.standard_normal(shape).astype(np.float32)
    i = lambda *x: np.array(x, np.int64)
    ms = "com.microsoft"
    for op in ("Gelu", "QuickGelu"):
        yield Own("fused_" + op.lower(), op, [f(2, 5)], domain=ms)
    for op in ("FastGelu", "BiasGelu"):
        yield Own("fused_" + op.lower(), op, [f(2, 3, 8), f(8)], domain=ms)
    yield Own("fused_skip_norm", "SkipLayerNormalization", [f(2, 3, 8), f(2, 3, 8), f(8), f(8)], domain=ms, epsilon=1e-5)
    yield Own("fused_skip_norm_bias_sum", "SkipLayerNormalization", [f(2, 3, 8), f(2, 3, 8), f(8), f(8), f(8)], domain=ms,
              outputs=["y", "", "", "sum"], epsilon=1e-5)
    yield Own("fused_skip_rms_norm", "SkipSimplifiedLayerNormalization", [f(2, 3, 8), f(2, 3, 8), f(8)], domain=ms, epsilon=1e-5)
    yield Own("fused_matmul", "FusedMatMul", [f(2, 3, 4), f(2, 5, 4)], domain=ms, transB=1, alpha=0.5)
    yield Own("fused_matmul_a", "FusedMatMul", [f(4, 3), f(4, 5)], domain=ms, transA=1)
    turns = f(16, 4)
    for name, x, more in (("rows", f(2, 3, 16), {}), ("heads", f(2, 2, 3, 8), {}), ("pairs", f(2, 3, 16), {"interleaved": 1})):
        yield Own("fused_rotary_" + name, "RotaryEmbedding", [x, i(*[[0, 1, 2], [4, 5, 6]]), np.cos(turns), np.sin(turns)], domain=ms, **more)
    yield Own("fused_rotary_begin", "RotaryEmbedding", [f(2, 3, 16), i(5), np.cos(turns), np.sin(turns)], domain=ms)
    for opset in (11, 12, 13):
        for axis in (0, 1, 2, -1):
            for op in ("Softmax", "LogSoftmax", "Hardmax"):
                yield Own("%s_%d_axis_%d" % (op.lower(), opset, axis), op, [f(2, 3, 4)], opset=opset, axis=axis)
    yield Own("squeeze_11", "Squeeze", [f(1, 3, 1, 4)], opset=11, axes=[0, -2])
    yield Own("unsqueeze_11", "Unsqueeze", [f(3, 4)], opset=11, axes=[0, -1])
    yield Own("split_11", "Split", [f(6, 4)], opset=11, axis=0, split=[2, 4], outputs=2)
    yield Own("clip_11", "Clip", [f(3, 4), np.float32(-0.5), np.float32(0.5)], opset=11)
    for op in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceProd", "ReduceL2", "ReduceLogSumExp"):
        for k, axes in enumerate(([0], [1, 2], [0, 2], [-2], None)):
            more = {"axes": axes} if axes else {}
            yield Own("%s_11_%d" % (op.lower(), k), op, [f(3, 2, 4)], opset=11, keepdims=k % 2, **more)
    for k, axes in enumerate(([0], [0, 1], [1, 3])):
        yield Own("reducemax_13_%d" % k, "ReduceMax", [f(3, 2, 4, 5)], opset=13, axes=axes)
    yield Own("layernorm_middle", "LayerNormalization", [f(2, 3, 4), f(3, 4), f(3, 4)], axis=1)
    yield Own("resize_11", "Resize", [f(1, 2, 3, 4), np.float32([]), np.float32([1, 1, 2, 2])], opset=11, mode="nearest",
              coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    yield Own("pad_11", "Pad", [f(2, 3), i(1, 0, 0, 2), np.float32(1.5)], opset=11)
    for axis, one in ((2, f(2, 4, 1)), (1, f(2, 1, 3)), (0, f(1, 4, 3))):
        yield Own("concat_one_%d" % axis, "Concat", [f(2, 4, 3), one], axis=axis)
    yield Own("gather_ends", "Gather", [f(7, 3), i(-1, 0, 6, -7)])
    for k, at in enumerate(([0, -1], [-1, 0, 1], [2, 0, -2], [-3, -1, 1])):
        yield Own("gather_both_%d" % k, "Gather", [f(4, 7, 3), i(*at)], axis=1)
    yield from whole_tests(f)
    yield Own("gather_nd_both", "GatherND", [f(4, 3), i([-1], [0])])
    yield Own("gather_nd_ends", "GatherND", [f(2, 3, 4), i([0, -1], [-2, 1])])
    yield Own("resize_cubic_smooth", "Resize", [f(1, 2, 9, 12), None, None, i(1, 2, 4, 5)], opset=18, mode="cubic", antialias=1)
    yield Own("broadcast_scalar", "Mul", [f(2, 3), np.float32(3)])
    yield Own("broadcast_scalars", "Add", [np.float32(2), np.float32(3)])
    yield Own("broadcast_both", "Sub", [f(2, 1, 4), f(3, 1)])
    yield Own("broadcast_ones", "Div", [f(1, 1), f(5, 1, 2)])
    yield Own("matmul_vectors", "MatMul", [f(4), f(4)])
    yield Own("matmul_broadcast", "MatMul", [f(2, 1, 3, 4), f(5, 4, 2)])
    yield Own("where_broadcast", "Where", [np.array([[True], [False]]), f(1, 3), f(2, 1)])


class Case:
    def __init__(self, test):
        self.name = test.name.removeprefix("test_")
        self.is_own = isinstance(test, Own)
        nodes = test.model.graph.node
        # a function written out is a test of what it consists of
        self.op = "(ours)" if self.is_own else "(written out)" if "_expanded" in test.name else nodes[0].op_type if len(nodes) == 1 else "(several)"
        self.model = onnx.ModelProto()
        self.model.CopyFrom(test.model)
        self.inputs, self.outputs = test.data_sets[0]
        self.names = [v.name for v in test.model.graph.input]
        self.result, self.why = None, ""

    def is_array(self, x):
        return isinstance(x, np.ndarray) and (x.dtype.type in REAL or is_whole(x)) or str(getattr(x, "dtype", "")) == "bfloat16"

    def left_out(self):
        """Why this is no test for the importer, or None."""
        if not all(self.is_array(x) for x in list(self.inputs) + list(self.outputs)):
            return "not of tensors of numbers"
        if len(self.inputs) != len(self.model.graph.input):
            return "its inputs are not given"
        for x in self.inputs:
            if is_whole(x) and x.size and (int(x.max()) >= 2**31 or int(x.min()) < -(2**31)):
                return "whole numbers beyond 32 bits"
        if self.is_own:
            return None
        versions = {o.domain: o.version for o in self.model.opset_import}
        if not (set(versions) <= {"", "ai.onnx"}):
            return "of another domain"
        version = versions.get("", versions.get("ai.onnx"))
        del self.model.opset_import[:]
        if version > MOST_OPSET:
            # the operator of an earlier opset, if there is one that takes this node
            self.model.opset_import.append(onnx.helper.make_opsetid("", MOST_OPSET))
            self.model.ir_version = min(self.model.ir_version, 10)
            if set(n.op_type for n in self.model.graph.node) <= LATER_OPERATORS:
                return None
            try:
                onnx.checker.check_model(self.model)
            except Exception:
                return "opset %d" % version
        else:
            self.model.opset_import.append(onnx.helper.make_opsetid("", max(version, LEAST_OPSET)))
            try:
                onnx.checker.check_model(self.model)
            except Exception:
                return "opset %d" % version
        return None

    def with_constants(self, which):
        """The model with these inputs as constants."""
        m = onnx.ModelProto()
        m.CopyFrom(self.model)
        m.ir_version = max(m.ir_version, 4)
        keep = []
        for value, data in zip(self.model.graph.input, self.inputs):
            if which(self.inputs, data):
                m.graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(data), value.name))
            else:
                keep.append(value)
        del m.graph.input[:]
        m.graph.input.extend(keep)
        return m

    # Tests give all as inputs; models have sizes, axes and weights as constants.
    WAYS = [
        lambda all, x: False,
        lambda all, x: x is not all[0] and is_whole(x),
        lambda all, x: x is not all[0],
        lambda all, x: is_whole(x),
        lambda all, x: is_whole(x) or x is not all[0],
        lambda all, x: x is not all[1] if len(all) > 1 else True,
        lambda all, x: True,
    ]

    def import_alone(self, dcgen, work):
        folder = work / "alone"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / ("%s.onnx" % self.name)
        words = None
        seen = set()
        for way in self.WAYS:
            model = self.with_constants(way)
            key = model.SerializeToString()
            if key in seen:
                continue
            seen.add(key)
            path.write_bytes(key)
            ran = subprocess.run([dcgen, "import", "-q", "-o", folder, path], capture_output=True, text=True)
            if ran.returncode < 0 or ran.returncode > 2:
                self.result, self.why = "failed", "import: exit status %d %s" % (ran.returncode, ran.stderr[-200:])
                return
            if ran.returncode == 0:
                self.model = model
                made = [p for p in (folder / (self.name.lower() + ".cfg"), folder / (self.name + ".cfg")) if p.exists()]
                self.calls = made[0].read_text().count("{ call = ") if made else 8
                if made:
                    ran = subprocess.run([dcgen, "check", "-q", made[0]], capture_output=True, text=True)
                    if ran.returncode:
                        self.result, self.why = "failed", "check: " + tail(ran.stderr, 4)
                return
            # the second is how models have it
            words = ran.stderr if words is None or len(seen) == 2 else words
        said = [line for line in words.splitlines() if "error:" in line]
        self.result, self.why = "refused", re.sub(r"^.*?error: ", "", said[0]) if said else words.strip()[:200]


def renamed(model, prefix):
    def of(name):
        return prefix + name if name else name

    def graph(g):
        for n in g.node:
            n.name = prefix + n.name
            n.input[:] = [of(x) for x in n.input]
            n.output[:] = [of(x) for x in n.output]
            for a in n.attribute:
                if a.HasField("g"):
                    graph(a.g)
        for x in list(g.input) + list(g.output) + list(g.initializer) + list(g.value_info):
            x.name = of(x.name)

    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    graph(copy.graph)
    return copy


def joined(cases, name):
    """One model of all of them; input i of case k is ck_..., output likewise."""
    all = onnx.ModelProto()
    all.ir_version = 10
    all.opset_import.extend(cases[0].model.opset_import)
    all.graph.name = name
    for k, c in enumerate(cases):
        m = renamed(c.model, "c%d_" % k)
        for a in ("node", "input", "output", "initializer"):
            getattr(all.graph, a).extend(getattr(m.graph, a))
        for f in m.functions:
            if not any(f.name == g.name and f.domain == g.domain for g in all.functions):
                all.functions.append(f)
    return all


def identifier(name):
    return re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", name)).strip("_")


# ---- a package, in a process of its own ----


def run_package(folder, name):
    """Runs the package on inputs.npz, and writes outputs.npz."""
    given = np.load(folder / "inputs.npz")
    shapes = json.loads((folder / "outputs.json").read_text())
    lib = ctypes.CDLL(str(folder / "pkg/b" / ("lib%s.so" % name)))
    header = (folder / "pkg" / ("%s_model.h" % name)).read_text()

    def members(struct):
        m = re.search(r"typedef struct %s_%s \{(.*?)\} %s_%s;" % (name, struct, name, struct), header, re.S)
        return re.findall(r"(?:const )?(\w+) \*(\w+); /\* (.*?) \*/", m.group(1)) if m else []

    types = {"int32_t": np.int32, "float": np.float32}
    keep = []
    ins, outs = members("inputs"), members("outputs")
    I = (ctypes.c_void_p * max(1, len(ins)))()
    for i, (type, member, _) in enumerate(ins):
        a = np.ascontiguousarray(given[member].astype(types[type]))
        a = a if a.size else np.zeros(1, types[type])
        keep.append(a)
        I[i] = a.ctypes.data
    O = (ctypes.c_void_p * max(1, len(outs)))()
    made = {}
    for i, (type, member, _) in enumerate(outs):
        a = np.full(shapes[member], np.nan if type == "float" else -77, types[type])
        made[member] = a
        O[i] = a.ctypes.data

    def fn(what, result, *args):
        f = getattr(lib, "%s_%s" % (name, what))
        f.restype, f.argtypes = result, args
        return f

    P, S = ctypes.c_void_p, ctypes.c_size_t
    aligned = lambda a: (a.ctypes.data + 63) // 64 * 64
    weights = np.fromfile(folder / ("%s.safetensors" % name), np.uint8)
    memory = np.zeros(fn("model_bytes", S)() + 64, np.uint8)
    model, dims = (P * 4096)(), (ctypes.c_int64 * 64)()
    code = fn("load", ctypes.c_int, P, P, S, P)(ctypes.addressof(model), weights.ctypes.data, weights.nbytes, aligned(memory))
    assert code == 0, "load: %d" % code
    scratch = np.full(fn("run_bytes", S, P, P)(ctypes.addressof(dims), None) + 64, 255, np.uint8)
    run = fn("run", ctypes.c_int, *[P] * (6 if ins else 5))
    code = run(*[ctypes.addressof(x) for x in ([model, dims, I] if ins else [model, dims]) + [O]], aligned(scratch), None)
    assert code == 0, "run: %d %s" % (code, fn("strerror", ctypes.c_char_p, ctypes.c_int)(code))
    np.savez(folder / "outputs.npz", **made)


# ---- batches ----


def tail(text, n=4):
    return " | ".join(line for line in text.strip().splitlines()[-n:])


def make_package(cases, name, dcgen, work):
    """None, or why there is no package."""
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ("%s.onnx" % name)
    path.write_bytes(joined(cases, name).SerializeToString())
    subprocess.run(["rm", "-rf", folder / "pkg"])
    log = lambda ran: tail("\n".join(x for x in (ran.stdout + ran.stderr).splitlines() if "was not measured" not in x))
    ran = subprocess.run([dcgen, "import", "-q", "-o", folder, path], capture_output=True, text=True)
    if ran.returncode:
        return "import of several: " + log(ran)
    # what is asked here is whether results are right: one kernel a function, of few instructions, compiled fast
    cfg = folder / ("%s.cfg" % name)
    cfg.write_text(cfg.read_text().replace("threads = [1, 2];", "threads = [1];").replace('"host"', '"portable"'))
    ran = subprocess.run(
        ["nice", "-n", "10", dcgen, "-q", "-o", folder / "pkg", "--no-report", "--progress=none", "--records", folder / "rec.jsonl",
         "--builds", work / "builds", "--trials", "1", "--seconds", "1", "-j", "1", cfg], capture_output=True, text=True)
    if ran.returncode:
        return "generate: " + log(ran)
    for command in (["cmake", "-S", folder / "pkg", "-B", folder / "pkg/b", "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O1"],
                    ["nice", "-n", "10", "cmake", "--build", folder / "pkg/b", "--target", name, "-j1"]):
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode:
            return "build: " + log(ran)
    given = {identifier("c%d_%s" % (k, name)): x for k, c in enumerate(cases) for name, x in c.given}
    np.savez(folder / "inputs.npz", **{k: v.astype(np.float32) if str(v.dtype) == "bfloat16" else v for k, v in given.items()})
    shapes = {identifier("c%d_%s" % (k, v.name)): list(x.shape) for k, c in enumerate(cases)
              for v, x in zip(c.model.graph.output, c.outputs)}
    (folder / "outputs.json").write_text(json.dumps(shapes))
    ran = subprocess.run([sys.executable, __file__, "--package", folder, name], capture_output=True, text=True)
    return "run: " + log(ran) if ran.returncode else None


def difference(found, wanted):
    """None, or how they differ."""
    half = str(wanted.dtype) in ("float16", "bfloat16")
    wanted = wanted.astype(np.float64)
    if found.shape != wanted.shape:
        return "shape %s, expected %s" % (found.shape, wanted.shape)
    found = found.astype(np.float64)
    near = np.isclose(found, wanted, rtol=1e-2 if half else 1e-3, atol=1e-2 if half else 2e-6, equal_nan=True)
    if near.all():
        return None
    at = np.unravel_index(np.argmin(near), near.shape)
    return "%d of %d elements, the first at %s: %g, expected %g" % (
        (~near).sum(), near.size, tuple(int(i) for i in at), found[at], wanted[at])


def run_batch(cases, name, dcgen, work):
    why = make_package(cases, name, dcgen, work)
    if why and len(cases) > 1:  # which of them is it?
        half = len(cases) // 2
        run_batch(cases[:half], name + "a", dcgen, work)
        run_batch(cases[half:], name + "b", dcgen, work)
        return
    if why:
        cases[0].result, cases[0].why = "failed", why
        print("%s: %s" % (cases[0].name, why), file=sys.stderr, flush=True)
        return
    with np.load(work / name / "outputs.npz") as found:
        for k, c in enumerate(cases):
            differ = [(v.name, difference(found[identifier("c%d_%s" % (k, v.name))], x))
                      for v, x in zip(c.model.graph.output, c.outputs)]
            differ = ["%s: %s" % d for d in differ if d[1]]
            c.result, c.why = ("failed", "; ".join(differ)) if differ else ("passed", "")
            if differ:
                print("%s: %s" % (c.name, c.why), file=sys.stderr, flush=True)


def batches(cases):
    """Cases of one opset with few enough calls."""
    made = []
    by_opset = collections.defaultdict(list)
    for c in cases:
        by_opset[tuple((o.domain, o.version) for o in c.model.opset_import)].append(c)
    for opset in sorted(by_opset):
        calls = MOST_CALLS + 1
        for c in by_opset[opset]:
            if calls + c.calls > MOST_CALLS:
                made.append([])
                calls = 0
            made[-1].append(c)
            calls += c.calls
    return made


def table(cases, verbose):
    rows = collections.defaultdict(collections.Counter)
    for c in cases:
        rows[c.op][c.result] += 1
    print("%-28s %7s %7s %7s %7s" % ("operator", "passed", "refused", "left out", "failed"))
    everything = collections.Counter(c.result for c in cases)
    for op, n in sorted(rows.items()) + [("all", everything)]:
        if n["passed"] or n["failed"] or n["refused"] or verbose:
            print("%-28s %7d %7d %7d %7d" % (op, n["passed"], n["refused"], n["left out"], n["failed"]))
    for result in ("refused", "failed") + (("left out",) if verbose else ()):
        print("\n%s:" % result)
        for c in cases:
            if c.result == result:
                print("  %-24s %s: %s" % (c.op, c.name, c.why))


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--package":
        return run_package(pathlib.Path(sys.argv[2]), sys.argv[3])
    p = argparse.ArgumentParser()
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--only", default="", help="of these names or operators")
    p.add_argument("--import-only", action="store_true")
    p.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/node_tests"))
    p.add_argument("--verbose", action="store_true")
    p.add_argument("--jobs", type=int, default=2)
    o = p.parse_args()
    dcgen = (o.build / "dcgen").resolve()
    only = re.compile(o.only)  # "(ours)", "(written out)" are operators here
    cases = [Case(t) for t in list(own_tests()) + load_model_tests(kind="node") if t.model is not None]
    cases = [c for c in cases if only.search(c.name) or only.fullmatch(c.op)]
    for c in cases:
        c.why = c.left_out()
        c.result = "left out" if c.why else None
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        list(pool.map(lambda c: c.import_alone(dcgen, o.work), [c for c in cases if not c.result]))
        run = [c for c in cases if not c.result]
        for c in run:
            left = {v.name for v in c.model.graph.input}
            c.given = [(n, x) for n, x in zip(c.names, c.inputs) if n in left]
        if o.import_only:
            for c in run:
                c.result = "passed"
        else:
            todo = batches(run)
            list(pool.map(lambda b: run_batch(b[1], "n%d" % b[0], dcgen, o.work), enumerate(todo)))
    table(cases, o.verbose)
    return any(c.result == "failed" for c in cases)


if __name__ == "__main__":
    sys.exit(main())

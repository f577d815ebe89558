# SPDX-License-Identifier: Apache-2.0
"""What check covers: combinations of operator, data type and layouts, each with candidates of all templates,
on awkward shapes. Each of the layouts has another formula, so that each template computes formulas of all kinds. Row
operators have no layouts, but formulas of each kind."""

from math import prod

# M, N, K: ones, primes, tiles and one more or less, no product at all, and one of a real model.
SHAPES = [
    (1, 1, 1),
    (3, 5, 0),
    (2, 3, 5),
    (5, 17, 33),
    (8, 96, 64),
    (1, 768, 768),
    (15, 63, 31),
    (16, 64, 128),
    (17, 65, 129),
    (64, 64, 64),
    (65, 127, 257),
    (127, 255, 193),
    (128, 128, 512),
    (129, 131, 137),
    (200, 1000, 257),
    (80, 768, 768),
]
# B0, B1, M, N, K, and elements between the rows and the matrices of all operands.
BATCH_SHAPES = [
    (1, 1, 1, 1, 1, 0),
    (2, 3, 3, 5, 0, 0),
    (5, 7, 2, 3, 5, 1),
    (16, 12, 1, 1, 64, 0),
    (1, 7, 5, 17, 33, 3),
    (3, 5, 8, 8, 64, 0),
    (2, 12, 16, 64, 16, 8),
    (11, 1, 15, 33, 40, 0),
    (3, 5, 17, 31, 17, 0),
    (2, 2, 64, 64, 64, 8),
    (1, 3, 65, 127, 257, 3),
    (2, 12, 43, 43, 64, 0),
    (2, 12, 81, 64, 81, 0),
    (5, 1, 129, 131, 137, 2),
    (2, 2, 128, 128, 512, 0),
]
# M, N of rows; the longest ones do not fit the registers of any kernel.
ROW_SHAPES = [(1, 1), (3, 7), (5, 64), (129, 100), (17, 257), (64, 768), (2, 1000), (33, 1023), (7, 4099), (1, 50257)]
# B0, B1, M, N.
BATCH_ROW_SHAPES = [(1, 1, 1, 1), (2, 3, 5, 17), (3, 2, 1, 64), (2, 5, 43, 43), (1, 12, 16, 128), (1, 3, 9, 1025), (2, 1, 2, 20011)]
# N, G, H, W, C, K, R, S, then strides, paddings and dilations as in op.cfg: single pixels, taps of any alignment, all on padding, depthwise, C = 0, and
# layers of ResNet-50 and MobileNet.
CONV_SHAPES = [
    (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1),
    (2, 1, 5, 4, 0, 7, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1),
    (3, 1, 9, 8, 32, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1),
    (1, 4, 17, 16, 17, 5, 7, 5, 3, 3, 0, 0, 0, 0, 1, 1),
    (2, 3, 11, 13, 6, 10, 3, 2, 1, 2, 1, 0, 2, 1, 2, 1),
    (70, 1, 1, 1, 33, 65, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1),
    (2, 1, 6, 7, 3, 17, 2, 4, 1, 2, 1, 1, 3, 1, 1, 3),
    (2, 68, 7, 6, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1),
    (1, 33, 9, 10, 1, 1, 5, 5, 2, 2, 2, 2, 2, 2, 1, 1),
    (1, 1, 64, 61, 3, 64, 7, 7, 2, 2, 3, 3, 3, 3, 1, 1),
    (2, 1, 28, 28, 128, 128, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1),
    (1, 1, 14, 14, 256, 96, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1),
    (1, 144, 28, 28, 1, 1, 3, 3, 2, 2, 0, 1, 0, 1, 1, 1),
]
FIRST_SHAPES = [
    (3, 1, 9, 8, 32, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1),
    (2, 3, 11, 13, 6, 10, 3, 2, 1, 2, 1, 0, 2, 1, 2, 1),
    (2, 68, 7, 6, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1),
    (2, 1, 28, 28, 128, 128, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1),
    (17, 257),
    (64, 768),
    (2, 5, 43, 43),
    (1, 3, 9, 1025),
    (5, 17, 33),
    (16, 64, 128),
    (129, 131, 137),
    (80, 768, 768),
    (1, 7, 5, 17, 33, 3),
    (2, 12, 16, 64, 16, 8),
    (3, 5, 17, 31, 17, 0),
    (5, 1, 129, 131, 137, 2),
]  # of the first pass: the most telling
SMALL_SHAPES = [(5, 17, 33), (65, 127, 257)]  # for the sanitizer, which is slow
SMALL_BATCH_SHAPES = [(1, 7, 5, 17, 33, 3), (1, 3, 65, 127, 257, 3)]
SMALL_ROW_SHAPES = [(17, 257), (7, 4099)]
SMALL_BATCH_ROW_SHAPES = [(2, 5, 43, 43), (1, 3, 9, 1025)]
SMALL_CONV_SHAPES = [(2, 3, 11, 13, 6, 10, 3, 2, 1, 2, 1, 0, 2, 1, 2, 1), (2, 68, 7, 6, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1)]
DTYPES = ["f32", "bf16", "tf32", "tf32x3", "f16"]
# Layout of W and whether it is packed, or layouts of A and B: the formula, and the axes of each operand that it brings, in the order of their names
# in it; len holds numbers of 32 bits. Kernels compute the second and third of the dense ones and the last two of the others in a loop.
DENSE_LAYOUTS = {
    ("NK", False): ("acc + bias[n]", ["N"]),
    ("KN", False): ("gelu(acc + bias[n]) + residual[m,n]", ["N", "MN"]),
    ("NK", True): ("silu(acc) * gate[m,n]", ["MN"]),
    ("KN", True): ("n <= m + 3 ? acc * 0.125 : -inf", []),
}
BATCH_LAYOUTS = {
    ("MK", "NK"): ("", []),
    ("MK", "KN"): ("n < len[b0] ? acc * 0.125 + mask[b0,n] : -inf", ["0", "0N"]),
    ("KM", "NK"): ("gelu_tanh(acc + bias[n])", ["N"]),
    ("KM", "KN"): ("acc + bias[n] + residual[b0,b1,m,n]", ["N", "01MN"]),
}
# Layout of F and whether it is packed: the formula, and the axes of its operands, O the channels of Y.
CONV_LAYOUTS = {
    ("KRSC", False): ("acc * (n + 1) + p - q * 2 + oc", []),
    ("RSCK", False): ("acc + residual[n,p,q,oc]", ["NPQO"]),
    ("KRSC", True): ("max(acc * scale[oc] + shift[oc], 0)", ["O", "O"]),
    ("RSCK", True): ("gelu(acc + bias[oc])", ["O"]),
}
# Ops that are a formula alone: the op, its formula, and the axes of each operand as above.
ROW_DTYPES = ["f32", "bf16", "f16"]
ROW_FORMULAS = {
    "softmax": ("batch_rows", "softmax[n](n < len[b0] ? x[b0,b1,m,n] * 0.125 : -inf)", ["0", "01MN"]),
    "causal": ("batch_rows", "log_softmax[n](n <= m + 3 ? x[b0,b1,m,n] : -100)", ["01MN"]),
    "layernorm": ("rows", "layernorm[n](x[m,n] + r[m,n], 1e-5) * gamma[n] + beta[n]", ["MN", "MN", "N", "N"]),
    "four": ("rows", "x[m,n] * s[n] + z[m] - max(w[n,m], gelu(x[m,n]))", ["MN", "N", "M", "MN"]),
    "place": ("row_values", "argmax[n](min(x[m,n], 0))", ["MN"]),
    "values": ("row_values", "sqrt(sum[n](x[m,n] * x[m,n])) + min[n](abs(x[m,n]))", ["MN"]),
}
SPEC = """name   = "check_{name}";
op     = "{op}";
dtype  = "{dtype}";
dims   = {{ T = {{ min = 1; max = 8; }}; }};
{of_op}
"""
# Of products an aligned shape and one that is not: candidates for either.
DENSE = """shapes = ( {{ M = "16*T"; N = 768; K = 768; }}, {{ M = "16*T"; N = 331; K = 333; }} );
{epilogue}
layout = {{ W = "{}"; packed = {}; }};"""
BATCHED = """shapes = (
  {{ B0 = 16; B1 = 12; M = "16*T"; N = "16*T"; K = 64; }},
  {{ B0 = 16; B1 = 12; M = "16*T+1"; N = "16*T+1"; K = 33; }} );
{epilogue}
layout = {{ A = "{}"; B = "{}"; }};"""

# No attribute is the same for all shapes: kernels for any.
CONVOLVED = """shapes = (
  {{ N = "T"; G = 1; H = 14; W = 14; C = 64; K = 64; R = 3; S = 3; PAD = 1; }},
  {{ N = "T"; G = 96; H = 15; W = 15; C = 1; K = 1; R = 3; S = 3; STRIDE = 2; DIL = 2; }} );
{epilogue}
layout = {{ F = "{}"; packed = {}; }};"""


ROWS = """shapes = ( {{ {extents} }} );
formula = "{formula}";{types}"""


def epilogue(formula):
    types = ' types = { len = "s32"; };' if "len[" in formula else ""
    return f'epilogue = "{formula}";{types}' if formula else ""


def combo(name, op, dtype, of_op, shapes, operands, layouts=None):
    """operands: the axes of each that the formula brings. layouts: of a batched product's operands."""
    text = SPEC.format(name=name, op=op, dtype=dtype, of_op=of_op)
    return {"name": name, "op": op, "text": text, "shapes": shapes, "operands": operands, "layouts": layouts}


def dense_combos():
    for dtype in DTYPES:
        for (layout, packed), (formula, operands) in DENSE_LAYOUTS.items():
            name = f"{dtype}_{layout}{'_packed' if packed else ''}"
            # Nothing can be packed of nothing.
            shapes = [s for s in SHAPES if s[2] > 0 or not packed]
            of_op = DENSE.format(layout, str(packed).lower(), epilogue=epilogue(formula))
            yield combo(name, "dense", dtype, of_op, shapes, operands)


def batched_combos():
    for dtype in DTYPES:
        for layouts, (formula, operands) in BATCH_LAYOUTS.items():
            name = f"batched_{dtype}_{'_'.join(layouts)}"
            of_op = BATCHED.format(*layouts, epilogue=epilogue(formula))
            yield combo(name, "batch_matmul", dtype, of_op, BATCH_SHAPES, operands, layouts)


def conv_combos():
    for dtype in DTYPES:
        for (layout, packed), (formula, operands) in CONV_LAYOUTS.items():
            name = f"conv_{dtype}_{layout}{'_packed' if packed else ''}"
            shapes = [s for s in CONV_SHAPES if s[4] > 0 or not packed]
            of_op = CONVOLVED.format(layout, str(packed).lower(), epilogue=epilogue(formula))
            yield combo(name, "conv2d", dtype, of_op, shapes, operands)


def row_combos():
    for dtype in ROW_DTYPES:
        for name, (op, formula, operands) in ROW_FORMULAS.items():
            batch = op == "batch_rows"
            extents = 'B0 = 16; B1 = 12; M = "16*T"; N = "16*T";' if batch else 'M = "16*T"; N = 768;'
            types = ' types = { len = "s32"; };' if "len[" in formula else ' types = { Y = "s32"; };' if name == "place" else ""
            of_op = ROWS.format(extents=extents, formula=formula, types=types)
            yield combo(f"{op}_{dtype}_{name}", op, dtype, of_op, BATCH_ROW_SHAPES if batch else ROW_SHAPES, operands)


def combos(only=None):
    """All of them, or those whose names are in `only`."""
    every = (*dense_combos(), *batched_combos(), *conv_combos(), *row_combos())
    return [c for c in every if not only or c["name"] in only]


def small_shapes(of):
    of_op = {
        "dense": SMALL_SHAPES,
        "batch_matmul": SMALL_BATCH_SHAPES,
        "conv2d": SMALL_CONV_SHAPES,
        "batch_rows": SMALL_BATCH_ROW_SHAPES,
    }
    return of_op.get(of["op"], SMALL_ROW_SHAPES)


def strides(extents, gap):
    """Elements from one matrix of b0 to the next, from one of b1, and from a row to the next."""
    _, b1, rows, columns = extents
    row = columns + gap
    matrix = rows * row + gap
    return [b1 * matrix, matrix, row]


def elements(operands, size):
    """Of each operand that the formula brings."""
    return [prod(size[axis] for axis in axes) for axes in operands]


def batched(of, shape):
    """What a request says of a batched product."""
    b0, b1, m, n, k, gap = shape
    layouts, operands = of["layouts"], of["operands"]
    size = {"0": b0, "1": b1, "M": m, "N": n, "K": k}
    lie = [[b0, b1, *(size[axis] for axis in layout)] for layout in (*layouts, "MN")]
    fields = {
        "extent": [b0, b1, m, n, k, *(s for extents in lie for s in strides(extents, gap))],
        "elems": [prod(lie[0]), prod(lie[1]), *elements(operands, size), prod(lie[2])],
        "rows": b0 * b1 * m,
        "row_elems": n,
        "flops": 2.0 * b0 * b1 * m * n * k,
    }
    if gap:
        fields["apart"] = [
            {"operand": i, "extents": extents, "strides": strides(extents, gap)}
            for i, extents in zip((0, 1, 2 + len(operands)), lie)
        ]
    return fields


def dense(of, shape):
    m, n, k = shape
    operands = of["operands"]
    return {
        "extent": [m, n, k],
        "elems": [m * k, n * k, *elements(operands, {"M": m, "N": n}), m * n],
        "rows": m,
        "row_elems": n,
        "flops": 2.0 * m * n * k,
    }


def outputs(extent, kernel, stride, pad, dilation):
    """Places of a filter along an extent of an image."""
    return (extent + pad - dilation * (kernel - 1) - 1) // stride + 1


def convolved(of, shape):
    n, g, h, w, c, k, r, s, stride_h, stride_w, top, bottom, left, right, dil_h, dil_w = shape
    p, q = outputs(h, r, stride_h, top + bottom, dil_h), outputs(w, s, stride_w, left + right, dil_w)
    size = {"N": n, "P": p, "Q": q, "O": g * k}
    return {
        "extent": [*shape, p, q, g * c, g * k],
        "elems": [n * h * w * g * c, g * k * r * s * c, *elements(of["operands"], size), n * p * q * g * k],
        "rows": n * p * q,
        "row_elems": g * k,
        "flops": 2.0 * n * p * q * g * k * r * s * c,
    }


def rows(of, shape):
    """Of an op that is a formula."""
    *batch, m, n = shape
    size = {"M": m, "N": n, **dict(zip("01", batch))}
    row_elems = 1 if of["op"] == "row_values" else n
    return {
        "extent": list(shape),
        "elems": [*elements(of["operands"], size), prod(batch) * m * row_elems],
        "rows": prod(batch) * m,
        "row_elems": row_elems,
        "flops": 1.0 * prod(shape),
    }


def request(of, shape, threads=1):
    """A measure request of a combination that takes no times. The emulator spreads blocks over so many
    threads."""
    return {
        **{"dense": dense, "batch_matmul": batched, "conv2d": convolved}.get(of["op"], rows)(of, shape),
        "threads": threads,
        "repeats": 0,
        "sample_ns": 0.0,
        "max_ns": 0.0,
        "hot": True,
    }


def shape_name(shape):
    return "x".join(map(str, shape))

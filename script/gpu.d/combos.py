# SPDX-License-Identifier: Apache-2.0
"""What check covers: combinations of operator, data type and layouts, each with candidates of all templates,
on awkward shapes."""

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
FIRST_SHAPES = [
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
DTYPES = ["f32", "bf16", "tf32", "f16"]
DENSE_LAYOUTS = [("NK", False), ("KN", False), ("NK", True), ("KN", True)]
BATCH_LAYOUTS = [("MK", "NK"), ("MK", "KN"), ("KM", "NK"), ("KM", "KN")]
SPEC = """name   = "check_{name}";
op     = "{op}";
dtype  = "{dtype}";
dims   = {{ T = {{ min = 1; max = 8; }}; }};
{of_op}
"""
DENSE = """shapes = ( {{ M = "16*T"; N = 768; K = 768; }} );
epilogue = ["bias"];
layout = {{ W = "{}"; packed = {}; }};"""
BATCHED = """shapes = ( {{ B0 = 16; B1 = 12; M = "16*T"; N = "16*T"; K = 64; }} );
epilogue = [{}];
layout = {{ A = "{}"; B = "{}"; }};"""


def has_bias(layouts):
    """Of a batched product: half of them have one, so that each template is checked with a bias and without."""
    return layouts[1] == "KN"


def combo(name, op, dtype, of_op, shapes, layouts=None):
    """layouts: of a batched product's operands."""
    text = SPEC.format(name=name, op=op, dtype=dtype, of_op=of_op)
    return {"name": name, "text": text, "shapes": shapes, "layouts": layouts}


def dense_combos():
    for dtype in DTYPES:
        for layout, packed in DENSE_LAYOUTS:
            name = f"{dtype}_{layout}{'_packed' if packed else ''}"
            # Nothing can be packed of nothing.
            shapes = [s for s in SHAPES if s[2] > 0 or not packed]
            yield combo(name, "dense", dtype, DENSE.format(layout, str(packed).lower()), shapes)


def batched_combos():
    for dtype in DTYPES:
        for layouts in BATCH_LAYOUTS:
            name = f"batched_{dtype}_{'_'.join(layouts)}"
            of_op = BATCHED.format('"bias"' if has_bias(layouts) else "", *layouts)
            yield combo(name, "batch_matmul", dtype, of_op, BATCH_SHAPES, layouts)


def combos(only=None):
    """All of them, or those whose names are in `only`."""
    return [c for c in (*dense_combos(), *batched_combos()) if not only or c["name"] in only]


def small_shapes(of):
    return SMALL_BATCH_SHAPES if of["layouts"] else SMALL_SHAPES


def strides(extents, gap):
    """Elements from one matrix of b0 to the next, from one of b1, and from a row to the next."""
    _, b1, rows, columns = extents
    row = columns + gap
    matrix = rows * row + gap
    return [b1 * matrix, matrix, row]


def batched(layouts, shape):
    """What a request says of a batched product."""
    b0, b1, m, n, k, gap = shape
    size = {"M": m, "N": n, "K": k}
    lie = [[b0, b1, *(size[axis] for axis in layout)] for layout in (*layouts, "MN")]
    fields = {
        "extent": [b0, b1, m, n, k, *(s for extents in lie for s in strides(extents, gap))],
        "elems": [prod(lie[0]), prod(lie[1]), n if has_bias(layouts) else 0, prod(lie[2])],
        "rows": b0 * b1 * m,
        "row_elems": n,
        "flops": 2.0 * b0 * b1 * m * n * k,
    }
    if gap:
        fields["apart"] = [
            {"operand": i, "extents": extents, "strides": strides(extents, gap)}
            for i, extents in zip((0, 1, 3), lie)
        ]
    return fields


def dense(shape):
    m, n, k = shape
    return {
        "extent": [m, n, k],
        "elems": [m * k, n * k, n, m * n],
        "rows": m,
        "row_elems": n,
        "flops": 2.0 * m * n * k,
    }


def request(of, shape, threads=1):
    """A measure request of a combination that takes no times. The emulator spreads blocks over so many
    threads."""
    return {
        **(batched(of["layouts"], shape) if of["layouts"] else dense(shape)),
        "threads": threads,
        "repeats": 0,
        "sample_ns": 0.0,
        "max_ns": 0.0,
        "hot": True,
    }


def shape_name(shape):
    return "x".join(map(str, shape))

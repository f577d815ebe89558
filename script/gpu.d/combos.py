# SPDX-License-Identifier: Apache-2.0
"""What check covers: combinations of data type and layout, each with candidates of all templates, on awkward
shapes."""

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
FIRST_SHAPES = [
    (5, 17, 33),
    (16, 64, 128),
    (129, 131, 137),
    (80, 768, 768),
]  # of the first pass: the most telling
SMALL_SHAPES = [(5, 17, 33), (65, 127, 257)]  # for the sanitizer, which is slow
DTYPES = ["f32", "bf16", "tf32", "f16"]
LAYOUTS = [("NK", False), ("KN", False), ("NK", True), ("KN", True)]
SPEC = """name   = "check_{name}";
op     = "dense";
dtype  = "{dtype}";
dims   = {{ T = {{ min = 1; max = 8; }}; }};
shapes = ( {{ M = "16*T"; N = 768; K = 768; }} );
epilogue = ["bias"];
layout = {{ W = "{layout}"; packed = {packed}; }};
"""


def combos(only=None):
    """(name, spec's text, shapes) of each, or of those in `only`."""
    for dtype in DTYPES:
        for layout, packed in LAYOUTS:
            name = f"{dtype}_{layout}{'_packed' if packed else ''}"
            if only and name not in only:
                continue
            text = SPEC.format(name=name, dtype=dtype, layout=layout, packed="true" if packed else "false")
            # Nothing can be packed of nothing.
            yield name, text, [s for s in SHAPES if s[2] > 0 or not packed]


def request(shape, threads=1):
    """A measure request of the op dense that takes no times. The emulator spreads blocks over so many
    threads."""
    m, n, k = shape
    return {
        "extent": [m, n, k],
        "elems": [m * k, n * k, n, m * n],
        "rows": m,
        "row_elems": n,
        "flops": 2.0 * m * n * k,
        "threads": threads,
        "repeats": 0,
        "sample_ns": 0.0,
        "max_ns": 0.0,
        "hot": True,
    }


def shape_name(shape):
    return "x".join(map(str, shape))

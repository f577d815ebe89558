# SPDX-License-Identifier: Apache-2.0
"""hopper: inputs of the microtests of hopper.cu, and what must come out of them by plain arithmetic; and the text of the
products of warpgroups that it tries, whose files in templates/device are patterns."""

import os
import re

TARGET = "sm_90a"  # the only one that has them

# What each test tries.
COVERS = {
    "handover": ["mbarrier_init", "mbarrier_init_fence", "mbarrier_arrive", "mbarrier_wait", "warp_sync"],
    "named": ["barrier_sync", "barrier_arrive", "warp_uniform"],
    "tensor_map": ["tensor_map"],
    "tensor_load_2": ["tensor_load_2", "mbarrier_arrive_expect", "proxy_fence"],
    "tensor_load_3": ["tensor_load_3"],
    "tensor_load_4": ["tensor_load_4"],
    "tensor_store_2": ["tensor_store_2", "bulk_commit", "bulk_wait_read"],
    "tensor_store_3": ["tensor_store_3"],
    "ring": ["registers_less", "registers_more"],
    "cluster": ["cluster_arrive", "cluster_load16", "cluster_rank", "cluster_wait"],
}
PRODUCT_COVERS = ["wgmma", "wgmma_kn", "wgmma_regs", "wgmma_commit", "wgmma_fence", "wgmma_matrix", "wgmma_wait"]

# (type, form, N): form "" both operands along k in shared memory, "kn" B along n, "regs" A in registers.
PRODUCTS = [
    *(("bf16", "", n) for n in range(8, 257, 8)),
    *(("f16", "", n) for n in (8, 64, 192)),
    *(("tf32", "", n) for n in (8, 64, 128)),
    *((dtype, "kn", n) for dtype in ("bf16", "f16") for n in (64, 128, 192, 256)),
    *((dtype, "regs", n) for dtype in ("bf16", "f16", "tf32") for n in (8, 64, 128)),
]


def name_of(product):
    dtype, form, n = product
    return f"{dtype}_{form}_{n}" if form else f"{dtype}_{n}"


def names():
    return [*COVERS, *map(name_of, PRODUCTS)]


def products_of(form, sizes=range(8, 257)):
    return [name_of(p) for p in PRODUCTS if p[1] == form and p[2] in sizes]


# What needs what stands before it.
RUNGS = [
    ("mbarriers", ["handover", "named"]),
    ("boxes", ["tensor_map", "tensor_load_2", "tensor_load_3", "tensor_load_4", "tensor_store_2", "tensor_store_3"]),
    ("wgmma", products_of("", [8])),
    ("wgmma_sizes", products_of("", range(16, 257))),
    ("wgmma_across", products_of("kn")),
    ("wgmma_fragments", products_of("regs")),
    ("ring", ["ring"]),
    ("clusters", ["cluster"]),
]


# ---- the text of products


def filled(pattern, dtype, n, emulated):
    """A pattern of templates/device as dcgen fills it: lines that are repeated, and words."""
    words = {"N": n, "DTYPE": dtype, "DTYPE_BF16": int(dtype == "bf16"), "DTYPE_TF32": int(dtype == "tf32")}
    words.update(DTYPE_TF32X3=0, EMULATOR=int(emulated))
    whole = re.compile(r"\b(DTYPE_BF16|DTYPE_TF32|DTYPE_TF32X3|EMULATOR)\b")
    part = re.compile(r"(?<![A-Za-z0-9])(DTYPE|N)(?![A-Za-z0-9])")
    lines = []
    for line in pattern.split("\n"):
        repeat = re.search(r" *//@ repeat (\w+) = (.*?)\.\.(.*)$", line)
        if not repeat:
            lines.append(line)
            continue
        first, last = (eval(e.replace("/", "//"), {"N": n}) for e in repeat.group(2, 3))
        name = re.compile(rf"(?<![A-Za-z0-9_]){repeat[1]}(?![A-Za-z0-9_])")
        lines += [name.sub(str(i), line[: repeat.start()]) for i in range(first, last + 1)]
    text = whole.sub(lambda m: str(words[m[1]]), "\n".join(lines))
    return part.sub(lambda m: str(words[m[1]]), text)


def write_texts(folder, root, emulated):
    """The files that hopper.cu includes."""
    texts = {}
    for form in ("", "_kn", "_regs"):
        with open(os.path.join(root, "templates", "device", f"wgmma{form}.cuh")) as f:
            texts[form.strip("_")] = f.read()
    macro = {"": "ALONG", "kn": "ACROSS", "regs": "FRAGMENTS"}
    size = {"tf32": 4}
    files = {
        "wgmma_filled.cuh": [filled(texts[form], dtype, n, emulated) for dtype, form, n in sorted({*PRODUCTS, ("bf16", "", 16)})],
        "products.h": [f"{macro[form]}({dtype}, {size.get(dtype, 2)}, {n})" for dtype, form, n in PRODUCTS],
        "product_tests.h": [f"{name_of(p)}_test," for p in PRODUCTS],
    }
    for name, lines in files.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write("\n".join(lines) + "\n")


# ---- cases


def handovers(t):
    for n in (1, 2, 7, 40):
        words = t.random_words(t.rng("handover", str(n)), 32 * n)
        yield t.Case("handover", f"{n}_rows", n, 0, words, lambda w=words: [w[i - i % 32 + 31 - i % 32] for i in range(len(w))])
    words = t.random_words(t.rng("named"), 96 * 15)  # a barrier each: who only arrives does not wait for the others
    yield t.Case("named", "any", 15, 0, words, lambda: [words[i // 64 * 96 + i % 64] for i in range(64 * 15)])
    yield t.Case("tensor_map", "refused", 0, 0, [0] * 256, lambda: [1 | 1 << 4])


EXTENT = (48, 20, 3, 2)  # innermost first; of the innermost 45 count
BOX = (0, 8, 2, 2)
BEGIN = ((0, 0, 0, 0), (8, 4, 1, 0), (36, 16, 2, 1), (-4, -3, -1, 0), (44, 19, 2, 1), (64, 0, 0, 0))


def swizzled(at, span):
    return at ^ (at >> 3 & (span - 16) if span else 0)


def box_words(words, rank, elem, span, begin, steps=(1, 1, 1, 1)):
    """The box in shared memory: by element bytes, row by row, then swizzled. steps: to the next element along an extent."""
    inner = (span or 32) // elem
    counts = (inner, *BOX[1:rank])
    raw = b"".join(w.to_bytes(4, "little") for w in words)
    total = elem
    for c in counts:
        total *= c
    out = bytearray(total)
    for i in range(total // elem):
        place, rest, source, step, inside = [], i, 0, 1, True
        for axis in range(rank):
            place.append(begin[axis] + rest % counts[axis] * steps[axis])
            rest //= counts[axis]
        for axis in range(rank):
            inside &= 0 <= place[axis] < (45 if axis == 0 else EXTENT[axis])
            source += place[axis] * step
            step *= EXTENT[axis]
        at = swizzled(i * elem // 16 * 16, span) + i * elem % 16
        out[at : at + elem] = raw[source * elem : (source + 1) * elem] if inside else bytes(elem)
    return [int.from_bytes(out[i : i + 4], "little") for i in range(0, total, 4)]


def loads(t):
    for rank in (2, 3, 4):
        for span in (0, 32, 64, 128):
            for elem in (2, 4):
                for b, begin in enumerate(BEGIN):
                    count = elem
                    for e in EXTENT[:rank]:
                        count *= e
                    words = t.random_words(t.rng("load", str(rank), str(span), str(elem), str(b)), count // 4)
                    p = span | elem << 8 | rank << 12 | b << 16
                    want = lambda w=words, r=rank, e=elem, s=span, b=begin: box_words(w, r, e, s, b)
                    yield t.Case(f"tensor_load_{rank}", f"swizzle_{span}_{elem}_bytes_{b}", 0, p, words, want)
    # every so many rows and planes
    for down, across in ((2, 1), (2, 2), (3, 2), (8, 1)):
        for b, begin in enumerate(BEGIN):
            words = t.random_words(t.rng("steps", str(down), str(across), str(b)), 2 * 48 * 20 * 3 * 2 // 4)
            want = lambda w=words, b=begin, s=(1, down, across, 1): box_words(w, 4, 2, 128, b, s)
            yield t.Case("tensor_load_4", f"steps_{down}_{across}_{b}", down | across << 4, 128 | 2 << 8 | 4 << 12 | b << 16, words, want)


def stores(t):
    for rank, planes, boxes in ((2, 1, 6), (3, 3, 12)):
        for span in (0, 32):
            per = 8 * 4 * (2 if rank == 3 else 1)
            words = t.random_words(t.rng("store", str(rank), str(span)), boxes * per)

            def want(words=words, planes=planes, boxes=boxes, per=per, span=span):
                out = [0] * (planes * 10 * 16)
                for b in range(boxes):
                    x0, y0, z0 = b % 2 * 8, b // 2 % 3 * 4, b // 6 * 2
                    for i in range(per):
                        x, y, z = x0 + i % 8, y0 + i // 8 % 4, z0 + i // 32
                        if y < 10 and z < planes:
                            at = swizzled(i * 4 // 16 * 16, span) + i * 4 % 16
                            out[(z * 10 + y) * 16 + x] = words[b * per + at // 4]
                return out

            yield t.Case(f"tensor_store_{rank}", f"swizzle_{span}", planes * 160, span, words, want)


def bits_of(t, dtype):
    return {"bf16": lambda x: t.bf16_of(t.word(x)), "f16": lambda x: t.f16_of(t.word(x)), "tf32": lambda x: t.word(x)}[dtype]


def packed(elements, per):
    return elements if per == 1 else [elements[i] | elements[i + 1] << 16 for i in range(0, len(elements), 2)]


def product_case(t, product, label, span, steps, add, wrong, a, b, close="bits", text=""):
    """a: rows of numbers, 64; b: columns of numbers, N."""
    dtype, form, n = product
    per, bits = (1 if dtype == "tf32" else 2), bits_of(t, dtype)
    rows = b if form != "kn" else list(zip(*b))
    words = [w for m in (a, rows) for row in m for w in packed([bits(float(x)) for x in row], per)]
    want = lambda: [t.word(float(sum(x * y for x, y in zip(r, c)) + add)) for r in a for c in b]
    p = span | steps << 8 | add << 16 | wrong << 20
    return t.Case(name_of(product), label, 64 * n, p, words, want, close, text=text)


def integers(r, rows, k):
    return [[r.randint(-8, 8) for _ in range(k)] for _ in range(rows)]


def products(t):
    """First operands that name themselves: an element of A says its row and k, B is a unit matrix; then sums of small
    integers, which are exact. Last, which fields of the descriptor do not matter, as the PTX ISA leaves that open."""
    for product in PRODUCTS:
        dtype, form, n = product
        k = 8 if dtype == "tf32" else 16
        r = t.rng("product", name_of(product))
        unit = lambda rows, deep: [[int(i == j % 8) for j in range(deep)] for i in range(rows)]
        named = lambda deep, of: [[of(i, j) for j in range(deep)] for i in range(64)]
        for span in (0, 32, 64, 128):
            deep = (span or 32) // 32 * k
            if form == "kn" and n * 2 % (span or 16):
                continue
            steps = deep // k
            if n == 8 or form == "kn":
                one = [[int(i == j) for j in range(deep)] for i in range(n)]
                yield product_case(t, product, f"rows_{span}", span, steps, 0, 0, named(deep, lambda i, j: i), one)
                yield product_case(t, product, f"k_{span}", span, steps, 0, 0, named(deep, lambda i, j: j), one)
            if n in (8, 64, 128) or span == 128:
                a, b = integers(r, 64, deep), integers(r, n, deep)
                yield product_case(t, product, f"integers_{span}", span, steps, 1, 0, a, b)
    r = t.rng("offsets")
    a, b = integers(r, 64, 64), integers(r, 64, 64)
    told = "words differ where the leading offset of rows along k is {}: it matters"
    for wrong, what in ((1, "16 bytes"), (2, "0")):
        yield product_case(t, ("bf16", "", 64), f"leading_{wrong}", 128, 4, 0, wrong, a, b, text=told.format(what))


def rings(t):
    for stages, blocks in ((4, 1), (4, 10), (2, 12), (7, 40)):
        r = t.rng("ring", str(stages), str(blocks))
        case = product_case(t, ("bf16", "", 16), "", 0, 0, 0, 0, integers(r, 64, 64 * blocks), integers(r, 16, 64 * blocks))
        yield t.Case("ring", f"{stages}_stages_{blocks}_blocks", blocks, stages, case.words, case.want)


def clusters(t):
    words = t.random_words(t.rng("cluster"), 8 * 128)
    want = lambda: [words[(i // 512 * 4 + (i // 128 + 1) % 4) * 128 + i % 128] for i in range(len(words))]
    yield t.Case("cluster", "neighbours", 8, 0, words, want)


def cases(t):
    """All of them, in the order in which they need each other. t: the module primitives."""
    for make in (handovers, loads, stores, products, rings, clusters):
        yield from make(t)

# SPDX-License-Identifier: Apache-2.0
"""primitives: each function of templates/device on its own, its PTX on the GPU against its stand-in in the emulator.

The kernels are in primitives.cu. Here are their inputs, what must come out of them by plain arithmetic, and how far
hardware may be off. build() runs where there is no GPU: it compiles both objects, has the emulator execute its own, and
holds what comes out against the arithmetic. check_case() runs on the GPU: all words must be those of the emulator.
ladder.py says in which order."""

import array
import functools
import json
import math
import os
import random
import re
import struct
import subprocess
import sys

import hopper
from runner import Runner
from stage import tail

SOURCE, MANIFEST, SILENCE_S, COMPILE_S = "primitives.cu", "primitives.json", 30, 300
RIGHT, WRONG = "right", "wrong"
LANES = 32
UNTOUCHED, NOWHERE = 0x5A5A5A5A, 0xFFFFFFFF
INF, NAN = 0x7F800000, 0x7FFFFFFF
# The object needs the C library alone: no exceptions and no guards of statics, which are libstdc++'s.
NVCC_FLAGS = (
    "-std=c++17 -O3 -shared -Xcompiler -fPIC,-fno-exceptions,-fno-threadsafe-statics -Xlinker --as-needed -cudart none "
    "--no-compress"
).split()
# Those of a candidate (gen/driver/tools.c), but less optimised: it is compiled sooner.
EMULATOR_FLAGS = (
    "-x c++ -std=gnu++17 -O1 -g1 -march=native -fsanitize=thread -fno-plt -fno-builtin -fno-exceptions -fno-rtti "
    "-fno-tree-vectorize -fno-tree-slp-vectorize -w -shared -fPIC -nostdlib -DDCGEN_EMULATOR"
).split()


class Case:
    """A call of one test. want() gives its words by plain arithmetic. `close` says which difference is allowed:

    bits     none
    nan16    any NaN of 16 bits for another: PTX does not say which one a conversion gives
    nan      the same with 32 bits
    value    as numbers (-0 is 0, a NaN is a NaN), within tolerance() of each word
    note     all: it is a figure to be told"""

    def __init__(self, name, label, n, p, words, want, close="bits", tolerance=None, text=""):
        self.name, self.label, self.n, self.p, self.words, self.want = name, label, n, p, words, want
        self.close, self.tolerance, self.text = close, tolerance and functools.lru_cache(None)(tolerance), text

    def file(self, suffix):
        return f"{self.name}_{self.label}.{suffix}"


def rng(*names):
    return random.Random(" ".join(names))


def random_words(r, n):
    return [r.getrandbits(32) for _ in range(n)]


# ---- numbers and their bits


def f32(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


def word(value):
    """The nearest f32."""
    if math.isnan(value):
        return NAN
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return INF | (value < 0) << 31


def is_nan(bits):
    return bits & 0x7FFFFFFF > INF


def nearest(bits, drop, ties_to_even):
    """A finite f32 without its last `drop` bits, rounded."""
    sign, low = bits & 0x80000000, (bits & 0x7FFFFFFF) >> drop << drop
    high = low + (1 << drop)
    x = f32(bits & 0x7FFFFFFF)
    down, up = x - f32(low), (2.0**128 if high >= INF else f32(high)) - x
    return sign | (low if down < up or (down == up and ties_to_even and not low >> drop & 1) else high)


def bf16_of(bits):
    if is_nan(bits):
        return 0x7FFF
    return (bits if bits & INF == INF else nearest(bits, 16, True)) >> 16


def f16_of(bits):
    if is_nan(bits):
        return 0x7FFF
    try:
        return struct.unpack("<H", struct.pack("<e", f32(bits)))[0]
    except OverflowError:
        return 0x7C00 | bits >> 31 << 15


def tf32_of(bits):
    """What nvcc 13 makes of cvt.rna.tf32.f32 for sm_80 to sm_90: integer instructions. They cut a NaN, and one whose
    payload lies in the last 13 bits alone becomes an infinity."""
    return bits & 0xFFFFE000 if bits & INF == INF else nearest(bits, 13, False)


def tf32_split(bits):
    """The high and the low part, as tf32_split.cuh says; of a NaN high is any finite number."""
    finite = bits & 0x7FFFFFFF if bits & INF != INF else INF - 1
    high = (finite | bits) & 0x80001FFF ^ finite
    return high, word((f32(bits) - f32(high)) * (1 + 2.0**-11))


def f16_value(half):
    return struct.unpack("<e", struct.pack("<H", half))[0]


def f32_words(r):
    """f32 of each exponent and sign: ends of the range of mantissas, halfway between two bf16, f16 or tf32 and beside
    that, and any; then halfway between two of the f16 that have leading zeros."""
    ties = [t + d for t in (0x1000, 0x3000, 0x8000, 0x18000, 0x7FF000, 0x7F8000) for d in (-1, 0, 1)]
    mantissas = [0, 1, 0x3FFFFF, 0x400000, 0x7FFFFF, *ties]
    found = [s << 31 | e << 23 | m for s in (0, 1) for e in range(256) for m in (*mantissas, r.getrandbits(23))]
    for k in [*range(8), *(r.randrange(1024) for _ in range(56)), 1023]:
        tie = word((k + 0.5) * 2.0**-24)
        found += [s << 31 | tie + d for s in (0, 1) for d in (-1, 0, 1)]
    return found


# ---- conversions


def conversions(_):
    for name, to, close in (("bf16_of", bf16_of, "nan16"), ("f16_of", f16_of, "nan16"), ("tf32_of", tf32_of, "nan")):
        words = f32_words(rng(name))
        yield Case(name, "edges", len(words), 0, words, lambda w=words, to=to: [to(x) for x in w], close)
    words = f32_words(rng("tf32_split"))
    parts = lambda w=words: [part for x in w for part in tf32_split(x)]
    yield Case("tf32_split", "edges", len(words), 0, words, parts, "nan")
    for name in ("f32_of", "f32_to_float"):
        words = f32_words(rng(name))
        yield Case(name, "edges", len(words), 0, words, lambda w=words: w)
    halves = list(range(65536))
    yield Case("bf16_to_float", "all", 65536, 0, halves, lambda: [h << 16 for h in halves])
    yield Case("f16_to_float", "all", 65536, 0, halves, lambda: [word(f16_value(h)) for h in halves], "nan")


# ---- functions of one number, and of two


def flushed(x):
    return math.copysign(0.0, x) if abs(x) < 2.0**-126 else x


def exp(x):
    return math.inf if x > 709 else math.exp(x)


def ex2(x):
    x = flushed(x)
    return flushed(word_value(2.0 ** max(x, -1000.0))) if x < 128 else x if math.isnan(x) else math.inf


def rcp(x):
    x = flushed(x)
    return flushed(word_value(1 / x)) if x else math.copysign(math.inf, x)


def sigmoid(x):
    return 1 / (1 + exp(-x))


def silu(x):
    return -0.0 if x == -math.inf else x / (1 + exp(-x))


def wave(of):
    return lambda x: of(x) if abs(x) < math.inf else math.nan


def gelu(x):
    return -0.0 if x == -math.inf else x * math.erfc(-x / math.sqrt(2)) / 2


def gelu_tanh(x):
    return -0.0 if x == -math.inf else x / (1 + exp(-2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def word_value(x):
    return f32(word(x))


def ulps(n, least):
    """n times the last digit of a result; at least so much."""
    return lambda y: max(least, n * 2.0**-24 * 2.0 ** math.frexp(y)[1]) if abs(y) < math.inf else 0.0


def functions(_):
    """Those that are made of approximations of the hardware are held to what they promise, on it and in the emulator."""
    exact = (("round_bf16", lambda b: bf16_of(b) << 16), ("round_f16", lambda b: word(f16_value(f16_of(b)))))
    for name, of in exact:
        words = f32_words(rng(name))
        yield Case(name, "edges", len(words), 0, words, lambda w=words, of=of: [of(x) for x in w], "nan")
    most = ulps(4, 1e-7)
    near = (("ex2", ex2, ulps(2, 2.0**-126)), ("rcp", rcp, ulps(1, 2.0**-126)), ("sigmoid", sigmoid, most), ("silu", silu, most))
    waves = tuple((name, wave(of), ulps(2, 2.0**-148)) for name, of in (("sine", math.sin), ("cosine", math.cos)))
    quarter = ("quarter_wave", wave(lambda x: -math.cos(abs(x))), ulps(2, 2.0**-148))  # three quarters further
    for name, of, tolerance in (*near, ("gelu", gelu, most), ("gelu_tanh", gelu_tanh, most), *waves, quarter):
        r = rng(name)
        words = f32_words(r) + [word(r.gauss(0, 3)) for _ in range(4096)]
        want = functools.lru_cache(None)(lambda w=words, of=of: [word(of(f32(x))) for x in w])
        close = lambda want=want, tolerance=tolerance: [tolerance(f32(y)) for y in want()]
        yield Case(name, "edges", len(words), 0, words, want, "value", close)


def pairs(_):
    """The second number where either is a NaN, or where both are equal: bit for bit."""
    for name, of in (("greater", lambda a, x: a > x), ("lesser", lambda a, x: a < x)):
        r = rng(name)
        some = [0, 0x80000000, INF, INF | 1 << 31, NAN, 0x7F800001, 1, 0x80000001] + [word(r.gauss(0, 1)) for _ in range(24)]
        words = [w for a in some for x in some for w in (a, x)]
        want = lambda w=words, of=of: [a if of(f32(a), f32(x)) else x for a, x in zip(w[::2], w[1::2])]
        yield Case(name, "any", len(words) // 2, 0, words, want, "nan")


# ---- loads, shuffles


def loads(_):
    ndata, n = 4096, 1024
    for name, width in (("load_l2", 1), ("load_l2_16", 4), ("load_once16", 4)):
        r = rng(name)
        at = [0, ndata - width] + [r.randrange(ndata // width) * width for _ in range(n - 2)]
        data = random_words(r, ndata)
        want = lambda at=at, data=data, width=width: [data[i + k] for i in at for k in range(width)]
        yield Case(name, "any", n, 0, at + data, want)


def rows(_):
    """Four words, the last two, all halves, the last word, the third and fourth half; stored: as many as come in."""
    ndata, n = 4096, 1024
    for name, width in (("load_row", 4), ("store_row", 12)):
        r = rng(name)
        at = [0, ndata // 4 * 4 - width] + [r.randrange((ndata - width) // 4) * 4 for _ in range(n - 2)]
        data = [r.getrandbits(32) for _ in range(ndata)]

        def want(at=at, data=data, width=width):
            of = (0, 1, 2, 3, 2, 3, 0, 1, 2, 3, 3, 1) if width == 4 else range(12)
            return [data[i + k] for i in at for k in of]

        yield Case(name, "any", n, 0, at + data, want)


def shuffles(_):
    n = 8 * LANES
    down = lambda lane, by: lane + by if lane + by < LANES else lane
    for name, of in (("shfl_xor", lambda lane, by: lane ^ by), ("shfl_down", down)):
        r = rng(name)
        words = [NAN, 0x7F800001, 0xFFC12345, 0x80000000, 1, INF] + random_words(r, n - 6)

        def want(words=words, of=of):
            by = [lambda lane, d=d: d for d in range(LANES)] + [lambda lane: lane * 5 % LANES]
            return [words[i - i % LANES + of(i % LANES, b(i % LANES))] for b in by for i in range(n)]

        yield Case(name, "any", n, 0, words, want)


# ---- matrices


def halves_of(words):
    return [h for w in words for h in (w & 0xFFFF, w >> 16)]


def ldmatrix_words(per_warp, count, trans):
    """As the PTX ISA says: lane l receives elements 2(l%4), +1 of row l/4; transposed, of column l/4."""
    found = []
    for rows, image in per_warp:
        halves = halves_of(image)
        matrix = [[halves[rows[8 * m + i] // 2 :][:8] for i in range(8)] for m in range(count)]
        for lane in range(LANES):
            g, t = lane // 4, 2 * (lane % 4)
            for m in matrix:
                low, high = (m[t][g], m[t + 1][g]) if trans else (m[g][t], m[g][t + 1])
                found.append(low | high << 16)
    return found


def ldmatrices(_):
    warps, image_words = 12, 512
    pitches = (16, 48, 64)  # of rows, in bytes; then any rows, the same ones too
    for name, count, trans in (
        ("ldmatrix_x2", 2, False),
        ("ldmatrix_x2_trans", 2, True),
        ("ldmatrix_x4", 4, False),
        ("ldmatrix_x4_trans", 4, True),
    ):
        r, per_warp = rng(name), []
        for w in range(warps):
            any_rows = [16 * r.randrange(image_words // 4) for _ in range(LANES)]
            rows = [lane * pitches[w] for lane in range(LANES)] if w < len(pitches) else any_rows
            per_warp.append((rows, random_words(r, image_words)))
        words = [x for rows, image in per_warp for x in (*rows, *image)]
        want = lambda p=per_warp, c=count, t=trans: ldmatrix_words(p, c, t)
        yield Case(name, "any", warps, 0, words, want)


class Mma:
    """One of the multiplications: a is 16 x k, b k x 8, d 16 x 8. Of each lane come 4 words of a, 2 of b and 4 of d."""

    def __init__(self, dtype):
        self.name, self.k = dtype + "_mma", 8 if "tf32" in dtype else 16
        self.per = 1 if "tf32" in dtype else 2  # elements a word
        self.bits = {
            "bf16": lambda x: bf16_of(word(x)),
            "f16": lambda x: f16_of(word(x)),
            "tf32": lambda x: tf32_of(word(x)),
            "tf32x3": word,
        }[dtype]
        self.value = {"bf16": lambda b: f32(b << 16), "f16": f16_value}.get(dtype, f32)
        self.infinity = {"bf16": 0x7F80, "f16": 0x7C00}.get(dtype, INF)
        self.tiny = {"bf16": 2.0**-133, "f16": 2.0**-24}.get(dtype, 2.0**-136)  # the least above 0

    def pack(self, elements):
        return elements[0] if self.per == 1 else elements[0] | elements[1] << 16

    def lane_places(self, lane):
        """(row, k) of each element of a, (k, column) of b, (row, column) of d, in the order of the words."""
        g, t = lane // 4, lane % 4
        step = self.per * 4
        of = [(self.per * t + h + step * half) for half in (0, 1) for h in range(self.per)]
        a = [(g + 8 * (reg % 2), of[self.per * (reg // 2) + h]) for reg in range(4) for h in range(self.per)]
        b = [(of[self.per * reg + h], g) for reg in range(2) for h in range(self.per)]
        d = [(g + 8 * (reg // 2), 2 * t + reg % 2) for reg in range(4)]
        return a, b, d

    def words(self, a, b, d):
        """The lanes' words of matrices of element bits, d of f32 bits."""
        found = []
        for lane in range(LANES):
            pa, pb, pd = self.lane_places(lane)
            for m, places in ((a, pa), (b, pb)):
                elements = [m[i][j] for i, j in places]
                found += [self.pack(elements[i : i + self.per]) for i in range(0, len(elements), self.per)]
            found += [d[i][j] for i, j in pd]
        return found

    def results(self, warps):
        """(exact sums, sums of magnitudes), in the order of the output."""
        sums, sizes = [], []
        for a, b, d in warps:
            va = [[self.value(x) for x in row] for row in a]
            vb = [[self.value(x) for x in column] for column in zip(*b)]
            terms = [[[f32(d[i][j]), *(x * y for x, y in zip(va[i], vb[j]))] for j in range(8)] for i in range(16)]
            for lane in range(LANES):
                for i, j in self.lane_places(lane)[2]:
                    sums.append(total(terms[i][j]))
                    sizes.append(total([abs(x) for x in terms[i][j]]))
        return sums, sizes


def total(terms):
    try:
        return math.fsum(terms)
    except (ValueError, OverflowError):  # infinities of both signs
        return math.nan


def mma_matrices(m, r, a_of, b_of, d_of):
    a = [[a_of(r) for _ in range(m.k)] for _ in range(16)]
    b = [[b_of(r) for _ in range(8)] for _ in range(m.k)]
    return a, b, [[word(d_of(r)) for _ in range(8)] for _ in range(16)]


def mma_inputs(m, label, r):
    """Element bits of a and b, numbers of d."""
    normal = lambda r: m.bits(r.gauss(0, 1))
    wide = lambda r: m.bits(math.ldexp(r.uniform(-1, 1), r.randint(-12, 12)))
    small = lambda r: m.bits(m.tiny * r.randint(-7, 7))
    large = lambda r: m.bits(math.ldexp(r.choice((-1, 1)), 14 if m.infinity == 0x7C00 else 100))
    # One in 64 is an infinity or zero of either sign, or a NaN.
    sign, payload = (1 << 31, INF | 1 << 22) if m.infinity == INF else (0x8000, m.infinity | 0x10)
    specials = (m.infinity, m.infinity | sign, payload, 0, sign)
    special = lambda r: r.choice(specials) if r.random() < 1 / 64 else normal(r)
    return {
        "integers": (*[lambda r: m.bits(r.randint(-8, 8))] * 2, lambda r: r.randint(-1000, 1000)),
        "normal": (normal, normal, lambda r: r.gauss(0, 4)),
        "wide": (wide, wide, lambda r: math.ldexp(r.uniform(-1, 1), r.randint(-20, 20))),
        "denormals": (small, large, lambda r: 0.0),
        "denormal sums": (small, lambda r: m.bits(1.0), lambda r: 2.0**-149 * r.randint(-100000, 100000)),
        "specials": (special, special, lambda r: math.inf if r.random() < 1 / 64 else r.gauss(0, 1)),
    }[label]


def mmas(_):
    """Sums of small integers are exact in any order. Other sums are not: the multipliers align all terms with the
    largest, cut them to some 24 bits and round to zero, in one or several steps, where the emulator adds one term after
    the other, rounding to nearest. Each of 17 terms and 4 steps may lose 2^-23 of the largest one, which is at most
    the sum of magnitudes S; 2^-18 S covers that on either side, and what tf32x3 leaves out, 2^-20 S at most. Nothing
    here comes near to overflow but infinities."""
    for m in map(Mma, ("bf16", "f16", "tf32", "tf32x3")):
        for label in ("integers", "normal", "wide", "denormals", "denormal sums", "specials"):
            r = rng(m.name, label)
            warps = [mma_matrices(m, r, *mma_inputs(m, label, r)) for _ in range(4)]
            words = [x for w in warps for x in m.words(*w)]
            results = functools.lru_cache(None)(lambda m=m, warps=warps: m.results(warps))
            want = lambda results=results: [word(x) for x in results()[0]]

            def tolerance(results=results, exact=label == "integers"):
                sizes = results()[1]
                return [2.0**-18 * s + 2.0**-145 if s < math.inf and not exact else 0.0 for s in sizes]

            yield Case(m.name, label.replace(" ", "_"), len(warps), 0, words, want, "value", tolerance)


# ---- asynchronous copies


def cp_async_words(copies, data, width):
    raw = struct.pack(f"<{len(data)}I", *data)
    found = []
    for first in range(0, len(copies), 64):
        slots = [struct.pack("<I", UNTOUCHED) * (width // 4)] * 128
        for nbytes, at, slot in copies[first : first + 64]:
            slots[slot] = (raw[at : at + nbytes] if nbytes else b"").ljust(width, b"\0")
        found += struct.unpack(f"<{128 * width // 4}I", b"".join(slots))
    return found


def cp_asyncs(_):
    """Data end one word behind a multiple of 16 bytes, so that the last copies must not read all of their width."""
    ndata, n = 1025, 256
    for width in (16, 8, 4):
        for label in ("whole", "partial", "nowhere"):
            name = f"cp_async{width}"
            r, copies = rng(name, label), []
            for i in range(n):
                if i % 64 == 0:
                    slots = r.sample(range(128), 64)
                nbytes = width if label == "whole" else i % (width + 1) if label == "partial" else i % 2 * width
                at = width * r.randrange(4 * (ndata - 1) // width)
                if nbytes <= 4 and i >= n - 64:
                    at = 4 * (ndata - 1)
                copies.append((nbytes, NOWHERE if label == "nowhere" and nbytes == 0 else at, slots[i % 64]))
            data = random_words(r, ndata)
            words = [x for c in copies for x in c] + data
            want = lambda c=copies, d=data, w=width: cp_async_words(c, d, w)
            yield Case(name, label, n, 3 * n, words, want)


def groups_case(name, label, left, mask):
    ngroup, threads, blocks = 6, 128, 8
    words = random_words(rng(name, label), blocks * ngroup * threads * 4)
    per = threads * 4
    want = lambda: [UNTOUCHED if mask >> i // per % ngroup & 1 else w for i, w in enumerate(words)]
    return Case(name, label, blocks, mask | left << ngroup if name == "cp_wait" else mask, words, want)


def copy_groups(_):
    for mask in (0, 0b010101, 0b110000, 0b111111):
        yield groups_case("cp_commit", f"empty_{mask}", 2, mask)
    for left in range(6):
        yield groups_case("cp_wait", f"left_{left}", left, 0)


# ---- counters, shared memory, launches


def counters(_):
    name, n, nsum = "atomic_add_acq_rel", 1024, 8
    words = random_words(rng(name), n)
    yield Case(name, "sums", n, 0, words, lambda: [sum(words[s::nsum]) % 2**32 for s in range(nsum)] + [1] * n)
    blocks, threads, rounds = 160, 128, 3
    parts = random_words(rng(name, "parts"), blocks * threads * rounds)
    per = blocks * threads
    column = lambda k, t: parts[k * per + t : (k + 1) * per : threads]
    want = lambda: [sum(column(k, t)) % 2**32 for k in range(rounds) for t in range(threads)]
    yield Case(name, "parts", blocks, rounds, parts, want)


def shared(facts):
    n = 1000
    halves = [i * 37 for i in range(n)]
    yield Case("shared_address", "halves", n, 0, halves, lambda: [*range(0, 2 * len(halves), 2), *halves, 0])
    for n, blocks in ((1, 3), (96, 3), (12288, 2), (12289, 2), (facts["smem_block"] // 4, 2)):
        words = random_words(rng("shared_memory", str(n)), n)
        want = lambda words=words, blocks=blocks: [(w + b) % 2**32 for b in range(blocks) for w in reversed(words)]
        yield Case("shared_memory", f"{4 * n}_bytes", n, blocks, words, want)


def launches(facts):
    grid, smem, refusal, large, cost, resident = range(6)
    want = lambda: [
        x | y << 4 | z << 8 | t << 12 | 3 << 30 for z in range(7) for y in range(5) for x in range(3) for t in range(96)
    ]
    yield Case("launch", "grid", 0, grid, [0], want)
    most = facts["smem_block"]
    for nbytes in sorted({8, 49152, 49156, 65536, most - 4, most}):
        yield Case("launch", f"{nbytes}_bytes", nbytes, smem, [123, 456], lambda: [456, 123])
    yield Case("launch", "too_many_bytes", most + 4, refusal, [0], lambda: [1])  # cudaErrorInvalidValue
    yield Case("launch", "large_arguments", 0, large, [0], lambda: [i * 2654435761 % 2**32 for i in range(900)])
    text = "ns of the host for cudaFuncSetAttribute, at each launch of more than 48 KiB"
    yield Case("launch", "attribute_cost", 0, cost, [0], lambda: [0], "note", text=text)
    for each in (2, 4, 8):
        nbytes = (facts["smem_sm"] // each - 1024) // 1024 * 1024
        text = f"so many blocks of {nbytes} bytes found no room where all SMs hold {each} each: the carve-out matters"
        yield Case("launch", f"{each}_an_sm", nbytes, resident + each, [0], lambda: [0], text=text)


def cases(facts):
    """All of them. facts: smem_block and smem_sm of the target."""
    makers = (conversions, functions, pairs, loads, rows, shuffles, ldmatrices, mmas, cp_asyncs, copy_groups, counters, shared, launches)
    own = [case for make in makers for case in make(facts)]
    return own + list(hopper.cases(sys.modules[__name__])) if facts["target"] == hopper.TARGET else own


# ---- comparing


def words_of(path, kind="I"):
    with open(path, "rb") as f:
        return array.array(kind, f.read())


def write_words(path, words, kind="I"):
    with open(path, "wb") as f:
        array.array(kind, words).tofile(f)


def same_nan(case, want, got):
    if case.close == "nan16":
        infinity = 0x7F80 if case.name == "bf16_of" else 0x7C00
        return want & 0x7FFF > infinity and got & 0x7FFF > infinity and got >> 16 == 0
    return is_nan(want) and is_nan(got)


def same_value(want, got, tolerance):
    x, y = f32(want), f32(got)
    return (math.isnan(x) and math.isnan(y)) or x == y or abs(x - y) <= tolerance


def first_difference(case, want, got):
    """The first word of `got` that is not allowed; None: there is none."""
    if case.close == "note" or (len(want) == len(got) and list(want) == list(got)):
        return None
    tolerance = case.tolerance() if case.tolerance else None
    for i, (x, y) in enumerate(zip(want, got)):
        good = x == y or (case.close in ("nan", "nan16") and same_nan(case, x, y))
        if not good and not (tolerance and same_value(x, y, tolerance[i])):
            return i
    return min(len(want), len(got)) if len(want) != len(got) else None


def input_of(case, at):
    """The words of the input that result `at` is made of, where these are few in one place; else the first ones."""
    if case.name.endswith(("_of", "_to_float")) or len(case.words) == case.n:
        return case.words[at : at + 1]
    if case.name == "tf32_split":
        return case.words[at // 2 :][:1]
    if len(case.words) == 2 * case.n:
        return case.words[2 * at :][:2]
    if case.name.endswith("_mma"):
        return case.words[10 * (at // 4) :][:10]
    return case.words[:8]


def hex_words(words):
    return " ".join(f"{w:08x}" for w in words)


# ---- making


def tests_of(source):
    """The names in the table at the end of primitives.cu: a test's number is its place there."""
    with open(source) as f:
        return re.findall(r"^    (\w+)_test,$", f.read(), re.M)


def numbers_of(root):
    """Of each test its object and its number there."""
    own = tests_of(os.path.join(root, "script", "gpu.d", SOURCE))
    return {name: (o, i) for o, names in (("primitives", own), ("hopper", hopper.names())) for i, name in enumerate(names)}


def facts_of(root, target):
    with open(os.path.join(root, "templates", "targets", target + ".cfg")) as f:
        text = f.read()
    facts = {k: int(re.search(rf"^{k} = (\d+);", text, re.M)[1]) for k in ("smem_block", "smem_sm")}
    return {**facts, "target": target, "gencode": re.search(r'^gencode = "(.*)";', text, re.M)[1]}


def compile_object(argv, folder, name):
    """None; or what the compiler says."""
    log = os.path.join(folder, name + ".log")
    with open(log, "wb") as f:
        code = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=f, stderr=f, timeout=COMPILE_S).returncode
    return None if code == 0 else f"{name} does not compile: {tail(log)}"


def request(case, numbers, folder, suffix, into, out, nwords):
    name, number = numbers[case.name]
    so = os.path.join(folder, f"{name}{suffix}.so")
    return {"so": so, "extent": [number, case.n, case.p], "in": into, "out": out, "out_bytes": 4 * nwords}


def emulate(folder, argv, numbers, facts):
    """Each case in the emulator: its words are kept, what is wrong with them is returned."""
    problems = []
    runner = Runner(argv, None, os.path.join(folder, "emulator.err"), SILENCE_S)
    for case in cases(facts):
        want, into, out = case.want(), os.path.join(folder, case.file("in")), os.path.join(folder, case.file("out"))
        write_words(into, case.words)
        if case.tolerance:
            write_words(os.path.join(folder, case.file("tolerance")), case.tolerance(), "d")
        wanted = request(case, numbers, folder, "_emulator", into, out, len(want))
        answer = runner.call({**wanted, "smem_limit": facts["smem_block"]})
        if answer["status"] != "ok":
            problems.append(f"{case.name} {case.label}: {answer['status']} in the emulator: {answer.get('why', '')}")
            continue
        got = words_of(out)
        at = first_difference(case, want, got)
        if at is not None:
            problems.append(f"{case.name} {case.label} in the emulator: {difference_text(case, want, got, at)}")
    runner.close()
    return problems


def difference_text(case, want, got, at):
    x, y = (f"{w[at]:08x}" if at < len(w) else "nothing" for w in (want, got))
    text = f" ({case.text})" if case.text else ""
    return f"word {at} is {y}, not {x}; input {hex_words(input_of(case, at))}{text}"


def compile_objects(folder, tools, facts):
    device, here = os.path.join(tools.root, "templates", "device"), os.path.join(tools.root, "script", "gpu.d")
    compilers = [([tools.cxx, *EMULATOR_FLAGS, "-I", os.path.join(device, "emulator")], "_emulator")]
    if tools.nvcc:
        compilers.append(([tools.nvcc, *NVCC_FLAGS, "-gencode=" + facts["gencode"]], ""))
    for compiler, suffix in compilers:
        hopper.write_texts(folder, tools.root, bool(suffix))
        for name in ("primitives", "hopper") if facts["target"] == hopper.TARGET else ("primitives",):
            to = ["-I", device, "-I", folder, "-o", os.path.join(folder, name + suffix + ".so"), os.path.join(here, name + ".cu")]
            yield compile_object([*compiler, *to], folder, name + suffix)


def build(folder, tools, target="sm_90a"):
    """Makes a folder for ladder.climb(): objects, inputs, the emulator's outputs. Returns what is wrong, [] when nothing
    is; climb() says it too. tools: root, cxx, runner_emu (a command), nvcc (None: no object for the GPU)."""
    os.makedirs(folder, exist_ok=True)
    facts, numbers = facts_of(tools.root, target), numbers_of(tools.root)
    problems = [p for p in compile_objects(folder, tools, facts) if p]
    if not problems:
        problems = emulate(folder, tools.runner_emu, numbers, facts)
    with open(os.path.join(folder, MANIFEST), "w") as f:
        json.dump({"facts": facts, "numbers": numbers, "problems": problems}, f, indent=1)
    return problems


# ---- on the GPU


def check_case(stage, folder, runner, numbers, case):
    """RIGHT: as in the emulator; WRONG; or what became of the runner."""
    into, out = os.path.join(folder, case.file("in")), stage.path("work", case.file("gpu"))
    want, case.words = words_of(os.path.join(folder, case.file("out"))), words_of(into)
    if case.tolerance:  # of the very words there, whatever this Python's random numbers are
        tolerances = words_of(os.path.join(folder, case.file("tolerance")), "d")
        case.tolerance = lambda: tolerances
    answer = runner.call(request(case, numbers, folder, "", into, out, len(want)))
    fields = {"name": case.name, "case": case.label, "status": answer["status"], "words": len(want)}
    if answer["status"] != "ok":
        stage.found(f"{case.name}, {case.label}: {answer['status']}: {answer.get('why', '')}", **fields)
        return answer["status"]
    got = words_of(out)
    os.remove(out)
    at = first_difference(case, want, got)
    stage.write("primitive", **fields, differs=at)
    if case.close == "note":
        stage.say(f"{case.name}: {got[0]} {case.text}")
    if at is not None:
        stage.found(f"{case.name}, {case.label}: {difference_text(case, want, got, at)}", **fields, word=at)
    return RIGHT if at is None else WRONG

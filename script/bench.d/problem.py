# SPDX-License-Identifier: Apache-2.0
"""One encoder layer of BERT-base: its extents, its data, its definition in double precision, and how far a float result may be off.

    qkv        = x Wqkv^T + bqkv
    scores     = queries keys^T / 8, and a key at or beyond its sequence's length counts for nothing
    attended   = softmax(scores) values
    middle     = layernorm(x + attended Wproj^T + bproj)
    y          = layernorm(middle + gelu(middle Wup^T + bup) Wdown^T + bdown)

x and y are [batch*T][768]; weights are [out][in]. Rows of y at or beyond their sequence's length mean nothing and are not looked at.
"""

import math
from dataclasses import dataclass

import numpy as np

HIDDEN, HEADS, DEPTH, INNER = 768, 12, 64, 3072
EPSILON = 1e-12
UNIT = 2.0**-24  # rounding error of a float operation
# The order of weights in calls of the example (examples/bert_layer).
WEIGHTS = (
    ("Wqkv", (3 * HIDDEN, HIDDEN)),
    ("bqkv", (3 * HIDDEN,)),
    ("Wproj", (HIDDEN, HIDDEN)),
    ("bproj", (HIDDEN,)),
    ("gamma1", (HIDDEN,)),
    ("beta1", (HIDDEN,)),
    ("Wup", (INNER, HIDDEN)),
    ("bup", (INNER,)),
    ("Wdown", (HIDDEN, INNER)),
    ("bdown", (HIDDEN,)),
    ("gamma2", (HIDDEN,)),
    ("beta2", (HIDDEN,)),
)


def make_weights(seed=1):
    """Zero-mean weights; those of queries and keys so large that the softmax is far from flat."""
    rng = np.random.default_rng(seed)
    spread = {"Wqkv": 0.05, "Wproj": 0.03, "Wup": 0.03, "Wdown": 0.03}
    weights = {}
    for name, shape in WEIGHTS:
        noise = rng.standard_normal(shape, dtype=np.float32)
        weights[name] = (
            1 + noise / 10 if name.startswith("gamma") else noise * np.float32(spread.get(name, 0.1))
        )
    return weights


@dataclass(frozen=True)
class Size:
    batch: int
    T: int

    @property
    def rows(self):
        return self.batch * self.T

    @property
    def flop(self):
        """Of the matrix products alone; softmax, layernorm and gelu are work that nobody is paid for."""
        dense = 2 * self.rows * HIDDEN * (3 * HIDDEN + HIDDEN + 2 * INNER)
        return dense + 2 * 2 * self.batch * HEADS * self.T * self.T * DEPTH

    def __str__(self):
        return f"batch {self.batch}, T {self.T}"


def make_input(size, seed=2):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((size.rows, HIDDEN), dtype=np.float32)


def full_lengths(size):
    return np.full(size.batch, size.T, np.int32)


def mixed_lengths(size, seed=3):
    """From 1 to T; the first is T."""
    lengths = np.random.default_rng(seed).integers(1, size.T + 1, size.batch, dtype=np.int32)
    lengths[0] = size.T
    return lengths


class Doubt:
    """A result in double precision, and next to it the variance of what a computation in float is expected to be off by.

    Rounding errors of single operations are taken as independent: variances add. A sum of K products is off by about
    UNIT * sqrt(K) times the length of the vector of its products, in whatever order it is taken: partial sums are no
    longer than that while the products' signs are mixed, as those of zero-mean weights are. Worst-case bounds would
    grow twelvefold with each matrix product, and prove nothing in the end.
    """

    def __init__(self, value, variance):
        self.value, self.variance = value, variance

    def rounded(self, times=1):
        return Doubt(self.value, self.variance + times * (UNIT * self.value) ** 2)

    def scaled(self, factor):
        return Doubt(self.value * factor, self.variance * factor**2)

    def __add__(self, other):
        return Doubt(self.value + other.value, self.variance + other.variance).rounded()


def exact(value):
    value = value.astype(np.float64)
    return Doubt(value, np.zeros_like(value))


def product(a, b):
    """a b^T, over the last axis of both."""
    turned = [np.swapaxes(m, -1, -2) for m in (b.value, b.value**2, b.variance)]
    square = a.value**2
    K = a.value.shape[-1]
    variance = (UNIT**2 * K) * (square @ turned[1]) + a.variance @ turned[1] + square @ turned[2]
    return Doubt(a.value @ turned[0], variance)


def dense(x, weights, w, b):
    return product(x, exact(weights[w])) + exact(weights[b])


def softmax(s):
    """Of the last axis. An error of all of a row's exponents alike cancels out; four units are for the exponential."""
    e = np.exp(s.value - s.value.max(-1, keepdims=True))
    p = e / e.sum(-1, keepdims=True)
    shared = (p**2 * s.variance).sum(-1, keepdims=True)
    exponent = np.where(p > 0, (s.value - s.value.max(-1, keepdims=True)), 0) ** 2 * UNIT**2
    return Doubt(p, p**2 * (np.where(p > 0, s.variance, 0) + shared + exponent)).rounded(16)


def layernorm(x, gamma, beta):
    n = x.value.shape[-1]
    centred = x.value - x.value.mean(-1, keepdims=True)
    inverse = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON)
    unit = centred * inverse
    mean = x.variance.mean(-1, keepdims=True) / n
    along = (unit**2 * x.variance).mean(-1, keepdims=True) / n
    off = Doubt(unit, inverse**2 * (x.variance + mean) + unit**2 * along).rounded(16)
    return Doubt(off.value * gamma, off.variance * gamma.astype(np.float64) ** 2).rounded() + exact(beta)


def erf(x):
    return np.vectorize(math.erf, otypes=[np.float64])(x)


def gelu(x):
    """Its derivative is below 1.13 in size. The factor 1 + erf has an absolute error, also where it is nearly 0."""
    value = 0.5 * x.value * (1 + erf(x.value / math.sqrt(2)))
    return Doubt(value, 1.28 * x.variance + 16 * (UNIT * np.abs(x.value)) ** 2)


def heads(x, size):
    """[batch*T][768] as [batch][heads][T][64]."""
    return np.ascontiguousarray(x.reshape(size.batch, size.T, HEADS, DEPTH).transpose(0, 2, 1, 3))


def attention(qkv, lengths, size):
    part = [
        Doubt(*(heads(m[:, i * HIDDEN : (i + 1) * HIDDEN], size) for m in (qkv.value, qkv.variance)))
        for i in range(3)
    ]
    scores = product(part[0], part[1]).scaled(DEPTH**-0.5)
    beyond = np.arange(size.T)[None, :] >= lengths[:, None]
    scores.value[np.broadcast_to(beyond[:, None, None, :], scores.value.shape)] = -np.inf
    turned = Doubt(*(np.swapaxes(m, -1, -2) for m in (part[2].value, part[2].variance)))
    out = product(softmax(scores), turned)
    return Doubt(*(m.transpose(0, 2, 1, 3).reshape(size.rows, HIDDEN) for m in (out.value, out.variance)))


def reference(weights, x, lengths, size):
    """y as a Doubt."""
    attended = attention(dense(exact(x), weights, "Wqkv", "bqkv"), lengths, size)
    middle = layernorm(
        dense(attended, weights, "Wproj", "bproj") + exact(x), weights["gamma1"], weights["beta1"]
    )
    inner = gelu(dense(middle, weights, "Wup", "bup"))
    return layernorm(dense(inner, weights, "Wdown", "bdown") + middle, weights["gamma2"], weights["beta2"])


# An element may be off by so many of its standard deviations. In two million, five are rare; erf and exp that are off by a few units take a part.
DEVIATIONS = 6


def worst_error(y, expected, lengths, size):
    """The largest error as a share of what is allowed: at most 1 where y is right. NaN where an element is."""
    used = (np.arange(size.T)[None, :] < lengths[:, None]).reshape(-1)
    allowed = DEVIATIONS * np.sqrt(expected.variance[used])
    return float(np.max(np.abs(y.reshape(size.rows, HIDDEN)[used] - expected.value[used]) / allowed))

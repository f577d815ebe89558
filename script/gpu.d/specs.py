# SPDX-License-Identifier: Apache-2.0
"""The specs that are tuned: those named by --spec, else a whole model where the pack has one, dense layers, the batched products of attention, its softmax
and layernorm, and the convolutions of ResNet-50, each in several data types."""

import os
import re

WANTED = [  # most of all the first
    ("bert_dense", "bf16"),
    ("bert_dense", "f32"),
    ("bert_dense", "tf32x3"),
    ("bert_softmax", "f32"),
    ("bert_norm", "f32"),
    ("bert_scores", "f32"),
    ("bert_values", "f32"),
    ("bert_norm", "bf16"),
    ("bert_softmax", "f16"),
    ("bert_scores", "f16"),
    ("bert_values", "f16"),
    ("bert_dense", "tf32"),
    ("bert_dense", "f16"),
    ("resnet50", "f32"),
    ("resnet50", "bf16"),
]


class BadSpec(Exception):
    """A file of --spec that is none, and why."""


def value(text, key):
    found = re.search(rf'(?m)(?:^|;)\s*{key}\s*[=:]\s*"([^"]*)"', text)
    return found.group(1) if found else None


def name_of(path):
    with open(path) as f:
        return value(f.read(), "name") or os.path.splitext(os.path.basename(path))[0]


def variant(base, dtype, folder):
    """The spec with another data type and a name of its own, NAME_DTYPE; the spec of that name, where there is one: it
    may have other layouts, and records are found by name. As it is, when it has that type."""
    named = base.removesuffix(".cfg") + f"_{dtype}.cfg"
    with open(named if os.path.exists(named) else base) as f:
        text = f.read()
    if value(text, "dtype") != dtype:
        text = re.sub(r'(?m)^(name\s*=\s*")([^"]*)"', rf'\g<1>\g<2>_{dtype}"', text, count=1)
        text = re.sub(r'(?m)^(dtype\s*=\s*")[^"]*"', rf'\g<1>{dtype}"', text, count=1)
    path = os.path.join(folder, value(text, "name") + ".cfg")
    with open(path, "w") as f:
        f.write(text)
    return path


def check(paths):
    """A spec's name is that of its records and logs in the archive."""
    names = set()
    for path in paths:
        try:
            name = name_of(path)
        except (OSError, ValueError) as problem:
            raise BadSpec(f"{path}: {getattr(problem, 'strerror', 0) or problem}") from None
        if not re.fullmatch(r"[A-Za-z0-9._+-]{1,100}", name):
            raise BadSpec(f"{path}: {name!r} is no name for a package")
        if name in names:
            raise BadSpec(f"{path}: another spec has the name {name}, too")
        names.add(name)


def is_model(path):
    """Has it a graph?"""
    with open(path) as f:
        return re.search(r"(?m)^\s*graph\s*[=:]", f.read()) is not None


def specs(named, root, folder, models=()):
    """Paths, in the order of tuning. models: those of whole models, which come first."""
    if named:
        check(named)
        return named
    os.makedirs(folder, exist_ok=True)
    return [*models] + [variant(os.path.join(root, "specs", base + ".cfg"), d, folder) for base, d in WANTED]


def dtype_of(path):
    with open(path) as f:
        return value(f.read(), "dtype") or "f32"

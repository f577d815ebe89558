# SPDX-License-Identifier: Apache-2.0
"""A model by its package: package.json tells what the call takes. The library is called as C calls it; what Python itself takes, some microseconds a
call, counts as it does for the peers."""

import ast
import ctypes
import json
import mmap
import pathlib

import numpy as np
from models import DIM_OF, KEPT, make_inputs

ALIGN = 64
TYPES = {"f32": np.float32, "s32": np.int32}


def aligned(nbytes):
    """Zeros that begin at a multiple of ALIGN."""
    memory = np.zeros(nbytes + ALIGN, np.uint8)
    at = -memory.ctypes.data % ALIGN
    return memory[at : at + nbytes]


def value_of(expression, dims):
    """An extent: an expression of whole numbers over dims."""
    tree = ast.parse(expression.replace("/", "//"), mode="eval")
    return int(eval(compile(tree, expression, "eval"), {"__builtins__": {}, "min": min, "max": max}, dims))


class Library:
    """A package's library, with weights that were loaded: those that are packed pass through two buffers, so that the model is in memory once."""

    def __init__(self, library, package, weights):
        self.package = json.loads((pathlib.Path(package) / "package.json").read_text())
        self.model, self.lib = self.package["model"], ctypes.CDLL(str(library))
        with open(weights, "r+b") as file:
            self.file = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE)
        self.begin = 8 + int.from_bytes(self.file[:8], "little")
        self.places = json.loads(self.file[8 : self.begin])
        self.stays = {one["name"]: one["stays"] for one in self.model["weights"]}
        self.buffers = [b"", b""]
        self.packed = aligned(self.function("model_bytes", ctypes.c_size_t)())
        self.handle = aligned(8 * (len(self.model["weights"]) + len(self.model["nodes"]) + 2))
        find = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)(self.find)
        self.must(self.function("load_from")(self.handle.ctypes.data, find, None, self.packed.ctypes.data))
        self.buffers = []

    def find(self, _, name, _bytes):
        """The address of a weight."""
        name = name.decode()
        first, last = (self.begin + place for place in self.places[name]["data_offsets"])
        if self.stays[name]:
            return ctypes.addressof(ctypes.c_char.from_buffer(self.file, first))
        self.buffers = [self.buffers[1], np.frombuffer(self.file[first:last], np.uint8)]
        self.file.madvise(mmap.MADV_DONTNEED)
        return self.buffers[1].ctypes.data

    def function(self, name, returns=ctypes.c_int):
        found = getattr(self.lib, f"{self.package['package']}_{name}")
        found.restype = returns
        return lambda *given: found(*(ctypes.c_void_p(one) if isinstance(one, int) else one for one in given))

    def must(self, code):
        if code:
            raise RuntimeError(self.function("strerror", ctypes.c_char_p)(ctypes.c_int(code)).decode())


class Exec(ctypes.Structure):
    """The package's exec; what is behind `kernel` is left 0."""

    _fields_ = [
        ("threads", ctypes.c_int),
        ("parallel_for", ctypes.c_void_p),
        ("ctx", ctypes.c_void_p),
        ("kernel", ctypes.c_int),
        ("others", ctypes.c_uint64 * 8),
    ]


class Dcgen:
    name, way = "dcgen", "package"

    def __init__(self, library, threads):
        self.library, self.exec, self.memory = library, Exec(threads=threads), {}
        model = library.model
        self.signature = [
            (one["from"], [int(extent) if extent.isdigit() else None for extent in one["extents"]], one["dtype"] != "f32")
            for one in model["inputs"] + model["states"]
        ]
        if threads > 1:
            self.exec.ctx = library.function("pool_start", ctypes.c_void_p)(ctypes.c_int(threads))
            self.exec.parallel_for = ctypes.cast(getattr(library.lib, f"{library.package['package']}_pool_run"), ctypes.c_void_p).value

    def close(self):
        if self.exec.ctx:
            self.library.function("pool_stop", None)(self.exec.ctx)

    def room(self, name, nbytes):
        """Memory that stays from size to size, as a product has it."""
        if len(self.memory.get(name, "")) < nbytes:
            self.memory[name] = aligned(nbytes)
        return self.memory[name][:nbytes]

    def bind(self, size):
        model, given = self.library.model, make_inputs(self.signature, size)
        dims = {"K": KEPT} | {DIM_OF[axis]: value for axis, value in size.items() if axis in DIM_OF}
        for one in model["inputs"]:
            dims |= {extent: n for extent, n in zip(one["extents"], given[one["from"]].shape, strict=True) if extent.isidentifier()}
        self.dims = np.array([dims[one["name"]] for one in model["dims"]] or [0], np.int64)
        self.arrays = {}
        for kind in ("inputs", "states", "outputs"):
            for one in model[kind]:
                memory = self.room(one["name"], 4 * int(np.prod([value_of(extent, dims) for extent in one["extents"]], dtype=np.int64)))
                array = memory.view(TYPES[one["dtype"]]).reshape([value_of(extent, dims) for extent in one["extents"]])
                if one["from"] in given:  # of a state, what is kept before the call
                    array[tuple(slice(n) for n in given[one["from"]].shape)] = given[one["from"]]
                self.arrays[one["name"]] = array
        self.structs = [
            np.array([self.arrays[one["name"]].ctypes.data for one in model[kind]], np.uint64)
            for kind in ("inputs", "states", "outputs")
            if model[kind]
        ]
        at_exec = ctypes.addressof(self.exec)
        nbytes = self.library.function("run_bytes", ctypes.c_size_t)(self.dims.ctypes.data, at_exec)
        given = [self.library.handle, self.dims, *self.structs, self.room("", nbytes)]
        self.arguments = [ctypes.c_void_p(one.ctypes.data) for one in given] + [ctypes.c_void_p(at_exec)]
        self.function = getattr(self.library.lib, f"{self.library.package['package']}_run")

    def run(self):
        self.library.must(self.function(*self.arguments))

    def results(self):
        return {one["from"]: self.arrays[one["name"]] for one in self.library.model["outputs"]}

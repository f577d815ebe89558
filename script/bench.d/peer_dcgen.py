# SPDX-License-Identifier: Apache-2.0
"""The layer by dcgen's package: the example examples/bert_layer, as a shared library.

void *bert_layer_example_new(int batch, int T, int threads, const float *const *weights);   NULL: cannot
int   bert_layer_example_run(void *state, const float *x, const int32_t *lengths, float *y); 0: done
void  bert_layer_example_free(void *state);
"""

import ctypes

import numpy as np

from problem import HIDDEN, WEIGHTS


def load(path):
    library = ctypes.CDLL(path)
    library.bert_layer_example_new.restype = ctypes.c_void_p
    library.bert_layer_example_new.argtypes = [ctypes.c_int] * 3 + [ctypes.POINTER(ctypes.c_void_p)]
    library.bert_layer_example_run.restype = ctypes.c_int
    library.bert_layer_example_run.argtypes = [ctypes.c_void_p] * 4
    library.bert_layer_example_free.restype = None
    library.bert_layer_example_free.argtypes = [ctypes.c_void_p]
    return library


class DcgenPeer:
    name, way = "dcgen", ""

    def __init__(self, library, weights, size, threads):
        self.library, self.size, self.threads = library, size, threads
        self.weights = [np.ascontiguousarray(weights[name]) for name, _ in WEIGHTS]
        pointers = (ctypes.c_void_p * len(self.weights))(*(w.ctypes.data for w in self.weights))
        self.state = library.bert_layer_example_new(size.batch, size.T, threads, pointers)
        if not self.state:
            raise RuntimeError("bert_layer_example_new gives NULL")

    def bind(self, x, lengths):
        self.x, self.lengths = x, np.ascontiguousarray(lengths, np.int32)
        self.y = np.full((self.size.rows, HIDDEN), np.nan, np.float32)
        self.arguments = (self.state, self.x.ctypes.data, self.lengths.ctypes.data, self.y.ctypes.data)

    def run(self):
        if self.library.bert_layer_example_run(*self.arguments) != 0:
            raise RuntimeError("bert_layer_example_run failed")

    def result(self):
        return self.y

    def close(self):
        self.library.bert_layer_example_free(self.state)

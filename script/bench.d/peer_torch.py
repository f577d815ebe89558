# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the CPU, if it is installed: four ways to write the layer, of which the fastest at each size is what the package meets.

`eager`: linear, scaled_dot_product_attention, layer_norm and gelu, as a user writes them. `encoder`: nn.TransformerEncoderLayer with its fast
path. The other two call what torch.compile makes of linear layers whose weights are frozen, without the compiler: `mkl`, where the sizes are fixed,
MKL with weights packed once; `onednn`, where they are dynamic, oneDNN with weights packed once, gelu and residual fused.
"""

import numpy as np

from problem import DEPTH, EPSILON, HEADS, HIDDEN, INNER

WAYS = ("eager", "encoder", "mkl", "onednn")
MATRICES = ("Wqkv", "Wproj", "Wup", "Wdown")


def version():
    """None where PyTorch is not installed."""
    try:
        import torch
    except ImportError:
        return None
    return f"PyTorch {torch.__version__} ({torch.backends.cpu.get_cpu_capability()})"


def attention(torch, qkv, batch, T, mask):
    q, k, v = qkv.view(batch, T, 3, HEADS, DEPTH).permute(2, 0, 3, 1, 4)
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return out.transpose(1, 2).reshape(batch, T, HIDDEN)


class Ways:
    """Each makes a function of x and mask (None, or True [batch][1][1][T] where a key counts) that gives y."""

    def __init__(self, torch, weights, size):
        self.torch, self.size = torch, size
        self.w = {name: torch.from_numpy(array) for name, array in weights.items()}

    def norm(self, x, number):
        norm = self.torch.nn.functional.layer_norm
        return norm(x, (HIDDEN,), self.w[f"gamma{number}"], self.w[f"beta{number}"], EPSILON)

    def layer(self, linear):
        """linear(x, name of the weights, name of the bias)."""
        gelu = self.torch.nn.functional.gelu

        def run(x, mask):
            attended = attention(self.torch, linear(x, "Wqkv", "bqkv"), self.size.batch, self.size.T, mask)
            middle = self.norm(linear(attended, "Wproj", "bproj").add_(x), 1)
            inner = gelu(linear(middle, "Wup", "bup"))
            return self.norm(linear(inner, "Wdown", "bdown").add_(middle), 2)

        return run

    def eager(self):
        w, linear = self.w, self.torch.nn.functional.linear
        return self.layer(lambda x, name, bias: linear(x, w[name], w[bias]))

    def mkl(self):
        ops, w, rows = self.torch.ops.mkl, self.w, self.size.rows
        packed = {n: ops._mkl_reorder_linear_weight(w[n], rows) for n in MATRICES}
        return self.layer(lambda x, name, bias: ops._mkl_linear(x, packed[name], w[name], w[bias], rows))

    def encoder(self):
        layer = self.torch.nn.TransformerEncoderLayer(
            HIDDEN, HEADS, INNER, dropout=0, activation="gelu", layer_norm_eps=EPSILON, batch_first=True
        ).eval()
        named = ["self_attn.in_proj_weight", "self_attn.in_proj_bias", "self_attn.out_proj.weight"]
        named += ["self_attn.out_proj.bias", "norm1.weight", "norm1.bias", "linear1.weight", "linear1.bias"]
        named += ["linear2.weight", "linear2.bias", "norm2.weight", "norm2.bias"]
        layer.load_state_dict(dict(zip(named, self.w.values(), strict=True)))
        size = self.size

        def run(x, mask):
            padding = None if mask is None else ~mask.view(size.batch, size.T)
            return layer(x.view(size.batch, size.T, HIDDEN), src_key_padding_mask=padding)

        return run

    def onednn(self):
        ops, w = self.torch.ops.mkldnn, self.w
        packed = {n: ops._reorder_linear_weight(w[n], self.size.rows) for n in MATRICES}

        def linear(x, name, bias, then="none"):
            return ops._linear_pointwise(x, packed[name], w[bias], then, [], "none" if then == "gelu" else "")

        def run(x, mask):
            x = x.view(self.size.rows, HIDDEN)
            qkv = linear(x, "Wqkv", "bqkv")
            attended = attention(self.torch, qkv, self.size.batch, self.size.T, mask)
            add = ops._linear_pointwise.binary
            projected = add(attended.view(x.shape), x, packed["Wproj"], w["bproj"], "add")
            middle = self.norm(projected, 1)
            inner = linear(middle, "Wup", "bup", "gelu")
            return self.norm(add(inner, middle, packed["Wdown"], w["bdown"], "add"), 2)

        return run


class TorchPeer:
    """One way at one size. The result is a new tensor each time, as PyTorch does it."""

    name = "PyTorch"

    def __init__(self, weights, size, threads, way):
        import torch

        torch.set_num_threads(threads)
        self.torch, self.size, self.way, self.threads = torch, size, way, threads
        with torch.inference_mode():
            self.call = getattr(Ways(torch, weights, size), way)()

    def bind(self, x, lengths):
        """A mask is given only where a sequence is shorter than T."""
        self.x = self.torch.from_numpy(x)
        counts = np.arange(self.size.T)[None, :] < lengths[:, None]
        self.mask = (
            None
            if counts.all()
            else self.torch.from_numpy(counts.reshape(self.size.batch, 1, 1, self.size.T))
        )
        if self.way != "onednn":
            self.x = self.x.view(self.size.batch, self.size.T, HIDDEN)

    def run(self):
        with self.torch.inference_mode():
            self.y = self.call(self.x, self.mask)

    def result(self):
        return self.y.numpy()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the models that dcgen's importer is tested with, as ONNX files that real exporters write.

    make.py [--size small|full] [--exporter torchscript|torchscript4|dynamo] [--out FOLDER] [MODEL ...]

Weights are random from a fixed seed, so nothing is downloaded. A small model has 2 layers of 64 channels (or a few
narrow blocks); a full one has the published sizes. For every model it writes NAME_SIZE.EXPORTER.onnx and, for a small
one, NAME_SIZE.1.safetensors, NAME_SIZE.2.safetensors ...: inputs "in.X" (int64 kept as I32) and outputs "out.X".
All exporters' files of one model share weights, names of inputs and outputs, and so these pairs (pairs.py).

Exporters: "torchscript" is PyTorch's older one, "dynamo" its newer one; "torchscript4" is the older one on
transformers 4, which builds masks as most files that people have do. It is made where transformers 4 is installed, and
the others where a later one is.

Only developers need this; the files it made are in this folder, by what requirements.txt lists from PyPI, and by
transformers 4.46.3.
"""
import argparse
import dataclasses
import inspect
import pathlib
import warnings

import onnx
import torch
import torchvision.models as vision
import transformers
from torch import nn
from torchvision.models import efficientnet, mobilenetv2, resnet

import pairs

warnings.filterwarnings("ignore")
torch.backends.mha.set_fastpath_enabled(False)          # one node that TorchScript's exporter does not know
BATCH, SEQ = "batch", "seq"


@dataclasses.dataclass
class Model:
    """A module to export: `inputs` makes its inputs for given dims, in the order of forward's parameters."""
    module: nn.Module
    inputs: callable            # dims (a dict) -> {name: tensor}
    outputs: list
    dynamic: dict               # input's name -> {axis: dim's name}
    output_dims: dict           # output's name -> {axis: dim's name}
    cases: list                 # dims of the kept input and output pairs; the first is what the exporter traces


# Weights -------------------------------------------------------------------------------------------------------------

def set_weights(module, images=None):
    """Random weights for which activations stay near 1 and no norm is the identity, so that a mistake shows."""
    for part in module.modules():
        if isinstance(part, nn.Embedding):
            part.weight.data.normal_(0, 0.5)
        elif isinstance(part, (nn.Linear, nn.Conv1d, nn.Conv2d, transformers.pytorch_utils.Conv1D)):
            by_rows = isinstance(part, transformers.pytorch_utils.Conv1D)
            fan_in = part.weight.shape[0] if by_rows else part.weight[0].numel()
            part.weight.data.normal_(0, (2.0 if isinstance(part, nn.Conv2d) else 1.0) ** 0.5 / fan_in ** 0.5)
        elif isinstance(part, nn.MultiheadAttention):
            part.in_proj_weight.data.normal_(0, 1 / part.embed_dim ** 0.5)
            part.in_proj_bias.data.normal_(0, 0.1)
        elif getattr(part, "weight", None) is not None and part.weight.dim() == 1:
            part.weight.data.uniform_(0.7, 1.3)
        if isinstance(getattr(part, "bias", None), nn.Parameter):
            part.bias.data.normal_(0, 0.1)
    for name, tensor in module.named_parameters():
        if name.rsplit(".")[-1] in ("class_token", "cls_token", "pos_embedding", "position_embeddings"):
            tensor.data.normal_(0, 0.5)
    if images is not None:
        set_running_statistics(module, images)


def set_running_statistics(module, images):
    """Batch norm keeps the mean and variance of a random batch, each changed a little."""
    norms = [part for part in module.modules() if isinstance(part, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None
    module.train()
    with torch.no_grad():
        module(images)
    for norm in norms:
        norm.running_var.mul_(torch.empty_like(norm.running_var).uniform_(0.8, 1.25))
        norm.running_mean.add_(0.1 * torch.randn_like(norm.running_mean) * norm.running_var.sqrt())


def round_weights(module):
    """Weights with 8 significant bits: the committed files pack to half their size."""
    for tensor in list(module.parameters()) + list(module.buffers()):
        if tensor.is_floating_point():
            tensor.data = tensor.data.bfloat16().to(tensor.dtype)


# Text ----------------------------------------------------------------------------------------------------------------

class Bert(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.bert = transformers.BertModel(config)

    def forward(self, input_ids, attention_mask, token_type_ids):
        answer = self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        return answer.last_hidden_state, answer.pooler_output


def bert(small, attention):
    sizes = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=72, vocab_size=150,
                 max_position_embeddings=48) if small else {}
    config = transformers.BertConfig(**sizes, attn_implementation=attention)

    def inputs(dims):
        shape = dims[BATCH], dims[SEQ]
        mask = torch.ones(shape, dtype=torch.long)
        for row in range(shape[0]):                     # the last tokens of every row but the first are padding
            mask[row, shape[1] - min(row, shape[1] - 1):] = 0 if row and shape[1] > 1 else 1
        return {"input_ids": torch.randint(0, config.vocab_size, shape), "attention_mask": mask,
                "token_type_ids": (torch.arange(shape[1]) >= shape[1] // 2).long().expand(shape).contiguous()}

    names = ("input_ids", "attention_mask", "token_type_ids")
    return Model(Bert(config), inputs, ["last_hidden_state", "pooler_output"],
                 {name: {0: BATCH, 1: SEQ} for name in names},
                 {"last_hidden_state": {0: BATCH, 1: SEQ}, "pooler_output": {0: BATCH}},
                 [{BATCH: 2, SEQ: 7}, {BATCH: 1, SEQ: 1}, {BATCH: 3, SEQ: 33}])


class Cached(nn.Module):
    """A decoder that takes kept keys and values and gives them back, longer by the new tokens."""
    def __init__(self, decoder, first):
        super().__init__()
        self.decoder, self.first = decoder, first
        self.keyword = "cache" if "cache" in inspect.signature(decoder.forward).parameters else "past_key_values"

    def forward(self, first, attention_mask, *past):
        pairs = list(zip(past[0::2], past[1::2]))
        cache = pairs if self.keyword == "past_key_values" else transformers.DynamicCache(pairs)
        answer = self.decoder(**{self.first: first, self.keyword: cache}, attention_mask=attention_mask, use_cache=True)
        kept = answer[self.keyword]
        pairs = kept if self.keyword == "past_key_values" else [(layer.keys, layer.values) for layer in kept.layers]
        return (answer[0], *(tensor for pair in pairs for tensor in pair))


def cached(decoder, first, out, nlayer, nhead, width, make_first):
    """The Model of a decoder with past_key_values.L.key and .value [batch, nhead, past, width]."""
    past = [f"past_key_values.{layer}.{part}" for layer in range(nlayer) for part in ("key", "value")]
    present = [name.replace("past_key_values", "present") for name in past]

    def inputs(dims):
        shape = dims[BATCH], dims[SEQ]
        mask = torch.ones(shape[0], dims["past"] + shape[1], dtype=torch.long)
        for row in range(1, shape[0]):                  # rows are padded in front, as text to be continued is
            mask[row, :min(row, dims["past"])] = 0
        kept = {name: torch.randn(shape[0], nhead, dims["past"], width) for name in past}
        return {first: make_first(shape), "attention_mask": mask, **kept}

    dynamic = {first: {0: BATCH, 1: SEQ}, "attention_mask": {0: BATCH, 1: "past_plus_seq"},
               **{name: {0: BATCH, 2: "past"} for name in past}}
    output_dims = {out: {0: BATCH, 1: SEQ}, **{name: {0: BATCH, 2: "past_plus_seq"} for name in present}}
    return Model(Cached(decoder, first), inputs, [out] + present, dynamic, output_dims,
                 [{BATCH: 2, SEQ: 3, "past": 5}, {BATCH: 2, SEQ: 7, "past": 0}, {BATCH: 3, SEQ: 1, "past": 9}])


def gpt2(small, attention):
    sizes = dict(n_embd=64, n_layer=2, n_head=4, n_inner=72, vocab_size=99, n_positions=40, bos_token_id=1,
                 eos_token_id=1) if small else {}
    config = transformers.GPT2Config(**sizes, attn_implementation=attention)
    return cached(transformers.GPT2LMHeadModel(config), "input_ids", "logits", config.n_layer, config.n_head,
                  config.n_embd // config.n_head, lambda shape: torch.randint(0, config.vocab_size, shape))


def llama(small, attention):
    """A stack of blocks without the table of words: 4 blocks of TinyLlama 1.1B's sizes when full."""
    sizes = dict(hidden_size=64, intermediate_size=72, num_hidden_layers=2, num_attention_heads=4,
                 num_key_value_heads=2) if small else \
        dict(hidden_size=2048, intermediate_size=5632, num_hidden_layers=4, num_attention_heads=32,
             num_key_value_heads=4)
    config = transformers.LlamaConfig(**sizes, vocab_size=8, attn_implementation=attention)
    decoder = transformers.LlamaModel(config)
    return cached(decoder, "inputs_embeds", "last_hidden_state", config.num_hidden_layers, config.num_key_value_heads,
                  config.hidden_size // config.num_attention_heads,
                  lambda shape: torch.randn(*shape, config.hidden_size))


# Images and sound ----------------------------------------------------------------------------------------------------

def images(module, shapes, fixed=False):
    """The Model of a classifier of images; `shapes` are (batch, height, width) of the pairs."""
    dynamic = {0: BATCH} if fixed else {0: BATCH, 2: "height", 3: "width"}
    return Model(module, lambda dims: {"pixels": torch.randn(dims[BATCH], 3, dims["height"], dims["width"])},
                 ["logits"], {"pixels": dynamic}, {"logits": {0: BATCH}},
                 [dict(zip((BATCH, "height", "width"), shape)) for shape in shapes])


def resnet50(small, attention):
    net = vision.resnet50()
    if small:
        net = resnet.ResNet(resnet.Bottleneck, [1, 1, 1, 1], num_classes=10)
        net.inplanes = 12
        net.conv1, net.bn1 = nn.Conv2d(3, 12, 7, 2, 3, bias=False), nn.BatchNorm2d(12)
        net.layer1 = net._make_layer(resnet.Bottleneck, 6, 2)
        net.layer2 = net._make_layer(resnet.Bottleneck, 8, 1, stride=2)
        net.layer3 = net._make_layer(resnet.Bottleneck, 9, 1, stride=2)
        net.layer4 = net._make_layer(resnet.Bottleneck, 12, 1, stride=2)
        net.fc = nn.Linear(48, 10)
    return images(net, [(2, 64, 48), (1, 33, 61), (3, 37, 32)])


def mobilenet_v2(small, attention):
    net = vision.mobilenet_v2()
    if small:
        blocks = [[1, 8, 1, 1], [6, 16, 2, 2], [6, 24, 1, 2]]
        net = mobilenetv2.MobileNetV2(num_classes=10, inverted_residual_setting=blocks, width_mult=0.5)
        net.features[-1] = mobilenetv2.Conv2dNormActivation(16, 48, kernel_size=1, activation_layer=nn.ReLU6)
        net.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(48, 10))
    return images(net, [(2, 32, 48), (1, 33, 61), (3, 37, 32)])


def efficientnet_b0(small, attention):
    net = vision.efficientnet_b0()
    if small:
        blocks = [efficientnet.MBConvConfig(1, 3, 1, 8, 8, 1), efficientnet.MBConvConfig(6, 3, 2, 8, 12, 2),
                  efficientnet.MBConvConfig(6, 5, 2, 12, 20, 1)]
        net = efficientnet.EfficientNet(blocks, 0.2, num_classes=10, last_channel=64)
    return images(net, [(2, 32, 48), (1, 33, 61), (3, 37, 32)])


def vit_b_16(small, attention):
    """torchvision's: one product gives queries, keys and values; position table of a fixed number of patches."""
    side = 32 if small else 224
    net = vision.vision_transformer.VisionTransformer(32, 8, 2, 4, 64, 72, num_classes=10) if small else \
        vision.vit_b_16()
    return images(net, [(2, side, side), (1, side, side)], fixed=True)


class VitOfTransformers(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.vit = transformers.ViTForImageClassification(config)

    def forward(self, pixels):
        return self.vit(pixel_values=pixels).logits


def vit_hf(small, attention):
    """The same of transformers: three products give queries, keys and values."""
    sizes = dict(image_size=32, patch_size=8, num_hidden_layers=2, num_attention_heads=4, hidden_size=64,
                 intermediate_size=72, num_labels=10) if small else dict(num_labels=1000)
    config = transformers.ViTConfig(**sizes, attn_implementation=attention)
    side = config.image_size
    return images(VitOfTransformers(config), [(2, side, side), (1, side, side)], fixed=True)


class WhisperEncoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.encoder = transformers.models.whisper.modeling_whisper.WhisperEncoder(config)

    def forward(self, input_features):
        return self.encoder(input_features).last_hidden_state


def whisper_encoder(small, attention):
    sizes = dict(d_model=64, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=72, num_mel_bins=12,
                 max_source_positions=23) if small else \
        dict(d_model=384, encoder_layers=4, encoder_attention_heads=6, encoder_ffn_dim=1536)
    config = transformers.WhisperConfig(**sizes, decoder_layers=1, attn_implementation=attention)
    frames = 2 * config.max_source_positions
    return Model(WhisperEncoder(config),
                 lambda dims: {"input_features": torch.randn(dims[BATCH], config.num_mel_bins, frames)},
                 ["last_hidden_state"], {"input_features": {0: BATCH}}, {"last_hidden_state": {0: BATCH}},
                 [{BATCH: 2}, {BATCH: 1}])


# What is kept small in this folder, exported how: attention is "eager" (written out) or "sdpa" (torch's one function),
# opsets differ on purpose, "keep_norms" asks the exporter not to fold batch norm, "external" puts weights into a file
# beside (what dynamo does unless asked not to). Any other pair of model and exporter can be made too.
MODELS = {
    "bert": (bert, {"torchscript": dict(opset=13, attention="eager"), "torchscript4": dict(opset=11, attention="eager"),
                    "dynamo": dict(opset=18)}),
    "gpt2": (gpt2, {"torchscript4": dict(opset=14), "dynamo": dict(opset=20, attention="eager")}),
    "llama": (llama, {"torchscript": dict(opset=17, attention="eager"), "dynamo": dict(opset=21)}),
    "resnet50": (resnet50, {"torchscript": dict(opset=11), "dynamo": dict(opset=18)}),
    "mobilenet_v2": (mobilenet_v2, {"torchscript": dict(opset=12, keep_norms=True),
                                    "dynamo": dict(opset=20, external=True)}),
    "efficientnet_b0": (efficientnet_b0, {"torchscript": dict(opset=15), "dynamo": dict(opset=19)}),
    "vit_b_16": (vit_b_16, {"torchscript": dict(opset=16), "dynamo": dict(opset=20)}),
    "vit_hf": (vit_hf, {}),
    "whisper_encoder": (whisper_encoder, {"torchscript": dict(opset=16)}),
}


# Export --------------------------------------------------------------------------------------------------------------

def export_torchscript(model, inputs, path, opset, keep_norms=False):
    modes = torch.onnx.TrainingMode
    torch.onnx.export(model.module, tuple(inputs.values()), path, dynamo=False, opset_version=opset,
                      input_names=list(inputs), output_names=model.outputs,
                      dynamic_axes={**model.dynamic, **model.output_dims},
                      training=modes.PRESERVE if keep_norms else modes.EVAL)


def export_dynamo(model, inputs, path, opset, external=False):
    limits = {"height": dict(min=32, max=1024), "width": dict(min=32, max=1024)}
    dims = {name: torch.export.Dim(name, **limits.get(name, {})) for axes in model.dynamic.values()
            for name in axes.values()}
    dims["past_plus_seq"] = torch.export.Dim.DYNAMIC    # a sum of two dims cannot be named: it gets a name like s53
    shapes = [{axis: dims[name] for axis, name in model.dynamic[key].items()} for key in inputs]
    nfixed = sum(par.kind is not par.VAR_POSITIONAL
                 for par in inspect.signature(model.module.forward).parameters.values())
    nested = (*shapes[:nfixed], tuple(shapes[nfixed:])) if nfixed < len(shapes) else tuple(shapes)
    torch.onnx.export(model.module, tuple(inputs.values()), path, dynamo=True, opset_version=opset,
                      input_names=list(inputs), output_names=model.outputs, dynamic_shapes=nested, verbose=False,
                      external_data=external)
    drop_metadata(path)


def drop_metadata(path):
    """Of what is said beside a node only its place among the modules stays: the rest is half of a small file, and
    holds paths of this machine."""
    model = onnx.load(path, load_external_data=False)
    for node in model.graph.node:
        kept = [entry for entry in node.metadata_props if entry.key == "namespace"]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    onnx.save(model, path)


def seeded_inputs(model, case):
    torch.manual_seed(7 + case)
    return model.inputs(model.cases[case])


def make(name, size, exporter, folder):
    build, exporters = MODELS[name]
    options = {"attention": "sdpa", "opset": 20 if exporter == "dynamo" else 17}
    small = size == "small"
    if small:
        options.update(exporters.get(exporter, {}))
    torch.manual_seed(1)
    model = build(small, options.pop("attention"))
    torch.manual_seed(2)
    is_net = any(isinstance(part, nn.BatchNorm2d) for part in model.module.modules())
    set_weights(model.module, torch.randn(8, 3, 64, 64) if is_net else None)
    if small:
        round_weights(model.module)
    model.module.eval()
    prefix = folder / f"{name}_{size}"
    path = f"{prefix}.{exporter}.onnx"
    export = export_dynamo if exporter == "dynamo" else export_torchscript
    with torch.no_grad():
        export(model, seeded_inputs(model, 0), path, **options)
    if small:
        pairs.make(path, prefix, [{name: tensor.numpy() for name, tensor in seeded_inputs(model, case).items()}
                                  for case in range(len(model.cases))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("small", "full"), default="small")
    parser.add_argument("--exporter", choices=("torchscript", "torchscript4", "dynamo"), action="append")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=[], help=", ".join(MODELS))
    options = parser.parse_args()
    for name in options.models:
        if name not in MODELS:
            parser.error(f"no model {name!r}, but {', '.join(MODELS)}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.models or MODELS:
        for exporter in options.exporter or MODELS[name][1]:
            if (exporter == "torchscript4") == transformers.__version__.startswith("4."):
                make(name, options.size, exporter, options.out)


if __name__ == "__main__":
    main()

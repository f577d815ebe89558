#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes two small models as Keras and tf2onnx write them: a third exporter, with another way of saying everything.

    make_keras.py [FOLDER]

keras_cnn: images with channels last, inverted blocks with squeeze and excite, hard swish and hard sigmoid, padding that
depends on the size, a transposed convolution. keras_encoder: one layer whose attention is einsums, with a mask of bool.
Weights are random from a fixed seed; names hold numbers that change from run to run, so the bytes do too. Needs, from
PyPI:
    tensorflow-cpu tf2onnx onnx onnxruntime safetensors
Made with tensorflow-cpu 2.21.0, keras 3.15.1, tf2onnx 1.17.0.
"""
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras
import numpy as np
import tensorflow as tf
import tf2onnx
from keras import layers

import pairs


def inverted_block(x, nchannel, stride, side):
    """Wider by 1x1, depthwise, gated by a squeeze of the image, narrower by 1x1; added to its input where it fits."""
    y = layers.Conv2D(4 * x.shape[-1], 1, use_bias=False)(x)
    y = layers.ReLU(6.0)(layers.BatchNormalization()(y))
    y = layers.DepthwiseConv2D(side, strides=stride, padding="same", use_bias=False)(y)
    y = layers.Activation("hard_swish")(layers.BatchNormalization()(y))
    gate = layers.GlobalAveragePooling2D(keepdims=True)(y)
    gate = layers.Conv2D(8, 1, activation="relu")(gate)
    y = layers.Multiply()([y, layers.Conv2D(y.shape[-1], 1, activation="hard_sigmoid")(gate)])
    y = layers.BatchNormalization()(layers.Conv2D(nchannel, 1, use_bias=False)(y))
    return layers.Add()([x, y]) if nchannel == x.shape[-1] and stride == 1 else y


def cnn():
    pixels = keras.Input((None, None, 3), name="pixels")
    x = layers.Conv2D(12, 3, strides=2, padding="same", use_bias=False)(pixels)
    x = layers.Activation("hard_swish")(layers.BatchNormalization()(x))
    x = inverted_block(x, 16, 2, 3)
    x = inverted_block(x, 16, 1, 5)
    x = layers.Conv2DTranspose(8, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.AveragePooling2D(2)(layers.ZeroPadding2D(1)(x))
    return keras.Model(pixels, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))


class Positions(layers.Layer):
    """Adds the first rows of a table."""
    def build(self, shape):
        self.table = self.add_weight(shape=(32, shape[-1]), initializer="random_normal")

    def call(self, x):
        return x + self.table[:tf.shape(x)[1]]


def encoder():
    tokens, mask = keras.Input((None,), dtype="int64", name="tokens"), keras.Input((None,), dtype="bool", name="mask")
    x = Positions()(layers.Embedding(120, 64)(tokens))
    keys = layers.Reshape((1, -1))(mask)
    y = layers.LayerNormalization(epsilon=1e-6)(x)
    x = layers.Add()([x, layers.MultiHeadAttention(4, 16)(y, y, attention_mask=keys)])
    y = layers.LayerNormalization(epsilon=1e-6)(x)
    y = layers.Dense(72, activation=lambda value: keras.activations.gelu(value, approximate=True))(y)
    x = layers.Add()([x, layers.Dense(64)(y)])
    return keras.Model([tokens, mask], layers.LayerNormalization(epsilon=1e-6)(x))


def set_weights(model):
    """Weights with 8 significant bits for which activations stay near 1 and no norm is the identity."""
    random = np.random.default_rng(1)
    for weight in model.weights:
        shape, name = tuple(weight.shape), weight.path.rsplit("/")[-1]
        if name in ("gamma", "moving_variance"):
            value = random.uniform(0.7, 1.3, shape)
        elif name in ("kernel", "depthwise_kernel"):
            fan_in = shape[0] * shape[1] if name[0] == "d" else weight.shape.num_elements() // shape[-1]
            value = random.standard_normal(shape) * (1.5 / fan_in) ** 0.5
        else:
            value = random.standard_normal(shape) * (0.5 if len(shape) == 2 and shape[0] > 16 else 0.1)
        weight.assign(tf.cast(tf.cast(value, tf.bfloat16), tf.float32))


def export(model, signature, opset, path):
    set_weights(model)

    def call(*inputs):
        return {"answer": model(list(inputs) if len(inputs) > 1 else inputs[0], training=False)}
    tf2onnx.convert.from_function(tf.function(call, input_signature=signature), input_signature=signature, opset=opset,
                                  output_path=str(path))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    random = np.random.default_rng(7)
    path = folder / "keras_cnn_small.tf2onnx.onnx"
    export(cnn(), [tf.TensorSpec((None, None, None, 3), tf.float32, "pixels")], 15, path)
    pairs.make(path, folder / "keras_cnn_small", [{"pixels": random.standard_normal(shape, np.float32)}
                                                  for shape in ((2, 32, 48, 3), (1, 33, 37, 3))])
    path = folder / "keras_encoder_small.tf2onnx.onnx"
    signature = [tf.TensorSpec((None, None), tf.int64, "tokens"), tf.TensorSpec((None, None), tf.bool, "mask")]
    export(encoder(), signature, 17, path)
    pairs.make(path, folder / "keras_encoder_small", [
        {"tokens": random.integers(0, 120, shape),
         "mask": np.arange(shape[1]) < shape[1] - np.arange(shape[0])[:, None]}      # row n has n less
        for shape in ((2, 7), (1, 1), (3, 19))])


if __name__ == "__main__":
    main()

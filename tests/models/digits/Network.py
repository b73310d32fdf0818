#===- Network.py - The digits network: graph, forward and backward pass in numpy
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""The graph of the digits network and its float32 arithmetic.

A network is a list of Layer records in execution order. Values are named by the layer that makes them; "image" is the
input. All activations are NHWC float32. Weights of convolutions are [kh, kw, in, out], of depthwise ones [kh, kw, c],
of the fully connected layer [in, out].
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Layer:
    name: str
    kind: str  # conv, depthwise, add, pool, dense, softmax
    inputs: list
    stride: int = 1
    relu: bool = False
    weights: np.ndarray = None
    bias: np.ndarray = None
    saved: tuple = field(default=(), repr=False)  # what backward needs from the last forward


def makeNetwork(seed):
    """The untrained network: He-initialized weights, zero biases."""
    rng = np.random.default_rng(seed)

    def weighted(name, kind, source, shape, fanIn, stride=1, relu=True):
        weights = rng.normal(0, np.sqrt(2 / fanIn), shape).astype(np.float32)
        return Layer(name, kind, [source], stride, relu, weights, np.zeros(shape[-1], np.float32))

    return [
        weighted("stem", "conv", "image", (3, 3, 1, 16), 9, stride=2),
        weighted("depthwise1", "depthwise", "stem", (3, 3, 16), 9),
        weighted("pointwise1", "conv", "depthwise1", (1, 1, 16, 32), 16),
        weighted("residual1", "conv", "pointwise1", (3, 3, 32, 32), 4 * 288, relu=False),
        Layer("add1", "add", ["pointwise1", "residual1"], relu=True),
        weighted("depthwise2", "depthwise", "add1", (3, 3, 32), 9, stride=2),
        weighted("pointwise2", "conv", "depthwise2", (1, 1, 32, 64), 32),
        weighted("residual2", "conv", "pointwise2", (3, 3, 64, 64), 4 * 576, relu=False),
        Layer("add2", "add", ["pointwise2", "residual2"], relu=True),
        Layer("pool", "pool", ["add2"]),
        weighted("scores", "dense", "pool", (64, 10), 64, relu=False),
        Layer("softmax", "softmax", ["scores"]),
    ]


def samePadding(extent, kernel, stride):
    """TFLite's SAME: output extent, and the padding before and after; an odd rest goes after."""
    out = -(-extent // stride)
    total = max((out - 1) * stride + kernel - extent, 0)
    return out, total // 2, total - total // 2


def pad(x, kernel, stride, value=0):
    _, top, bottom = samePadding(x.shape[1], kernel, stride)
    _, left, right = samePadding(x.shape[2], kernel, stride)
    return np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=value)


def tap(padded, i, j, stride, rows, columns):
    """The view of the padded input that kernel position (i, j) reads."""
    return padded[:, i:i + (rows - 1) * stride + 1:stride, j:j + (columns - 1) * stride + 1:stride]


def gatherPatches(x, kernel, stride, padValue=0):
    """[n, rows, columns, kernel * kernel * channels]: the inputs of each output position, in the weights' order."""
    padded = pad(x, kernel, stride, padValue)
    rows, columns = samePadding(x.shape[1], kernel, stride)[0], samePadding(x.shape[2], kernel, stride)[0]
    taps = [tap(padded, i, j, stride, rows, columns) for i in range(kernel) for j in range(kernel)]
    return np.concatenate(taps, axis=-1)


def unpad(paddedGradient, shape, kernel, stride):
    top, left = samePadding(shape[1], kernel, stride)[1], samePadding(shape[2], kernel, stride)[1]
    return paddedGradient[:, top:top + shape[1], left:left + shape[2]]


def convForward(layer, x):
    kernel = layer.weights.shape[0]
    patches = gatherPatches(x, kernel, layer.stride)
    layer.saved = (x.shape, patches)
    return patches @ layer.weights.reshape(-1, layer.weights.shape[-1]) + layer.bias


def convBackward(layer, gradient):
    shape, patches = layer.saved
    kernel, depth = layer.weights.shape[0], layer.weights.shape[-1]
    flat = gradient.reshape(-1, depth)
    weightGradient = (patches.reshape(len(flat), -1).T @ flat).reshape(layer.weights.shape)
    perTap = np.split(gradient @ layer.weights.reshape(-1, depth).T, kernel * kernel, axis=-1)
    padded = pad(np.zeros(shape, np.float32), kernel, layer.stride)
    for t, part in enumerate(perTap):
        tap(padded, t // kernel, t % kernel, layer.stride, *gradient.shape[1:3])[...] += part
    return [unpad(padded, shape, kernel, layer.stride)], weightGradient, flat.sum(axis=0)


def depthwiseForward(layer, x):
    kernel = layer.weights.shape[0]
    patches = gatherPatches(x, kernel, layer.stride)
    patches = patches.reshape(*patches.shape[:3], kernel * kernel, -1)
    layer.saved = (x.shape, patches)
    return np.einsum("nhwtc,tc->nhwc", patches, layer.weights.reshape(kernel * kernel, -1)) + layer.bias


def depthwiseBackward(layer, gradient):
    shape, patches = layer.saved
    kernel = layer.weights.shape[0]
    weightGradient = np.einsum("nhwtc,nhwc->tc", patches, gradient).reshape(layer.weights.shape)
    padded = pad(np.zeros(shape, np.float32), kernel, layer.stride)
    for t in range(kernel * kernel):
        i, j = t // kernel, t % kernel
        tap(padded, i, j, layer.stride, *gradient.shape[1:3])[...] += gradient * layer.weights[i, j]
    return [unpad(padded, shape, kernel, layer.stride)], weightGradient, gradient.sum(axis=(0, 1, 2))


def poolForward(layer, x):
    layer.saved = x.shape
    return x.mean(axis=(1, 2))


def poolBackward(layer, gradient):
    _, rows, columns, _ = layer.saved
    spread = np.broadcast_to(gradient[:, None, None] / (rows * columns), layer.saved)
    return [spread], None, None


def denseForward(layer, x):
    layer.saved = x
    return x @ layer.weights + layer.bias


def denseBackward(layer, gradient):
    return [gradient @ layer.weights.T], layer.saved.T @ gradient, gradient.sum(axis=0)


def softmaxForward(layer, x):
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


kForward = {"conv": convForward, "depthwise": depthwiseForward, "pool": poolForward, "dense": denseForward,
            "softmax": softmaxForward, "add": lambda layer, a, b: a + b}
# The gradient of softmax and cross entropy together is taken at the scores, so softmax passes it through.
kBackward = {"conv": convBackward, "depthwise": depthwiseBackward, "pool": poolBackward, "dense": denseBackward,
             "softmax": lambda layer, g: ([g], None, None), "add": lambda layer, g: ([g, g], None, None)}


def forward(network, images):
    """All values by name for images [n, 28, 28, 1] float32 in 0..1."""
    values = {"image": images}
    for layer in network:
        out = kForward[layer.kind](layer, *[values[name] for name in layer.inputs])
        values[layer.name] = np.maximum(out, 0) if layer.relu else out
    return values


def backward(network, values, gradient):
    """Gradients [(layer, weights, bias)] of the loss whose gradient at the scores is given."""
    pending, result = {network[-1].name: gradient}, []
    for layer in reversed(network):
        g = pending.pop(layer.name)
        if layer.relu:
            g = g * (values[layer.name] > 0)
        toInputs, weights, bias = kBackward[layer.kind](layer, g)
        for name, part in zip(layer.inputs, toInputs):
            pending[name] = pending[name] + part if name in pending else part
        if weights is not None:
            result.append((layer, weights, bias))
    return result


def accuracy(probabilities, labels):
    return float(np.mean(np.argmax(probabilities, axis=-1) == labels))

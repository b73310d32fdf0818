#===- IntegerReference.py - Exact evaluation of the quantized network
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Evaluation of QuantizedLayers with the arithmetic of the TFLite reference kernels, bit for bit.

It shares no code with the kernels of the product, so its outputs are goldens for them.
"""

import numpy as np

from FixedPoint import doublingHighMultiply, expOfNegative, quantizeMultiplier, reciprocal, rescale, roundingShiftRight
from Network import gatherPatches


def clampOutput(layer, values):
    low = max(-128, layer.output.zeroPoint) if layer.relu else -128
    return np.clip(values, low, 127)


def requantize(layer, accumulators, inputScale):
    real = np.float64(inputScale) * layer.weightScales.scale.astype(np.float64) / np.float64(layer.output.scale[0])
    scaled = rescale(accumulators, [quantizeMultiplier(r) for r in real])
    return clampOutput(layer, scaled + layer.output.zeroPoint)


def exactProduct(a, b):
    """Integer matrix product through float64, exact as every sum stays far below 2^53."""
    return np.rint(a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64)


def conv(layer, x, source):
    patches = gatherPatches(x - source.zeroPoint, layer.weights.shape[0], layer.stride)
    sums = exactProduct(patches, layer.weights.reshape(-1, layer.weights.shape[-1])) + layer.bias
    return requantize(layer, sums, source.scale[0])


def depthwise(layer, x, source):
    taps = layer.weights.shape[0] ** 2
    patches = gatherPatches(x - source.zeroPoint, layer.weights.shape[0], layer.stride)
    patches = patches.reshape(*patches.shape[:3], taps, -1)
    sums = (patches * layer.weights.reshape(taps, -1).astype(np.int64)).sum(axis=3) + layer.bias
    return requantize(layer, sums, source.scale[0])


def dense(layer, x, source):
    return requantize(layer, exactProduct(x - source.zeroPoint, layer.weights) + layer.bias, source.scale[0])


def add(layer, a, b, sourceA, sourceB):
    """Both inputs go to twice the larger scale with 20 more bits, are added, and return to the output's scale."""
    scaleA, scaleB = np.float64(sourceA.scale[0]), np.float64(sourceB.scale[0])
    common = 2 * max(scaleA, scaleB)
    total = (rescale((a - sourceA.zeroPoint) << 20, quantizeMultiplier(scaleA / common)) +
             rescale((b - sourceB.zeroPoint) << 20, quantizeMultiplier(scaleB / common)))
    real = common / (2**20 * np.float64(layer.output.scale[0]))
    return clampOutput(layer, rescale(total, quantizeMultiplier(real)) + layer.output.zeroPoint)


def pool(layer, x, source):
    """The mean of the raw values, rounded half away from zero."""
    count = x.shape[1] * x.shape[2]
    total = x.sum(axis=(1, 2))
    return np.clip(np.sign(total) * ((np.abs(total) + count // 2) // count), -128, 127)


def softmax(layer, x, source):
    significand, exponent = quantizeMultiplier(min(np.float64(source.scale[0]) * 2**26, 2.0**31 - 1))
    smallest = -int(np.floor(31 * 2.0 ** (31 - 5) / 2.0**exponent))  # smaller differences count as exp = 0
    difference = x - x.max(axis=-1, keepdims=True)
    counts = difference >= smallest
    scaled = doublingHighMultiply(np.where(counts, difference, 0) << exponent, significand)
    exponentials = np.where(counts, expOfNegative(scaled), 0)
    sums = roundingShiftRight(exponentials, 12).sum(axis=-1, keepdims=True)
    inverse, bitsOverUnit = reciprocal(sums, 12)
    result = roundingShiftRight(doublingHighMultiply(inverse, exponentials), bitsOverUnit + 31 - 8) - 128
    return np.clip(np.where(counts, result, -128), -128, 127)


kEvaluate = {"conv": conv, "depthwise": depthwise, "dense": dense, "add": add, "pool": pool, "softmax": softmax}


def evaluate(layers, inputQuantization, images):
    """All int8 values by name for images [n, 28, 28] uint8."""
    values = {"image": images.astype(np.int64)[..., None] - 128}
    parameters = {"image": inputQuantization}
    for layer in layers:
        values[layer.name] = kEvaluate[layer.kind](layer, *[values[name] for name in layer.inputs],
                                                   *[parameters[name] for name in layer.inputs])
        parameters[layer.name] = layer.output
    return values

# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of transformers as exporters write them: normalizations, attention, and the blocks that consist of them.

Values are [1, tokens, width] between the parts, and [1, heads, tokens, depth] in attention.
"""

import Layers


def layerNorm(model, x):
    """Of the last axis."""
    width, last = x.shape[-1], (len(x.shape) - 1,)
    centered = Layers.pair(model, "SUB", x, Layers.reduce(model, x, "MEAN", last, True))
    variance = Layers.reduce(model, Layers.pair(model, "MUL", centered, centered), "MEAN", last, True)
    inverse = Layers.unary(model, "RSQRT", Layers.pair(model, "ADD", variance, model.constant((1,))))
    scaled = Layers.pair(model, "MUL", Layers.pair(model, "MUL", centered, inverse), model.constant((width,)))
    return Layers.pair(model, "ADD", scaled, model.constant((width,)))


def rmsNorm(model, x):
    """Of the last axis."""
    width, last = x.shape[-1], (len(x.shape) - 1,)
    square = Layers.reduce(model, Layers.pair(model, "MUL", x, x), "MEAN", last, True)
    inverse = Layers.unary(model, "RSQRT", Layers.pair(model, "ADD", square, model.constant((1,))))
    return Layers.pair(model, "MUL", Layers.pair(model, "MUL", x, inverse), model.constant((width,)))


def rotary(model, x):
    """Rotates pairs of elements that are half of the depth apart by angles of the position."""
    tokens, half = x.shape[2], x.shape[3] // 2
    cos, sin = (model.constant((1, 1, tokens, half)) for _ in range(2))
    low, high = Layers.split(model, x, 2)
    mul = lambda a, b: Layers.pair(model, "MUL", a, b)
    return Layers.concatenation(model, [Layers.pair(model, "SUB", mul(low, cos), mul(high, sin)),
                                        Layers.pair(model, "ADD", mul(high, cos), mul(low, sin))])


def attention(model, query, key, value, isMasked=False):
    """softmax(query key^T / sqrt(depth) + mask) value."""
    scores = Layers.pair(model, "MUL", Layers.batchMatmul(model, query, key, True), model.constant((1,)))
    if isMasked:
        scores = Layers.pair(model, "ADD", scores, model.constant((1, 1, *scores.shape[2:])))
    return Layers.batchMatmul(model, Layers.softmax(model, scores), value)


def heads(model, x, count):
    _, tokens, width = x.shape
    return Layers.transpose(model, Layers.reshape(model, x, 1, tokens, count, width // count), (0, 2, 1, 3))


def selfAttention(model, x, count, isRotated=False, isMasked=False):
    _, tokens, width = x.shape
    query, key, value = (heads(model, Layers.fullyConnected(model, x, width), count) for _ in range(3))
    if isRotated:
        query, key = rotary(model, query), rotary(model, key)
    mixed = Layers.transpose(model, attention(model, query, key, value, isMasked), (0, 2, 1, 3))
    return Layers.fullyConnected(model, Layers.reshape(model, mixed, 1, tokens, width), width)


def swish(model, x):
    return Layers.pair(model, "MUL", x, Layers.unary(model, "LOGISTIC", x))


def gelu(model, x):
    return Layers.unary(model, "GELU", x, "GeluOptions", approximate=True)


def feedForward(model, x, inner, function=None):
    function = function or (swish if model.type == "i16" else gelu)  # GELU has no form for 16 bits
    return Layers.fullyConnected(model, function(model, Layers.fullyConnected(model, x, inner)), x.shape[-1])


def gated(model, x, inner):
    gate = swish(model, Layers.fullyConnected(model, x, inner))
    return Layers.fullyConnected(model, Layers.pair(model, "MUL", gate, Layers.fullyConnected(model, x, inner)), x.shape[-1])


def add(model, x, y):
    return Layers.pair(model, "ADD", x, y)


def encoder(model, x, count):
    x = layerNorm(model, add(model, x, selfAttention(model, x, count)))
    return layerNorm(model, add(model, x, feedForward(model, x, 4 * x.shape[-1])))


def visionBlock(model, x, count):
    x = add(model, x, selfAttention(model, layerNorm(model, x), count))
    return add(model, x, feedForward(model, layerNorm(model, x), 4 * x.shape[-1]))


def vision(model, image, width, count):
    """A vision transformer of one block over patches of 16 x 16 pixels."""
    patches = Layers.conv(model, image, width, (16, 16), 16, padding="VALID", activation="NONE")
    tokens = patches.shape[1] * patches.shape[2]
    x = add(model, Layers.reshape(model, patches, 1, tokens, width), model.constant((1, tokens, width)))
    return Layers.fullyConnected(model, Layers.reduce(model, visionBlock(model, x, count), "MEAN", (1,)), 100)


def decoder(model, x, count):
    x = add(model, x, selfAttention(model, rmsNorm(model, x), count, isRotated=True, isMasked=True))
    return add(model, x, gated(model, rmsNorm(model, x), 3 * x.shape[-1]))


def convolutionModule(model, x, kernel):
    """Gated pixels, then a filter along time for each channel."""
    _, tokens, width = x.shape
    halves = Layers.split(model, Layers.fullyConnected(model, layerNorm(model, x), 2 * width), 2)
    x = Layers.pair(model, "MUL", halves[0], Layers.unary(model, "LOGISTIC", halves[1]))
    x = Layers.depthwise(model, Layers.reshape(model, x, 1, 1, tokens, width), (1, kernel))
    return Layers.fullyConnected(model, swish(model, Layers.reshape(model, x, 1, tokens, width)), width)


def conformer(model, x, count):
    half = lambda x: Layers.pair(model, "MUL", feedForward(model, layerNorm(model, x), 4 * x.shape[-1], swish),
                                 model.constant((1,)))
    x = add(model, x, half(x))
    x = add(model, x, selfAttention(model, layerNorm(model, x), count))
    x = add(model, x, convolutionModule(model, x, 31))
    return layerNorm(model, add(model, x, half(x)))

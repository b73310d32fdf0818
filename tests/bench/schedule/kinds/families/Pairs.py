# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two operators, of which one could hide in the other or spoil its layout."""

import Layers
from Case import Case, byX


def residual(model, x):
    return Layers.pair(model, "ADD", Layers.conv(model, x, x.shape[3]), x)


def separable(model, x):
    return Layers.conv(model, Layers.depthwise(model, x), x.shape[3], (1, 1))


def inverted(model, x):
    wide = Layers.conv(model, x, 6 * x.shape[3], (1, 1))
    return Layers.pair(model, "ADD", Layers.conv(model, Layers.depthwise(model, wide), x.shape[3], (1, 1)), x)


def squeeze(model, x):
    mean = Layers.reduce(model, x, "MEAN", (1, 2), True)
    narrow = Layers.conv(model, mean, max(1, x.shape[3] // 4), (1, 1))
    return Layers.pair(model, "MUL", x, Layers.unary(model, "LOGISTIC", Layers.conv(model, narrow, x.shape[3], (1, 1))))


def swish(model, x):
    made = Layers.conv(model, x, x.shape[3])
    return Layers.pair(model, "MUL", made, Layers.unary(model, "LOGISTIC", made))


def pooled(model, x):
    return Layers.pool(model, Layers.conv(model, x, x.shape[3]), "MAX_POOL_2D", (2, 2), 2)


def upsampled(model, x):
    n, h, w, c = x.shape
    return Layers.conv(model, Layers.resize(model, x, "RESIZE_NEAREST_NEIGHBOR", 2 * h, 2 * w), c)


def transposed(model, x):
    return Layers.transpose(model, Layers.conv(model, x, x.shape[3]), (0, 3, 1, 2))


def classified(model, x):
    mean = Layers.reduce(model, x, "MEAN", (1, 2))
    return Layers.softmax(model, Layers.fullyConnected(model, mean, 100))


def attention(model, x):
    n, h, w, c = x.shape
    rows = Layers.reshape(model, x, 1, h * w, c)
    weights = Layers.softmax(model, Layers.batchMatmul(model, rows, rows, True))
    return Layers.batchMatmul(model, weights, rows)


def dilatedByBatches(model, x):
    inner = Layers.conv(model, Layers.moveBatch(model, x, "SPACE_TO_BATCH_ND", 2), x.shape[3], padding="SAME")
    return Layers.moveBatch(model, inner, "BATCH_TO_SPACE_ND", 2)


CHAINS = {"conv + residual": residual, "separable": separable, "inverted bottleneck": inverted, "squeeze and excite": squeeze, "conv + swish": swish,
          "conv + pool": pooled, "upsample + conv": upsampled, "conv + transpose": transposed, "mean + fully connected + softmax": classified,
          "attention": attention, "batches + conv": dilatedByBatches}


def cases():
    for name, chain in CHAINS.items():
        for typeName, maps in (("i8", ((14, 14, 96), (28, 28, 32), (112, 112, 16))), ("f32", ((14, 14, 32),)), ("i16", ((28, 28, 32),))):
            for h, w, c in maps:
                if chain is attention and h > 28:
                    continue
                def build(model, chain=chain, h=h, w=w, c=c):
                    model.output(chain(model, model.input(1, h, w, c)))
                yield Case("pairs of operators", f"{name} {byX(h, w, c)} {typeName}", typeName, build)

# Networks.py - Networks that the tests write in two formats
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PAIRS: the name of a network -> a function that returns its Pair, or what `make` has instead."""
from Pair import Pair

# Of MobileNet v2: expansion, channels, repetitions, first stride.
INVERTED = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]


def inverted(pair, value, outputs, stride, expansion):
    inputs = value.shape[3]
    wide = pair.convolution(value, inputs * expansion, 1) if expansion > 1 else value
    wide = pair.convolution(wide, wide.shape[3], 3, stride, depthwise=True)
    result = pair.convolution(wide, outputs, 1, activation="NONE")
    return pair.add(value, result) if stride == 1 and inputs == outputs else result


def mobilenet(size=224, rows=tuple(INVERTED), last=1280, classes=1000, make=Pair):
    pair = make(1, size, size, 3)
    value = pair.convolution(pair.image(), 32, 3, 2)
    for expansion, outputs, count, stride in rows:
        for index in range(count):
            value = inverted(pair, value, outputs, stride if index == 0 else 1, expansion)
    pair.output(pair.softmax(pair.dense(pair.mean(pair.convolution(value, last, 1)), classes)))
    return pair


def residual(make=Pair):
    pair = make(1, 32, 32, 3)
    value = pair.pool(pair.convolution(pair.image(), 16, 5, 1, "RELU"), "MAX", 2, 2)
    for outputs, stride in ((16, 1), (32, 2)):
        branch = pair.convolution(pair.convolution(value, outputs, 3, stride, "RELU"), outputs, 3, 1, "NONE")
        short = value if stride == 1 else pair.convolution(value, outputs, 1, stride, "NONE")
        value = pair.add(branch, short, "RELU")
    pair.output(pair.dense(pair.dense(pair.mean(value), 64, "RELU"), 10))
    return pair


def encoderDecoder(make=Pair):
    """Two outputs, one of them an image."""
    pair = make(1, 24, 32, 3)
    wide = pair.convolution(pair.image(), 8)
    deep = pair.convolution(pair.pool(wide, "AVERAGE", 2, 2), 16)
    pair.output(pair.convolution(pair.concatenation(pair.upsampled(deep), wide), 4, 3, 1, "NONE"))
    pair.output(pair.mean(deep))
    return pair


def multilayer(make=Pair):
    pair = make(4, 96)
    value = pair.input
    for width in (128, 128, 32):
        value = pair.dense(value, width, "RELU")
    pair.output(pair.softmax(pair.dense(value, 12)))
    return pair


PAIRS = {
    "mobilenet_small": lambda make=Pair: mobilenet(64, [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 2, 2)], 128, 100, make),
    "residual": residual, "encoder_decoder": encoderDecoder, "multilayer": multilayer,
}

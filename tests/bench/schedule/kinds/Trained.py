# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that are distributed as trained ones: a bell curve, of which the largest number of a block sets the scale."""

import functools
import itertools
import random
import struct


@functools.cache
def bellCurve():
    """Repeated, of an odd number of elements, so that rows differ."""
    source = random.Random(41)
    return [source.gauss(0, 1) for _ in range(1 << 14 | 1)]


def asHalf(number):
    return struct.unpack("<e", struct.pack("<e", number))[0]


def quantized(shape, bits, block):
    """The integers and the scale of each block, which is a float16."""
    most = (1 << bits - 1) - 1
    real = itertools.cycle(bellCurve())
    integers, scales = bytearray(), []
    for _ in range(shape[0] * shape[1] // block):
        numbers = list(itertools.islice(real, block))
        scales.append(asHalf(max(map(abs, numbers)) / most))
        integers += bytes(max(-most - 1, min(most, round(number / scales[-1]))) & 255 for number in numbers)
    return bytes(integers), scales


def packed(integers, bits):
    """As .tflite files have them: of two numbers of 4 bits the first is the lower half of the byte."""
    if bits == 8:
        return integers
    return bytes(low & 15 | (high & 15) << 4 for low, high in zip(integers[::2], integers[1::2]))

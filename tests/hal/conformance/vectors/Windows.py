#===- Windows.py - Cases of convolutions, pools and matrix products
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Loops over output positions, as in the definitions of the operations. Tensors are NHWC."""

import numpy as np

from Cases import Family, Type, flag, integer, kRuns, ramp, tensor

kCoupled = kRuns + " QuantCoupling"


def padded(x, pads, value=0.0):
    """`pads`: left, right, top, bottom."""
    left, right, top, bottom = pads
    return np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=value)


def convolve(x, weights, bias, pads=(0, 0, 0, 0), stride=(1, 1), groups=1):
    """`weights`: [out, h, w, in / groups]; `stride`: width, height."""
    x = padded(x, pads)
    outs, height, width, depth = weights.shape
    rows, columns = (x.shape[1] - height) // stride[1] + 1, (x.shape[2] - width) // stride[0] + 1
    result = np.zeros((x.shape[0], rows, columns, outs))
    for n, r, c, o in np.ndindex(*result.shape):
        first = o // (outs // groups) * depth
        window = x[n, r * stride[1]:r * stride[1] + height, c * stride[0]:c * stride[0] + width, first:first + depth]
        result[n, r, c, o] = np.sum(window * weights[o]) + bias[o]
    return result


def depthwise(x, weights, bias, multiplier, **more):
    """`weights`: [1, h, w, in * multiplier]."""
    channels = x.shape[3]
    return convolve(x, np.transpose(weights, (3, 1, 2, 0)), bias, groups=channels, **more)


def transposed(x, weights, bias, stride, pads):
    """Each input element adds its scaled filter to the output; `weights`: [out, h, w, in]."""
    outs, height, width, _ = weights.shape
    full = np.zeros((x.shape[0], (x.shape[1] - 1) * stride[1] + height, (x.shape[2] - 1) * stride[0] + width, outs))
    for n, r, c, i in np.ndindex(*x.shape):
        full[n, r * stride[1]:r * stride[1] + height, c * stride[0]:c * stride[0] + width] += (
            x[n, r, c, i] * np.transpose(weights[:, :, :, i], (1, 2, 0)))
    left, right, top, bottom = pads
    return full[:, top:full.shape[1] - bottom, left:full.shape[2] - right] + bias


def pool(x, function, pads, stride, size):
    """`size`: width, height. `function` gets the elements of a window without the padding."""
    x = padded(x, pads, np.nan)
    rows, columns = (x.shape[1] - size[1]) // stride[1] + 1, (x.shape[2] - size[0]) // stride[0] + 1
    result = np.zeros((x.shape[0], rows, columns, x.shape[3]))
    for n, r, c, d in np.ndindex(*result.shape):
        window = x[n, r * stride[1]:r * stride[1] + size[1], c * stride[0]:c * stride[0] + size[0], d]
        result[n, r, c, d] = function(window[~np.isnan(window)])
    return result


def integers(*values):
    return [integer(value) for value in values]


def convolutions(family):
    x, weights, bias = ramp(1, 4, 3, 2), ramp(3, 2, 2, 2, start=-0.5, step=0.125), np.array([0.5, -1.0, 2.0])
    constants = [tensor("f", weights), tensor("f", bias)]
    pads, stride = (1, 0, 0, 1), (2, 1)
    family.simple("conv", "CONV_2D", [("f", x)] + constants + integers(*pads, *stride, 0),
                  [("f", convolve(x, weights, bias, pads, stride))])
    family.simple("convFilterIsInput", "CONV_2D", [("f", x), ("f", weights), ("f", bias)] + integers(0, 0, 0, 0, 1, 1, 1),
                  [("f", np.maximum(convolve(x, weights, bias), 0))])
    family.simple("convHalf", "CONV_2D", [("h", x), tensor("h", weights), tensor("h", bias)] + integers(0, 0, 0, 0, 1, 1, 0),
                  [("h", convolve(x, weights, bias))])
    deep = ramp(1, 2, 2, 4, start=-0.5, step=0.125)
    family.simple("depthwise", "DEPTHWISE_CONV_2D", [("f", x), tensor("f", deep), tensor("f", [1, 2, 3, 4])] +
                  integers(0, 1, 1, 0, 1, 2, 2, 0),
                  [("f", depthwise(x, deep, [1, 2, 3, 4], 2, pads=(0, 1, 1, 0), stride=(1, 2)))])
    grouped = ramp(4, 2, 2, 1, start=-0.5, step=0.125)
    family.simple("grouped", "GROUPED_CONV_2D", [("f", x), tensor("f", grouped), tensor("f", [0, 1, 0, -1])] +
                  integers(0, 0, 0, 0, 1, 1, 2, 0) + [flag(0)],
                  [("f", convolve(x, grouped, [0, 1, 0, -1], groups=2))])
    family.simple("transposed", "TRANSPOSE_CONV_2D", [("f", x)] + constants + integers(1, 0, 0, 1, 2, 1, 0) + [flag(0)],
                  [("f", transposed(x, weights, bias, (2, 1), (1, 0, 0, 1)))])


def quantizedConvolutions(family):
    inputs, outputs = Type("u", 0.5, 128), Type("u", 1.0, 60)
    stored = np.array([[120, 130, 140], [126, 128, 129], [100, 150, 200]]).reshape(1, 3, 3, 1)
    bias = np.array([4, -8])
    for name, filters, values in (
            ("convQuantized", Type("u", 0.25, 127), [130, 127, 120, 129, 126, 128, 140, 127]),
            ("convPerChannel", Type("p", channels=[0.25, 0.5], dim=0), [3, 0, -7, 2, -1, 1, 5, 0])):
        weights = np.array(values).reshape(2, 2, 2, 1)
        scales = np.array([0.125, 0.125 if filters.letter == "u" else 0.25])
        biasType = Type("i", 0.125 if filters.letter == "u" else 0.0)
        real = convolve(inputs.real(stored), filters.real(weights), bias * scales)
        family.simple(name, "CONV_2D", [(inputs, stored), tensor(filters, weights), tensor(biasType, bias)] +
                      integers(0, 0, 0, 0, 1, 1, 0), [(outputs, outputs.store(real))], runs=kCoupled)


def products(family):
    x, weights, bias = ramp(2, 3), ramp(4, 3, start=-0.5, step=0.125), np.array([1.0, 0.0, -1.0, 0.5])
    family.simple("fullyConnected", "FULLY_CONNECTED",
                  [("f", x), tensor("f", weights, pooled=True), tensor("f", bias), integer(0)],
                  [("f", x @ weights.T + bias)])
    inputs, filters, outputs = Type("u", 0.5, 128), Type("u", 0.25, 127), Type("u", 1.0, 60)
    stored, rows = np.array([[120, 130, 140]]), np.array([[127, 130, 125], [120, 127, 140]])
    real = inputs.real(stored) @ filters.real(rows).T + np.array([0.5, -1.0])
    family.simple("fullyConnectedQuantized", "FULLY_CONNECTED",
                  [(inputs, stored), tensor(filters, rows), tensor(Type("i", 0.125), [4, -8]), integer(0)],
                  [(outputs, outputs.store(real))], runs=kCoupled)
    a, b = ramp(1, 2, 3), ramp(1, 4, 3, start=0.5)
    family.simple("batchMatmul", "BATCH_MATMUL", [("f", a), ("f", b), flag(0), flag(1)],
                  [("f", a @ np.transpose(b, (0, 2, 1)))], level="AidlV2")


def pools(family):
    x = ramp(1, 4, 4, 2)
    pads, stride, size = (1, 0, 0, 1), (2, 1), (2, 3)
    rms = lambda window: np.sqrt(np.mean(window**2))
    for name, operation, function in (("averagePool", "AVERAGE_POOL_2D", np.mean), ("maxPool", "MAX_POOL_2D", np.max),
                                      ("l2Pool", "L2_POOL_2D", rms)):
        family.simple(name, operation, [("f", x)] + integers(*pads, *stride, *size, 0),
                      [("f", pool(x, function, pads, stride, size))])
    u = Type("u", 0.5, 100)
    stored = np.arange(90, 122).reshape(1, 4, 4, 2)
    for name, operation, function in (("averagePool", "AVERAGE_POOL_2D", np.mean), ("maxPool", "MAX_POOL_2D", np.max)):
        family.simple(name + "Quantized", operation, [(u, stored)] + integers(0, 0, 0, 0, 2, 2, 2, 2, 0),
                      [(u, u.store(pool(u.real(stored), function, (0, 0, 0, 0), (2, 2), (2, 2))))], runs=kCoupled)


def make():
    family = Family("windows")
    convolutions(family)
    quantizedConvolutions(family)
    products(family)
    pools(family)
    return family

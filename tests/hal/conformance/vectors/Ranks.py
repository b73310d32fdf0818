#===- Ranks.py - Cases of tensors with many axes
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Operations of every kind on 5 to 8 axes, in random shapes, and on more axes of which some can be merged. NNAPI's own
kernels stop at 4 axes for many of them."""

import numpy as np

from Cases import Family, Type, flag, integer, number, ramp, tensor

kRanks = (5, 6, 7, 8)
kMostElements = 1 << 10
# Models with open shapes stop at 8 axes.
kRunsOfKnownShapes = "General DeviceMemory Fenced"


def randomShape(random, rank):
    """Extents from 1 to 4, mostly above 1, so that few axes can be merged."""
    shape = random.choice([1, 2, 2, 2, 3, 4], rank)
    while np.prod(shape) > kMostElements:
        shape[random.integers(rank)] = 1
    return tuple(int(extent) for extent in shape)


def broadcastShape(random, shape):
    """A shape that broadcasts to `shape`: some extents are 1, and leading ones may be missing."""
    thin = [extent if random.integers(2) else 1 for extent in shape]
    return tuple(thin[random.integers(len(thin)):])


def elementwise(family, random, rank):
    u, wide = Type("u", 0.5, 100), Type("u", 1.0, 50)
    for name, operation, function in (("add", "ADD", np.add), ("sub", "SUB", np.subtract), ("mul", "MUL", np.multiply)):
        shape = randomShape(random, rank)
        a, b = ramp(*shape, step=0.125), ramp(*broadcastShape(random, shape))
        family.simple(f"{name}{rank}", operation, [("f", a), ("f", b), integer(0)], [("f", function(a, b))])
        x, y = (random.integers(90, 110, s) for s in (shape, broadcastShape(random, shape)))
        family.simple(f"{name}Quantized{rank}", operation, [(u, x), (u, y), integer(0)],
                      [(wide, wide.store(function(u.real(x), u.real(y))))])
    shape = randomShape(random, rank)
    x, stored = ramp(*shape), random.integers(0, 256, shape)
    family.simple(f"relu{rank}", "RELU", [("f", x)], [("f", np.maximum(x, 0))])
    family.simple(f"floor{rank}", "FLOOR", [("f", x)], [("f", np.floor(x))])
    family.simple(f"dequantize{rank}", "DEQUANTIZE", [(u, stored)], [("f", u.real(stored))])
    p, q = (random.integers(0, 2, s) for s in (shape, broadcastShape(random, shape)))
    family.simple(f"logicalAnd{rank}", "LOGICAL_AND", [("b", p), ("b", q)], [("b", p & q)])


def moves(family, random, rank):
    shape = randomShape(random, rank)
    x, order, axis = ramp(*shape), random.permutation(rank), int(random.integers(rank))
    family.simple(f"transpose{rank}", "TRANSPOSE", [("f", x), tensor("i", order)], [("f", x.transpose(order))])
    family.simple(f"reshape{rank}", "RESHAPE", [("f", x), tensor("i", [-1])], [("f", x.reshape(-1))])
    family.simple(f"concatenation{rank}", "CONCATENATION", [("f", x), ("f", -x), integer(axis)],
                  [("f", np.concatenate([x, -x], axis))])
    pads = np.zeros((rank, 2), np.int32)
    pads[axis], pads[0] = (1, 2), (1, 0)
    family.simple(f"pad{rank}", "PAD", [("f", x), tensor("i", pads)], [("f", np.pad(x, pads))])
    family.simple(f"padV2{rank}", "PAD_V2", [("f", x), tensor("i", pads), number(9.5)],
                  [("f", np.pad(x, pads, constant_values=9.5))])
    begin = [int(random.integers(extent)) for extent in shape]
    family.simple(f"stridedSlice{rank}", "STRIDED_SLICE",
                  [("f", x), tensor("i", begin), tensor("i", shape), tensor("i", [2] * rank)] + [integer(0)] * 3,
                  [("f", x[tuple(slice(first, None, 2) for first in begin)])])
    wide = ramp(*shape[:axis], 6, *shape[axis + 1:])
    groups = wide.reshape(*shape[:axis], 2, 3, *shape[axis + 1:]).swapaxes(axis, axis + 1).reshape(wide.shape)
    family.simple(f"channelShuffle{rank}", "CHANNEL_SHUFFLE", [("f", wide), integer(2), integer(axis)], [("f", groups)])
    thin = ramp(*shape[:axis], 1, *shape[axis + 1:])
    family.simple(f"squeeze{rank}", "SQUEEZE", [("f", thin), tensor("i", [axis])], [("f", thin.squeeze(axis))])


def lines(family, random, rank):
    shape = randomShape(random, rank)
    x, axis = ramp(*shape), int(random.integers(rank))
    powers = np.exp(x - x.max(axis, keepdims=True))
    family.simple(f"softmax{rank}", "SOFTMAX", [("f", x), number(1.0), integer(axis)],
                  [("f", powers / powers.sum(axis, keepdims=True))])
    axes = tuple(sorted(int(a) for a in random.choice(rank, 3, replace=False)))
    family.simple(f"mean{rank}", "MEAN", [("f", x), tensor("i", axes), integer(1)], [("f", x.mean(axes, keepdims=True))])
    for name, function in (("SUM", np.sum), ("MAX", np.max), ("MIN", np.min)):
        family.simple(f"reduce{name.capitalize()}{rank}", f"REDUCE_{name}", [("f", x), tensor("i", axes), flag(0)],
                      [("f", function(x, axes))])
    rows = ramp(*([1] * (rank - 2)), 4, 3)
    weights = ramp(2, 3)
    family.simple(f"fullyConnected{rank}", "FULLY_CONNECTED", [("f", rows), tensor("f", weights), tensor("f", [0.5, 1]), integer(0)],
                  [("f", rows.reshape(4, 3) @ weights.T + [0.5, 1])])


def highElementwise(family, shape):
    rank = len(shape)
    a, b = ramp(*shape, step=0.125), ramp(*shape[1:5], *[1] * (rank - 5))
    family.simple(f"addHigh{rank}", "ADD", [("f", a), ("f", b), integer(1)], [("f", np.maximum(a + b, 0))],
                  runs=kRunsOfKnownShapes)
    u, stored = Type("u", 0.5, 100), np.arange(a.size).reshape(shape) % 256
    family.simple(f"dequantizeHigh{rank}", "DEQUANTIZE", [(u, stored)], [("f", u.real(stored))], runs=kRunsOfKnownShapes)
    family.simple(f"absHigh{rank}", "ABS", [("f", a)], [("f", np.abs(a))], runs=kRunsOfKnownShapes)


def highMoves(family, shape):
    rank = len(shape)
    x = ramp(*shape)

    def simple(name, operation, inputs, result):
        family.simple(f"{name}High{rank}", operation, [("f", x)] + inputs, [("f", result)], runs=kRunsOfKnownShapes)

    order = [*range(4, rank), 2, 3, 0, 1]
    simple("transpose", "TRANSPOSE", [tensor("i", order)], x.transpose(order))
    simple("reshape", "RESHAPE", [tensor("i", [-1])], x.reshape(-1))
    simple("concatenation", "CONCATENATION", [("f", -x), integer(3)], np.concatenate([x, -x], 3))
    pads = np.zeros((rank, 2), np.int32)
    pads[2], pads[rank - 1] = (1, 2), (0, 1)
    simple("pad", "PAD", [tensor("i", pads)], np.pad(x, pads))
    begin, size = np.zeros(rank, np.int32), np.array(shape, np.int32)
    begin[[0, 4]], size[[0, 4]] = (1, 2), (1, 1)
    simple("slice", "SLICE", [tensor("i", begin), tensor("i", size)], x[1:2, :, :, :, 2:3])
    multiples = [1] * rank
    multiples[1] = multiples[rank - 1] = 2
    simple("tile", "TILE", [tensor("i", multiples)], np.tile(x, multiples))
    simple("gather", "GATHER", [integer(4), tensor("i", [2, 0])], x.take([2, 0], 4))
    halves = [("f", half) for half in np.split(x, 2, 0)]
    family.simple(f"splitHigh{rank}", "SPLIT", [("f", x), integer(0), integer(2)], halves, runs=kRunsOfKnownShapes)


def highLines(family, shape):
    rank = len(shape)
    x = ramp(*shape)
    powers = np.exp(x - x.max(2, keepdims=True))
    axes = (0, 1, rank - 2)
    for name, operation, inputs, result in (
            ("softmax", "SOFTMAX", [number(1.0), integer(2)], ("f", powers / powers.sum(2, keepdims=True))),
            ("mean", "MEAN", [tensor("i", axes), integer(1)], ("f", x.mean(axes, keepdims=True))),
            ("reduceSum", "REDUCE_SUM", [tensor("i", axes), flag(0)], ("f", x.sum(axes))),
            ("argmax", "ARGMAX", [integer(4)], ("i", x.argmax(4)))):
        family.simple(f"{name}High{rank}", operation, [("f", x)] + inputs, [result], runs=kRunsOfKnownShapes)


def make():
    family = Family("ranks")
    random = np.random.default_rng(5)
    for rank in kRanks:
        for part in (elementwise, moves, lines):
            part(family, random, rank)
    for shape in ((2, 1, 2, 3, 4, 1, 2, 1, 3), (2, 2, 2, 1, 3, 2, 1, 1, 1, 2, 1, 3)):
        for part in (highElementwise, highMoves, highLines):
            part(family, shape)
    return family

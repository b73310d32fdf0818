#===- Shapes.py - Cases of operations that move and choose elements
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Reshaping, slicing, padding, resizing, joining and selecting."""

import numpy as np

from Cases import Family, Type, flag, integer, kRuns, number, ramp, tensor

kCoupled = kRuns + " QuantCoupling"
u = Type("u", 0.5, 3)


def depthToSpace(x, block):
    n, h, w, c = x.shape
    y = x.reshape(n, h, w, block, block, c // block**2)
    return y.transpose(0, 1, 3, 2, 4, 5).reshape(n, h * block, w * block, c // block**2)


def spaceToDepth(x, block):
    n, h, w, c = x.shape
    y = x.reshape(n, h // block, block, w // block, block, c)
    return y.transpose(0, 1, 3, 2, 4, 5).reshape(n, h // block, w // block, c * block**2)


def spaceToBatch(x, block, pads):
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    n, h, w, c = x.shape
    y = x.reshape(n, h // block[0], block[0], w // block[1], block[1], c)
    return y.transpose(2, 4, 0, 1, 3, 5).reshape(n * block[0] * block[1], h // block[0], w // block[1], c)


def batchToSpace(x, block):
    n, h, w, c = x.shape
    y = x.reshape(block[0], block[1], n // (block[0] * block[1]), h, w, c)
    return y.transpose(2, 3, 0, 4, 1, 5).reshape(-1, h * block[0], w * block[1], c)


def bilinear(x, height, width):
    """Corners are not aligned: output position p reads input position p * input size / output size."""
    result = np.zeros((x.shape[0], height, width, x.shape[3]))
    for r, c in np.ndindex(height, width):
        y, z = r * x.shape[1] / height, c * x.shape[2] / width
        top, left = int(y), int(z)
        bottom, right = min(top + 1, x.shape[1] - 1), min(left + 1, x.shape[2] - 1)
        dy, dz = y - top, z - left
        result[:, r, c] = ((1 - dy) * ((1 - dz) * x[:, top, left] + dz * x[:, top, right]) +
                           dy * ((1 - dz) * x[:, bottom, left] + dz * x[:, bottom, right]))
    return result


def nearest(x, height, width):
    rows = [r * x.shape[1] // height for r in range(height)]
    columns = [c * x.shape[2] // width for c in range(width)]
    return x[:, rows][:, :, columns]


def blocks(family):
    x, batches = ramp(1, 2, 4, 4), ramp(4, 1, 2, 1)
    family.simple("depthToSpace", "DEPTH_TO_SPACE", [("f", x), integer(2)], [("f", depthToSpace(x, 2))])
    family.simple("spaceToDepth", "SPACE_TO_DEPTH", [("f", x), integer(2)], [("f", spaceToDepth(x, 2))])
    family.simple("batchToSpace", "BATCH_TO_SPACE_ND", [("f", batches), tensor("i", [2, 2])],
                  [("f", batchToSpace(batches, (2, 2)))])
    pads = [[0, 0], [1, 1]]
    family.simple("spaceToBatch", "SPACE_TO_BATCH_ND", [("f", x), tensor("i", [2, 2]), tensor("i", pads)],
                  [("f", spaceToBatch(x, (2, 2), pads))])
    for name, operation, function in (("resizeBilinear", "RESIZE_BILINEAR", bilinear),
                                      ("resizeNearest", "RESIZE_NEAREST_NEIGHBOR", nearest)):
        layout = [flag(0)] if operation == "RESIZE_NEAREST_NEIGHBOR" else []
        family.simple(name, operation, [("f", x), integer(3), integer(5)] + layout, [("f", function(x, 5, 3))])


def views(family):
    x = ramp(2, 3, 1, 4)
    family.simple("reshape", "RESHAPE", [("f", x), tensor("i", [6, -1])], [("f", x.reshape(6, 4))])
    family.simple("squeeze", "SQUEEZE", [("f", x), tensor("i", [2])], [("f", x.reshape(2, 3, 4))])
    family.simple("expandDims", "EXPAND_DIMS", [("f", ramp(2, 3)), integer(1)], [("f", ramp(2, 1, 3))])
    family.simple("transpose", "TRANSPOSE", [("f", x), tensor("i", [3, 0, 2, 1])], [("f", x.transpose(3, 0, 2, 1))])
    shuffled = ramp(2, 6).reshape(2, 2, 3).transpose(0, 2, 1).reshape(2, 6)
    family.simple("channelShuffle", "CHANNEL_SHUFFLE", [("f", ramp(2, 6)), integer(2), integer(1)], [("f", shuffled)])
    family.simple("reverse", "REVERSE", [("f", ramp(2, 3)), tensor("i", [1])], [("f", ramp(2, 3)[:, ::-1])], level="AidlV3")
    # The rank is a scalar, whose shape is always known.
    family.simple("rank", "RANK", [("f", x)], [("I", 4)], runs="General DeviceMemory Fenced")
    stored = np.arange(12).reshape(2, 6)
    family.simple("reshapeQuantized", "RESHAPE", [(u, stored), tensor("i", [3, 4])], [(u, stored.reshape(3, 4))],
                  runs=kCoupled)


def parts(family):
    x = ramp(3, 4)
    family.simple("slice", "SLICE", [("f", x), tensor("i", [1, 0]), tensor("i", [2, 3])], [("f", x[1:3, 0:3])])
    family.simple("stridedSlice", "STRIDED_SLICE", [("f", x), tensor("i", [2, 0]), tensor("i", [0, 4]), tensor("i", [-1, 2])] +
                  [integer(0)] * 3, [("f", x[2:0:-1, 0:4:2])])
    family.simple("split", "SPLIT", [("f", x), integer(1), integer(2)], [("f", x[:, :2]), ("f", x[:, 2:])])
    family.simple("tile", "TILE", [("f", x), tensor("i", [2, 1])], [("f", np.tile(x, (2, 1)))])
    family.simple("gather", "GATHER", [("f", x), integer(0), tensor("i", [2, 0, 2])], [("f", x[[2, 0, 2]])])
    family.simple("concatenation", "CONCATENATION", [("f", x), ("f", x[:, :2]), integer(1)],
                  [("f", np.concatenate([x, x[:, :2]], 1))])
    family.simple("pack", "PACK", [integer(1), ("f", x), ("f", -x)], [("f", np.stack([x, -x], 1))], level="AidlV2")
    # A position that the device computes. NNAPI leaves open what is taken outside of the input; the device takes the nearest rows.
    for name, best in (("First", 0), ("Inside", 1), ("Beyond", 3)):
        case = family.case("sliceFromComputed" + name)
        begin = case.temporary("i", [2])
        scores = np.zeros((2, 4))
        scores[0, best] = scores[1, 1] = 1
        case.operation("ARGMAX", [case.input("f", scores), case.int(1)], [begin])
        rows = np.minimum([best, best + 1], 2)
        case.operation("SLICE", [case.input("f", x), begin, case.constant("i", [2, 3])],
                       [case.output("f", x[rows, 1:4])])
    stored = np.arange(12).reshape(3, 4)
    family.simple("sliceQuantized", "SLICE", [(u, stored), tensor("i", [0, 1]), tensor("i", [3, 2])], [(u, stored[:, 1:3])],
                  runs=kCoupled)


def filled(family):
    """The value is an input, because a model without inputs cannot run in every kind."""
    case = family.case("fill")
    value = case.input("F", 1.5)
    case.operation("FILL", [case.constant("i", [2, 3]), value], [case.output("f", np.full((2, 3), 1.5))])


def pads(family):
    x, sizes = ramp(2, 3), [[1, 0], [0, 2]]
    family.simple("pad", "PAD", [("f", x), tensor("i", sizes)], [("f", np.pad(x, sizes))])
    family.simple("padV2", "PAD_V2", [("f", x), tensor("i", sizes), number(9.5)],
                  [("f", np.pad(x, sizes, constant_values=9.5))])
    family.simple("mirrorPad", "MIRROR_PAD", [("f", x), tensor("i", [[1, 0], [0, 2]]), integer(0)],
                  [("f", np.pad(x, [[1, 0], [0, 2]], mode="reflect"))], level="AidlV3")
    stored = np.arange(6).reshape(2, 3)
    family.simple("padQuantized", "PAD", [(u, stored), tensor("i", sizes)],
                  [(u, np.pad(stored, sizes, constant_values=3))], runs=kCoupled)


def make():
    family = Family("shapes")
    for part in (blocks, views, parts, filled, pads):
        part(family)
    return family

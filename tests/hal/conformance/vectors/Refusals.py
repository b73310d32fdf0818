#===- Refusals.py - Cases of models that break one rule
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Models that a device must refuse, each for one reason."""

import numpy as np

from Cases import Family, Type, bytesOf, integer, number, ramp, tensor


def refused(family, name, operation, inputs, outputs):
    """`inputs` as in Family.simple(), or a number, which becomes an integer."""
    makers = [integer(entry) if isinstance(entry, int) else entry for entry in inputs]
    case = family.simple(name, operation, makers, [(*output, "None") for output in outputs], runs="Validation")
    case.expectsFailure = True


def operands(family):
    x = ramp(2, 2)
    refused(family, "activationIsMissing", "ADD", [("f", x), ("f", x)], [("f", x)])
    refused(family, "typesDiffer", "ADD", [("f", x), ("i", x), 0], [("f", x)])
    refused(family, "outputTypeDiffers", "RELU", [("f", x)], [("i", x)])
    refused(family, "shapesDoNotBroadcast", "ADD", [("f", x), ("f", ramp(3)), 0], [("f", x)])
    refused(family, "scaleIsMissing", "RELU", [(Type("u", 0.0, 1), [1, 2])], [(Type("u", 0.5, 1), [1, 2])])
    refused(family, "zeroPointIsOutOfRange", "RELU", [(Type("u", 0.5, 256), [1, 2])], [(Type("u", 0.5, 256), [1, 2])])
    refused(family, "operationDoesNotExist", 106, [("f", x)], [("f", x)])


def ranksBetweenOperands(family):
    x, flat, deep = ("f", ramp(2, 2)), ("f", ramp(2)), ("f", ramp(1, 2, 2))
    vector, indices = tensor("i", [0]), tensor("i", [0, 1])
    for name, operation, inputs, outputs in (
            ("concatenationOfTwoRanks", "CONCATENATION", [x, flat, 0], [("f", ramp(4, 2))]),
            ("concatenationToOtherRank", "CONCATENATION", [x, x, 0], [("f", ramp(1, 4, 2))]),
            ("splitToOtherRank", "SPLIT", [x, 0, 2], [flat, flat]),
            ("packOfTwoRanks", "PACK", [0, x, deep], [("f", ramp(2, 2, 2))]),
            ("packToSameRank", "PACK", [0, x, x], [("f", ramp(4, 2))]),
            ("addToHigherRank", "ADD", [x, flat, 0], [deep]),
            ("lessToHigherRank", "LESS", [x, flat], [("b", np.zeros((1, 2, 2)))]),
            ("reluToOtherRank", "RELU", [x], [("f", ramp(4))]),
            ("softmaxToOtherRank", "SOFTMAX", [x, number(1)], [deep]),
            ("selectOfTwoRanks", "SELECT", [("b", [1, 0]), x, x], [x]),
            ("argmaxToSameRank", "ARGMAX", [x, 0], [("i", np.zeros((1, 2)))]),
            ("expandDimsToSameRank", "EXPAND_DIMS", [x, 0], [("f", ramp(1, 4))]),
            ("gatherToOtherRank", "GATHER", [x, 0, indices], [("f", ramp(4))]),
            ("lookUpToOtherRank", "EMBEDDING_LOOKUP", [tensor("i", [0, 1]), x], [("f", ramp(4))]),
            ("topKToOtherRank", "TOPK_V2", [x, 1], [("f", ramp(2)), ("i", [[0], [0]])]),
            ("sliceToOtherRank", "SLICE", [x, indices, tensor("i", [1, 1])], [("f", ramp(1))]),
            ("sliceOfTooFewSizes", "SLICE", [x, indices, tensor("i", [1])], [("f", ramp(1, 1))]),
            ("stridedSliceOfTooFewEnds", "STRIDED_SLICE", [x, indices, tensor("i", [2]), tensor("i", [1, 1]), 0, 0, 0],
             [("f", ramp(2, 1))]),
            ("tileOfTooManyMultiples", "TILE", [x, tensor("i", [1, 1, 2])], [("f", ramp(2, 4))]),
            ("transposeOfTooFewAxes", "TRANSPOSE", [x, vector], [x]),
            ("padOfTooFewRows", "PAD", [x, tensor("i", [[1, 0]])], [("f", ramp(3, 2))]),
            ("mirrorPadOfTooManyRows", "MIRROR_PAD", [x, tensor("i", np.zeros((3, 2))), 0], [x]),
            ("reshapeToOtherRank", "RESHAPE", [x, tensor("i", [4])], [("f", ramp(4, 1))]),
            ("fillOfOtherRank", "FILL", [tensor("i", [2, 2]), number(0.5)], [("f", ramp(4))]),
            ("reverseToOtherRank", "REVERSE", [x, vector], [("f", ramp(4))])):
        refused(family, name, operation, inputs, outputs)


def openInput(value):
    """A FLOAT32 input of known rank and unknown extents."""
    def make(case):
        case.inputs.append({"data": bytesOf(np.asarray(value, np.float32))})
        return case.graphInput("f", [0] * value.ndim)
    return make


def ranksOfOpenShapes(family):
    """Only the ranks are known when the model is prepared."""
    x, flat = openInput(ramp(2, 2)), openInput(ramp(2))
    for name, operation, inputs, result in (
            ("openConcatenationOfTwoRanks", "CONCATENATION", [x, flat, 0], ramp(4, 2)),
            ("openConcatenationToOtherRank", "CONCATENATION", [x, x, 0], ramp(1, 4, 2)),
            ("openPackOfTwoRanks", "PACK", [0, x, flat], ramp(2, 2, 2)),
            ("openAddToHigherRank", "ADD", [x, flat, 0], ramp(1, 2, 2)),
            ("openExpandDimsToSameRank", "EXPAND_DIMS", [x, 0], ramp(1, 4)),
            ("openGatherToOtherRank", "GATHER", [x, 0, tensor("i", [0, 1])], ramp(4)),
            ("openSliceOfTooFewSizes", "SLICE", [x, tensor("i", [0, 0]), tensor("i", [1])], ramp(1, 1)),
            ("openTransposeOfTooFewAxes", "TRANSPOSE", [x, tensor("i", [0])], ramp(2, 2))):
        refused(family, name, operation, inputs, [("f", result)])
        family.cases[-1].table["operands"][-1]["dimensions"] = [0] * result.ndim


def ranksOfOperations(family):
    x, image, square = ("f", ramp(2, 2)), ("f", ramp(1, 2, 2, 1)), tensor("f", ramp(2, 2))
    bias, block = tensor("f", [0, 0]), tensor("i", [1, 1])
    for name, operation, inputs, outputs in (
            ("convolutionWithFlatFilter", "CONV_2D", [image, tensor("f", ramp(1, 1, 1)), tensor("f", [0]), 2, 1, 1, 0], [image]),
            ("convolutionWithSquareBias", "CONV_2D",
             [image, tensor("f", ramp(1, 1, 1, 1)), tensor("f", [[0]]), 2, 1, 1, 0], [image]),
            ("layerWithFlatWeights", "FULLY_CONNECTED", [x, tensor("f", [1, 1]), bias, 0], [x]),
            ("poolOfMatrix", "MAX_POOL_2D", [x, 2, 1, 1, 1, 1, 0], [image]),
            ("resizeOfMatrix", "RESIZE_BILINEAR", [x, 2, 2], [image]),
            ("spaceToBatchWithFlatPaddings", "SPACE_TO_BATCH_ND", [image, block, tensor("i", [0, 0, 0, 0])], [image]),
            ("meanOverSquareAxes", "MEAN", [x, tensor("i", [[0]]), 1], [("f", ramp(1, 2))]),
            ("cellWithFlatState", "RNN", [x, square, square, bias, ("f", ramp(2)), 0], [x, x]),
            ("regionsAreFlat", "ROI_POOLING",
             [image, ("f", [0, 0, 1, 1]), tensor("i", [0]), 1, 1, number(1), number(1),
              lambda case: case.bool(0)], [("f", ramp(1, 1, 1, 1))])):
        refused(family, name, operation, inputs, outputs)


def make():
    family = Family("refusals")
    operands(family)
    ranksBetweenOperands(family)
    ranksOfOpenShapes(family)
    ranksOfOperations(family)
    return family

# lookups.py - Networks of lookups, resizes, samples, losses and spectra
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lookups.py NAME [OPSET] > FILE: writes the network of a function here."""
import numpy as np

from networks import numbers, write, zeros


def gathers(case):
    x = zeros(case, "f32", 2, 3, 4)
    case.result(case.node("Gather", [x, numbers(case, "i64", [0, -1])], axis=1))
    case.result(case.node("Gather", [x, zeros(case, "i32", 5)], axis=1))
    case.result(case.node("GatherElements", [x, zeros(case, "i64", 2, 2, 4)], axis=1))
    case.result(case.node("GatherND", [x, zeros(case, "i64", 2, 5, 1)], batch_dims=1))


def outside(case):
    case.result(case.node("Gather", [zeros(case, "f32", 2, 3), numbers(case, "i64", 3)], axis=1))


def scatters(case):
    x = zeros(case, "f32", 2, 3)
    case.result(case.node("ScatterElements", [x, numbers(case, "i64", [[1, -3]]), zeros(case, "f32", 1, 2)], axis=1,
                          reduction="max"))
    case.result(case.node("ScatterND", [x, numbers(case, "i64", [[-1]]), zeros(case, "f32", 1, 3)], reduction="add"))


def shapes(case):
    """Extents of a reshape by each way in which exporters compute them."""
    x = zeros(case, "f32", 2, 3, 4)
    shape = case.node("Shape", [x])
    picked = case.node("GatherElements", [shape, case.ints([2, 0])], axis=0)
    written = case.node("ScatterND", [shape, numbers(case, "i64", [[1], [2]]), case.ints([12, 1])])
    case.result(case.node("Reshape", [x, case.node("Concat", [picked, case.ints([-1])], axis=0)]))
    case.result(case.node("Reshape", [x, written]))
    real = case.node("Cast", [shape], to=1)
    half = case.node("Floor", [case.node("Mul", [real, numbers(case, "f32", [0.5, 1 / 3, 0.25])])])
    case.result(case.node("Expand", [numbers(case, "f32", 1), case.node("Cast", [half], to=7)]))


def image(case):
    """A convolution of an image, a pool, and its channels as a line."""
    x = zeros(case, "f32", 1, 3, 8, 6)
    y = case.node("Conv", [x, numbers(case, "f32", np.arange(4 * 3 * 9) % 7 - 3, (4, 3, 3, 3))], pads=[1, 1, 1, 1])
    case.result(y)
    case.result(case.node("Flatten", [case.node("GlobalAveragePool", [y])]))


def wide(case):
    """1023 tensors at the border."""
    for _ in range(511):
        case.result(case.node("Neg", [zeros(case, "f32", 1)]))
    zeros(case, "f32", 1)


def best(case):
    case.result(case.node("TopK", [zeros(case, "i8", 3, 2), case.ints([2])], 2, axis=0, largest=0))
    case.result(case.node("OneHot", [zeros(case, "i64", 2), numbers(case, "f32", 3.0), numbers(case, "f32", [0, 1])], axis=0))
    case.result(case.node("Trilu", [zeros(case, "f32", 2, 3), numbers(case, "i64", 1)], upper=0))
    case.result(case.node("NonZero", [numbers(case, "f32", [[1, 0], [0, 2]])]))


def einsum(case):
    a, b = zeros(case, "f32", 2, 3, 4), zeros(case, "f32", 2, 5, 4)
    case.result(case.node("Einsum", [a, b], equation="bik,bjk->bij"))
    case.result(case.node("Einsum", [a, numbers(case, "f32", np.ones((4, 5)))], equation="...k,kj"))
    case.result(case.node("Einsum", [zeros(case, "f32", 3, 3)], equation="ii->i"))


def misspelled(case):
    case.result(case.node("Einsum", [zeros(case, "f32", 3, 3)], equation="ij->k"))


def resize(case):
    x = zeros(case, "f32", 1, 2, 4, 4)
    def by(scales, **attributes):
        case.result(case.node("Resize", [x, None, numbers(case, "f32", scales)], **attributes))
    by([1, 1, 2, 2], mode="linear")
    by([1, 1, 2, 2], mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    by([1, 1, 2, 1], mode="nearest", nearest_mode="ceil")
    by([1, 1, 1, 2], mode="cubic")
    by([1, 1, 1, 0.5], mode="linear", antialias=1)


def fraction(case):
    case.result(case.node("Resize", [zeros(case, "f32", 1, 1, 4, 4), None, numbers(case, "f32", [1, 1, 0.6, 1])], mode="linear",
                          coordinate_transformation_mode="align_corners"))


def samples(case):
    x = zeros(case, "f32", 1, 2, 4, 5)
    case.result(case.node("GridSample", [x, zeros(case, "f32", 1, 3, 3, 2)], padding_mode="border", align_corners=1))
    case.result(case.node("Col2Im", [zeros(case, "f32", 1, 4, 4), case.ints([3, 3]), case.ints([2, 2])]))
    case.result(case.node("CenterCropPad", [x, case.ints([2, 7])], axes=[2, 3]))
    case.result(case.node("AffineGrid", [zeros(case, "f32", 1, 2, 3), case.ints([1, 2, 4, 5])]))


def regions(case):
    case.result(case.node("RoiAlign", [zeros(case, "f32", 1, 2, 4, 5), zeros(case, "f32", 3, 4), zeros(case, "i64", 3)]))


def losses(case):
    case.result(case.node("SoftmaxCrossEntropyLoss", [zeros(case, "f32", 2, 3), zeros(case, "i64", 2)], ignore_index=1))


def spectra(case):
    case.result(case.node("DFT", [zeros(case, "f32", 1, 4, 1)], onesided=1, axis=1))
    case.result(case.node("HannWindow", [numbers(case, "i64", 4)]))
    case.result(case.node("Det", [zeros(case, "f32", 2, 2)]))


write(globals(), 18)

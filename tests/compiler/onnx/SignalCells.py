# SignalCells.py - Random operators of signals, losses and other subjects
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import Proto
from Row import named, rows


def window(operator):
    def case(case, draw, type_):
        case.result(case.node(operator, [case.constant(Proto.tensor("i64", draw.integer(2, 12)))],
                              periodic=draw.choice([None, 0, 1]), output_datatype=draw.choice([None, 1])))
    return case


def fourier(case, draw, type_):
    rank = draw.integer(1, 2)
    inverse, onesided = draw.choice([(0, 0), (1, 0), (0, 1)])
    shape = [draw.integer(1, 2), *draw.extents(rank, 7), 2 if inverse or (not onesided and draw.chance(0.4)) else 1]
    axis = draw.integer(1, rank)
    inputs = [case.input(draw.tensor(type_, shape))]
    if draw.chance(0.3):
        inputs.append(case.constant(Proto.tensor("i64", draw.integer(1, shape[axis]))))
    attributes = {"inverse": inverse or None, "onesided": onesided or None}
    if case.version < 20:
        attributes["axis"] = axis if axis != 1 else draw.choice([None, 1])
    else:
        inputs += [None] * (2 - len(inputs)) + [case.constant(Proto.tensor("i64", draw.signed(axis, len(shape), 20)))]
    case.result(case.node("DFT", inputs, **attributes), 1e-4)


def short_fourier(case, draw, type_):
    frame, step = draw.choice([4, 5, 8]), draw.integer(1, 4)
    signal = case.input(draw.tensor(type_, [draw.integer(1, 2), frame + draw.integer(0, 9), 1]))
    inputs = [signal, case.constant(Proto.tensor("i64", step))]
    if draw.chance(0.5):
        inputs.append(case.constant(draw.tensor(type_, [frame], 0, 1)))
    else:
        inputs += [None, case.constant(Proto.tensor("i64", frame))]
    case.result(case.node("STFT", inputs, onesided=draw.choice([None, 0, 1])), 1e-4)


def mel_weights(case, draw, type_):
    values = [("i64", draw.integer(2, 8)), ("i64", draw.choice([8, 16])), ("i64", 8192), ("f32", 0.0), ("f32", 4096.0)]
    case.result(case.node("MelWeightMatrix", [case.constant(Proto.tensor(*each)) for each in values]))


def determinant(case, draw, type_):
    size = draw.integer(1, 4)
    case.result(case.node("Det", [case.input(draw.tensor(type_, [*draw.extents(draw.integer(0, 2), 3), size, size], -2, 2))]), 1e-4)


def loss(operator):
    def case(case, draw, type_):
        n, classes, more = draw.integer(1, 4), draw.integer(2, 5), draw.extents(draw.integer(0, 2), 3)
        inputs = [case.input(draw.tensor(type_, [n, classes, *more])), case.input(draw.tensor("i64", [n, *more], 0, classes - 1))]
        if draw.chance(0.5):
            inputs.append(case.constant(draw.tensor(type_, [classes], 0.1, 1)))
        attributes = {"reduction": draw.choice([None, "none", "sum", "mean"]),
                      "ignore_index": draw.choice([None, None, draw.integer(0, classes - 1)])}
        if operator == "SoftmaxCrossEntropyLoss" and draw.chance(0.5):
            return case.result(case.node(operator, inputs, 2, **attributes), 1e-4)
        case.result(case.node(operator, inputs, **attributes), 1e-4)
    return case


def bit_cast(case, draw, type_):
    to = {"f32": ("i32",), "i32": ("f32",), "u8": ("i8",), "i64": ("u64",)}[type_]
    data = draw.tensor(type_, draw.extents(draw.integer(0, 3)))
    case.result(case.node("BitCast", [case.input(data)], to=Proto.TYPES[draw.choice(to)][0]))


ROWS = [
    *rows("HannWindow HammingWindow BlackmanWindow", "17", ("f32",), named(window)),
    *rows("DFT", "17 20", ("f32",), fourier),
    *rows("STFT", "17", ("f32",), short_fourier),
    *rows("MelWeightMatrix", "17", ("f32",), mel_weights),
    *rows("Det", "11 22", ("f32",), determinant),
    *rows("NegativeLogLikelihoodLoss", "12 13 22", ("f32",), named(loss)),
    *rows("SoftmaxCrossEntropyLoss", "12 13", ("f32",), named(loss)),
    *rows("BitCast", "26", ("f32", "i32", "u8", "i64"), bit_cast),
]

# ReduceCells.py - Random reductions, scans along an axis, and choices
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

import Proto
from ElementCells import is_float
from Row import BYTES, FLOATS, named, rows

INTS = ("i32", "i64")


def reduction(low=None, high=None, axes_input=18):
    """`axes_input`: the opset from which the axes are an input."""
    def for_operator(operator):
        def case(case, draw, type_):
            rank = draw.integer(1, 4)
            data = draw.tensor(type_, draw.extents(rank, 4), low, high)
            attributes = {"keepdims": draw.choice([None, 0, 1])}
            axes = [draw.signed(axis, rank, case.version) for axis in draw.subset(rank)] if draw.chance(0.8) else None
            inputs = [case.input(data)]
            if case.version < axes_input:
                return case.result(case.node(operator, inputs, axes=axes, **attributes))
            if draw.chance(0.5):
                attributes["noop_with_empty_axes"] = draw.integer(0, 1)
            if axes is not None or draw.chance(0.3):
                inputs.append(case.ints(axes or []))
            case.result(case.node(operator, inputs, **attributes))
        return case
    return named(for_operator)


def arg_reduction(operator):
    def case(case, draw, type_):
        rank = draw.integer(1, 4)
        data = draw.tensor(type_, draw.extents(rank), *(() if is_float(type_) else (0, 5)))
        if is_float(type_):
            data.array = data.array.round()  # several equal ones
        attributes = {"axis": draw.signed(draw.integer(0, rank - 1), rank, case.version) if draw.chance(0.8) else None,
                      "keepdims": draw.choice([None, 0, 1])}
        if case.version >= 12:
            attributes["select_last_index"] = draw.choice([None, 0, 1])
        case.result(case.node(operator, [case.input(data)], **attributes))
    return case


def along_axis(operator):
    def case(case, draw, type_):
        rank = draw.integer(1, 4)
        axis = draw.signed(draw.integer(0, rank - 1), rank, case.version) if draw.chance(0.8) or rank == 1 else None
        if rank == 1 and case.version < 13 and axis is None:
            axis = 0
        data = draw.tensor(type_, draw.extents(rank))
        case.result(case.node(operator, [case.input(data)], axis=axis))
    return case


def cumulative(operator):
    def case(case, draw, type_):
        rank = draw.integer(1, 4)
        data = draw.tensor(type_, draw.extents(rank), *((-2, 2) if operator == "CumProd" else (-4, 4)))
        axis = draw.signed(draw.integer(0, rank - 1), rank, case.version)
        axis = case.constant(Proto.tensor(draw.choice(["i32", "i64"]), axis if operator == "CumSum" else [axis]))
        case.result(case.node(operator, [case.input(data), axis], exclusive=draw.choice([None, 0, 1]),
                              reverse=draw.choice([None, 0, 1])))
    return case


def top_k(case, draw, type_):
    rank = draw.integer(1, 3)
    shape = draw.extents(rank, 7)
    axis = draw.integer(0, rank - 1)
    # Different elements, since the order of equal ones is that of their indices only by convention.
    values = draw.source.permutation(int(np.prod(shape))).reshape(shape)
    values = values / 4 - 5 if is_float(type_) else values % 250
    data = case.input(Proto.tensor(type_, values))
    k = draw.integer(1, shape[axis])
    attributes = {"axis": draw.signed(axis, rank, case.version) if axis != rank - 1 or draw.chance(0.5) else None}
    if case.version < 10:
        return case.result(case.node("TopK", [data], 2, k=k, **attributes))
    if case.version >= 11:
        attributes["largest"] = draw.choice([None, 0, 1])
    case.result(case.node("TopK", [data, case.ints([k])], 2, **attributes))


def global_pool(operator):
    def case(case, draw, type_):
        data = draw.tensor(type_, draw.extents(draw.integer(3, 5)))
        attributes = {"p": draw.integer(1, 3)} if operator == "GlobalLpPool" and draw.chance(0.7) else {}
        case.result(case.node(operator, [case.input(data)], **attributes))
    return case


def lp_normalization(case, draw, type_):
    rank = draw.integer(1, 4)
    axis = draw.signed(draw.integer(0, rank - 1), rank, 11) if draw.chance(0.8) else None
    case.result(case.node("LpNormalization", [case.input(draw.tensor(type_, draw.extents(rank)))], axis=axis,
                          p=draw.choice([None, 1, 2])))


def non_max_suppression(case, draw, type_):
    batches, boxes, classes = draw.integer(1, 2), draw.integer(1, 9), draw.integer(1, 3)
    corner = draw.source.uniform(0, 1, (batches, boxes, 2)).astype(np.float32)
    extent = draw.source.uniform(0.1, 0.6, (batches, boxes, 2)).astype(np.float32)
    center = draw.integer(0, 1)
    coordinates = np.concatenate([corner, extent if center else corner + extent], axis=2)
    scores = draw.source.permutation(batches * classes * boxes).reshape(batches, classes, boxes) / (batches * classes * boxes)
    inputs = [case.input(Proto.tensor(type_, coordinates), known=True), case.input(Proto.tensor(type_, scores), known=True),
              case.ints([draw.integer(1, boxes)]), case.constant(Proto.tensor("f32", [draw.real(0.1, 0.9)])),
              case.constant(Proto.tensor("f32", [draw.real(0, 0.5)]))]
    inputs = inputs[:draw.integer(3, 5)]
    case.result(case.node("NonMaxSuppression", inputs, center_point_box=center))


def indices_of(operator):
    """Of which the number of results depends on the data."""
    def case(case, draw, type_):
        rank = draw.integer(1, 3)
        shape = draw.extents(rank)
        if operator == "NonZero":
            data = draw.tensor(type_, shape, *(() if type_ == "bool" else (0, 1)))
            if is_float(type_):
                data.array = data.array.round()
            return case.result(case.node(operator, [case.input(data, known=True)]))
        axis = draw.signed(draw.integer(0, rank - 1), rank, case.version) if draw.chance(0.7) else None
        count = int(np.prod(shape)) if axis is None else shape[axis]
        condition = draw.tensor("bool", [draw.integer(1, count)])
        condition = case.constant(condition) if draw.chance(0.5) else case.input(condition, known=True)
        case.result(case.node(operator, [case.input(draw.tensor(type_, shape)), condition], axis=axis))
    return case


def unique(case, draw, type_):
    rank = draw.integer(1, 2)
    data = draw.tensor(type_, draw.extents(rank, 6), 0, 4)
    if is_float(type_):
        data.array = data.array.round()
    axis = draw.signed(draw.integer(0, rank - 1), rank, case.version) if draw.chance(0.5) else None
    case.result(case.node("Unique", [case.input(data)], 4, axis=axis, sorted=draw.choice([None, 0, 1])))


ROWS = [
    *rows("ReduceMean", "7 11 13 18", ("f32", "f16", "f64", "i32"), reduction()),
    *rows("ReduceSum", "7 11 13", ("f32", "f16", "f64", *INTS), reduction(axes_input=13)),
    *rows("ReduceL1 ReduceL2", "7 11 13 18", ("f32", "f16", "i32"), reduction()),
    *rows("ReduceSumSquare", "7 11 13 18", ("f32", "f16", "f64", "i32"), reduction()),
    *rows("ReduceLogSum", "7 11 13 18", ("f32", "f16"), reduction(0.1, 4)),
    *rows("ReduceLogSumExp", "7 11 13 18", ("f32", "f16"), reduction()),
    *rows("ReduceProd", "7 11 13 18", ("f32", "f16", *INTS), reduction(-2, 2)),
    *rows("ReduceMax ReduceMin", "7 11 12 13 18 20",
          {7: ("f32", "f16", *INTS), 12: ("f32", "f16", *INTS, *BYTES), 20: ("f32", "f16", *INTS, *BYTES, "bool")}, reduction()),
    *rows("ArgMax ArgMin", "7 11 12 13", {7: ("f32", "f16", "i32"), 13: ("f32", "f16", "i32", *BYTES)}, named(arg_reduction)),
    *rows("Softmax LogSoftmax Hardmax", "7 11 13", FLOATS[:2], named(along_axis)),
    *rows("CumSum", "11 14", ("f32", "f64", *INTS), named(cumulative)),
    *rows("CumProd", "26", ("f32", *INTS), named(cumulative)),
    *rows("TopK", "7 10 11 24", {7: ("f32",), 11: ("f32", "f16", *INTS), 24: ("f32", "f16", *INTS)}, top_k),
    *rows("GlobalAveragePool GlobalMaxPool", "7 22", FLOATS[:2], named(global_pool)),
    *rows("GlobalLpPool", "7 22", FLOATS[:2], named(global_pool), oracle=21),
    *rows("LpNormalization", "7 22", FLOATS[:2], lp_normalization),
    *rows("NonMaxSuppression", "10 11", ("f32",), non_max_suppression),
    *rows("NonZero", "9 13", ("f32", *INTS, "bool"), named(indices_of)),
    *rows("Compress", "9 11", ("f32", "i32", "u8"), named(indices_of)),
    *rows("Unique", "11", ("f32", "i64"), unique),
]

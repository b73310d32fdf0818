# MoveCells.py - Random operators that move, join, pick or make elements
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

import Proto
from ElementCells import is_float
from Row import rows

MOVED = ("f32", "f16", "i8", "u8", "i32", "i64", "bool")
FEW = ("f32", "u8", "i64")


def data_of(case, draw, type_, shape):
    return case.input(draw.tensor(type_, shape))


def factors(draw, count):
    """Extents with this product."""
    extents = []
    for prime in (2, 3, 5, 7):
        while count % prime == 0:
            extents.append(prime)
            count //= prime
    extents.append(count)
    while len(extents) > 4 or (len(extents) > 1 and draw.chance(0.5)):
        extents[-2:] = [extents[-1] * extents[-2]]
    return [extents[i] for i in draw.permutation(len(extents))]


def reshape(case, draw, type_):
    shape = draw.extents(draw.integer(1, 4))
    to = factors(draw, int(np.prod(shape)))
    attributes = {}
    if draw.chance(0.4):
        to[draw.integer(0, len(to) - 1)] = -1
    elif draw.chance(0.3):
        to = [0 if draw.chance(0.5) else extent for extent in shape]
    if case.version >= 14 and 0 not in to and draw.chance(0.3):
        attributes["allowzero"] = draw.integer(0, 1)
    case.result(case.node("Reshape", [data_of(case, draw, type_, shape), case.ints(to)], **attributes))


def flatten(case, draw, type_):
    rank = draw.integer(1, 4)
    axis = draw.signed(draw.integer(0, rank), rank, case.version) if draw.chance(0.8) else None
    case.result(case.node("Flatten", [data_of(case, draw, type_, draw.extents(rank))], axis=None if axis == rank and
                          case.version >= 11 else axis))


def squeeze(case, draw, type_):
    shape = [1 if draw.chance(0.5) else each for each in draw.extents(draw.integer(1, 4))]
    ones = [i for i, each in enumerate(shape) if each == 1]
    axes = [draw.signed(ones[i], len(shape), case.version) for i in draw.subset(len(ones))] if ones else None
    axes = None if not axes or draw.chance(0.2) else axes
    x = data_of(case, draw, type_, shape)
    if case.version < 13:
        return case.result(case.node("Squeeze", [x], axes=axes))
    case.result(case.node("Squeeze", [x, case.ints(axes)] if axes else [x]))


def unsqueeze(case, draw, type_):
    shape = draw.extents(draw.integer(0, 3))
    rank = len(shape) + draw.integer(1, 2)
    axes = [draw.signed(axis, rank, case.version) for axis in draw.permutation(rank)[:rank - len(shape)]]
    x = data_of(case, draw, type_, shape)
    if case.version < 13:
        return case.result(case.node("Unsqueeze", [x], axes=sorted(axes, key=lambda axis: axis % rank)))
    case.result(case.node("Unsqueeze", [x, case.ints(axes)]))


def transpose(case, draw, type_):
    rank = draw.integer(1, 5)
    perm = draw.permutation(rank) if draw.chance(0.9) else None
    case.result(case.node("Transpose", [data_of(case, draw, type_, draw.extents(rank))], perm=perm))


def concat(case, draw, type_):
    shape = draw.extents(draw.integer(1, 4))
    axis = draw.integer(0, len(shape) - 1)
    parts = []
    for _ in range(draw.integer(1, 4)):
        part = [draw.integer(1, 4) if i == axis else each for i, each in enumerate(shape)]
        value = draw.tensor(type_, part)
        parts.append(case.constant(value) if draw.chance(0.2) else case.input(value))
    case.result(case.node("Concat", parts, axis=draw.signed(axis, len(shape), case.version)))


def split(case, draw, type_):
    shape = draw.extents(draw.integer(1, 3))
    axis, count = draw.integer(0, len(shape) - 1), draw.integer(1, 3)
    sizes = draw.extents(count, 4) if draw.chance(0.6) else [draw.integer(1, 3)] * count
    isEqual = len(set(sizes)) == 1
    shape[axis] = sum(sizes)
    attributes = {"axis": draw.signed(axis, len(shape), case.version) if axis or draw.chance(0.5) else None}
    inputs = [data_of(case, draw, type_, shape)]
    if isEqual and draw.chance(0.5):
        if case.version >= 18:
            attributes["num_outputs"] = count
            if count > 1 and sizes[0] > 1 and draw.chance(0.5):  # the last part is smaller
                case.inputs[inputs[0]] = draw.tensor(type_, [each - (i == axis) for i, each in enumerate(shape)])
    elif case.version < 13:
        attributes["split"] = sizes
    else:
        inputs.append(case.ints(sizes))
    case.result(case.node("Split", inputs, count, **attributes))


def slice_(case, draw, type_):
    shape = draw.extents(draw.integer(1, 4), 6)
    axes = draw.subset(len(shape))
    starts, ends, steps = [], [], []
    for axis in axes:
        extent = shape[axis]
        first, last = sorted([draw.integer(0, extent - 1), draw.integer(0, extent - 1)])
        step = 1 if case.version < 10 or draw.chance(0.5) else draw.integer(1, 3)
        start, end = (first, last + 1)
        if case.version >= 10 and draw.chance(0.3):
            start, end, step = last, first - 1 if first else -extent - 1, -step
        if 0 <= start < extent and draw.chance(0.3):
            start -= extent
        if end == extent and draw.chance(0.5):
            end = draw.choice([2**31 - 1, 2**63 - 1])
        elif 0 < end < extent and draw.chance(0.3):
            end -= extent
        starts.append(start), ends.append(end), steps.append(step)
    x = data_of(case, draw, type_, shape)
    if case.version < 10:
        return case.result(case.node("Slice", [x], starts=starts, ends=ends, axes=axes))
    kind = "i64" if max(ends) > 2**31 - 1 else draw.choice(["i32", "i64"])
    inputs = [x, case.ints(starts, kind), case.ints(ends, kind)]
    isWhole = axes == list(range(len(axes)))
    hasSteps = any(step != 1 for step in steps) or draw.chance(0.3)
    if not isWhole or hasSteps or draw.chance(0.5):
        signed = [draw.signed(axis, len(shape), case.version) for axis in axes]
        inputs.append(None if isWhole and hasSteps and draw.chance(0.3) else case.ints(signed, kind))
    if hasSteps:
        inputs.append(case.ints(steps, kind))
    case.result(case.node("Slice", inputs))


def indices_of(case, draw, shape, extent, version, least=11):
    """Some are constant, some negative."""
    low = -extent if version >= least and draw.chance(0.4) else 0
    indices = draw.tensor(draw.choice(["i32", "i64"]), shape, low, extent - 1)
    return case.constant(indices) if draw.chance(0.4) else case.input(indices)


def gather(case, draw, type_):
    shape = draw.extents(draw.integer(1, 3))
    axis = draw.integer(0, len(shape) - 1)
    indices = indices_of(case, draw, draw.extents(draw.integer(0, 2), 4), shape[axis], case.version)
    case.result(case.node("Gather", [data_of(case, draw, type_, shape), indices],
                          axis=draw.signed(axis, len(shape), case.version) if axis or draw.chance(0.5) else None))


def gather_elements(case, draw, type_):
    shape = draw.extents(draw.integer(1, 3))
    axis = draw.integer(0, len(shape) - 1)
    of = [draw.integer(1, 5) if i == axis else draw.integer(1, each) for i, each in enumerate(shape)]
    indices = indices_of(case, draw, of, shape[axis], case.version)
    case.result(case.node("GatherElements", [data_of(case, draw, type_, shape), indices],
                          axis=draw.signed(axis, len(shape), case.version) if axis or draw.chance(0.5) else None))


def tuples(draw, shape, counts, depth):
    """Indices of the first `depth` axes."""
    axes = [draw.source.integers(-extent if draw.chance(0.3) else 0, extent, counts) for extent in shape[:depth]]
    return Proto.tensor("i64", np.stack(axes, -1))


def gather_nd(case, draw, type_):
    shape = draw.extents(draw.integer(1, 4), 4)
    batch = draw.integer(0, min(2, len(shape) - 1)) if case.version >= 12 else 0
    depth = draw.integer(1, len(shape) - batch)
    indices = tuples(draw, shape[batch:], [*shape[:batch], *draw.extents(draw.integer(0, 2), 3)], depth)
    case.result(case.node("GatherND", [data_of(case, draw, type_, shape), case.constant(indices) if draw.chance(0.4) else
                                       case.input(indices)], batch_dims=batch if batch else None))


def reductions(draw, version, type_):
    """The attribute of scatters; results that depend on the order of updates are avoided by their callers."""
    if version < 16 or type_ == "bool":
        return None
    return draw.choice([None, "none", "add", "mul", *(["max", "min"] if version >= 18 else [])])


def scatter_elements(operator):
    def case(case, draw, type_):
        shape = draw.extents(draw.integer(1, 3), 4)
        axis = draw.integer(0, len(shape) - 1)
        of = [draw.integer(1, each) for each in shape]
        reduction = reductions(draw, case.version, type_)
        if reduction in (None, "none"):  # each element once
            order = np.argsort(draw.source.random([*of[:axis], shape[axis], *of[axis + 1:]]), axis)
            indices = np.take(order, range(of[axis]), axis)
        else:
            indices = draw.source.integers(0, shape[axis], of)
        if case.version >= 11 and draw.chance(0.3):
            indices = indices - shape[axis]
        low, high = (-2, 2) if is_float(type_) else (0, 2)
        bounds = (None, None) if type_ == "bool" else (low, high)
        case.result(case.node(operator, [case.input(draw.tensor(type_, shape, *bounds)),
                                         case.input(Proto.tensor(draw.choice(["i32", "i64"]), indices)),
                                         case.input(draw.tensor(type_, of, *bounds))],
                              axis=draw.signed(axis, len(shape), case.version) if axis or draw.chance(0.5) else None,
                              reduction=reduction))
    return case


def scatter_nd(case, draw, type_):
    shape = draw.extents(draw.integer(1, 4), 4)
    depth = draw.integer(1, len(shape))
    reduction = reductions(draw, case.version, type_)
    places = int(np.prod(shape[:depth]))
    count = draw.integer(1, min(places, 4))
    chosen = draw.source.permutation(places)[:count] if reduction in (None, "none") else draw.source.integers(0, places, count)
    indices = np.stack(np.unravel_index(chosen, shape[:depth]), -1)
    low, high = (-2, 2) if is_float(type_) else (0, 2)
    bounds = (None, None) if type_ == "bool" else (low, high)
    case.result(case.node("ScatterND", [case.input(draw.tensor(type_, shape, *bounds)), case.input(Proto.tensor("i64", indices)),
                                        case.input(draw.tensor(type_, [count, *shape[depth:]], *bounds))], reduction=reduction))


def tile(case, draw, type_):
    shape = draw.extents(draw.integer(1, 4), 4)
    case.result(case.node("Tile", [data_of(case, draw, type_, shape), case.ints(draw.extents(len(shape), 3))]))


def expand(case, draw, type_):
    to = draw.extents(draw.integer(1, 4))
    shape = draw.broadcast(to)
    to = [1 if i >= len(to) - len(shape) and draw.chance(0.2) else each for i, each in enumerate(to)]
    case.result(case.node("Expand", [data_of(case, draw, type_, shape), case.ints(to)]))


def pad(case, draw, type_):
    shape = draw.extents(draw.integer(1, 4))
    modes = ["constant", "constant", "reflect", "edge", *(["wrap"] if case.version >= 19 else [])]
    mode = draw.choice([None, *modes])
    limit = (lambda extent: extent - 1) if mode == "reflect" else (lambda extent: min(extent, 3))
    pads = [draw.integer(0, limit(extent)) for extent in shape * 2]
    if mode in (None, "constant") and draw.chance(0.3):  # negative ones remove elements
        axis = draw.integer(0, len(shape) - 1)
        pads[axis] = -draw.integer(0, shape[axis] - 1)
    x = data_of(case, draw, type_, shape)
    if case.version < 11:
        return case.result(case.node("Pad", [x], mode=mode, pads=pads, value=draw.choice([None, 1.5])))
    axes = draw.permutation(len(shape))[:draw.integer(1, len(shape))] if case.version >= 18 and draw.chance(0.5) else None
    if axes:
        pads = [pads[axis + half] for half in (0, len(shape)) for axis in axes]
    inputs = [x, case.ints(pads)]
    if mode in (None, "constant") and draw.chance(0.5):
        inputs.append(case.constant(draw.tensor(type_, [])))
    if axes:
        inputs += [None] * (3 - len(inputs)) + [case.ints([draw.signed(axis, len(shape), 18) for axis in axes])]
    case.result(case.node("Pad", inputs, mode=mode))


def shape_of(case, draw, type_):
    rank = draw.integer(1, 4)
    attributes = {}
    if case.version >= 15 and draw.chance(0.6):
        attributes = {"start": draw.integer(-rank, rank), "end": draw.choice([None, draw.integer(-rank, rank)])}
    x = data_of(case, draw, type_, draw.extents(rank))
    made = case.node("Shape", [x], **attributes)
    # A sum with a known extent, since a result of no elements cannot be compared.
    case.result(case.node("Concat", [made, case.ints([7])], axis=0))


def size_of(case, draw, type_):
    case.result(case.node("Size", [data_of(case, draw, type_, draw.extents(draw.integer(0, 4)))]))


def constant(case, draw, type_):
    value = case.node("Constant", [], value=draw.tensor(type_, draw.extents(draw.integer(0, 3))))
    if case.version >= 12 and draw.chance(0.4):
        value = case.node("Constant", [], **draw.choice([
            {"value_float": 1.25}, {"value_int": 3}, {"value_ints": [1, 2]}, {"value_floats": [0.5, 2.0]}]))
    case.result(case.node("Identity", [value]))


def constant_of_shape(case, draw, type_):
    value = draw.tensor(type_, [1]) if type_ != "f32" or draw.chance(0.6) else None
    case.result(case.node("ConstantOfShape", [case.ints(draw.extents(draw.integer(0, 3)))], value=value))


def range_(case, draw, type_):
    start, count = draw.integer(-5, 5), draw.integer(1, 6)
    delta = draw.choice([-2, -1, 1, 3]) if not is_float(type_) else draw.choice([-1.5, 0.5, 2.0])
    limit = start + delta * count
    case.result(case.node("Range", [case.constant(Proto.tensor(type_, each)) for each in (start, limit, delta)]))


def one_hot(case, draw, type_):
    rank, depth = draw.integer(1, 3), draw.integer(1, 5)
    low = -depth if case.version >= 11 and draw.chance(0.5) else 0
    indices = case.input(draw.tensor("i64", draw.extents(rank, 4), low, depth))
    values = draw.tensor(type_, [2])
    case.result(case.node("OneHot", [indices, case.ints([depth]), case.constant(values) if draw.chance(0.6) else
                                     case.input(values)], axis=draw.choice([None, draw.integer(-rank - 1, rank)])))


def eye_like(case, draw, type_):
    to = draw.choice([None, "f32", "i64"])
    case.result(case.node("EyeLike", [data_of(case, draw, type_, draw.extents(2))], k=draw.choice([None, -1, 1, 2]),
                          dtype=None if to is None else Proto.TYPES[to][0]))


def trilu(case, draw, type_):
    inputs = [data_of(case, draw, type_, draw.extents(draw.integer(2, 4)))]
    if draw.chance(0.6):
        inputs.append(case.constant(Proto.tensor("i64", draw.integer(-3, 3))))
    case.result(case.node("Trilu", inputs, upper=draw.choice([None, 0, 1])))


def reverse_sequence(case, draw, type_):
    shape = draw.extents(draw.integer(2, 4))
    time = draw.integer(0, 1)
    lengths = draw.tensor("i64", [shape[1 - time]], 1, shape[time])
    lengths = case.constant(lengths) if draw.chance(0.5) else case.input(lengths)
    attributes = {} if time == 0 and draw.chance(0.5) else {"time_axis": time, "batch_axis": 1 - time}
    case.result(case.node("ReverseSequence", [data_of(case, draw, type_, shape), lengths], **attributes))


def center_crop_pad(case, draw, type_):
    shape = draw.extents(draw.integer(1, 4), 6)
    axes = draw.subset(len(shape)) if draw.chance(0.6) else None
    to = draw.extents(len(axes or shape), 7)
    case.result(case.node("CenterCropPad", [data_of(case, draw, type_, shape), case.ints(to)],
                          axes=axes and [draw.signed(axis, len(shape), 18) for axis in axes]))


def tensor_scatter(case, draw, type_):
    batch, heads, length, width = draw.extents(4, 4)
    update = draw.integer(1, length)
    mode = draw.choice([None, "linear", "circular"])
    last = length - 1 if mode == "circular" else length - update
    inputs = [data_of(case, draw, type_, [batch, heads, length, width]), data_of(case, draw, type_, [batch, heads, update, width])]
    if draw.chance(0.8):
        inputs.append(case.input(draw.tensor("i64", [batch], 0, last)))
    case.result(case.node("TensorScatter", inputs, mode=mode))


ROWS = [
    *rows("Reshape", "7 13 14 19 21 23 24 25", MOVED, reshape),
    *rows("Flatten", "7 9 11 13 21 23 24 25", {7: ("f32",), 9: FEW}, flatten),
    *rows("Squeeze", "7 11 13 21 23 24 25", FEW, squeeze),
    *rows("Unsqueeze", "7 11 13 21 23 24 25", FEW, unsqueeze),
    *rows("Transpose", "7 13 21 23 24 25", MOVED, transpose),
    *rows("Concat", "7 11 13", MOVED, concat),
    *rows("Split", "7 11 13 18", ("f32", "u8", "i32", "i64"), split),
    *rows("Slice", "7 10 11 13", ("f32", "f16", "u8", "i32", "i64", "bool"), slice_),
    *rows("Gather", "7 11 13", MOVED, gather),
    *rows("GatherElements", "11 13", MOVED, gather_elements),
    *rows("GatherND", "11 12 13", FEW, gather_nd),
    *rows("Scatter", "9", ("f32", "i32"), scatter_elements("Scatter")),
    *rows("ScatterElements", "11 13 16 18", ("f32", "u8", "i32", "i64"), scatter_elements("ScatterElements")),
    *rows("ScatterND", "11 13 16 18", ("f32", "i32", "i64"), scatter_nd),
    *rows("Tile", "7 13", ("f32", "u8", "i32", "i64", "bool"), tile),
    *rows("Expand", "8 13", ("f32", "u8", "i32", "i64", "bool"), expand),
    *rows("Pad", "7 11 13 18 19 21 23 24 25", {7: ("f32",), 11: ("f32", "f64"), 13: ("f32", "f16", "i8", "u8", "i32", "i64", "bool")}, pad),
    *rows("Shape", "7 13 15 19 21 23 24 25", FEW, shape_of),
    *rows("Size", "7 13 19 21 23 24 25", FEW, size_of),
    *rows("Constant", "7 9 11 12 13 19 21 23 24 25", MOVED, constant),
    *rows("ConstantOfShape", "9 20 21 23 24 25", FEW, constant_of_shape),
    *rows("Range", "11", ("f32", "i32", "i64"), range_),
    *rows("OneHot", "9 11", ("f32", "i64"), one_hot),
    *rows("EyeLike", "9 22", ("f32", "i32"), eye_like),
    *rows("Trilu", "14", ("f32", "i64", "bool"), trilu),
    *rows("ReverseSequence", "10", ("f32", "i32"), reverse_sequence),
    *rows("CenterCropPad", "18", ("f32", "u8"), center_crop_pad),
    *rows("TensorScatter", "24", ("f32",), tensor_scatter),
]

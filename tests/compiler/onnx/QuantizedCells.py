# QuantizedCells.py - Random quantized operators
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scales are such that most results are inside the range of their type."""
import numpy as np

import Proto
from Case import limits
from ProductCells import MICROSOFT
from Row import BYTES, named, rows
from WindowCells import optional, padding, window

WIDE = ("i8", "u8", "i16", "u16")


def scale(case, draw, count=None, low=0.02, high=0.3, type_="f32"):
    return case.constant(draw.tensor(type_, [] if count is None else [count], low, high))


def zero(case, draw, type_, count=None, centered=False):
    low, high = limits(type_)
    middle = (low + high + 1) // 2
    reach = 0 if centered else min(8, (high - low) // 4)
    return case.constant(draw.tensor(type_, [] if count is None else [count], middle - reach, middle + reach))


def parameters(case, draw, type_, low=0.02, high=0.3):
    """Scale and zero point of a tensor."""
    return [scale(case, draw, None, low, high), zero(case, draw, type_)]


def axis_of(draw, version, shape):
    """The axis of the scales and its extent, or none."""
    if version < 13 or not shape or draw.chance(0.4):
        return None, None
    axis = draw.integer(0, len(shape) - 1)
    return axis, shape[axis]


def blocked(draw, version, shape):
    """A block size along an axis and the shape of the scales, or none."""
    if version < 21 or not shape or draw.chance(0.6):
        return None
    axis, block = draw.integer(0, len(shape) - 1), draw.integer(1, 3)
    shape[axis] = block * draw.integer(1, 3)
    scales = [each // block if i == axis else each for i, each in enumerate(shape)]
    # The runtime takes one scale for that of the whole tensor.
    return ({"axis": axis, "block_size": block}, scales) if scales != [1] else None


def float_type(draw, version):
    return "f16" if version >= 19 and draw.chance(0.3) else "f32"


def quantize(case, draw, type_):
    shape = draw.extents(draw.integer(0, 4))
    blocks, kind = blocked(draw, case.version, shape), float_type(draw, case.version)
    low, high = limits(type_)
    step = 0.05 if type_ in BYTES else 0.6 if type_ in ("i4", "u4") else 0.0005
    if blocks:
        attributes, scales = blocks
    else:
        axis, count = axis_of(draw, case.version, shape)
        attributes, scales = {"axis": axis if axis != 1 else draw.choice([None, 1])}, [] if count is None else [count]
    inputs = [case.input(draw.tensor(kind, shape)), case.constant(draw.tensor(kind, scales, step, 2 * step))]
    if type_ != "u8" or draw.chance(0.7):
        middle = (low + high + 1) // 2
        inputs.append(case.constant(draw.tensor(type_, scales, max(low, middle - 9), min(high, middle + 9))))
    made = case.node("QuantizeLinear", inputs, **attributes)
    if type_ in ("i4", "u4"):  # is read back, since no result of the runtime has 4 bits
        made = case.node("DequantizeLinear", [made, *inputs[1:]], **attributes)
    case.result(made)


def dequantize(case, draw, type_):
    shape = draw.extents(draw.integer(0, 4))
    blocks, kind = blocked(draw, case.version, shape), float_type(draw, case.version)
    if blocks:
        attributes, scales = blocks
    else:
        axis, count = axis_of(draw, case.version, shape)
        attributes, scales = {"axis": axis if axis != 1 else draw.choice([None, 1])}, [] if count is None else [count]
    data = draw.tensor(type_, shape, *((-70000, 70000) if type_ == "i32" else ()))
    inputs = [case.constant(data) if type_ in ("i4", "u4") or draw.chance(0.2) else case.input(data),
              case.constant(draw.tensor(kind, scales, 0.001, 0.1))]
    if type_ != "i32" and draw.chance(0.7):
        inputs.append(case.constant(draw.tensor(type_, scales)))
    case.result(case.node("DequantizeLinear", inputs, **attributes))


def microsoft_pair(case, draw, type_):
    """The forms of 16 bits before opset 21."""
    shape = draw.extents(draw.integer(1, 4))
    axis = draw.integer(0, len(shape) - 1) if draw.chance(0.4) else None
    count = None if axis is None else shape[axis]
    pair = [scale(case, draw, count, 0.0005, 0.001), zero(case, draw, type_, count)]
    made = case.node("QuantizeLinear", [case.input(draw.tensor("f32", shape)), *pair], domain=MICROSOFT, axis=axis)
    case.result([made, case.node("DequantizeLinear", [made, *pair], domain=MICROSOFT, axis=axis)])


def dynamic_quantize(case, draw, type_):
    data = draw.tensor(type_, draw.extents(draw.integer(1, 3)), *draw.choice([(-4, 4), (1, 4), (-4, -1)]))
    case.result(case.node("DynamicQuantizeLinear", [case.input(data)], 3))


def other_byte(draw, type_):
    """The runtime has i8 with i8, and u8 with both."""
    return "i8" if type_ == "i8" else draw.choice(BYTES)


def qlinear_conv(case, draw, type_):
    rank, group, other = draw.choice([1, 2, 2]), draw.choice([1, 1, 2]), other_byte(draw, type_)
    kernel, strides, dilations, size = window(draw, rank)
    ins, outs = draw.integer(1, 4), draw.integer(1, 4) * group
    count = outs if draw.chance(0.5) else None
    inputs = [case.input(draw.tensor(type_, [draw.integer(1, 2), group * ins, *size])), *parameters(case, draw, type_),
              case.constant(draw.tensor(other, [outs, ins, *kernel])), scale(case, draw, count),
              zero(case, draw, other, count, centered=count is not None),
              *parameters(case, draw, type_, 3, 9)]
    if draw.chance(0.6):
        inputs.append(case.constant(draw.tensor("i32", [outs], -2000, 2000)))
    attributes = optional(draw, kernel_shape=kernel, strides=strides, dilations=dilations)
    if group > 1:
        attributes["group"] = group
    case.result(case.node("QLinearConv", inputs, **attributes, **padding(draw, kernel, strides, dilations)))


def conv_integer(case, draw, type_):
    kernel, strides, dilations, size = window(draw, 2)
    ins, outs = draw.integer(1, 3), draw.integer(1, 3)
    other = other_byte(draw, type_)
    inputs = [case.input(draw.tensor(type_, [draw.integer(1, 2), ins, *size])), case.constant(draw.tensor(other, [outs, ins, *kernel]))]
    if draw.chance(0.6):
        inputs.append(zero(case, draw, type_))
        if draw.chance(0.5):
            inputs.append(zero(case, draw, other))
    attributes = optional(draw, kernel_shape=kernel, strides=strides, dilations=dilations)
    case.result(case.node("ConvInteger", inputs, **attributes, **padding(draw, kernel, strides, dilations)))


def qlinear_matmul(case, draw, type_):
    m, k, n = draw.extents(3, 6)
    other, batch = other_byte(draw, type_), draw.extents(draw.integer(0, 2), 3)
    right = [k, n] if draw.chance(0.6) else [*batch, k, n]
    count = n if right == [k, n] and draw.chance(0.4) else None
    value = draw.tensor(other, right)
    inputs = [case.input(draw.tensor(type_, [*batch, m, k])), *parameters(case, draw, type_),
              case.constant(value) if draw.chance(0.7) else case.input(value), scale(case, draw, count),
              zero(case, draw, other, count, centered=count is not None), *parameters(case, draw, type_, 3, 9)]
    case.result(case.node("QLinearMatMul", inputs))


def matmul_integer(case, draw, type_):
    m, k, n = draw.extents(3, 6)
    other, batch = other_byte(draw, type_), draw.extents(draw.integer(0, 2), 3)
    inputs = [case.input(draw.tensor(type_, [*batch, m, k])), case.constant(draw.tensor(other, [k, n]))]
    if draw.chance(0.6):
        inputs.append(zero(case, draw, type_))
        if draw.chance(0.5):
            inputs.append(zero(case, draw, other, n if draw.chance(0.4) else None))
    case.result(case.node("MatMulInteger", inputs))


def qlinear_binary(operator):
    def case(case, draw, type_):
        shape = draw.extents(draw.integer(0, 4))
        second = draw.tensor(type_, draw.broadcast(shape))
        high = (0.4, 0.9) if operator == "QLinearAdd" else (3, 9)
        case.result(case.node(operator, [case.input(draw.tensor(type_, shape)), *parameters(case, draw, type_),
                                         case.constant(second) if draw.chance(0.4) else case.input(second),
                                         *parameters(case, draw, type_), *parameters(case, draw, type_, *high)], domain=MICROSOFT))
    return case


def qlinear_unary(operator):
    def case(case, draw, type_):
        shape = draw.extents(draw.integer(1, 4))
        attributes = {"alpha": draw.choice([None, 0.2])} if operator == "QLinearLeakyRelu" else {}
        case.result(case.node(operator, [case.input(draw.tensor(type_, shape)), *parameters(case, draw, type_, 0.01, 0.05),
                                         *parameters(case, draw, type_, 0.01, 0.05)], domain=MICROSOFT, **attributes))
    return case


def qlinear_softmax(case, draw, type_):
    # The runtime's probability 1 of an axis of one element wraps around in u8.
    shape = [each + 1 for each in draw.extents(draw.integer(1, 3), 6)]
    x = [case.input(draw.tensor(type_, shape)), *parameters(case, draw, type_)]
    y = [case.constant(Proto.tensor("f32", 1 / 256)), case.constant(Proto.tensor(type_, limits(type_)[0]))]
    case.result(case.node("QLinearSoftmax", [*x, *y], domain=MICROSOFT, opset=case.version, axis=draw.integer(0, len(shape) - 1)))


def qlinear_pool(operator):
    def case(case, draw, type_):
        if operator == "QLinearGlobalAveragePool":
            return case.result(case.node(operator, [case.input(draw.tensor(type_, draw.extents(4))), *parameters(case, draw, type_),
                                                    *parameters(case, draw, type_)], domain=MICROSOFT, channels_last=0))
        kernel, strides, dilations, size = window(draw, 2, dilated=False)
        attributes = {"kernel_shape": kernel, **optional(draw, strides=strides), **padding(draw, kernel, strides, dilations),
                      "count_include_pad": draw.choice([None, 0, 1])}
        x = [case.input(draw.tensor(type_, [1, draw.integer(1, 4), *size])), *parameters(case, draw, type_)]
        case.result(case.node(operator, [*x, *parameters(case, draw, type_)], domain=MICROSOFT, **attributes))
    return case


def qlinear_concat(case, draw, type_):
    shape = draw.extents(draw.integer(1, 4))
    axis = draw.integer(0, len(shape) - 1)
    inputs = parameters(case, draw, type_)
    for _ in range(draw.integer(1, 3)):
        part = [draw.integer(1, 4) if i == axis else each for i, each in enumerate(shape)]
        inputs += [case.input(draw.tensor(type_, part)), *parameters(case, draw, type_)]
    case.result(case.node("QLinearConcat", inputs, domain=MICROSOFT, axis=axis))


def qlinear_where(case, draw, type_):
    shape = draw.extents(draw.integer(1, 3))
    case.result(case.node("QLinearWhere", [case.input(draw.tensor("bool", shape)), case.input(draw.tensor(type_, shape)),
                                           *parameters(case, draw, type_), case.input(draw.tensor(type_, shape)),
                                           *parameters(case, draw, type_), *parameters(case, draw, type_)], domain=MICROSOFT))


def qgemm(case, draw, type_):
    m, k, n = draw.extents(3, 6)
    other, transposed = other_byte(draw, type_), draw.integer(0, 1)
    inputs = [case.input(draw.tensor(type_, [m, k])), *parameters(case, draw, type_),
              case.constant(draw.tensor(other, [n, k] if transposed else [k, n])), scale(case, draw), zero(case, draw, other),
              case.constant(draw.tensor("i32", [n])) if draw.chance(0.6) else None, *parameters(case, draw, type_, 3, 9)]
    case.result(case.node("QGemm", inputs, domain=MICROSOFT, transB=transposed))


def matmul_to_float(case, draw, type_):
    m, k, n = draw.extents(3, 6)
    other = other_byte(draw, type_)
    inputs = [case.input(draw.tensor(type_, [m, k])), case.constant(draw.tensor(other, [k, n])), scale(case, draw), scale(case, draw),
              zero(case, draw, type_), zero(case, draw, other)]
    if draw.chance(0.5):
        inputs.append(case.constant(draw.tensor("f32", [n])))
    case.result(case.node("MatMulIntegerToFloat", inputs, domain=MICROSOFT))


def dynamic_matmul(case, draw, type_):
    m, k, n = draw.extents(3, 6)
    inputs = [case.input(draw.tensor("f32", [m, k])), case.constant(draw.tensor(type_, [k, n])), scale(case, draw),
              zero(case, draw, type_)]
    if draw.chance(0.5):
        inputs.append(case.constant(draw.tensor("f32", [n])))
    case.result(case.node("DynamicQuantizeMatMul", inputs, domain=MICROSOFT))


ROWS = [
    *rows("QuantizeLinear", "10 13 19 21 23 24 25", {10: BYTES, 21: (*WIDE, "i4", "u4")}, quantize),
    *rows("DequantizeLinear", "10 13 19 21 23 24 25", {10: (*BYTES, "i32"), 21: (*WIDE, "i32", "i4", "u4")}, dequantize),
    *rows("QuantizeLinear_DequantizeLinear", "13", ("i16", "u16"), microsoft_pair, MICROSOFT),
    *rows("DynamicQuantizeLinear", "11", ("f32",), dynamic_quantize),
    *rows("QLinearConv", "10", BYTES, qlinear_conv),
    *rows("ConvInteger", "10", ("u8",), conv_integer),
    *rows("QLinearMatMul", "10 21", BYTES, qlinear_matmul),
    *rows("MatMulInteger", "10", BYTES, matmul_integer),
    *rows("QLinearAdd QLinearMul", "13", BYTES, named(qlinear_binary), MICROSOFT),
    *rows("QLinearLeakyRelu QLinearSigmoid", "13", BYTES, named(qlinear_unary), MICROSOFT),
    *rows("QLinearSoftmax", "13", BYTES, qlinear_softmax, MICROSOFT),
    *rows("QLinearAveragePool QLinearGlobalAveragePool", "13", BYTES, named(qlinear_pool), MICROSOFT),
    *rows("QLinearConcat", "13", BYTES, qlinear_concat, MICROSOFT),
    *rows("QLinearWhere", "13", BYTES, qlinear_where, MICROSOFT),
    *rows("QGemm", "13", BYTES, qgemm, MICROSOFT),
    *rows("MatMulIntegerToFloat", "13", BYTES, matmul_to_float, MICROSOFT),
    *rows("DynamicQuantizeMatMul", "13", BYTES, dynamic_matmul, MICROSOFT),
]

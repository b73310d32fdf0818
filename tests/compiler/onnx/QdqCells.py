# QdqCells.py - Random operators between DequantizeLinear and QuantizeLinear
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""As quantizers write them. Sums of integers are exact, and those of floats are not: results may differ by a step where the
sum is near a half. Numbers of 16 bits are symmetric."""
import numpy as np

import Proto
from Case import limits
from QuantizedCells import parameters, scale
from Row import BYTES, Row
from WindowCells import padding, window

STEPS = 1


class Around:
    """A case with an operator whose operands are dequantized. `most`: its largest extents."""

    def __init__(self, case, draw, type_, most):
        self.case, self.draw, self.type, self.most = case, draw, type_, most
        self.scales = {}  # of operands

    def extent(self, least=1):
        return self.draw.integer(max(least, self.most // 2), self.most) if self.most > 8 else self.draw.integer(least, self.most)

    def shape(self, rank):
        return [self.extent() for _ in range(rank)]

    def dequantized(self, value, pair, **attributes):
        made = self.case.node("DequantizeLinear", [value, *pair], **attributes)
        self.scales[made] = self.case.constants[pair[0]].array
        return made

    def pair(self, low, high):
        """Scale and zero point of a tensor, whose 8-bit form has a scale in this range."""
        if self.type != "i16":
            return parameters(self.case, self.draw, self.type, low, high)
        return [scale(self.case, self.draw, None, low / 256, high / 256), self.case.constant(Proto.tensor("i16", 0))]

    def operand(self, shape, pair=None, isConstant=False, low=0.02, high=0.1):
        value = self.draw.tensor(self.type, shape)
        pair = pair or self.pair(low, high)
        return self.dequantized(self.case.constant(value) if isConstant else self.case.input(value), pair)

    def weights(self, shape, axis):
        """With a scale for each index of the axis, or with one."""
        type_ = self.draw.choice(["i8", "i4", "u4"]) if self.case.version >= 21 else "i8"
        low, high = (0.01, 0.02) if type_ == "i8" else (0.1, 0.2)
        value = self.case.constant(self.draw.tensor(type_, shape))
        if self.draw.chance(0.4):
            return self.dequantized(value, parameters(self.case, self.draw, type_, low, high))
        scales = self.case.constant(self.draw.tensor("f32", [shape[axis]], low, high))
        zero = 8 if type_ == "u4" else 0
        zeros = self.case.constant(self.draw.tensor(type_, [shape[axis]], zero, zero))
        return self.dequantized(value, [scales, zeros], axis=axis)

    def layer(self, operator, x, weights, count, **attributes):
        """With a bias of floats, or of integers with the scale of the sums, or without one."""
        bias, kind = [], self.draw.choice(["", "floats", "integers"])
        if kind == "floats":
            bias = [self.case.constant(self.draw.tensor("f32", [count]))]
        elif kind == "integers":
            scales = np.broadcast_to(self.scales[x] * self.scales[weights], [count]).astype(np.float32)
            pair = [self.case.constant(Proto.Tensor("f32", scales))]
            bias = [self.dequantized(self.case.constant(self.draw.tensor("i32", [count], -2000, 2000)), pair, axis=0)]
        return self.node(operator, [x, weights, *bias], **attributes)

    def clamped(self, value):
        """As it is, or after a rectifier."""
        rule = self.draw.choice(["", "", "Relu", "Clip"])
        if rule == "Clip":
            limits = [self.case.constant(self.draw.tensor("f32", [], low, low + 1)) for low in (-2, 5)]
            return self.case.node("Clip", [value, *limits])
        return self.case.node(rule, [value]) if rule else value

    def node(self, operator, inputs, **attributes):
        return self.case.node(operator, inputs, **attributes)


def conv(at):
    rank, depthwise = at.draw.choice([1, 2, 2]), at.draw.chance(0.3)
    kernel, strides, dilations, size = window(at.draw, rank, most=at.most)
    size = [max(each, at.extent()) for each in size]
    group = at.extent() if depthwise else at.draw.choice([1, 1, 2])
    ins, outs = (1, group * at.draw.integer(1, 2)) if depthwise else (at.extent(), at.extent() * group)
    made = at.layer("Conv", at.operand([1, group * ins, *size]), at.weights([outs, ins, *kernel], 0), outs, strides=strides,
                    dilations=dilations, group=group, **padding(at.draw, kernel, strides, dilations))
    return at.clamped(made), 0.03 * np.sqrt(ins * np.prod(kernel))


def conv_transpose(at):
    kernel, strides, size = at.draw.extents(2, 3), at.draw.extents(2, 2), at.shape(2)
    ins, outs = at.extent(), at.extent()
    made = at.layer("ConvTranspose", at.operand([1, ins, *size]), at.weights([ins, outs, *kernel], 1), outs, strides=strides)
    return at.clamped(made), 0.03 * np.sqrt(ins * np.prod(kernel))


def matmul(at):
    m, k, n = at.shape(3)
    batch = at.draw.extents(at.draw.integer(0, 2), 3)
    right = at.weights([k, n], 1) if at.draw.chance(0.6) else at.operand([*batch, k, n], low=0.01, high=0.02)
    return at.node("MatMul", [at.operand([*batch, m, k]), right]), 0.03 * np.sqrt(k)


def gemm(at):
    m, k, n = at.shape(3)
    transposed = at.draw.integer(0, 1)
    weights = at.weights([n, k] if transposed else [k, n], 1 - transposed)
    made = at.layer("Gemm", at.operand([m, k]), weights, n, transB=transposed)
    return at.clamped(made), 0.03 * np.sqrt(k)


def pair(at):
    shape = at.shape(at.draw.integer(1, 4) if at.most <= 8 else 3)
    operator = at.draw.choice(["Add", "Mul", "Sub"])
    made = at.node(operator, [at.operand(shape), at.operand(at.draw.broadcast(shape), isConstant=at.draw.chance(0.3))])
    return at.clamped(made), 0.2 if operator == "Mul" else 0.08


def pool(at):
    kernel, strides, dilations, size = window(at.draw, 2, dilated=False, most=at.most)
    x = at.operand([1, at.extent(), *(max(each, at.extent()) for each in size)])
    operator = at.draw.choice(["MaxPool", "AveragePool", "GlobalAveragePool"])
    if operator == "GlobalAveragePool":
        return at.node(operator, [x]), 0.01
    border = padding(at.draw, kernel, strides, dilations) if at.draw.chance(0.5) else {}
    return at.node(operator, [x], kernel_shape=kernel, strides=strides, **border), 0.05


def mean(at):
    """Also sums. Their results are less often half a step than those of one scale."""
    shape = at.shape(at.draw.integer(2, 4) if at.most <= 8 else 3)
    axes = at.draw.subset(len(shape))
    operator = at.draw.choice(["ReduceMean", "ReduceSum"])
    keeps = at.draw.integer(0, 1)
    x = at.operand(shape)
    if operator == "ReduceSum":
        return at.node(operator, [x, at.case.ints(axes)], keepdims=keeps), 0.05 * np.sqrt(np.prod([shape[axis] for axis in axes]))
    return at.node(operator, [x], axes=axes, keepdims=keeps), 0.02


def rectifier(at):
    """With a slope for each channel."""
    channels = at.extent()
    slopes = at.operand([channels, 1, 1], isConstant=True, low=0.002, high=0.004)
    return at.node("PRelu", [at.operand([1, channels, *at.shape(2)]), slopes]), 0.08


def softmax(at):
    shape = at.shape(at.draw.integer(1, 3))
    steps = at.draw.choice([1 / 256, 1 / 255, at.draw.real(0.002, 0.02)])
    result = [at.case.constant(Proto.tensor("f32", steps)), at.case.constant(Proto.tensor(at.type, limits(at.type)[0]))]
    return at.node("Softmax", [at.operand(shape)], axis=at.draw.integer(0, len(shape) - 1)), result


def function(at):
    operator = at.draw.choice(["Relu", "Sigmoid", "Tanh", "HardSwish", "LeakyRelu", "HardSigmoid", "Elu", "Identity", "Swish"])
    x = at.operand(at.shape(at.draw.integer(1, 4)))
    if operator == "Swish":
        return at.node("Mul", [x, at.node("Sigmoid", [x])]), 0.05
    return at.node(operator, [x]), 0.05


def move(at):
    """The result has the scale of the operand, or another one."""
    same = at.pair(0.02, 0.3)
    shape = at.shape(3)
    x = at.operand(shape, same)
    operator = at.draw.choice(["Transpose", "Reshape", "Slice", "Pad", "Concat", "Resize"])
    ints = lambda *values: at.case.ints(list(values))
    if operator == "Reshape":
        made = at.node(operator, [x, ints(-1, shape[0])])
    elif operator == "Slice":
        made = at.node(operator, [x, ints(0, 0), ints(max(1, shape[0] - 1), shape[1]), ints(0, 1), ints(1, 2)])
    elif operator == "Pad":
        value = [at.case.constant(at.draw.tensor("f32", [], -1, 1))] if at.draw.chance(0.4) else []
        made = at.node(operator, [x, ints(0, 1, 0, 1, 0, 2), *value])
    elif operator == "Concat":
        made = at.node(operator, [x, at.operand(shape, at.draw.choice([None, same]))], axis=at.draw.integer(0, 2))
    elif operator == "Resize":
        scales = at.case.constant(at.draw.tensor("f32", [4], 1, 1))
        at.case.constants[scales].array[2:] = 2
        made = at.node(operator, [at.node("Unsqueeze", [x, ints(0)]), "", scales], mode="nearest",
                       coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    else:
        made = at.node(operator, [x])
    return made, same if at.draw.chance(0.6) else 0.05


def to_floats(at):
    """A layer of many products whose result nothing quantizes."""
    m, k, n = at.extent(), at.draw.integer(240, 280), at.extent()
    if at.draw.chance(0.5):
        return at.layer("Gemm", at.operand([m, k]), at.weights([k, n], 1), n), None
    x = at.operand([1, k, *at.shape(2)])
    return at.clamped(at.layer("Conv", x, at.weights([n, k, 1, 1], 0), n)), None


def between(build, case, draw, type_, most=5):
    at = Around(case, draw, type_, most)
    made, result = build(at)
    if result is None:
        case.result(made, 2e-4)  # sums of floats up to 32 are rounded
        if draw.chance(0.7):
            case.result(case.node("QuantizeLinear", [made, *at.pair(1, 2)]), STEPS)
        return
    if not isinstance(result, list):
        result = at.pair(result, 2 * result)
    case.result(case.node("QuantizeLinear", [made, *result]), STEPS)


def row(name, versions, build, types=BYTES):
    return Row(f"{name}_between_QDQ", versions, types, lambda case, draw, type_: between(build, case, draw, type_))


# Name, opsets, function. Weights have 4 bits too from opset 21 on.
OPERATORS = [("Conv", (13, 21), conv), ("ConvTranspose", (13,), conv_transpose), ("MatMul", (13, 21), matmul), ("Gemm", (13,), gemm),
             ("Add", (13,), pair), ("Pool", (13,), pool), ("Unary", (14,), function), ("Move", (13,), move), ("Reduce", (13,), mean),
             ("PRelu", (13,), rectifier), ("Softmax", (13,), softmax)]
# With numbers of 16 bits, which ONNX has since opset 21.
WIDE = [("Conv", conv), ("ConvTranspose", conv_transpose), ("Gemm", gemm), ("Add", pair)]
ROWS = [*(row(*each) for each in OPERATORS), *(row(f"{name}_of_16_bits", (21,), build, ("i16",)) for name, build in WIDE),
        Row("Layer_after_DQ", (13, 21), {13: BYTES, 21: ("i16",)},
            lambda case, draw, type_: between(to_floats, case, draw, type_))]

# ElementCells.py - Random element-wise operators
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import Proto
from Case import limits
from Row import FLOATS, SIGNED, UNSIGNED, named, rows

SOME = ("f32", "f16", "i32", "i64")
NUMERIC = (*FLOATS, *SIGNED, *UNSIGNED)
ALL = ("bool", *NUMERIC)


def is_float(type_):
    return type_ in FLOATS


def shape_of(draw):
    return draw.extents(draw.integer(0, 4))


def unary(low=None, high=None, special=False):
    """`special`: with NaN and infinities among the elements."""
    def for_operator(operator):
        def case(case, draw, type_):
            shape = shape_of(draw)
            data = draw.special(type_, shape) if special else draw.tensor(type_, shape, low, high)
            case.result(case.node(operator, [case.input(data)]))
        return case
    return named(for_operator)


def with_attributes(operator, **ranges):
    """Each attribute is left out in some cases."""
    def case(case, draw, type_):
        attributes = {name: draw.real(*limits_) for name, limits_ in ranges.items() if draw.chance(0.8)}
        case.result(case.node(operator, [case.input(draw.tensor(type_, shape_of(draw)))], **attributes))
    return case


def binary(low=None, high=None, attributes=lambda draw, type_: {}):
    def for_operator(operator):
        def case(case, draw, type_):
            shape = shape_of(draw)
            shapes = [shape, draw.broadcast(shape)]
            if draw.chance(0.3):
                shapes.reverse()
            operands = [case.input(draw.tensor(type_, shapes[0]))]
            second = draw.tensor(type_, shapes[1], low, high)
            operands.append(case.constant(second) if draw.chance(0.3) else case.input(second))
            case.result(case.node(operator, operands, **attributes(draw, type_)))
        return case
    return named(for_operator)


def equal(operator):
    """Operands with many equal elements."""
    def case(case, draw, type_):
        shape = shape_of(draw)
        bounds = {} if type_ == "bool" else {"low": 0, "high": 3}
        first, second = draw.tensor(type_, shape, **bounds), draw.tensor(type_, draw.broadcast(shape), **bounds)
        if is_float(type_):
            first.array, second.array = first.array.round(), second.array.round()
        case.result(case.node(operator, [case.input(first), case.input(second)]))
    return case


def variadic(operator):
    def case(case, draw, type_):
        shape = shape_of(draw)
        shapes = [shape] + [draw.broadcast(shape) if case.version >= 8 else shape for _ in range(draw.integer(0, 3))]
        case.result(case.node(operator, [case.input(draw.tensor(type_, each)) for each in shapes]))
    return case


def power(case, draw, type_):
    shape = shape_of(draw)
    base = draw.tensor(type_, shape, *((0.2, 3) if is_float(type_) else (-5, 5)))
    kind = type_ if case.version < 12 else draw.choice([type_, "f32", "i32"])
    exponent = draw.tensor(kind, draw.broadcast(shape), *((-2, 2) if is_float(kind) and is_float(type_) else (0, 3)))
    if is_float(kind) and not is_float(type_):
        exponent.array = exponent.array.round()
    case.result(case.node("Pow", [case.input(base), case.input(exponent)]))


def division(case, draw, type_):
    shape = shape_of(draw)
    divisor = draw.tensor(type_, draw.broadcast(shape), *((0.3, 4) if is_float(type_) else (1, 9)))
    if not type_.startswith("u") and draw.chance(0.5):
        divisor.array = -divisor.array
    case.result(case.node("Div", [case.input(draw.tensor(type_, shape)), case.input(divisor)]))


def modulo(case, draw, type_):
    shape = shape_of(draw)
    fmod = 1 if is_float(type_) else draw.integer(0, 1)
    divisor = draw.tensor(type_, draw.broadcast(shape), *((0.5, 3) if is_float(type_) else (1, 9)))
    if not type_.startswith("u") and draw.chance(0.5):
        divisor.array = -divisor.array
    case.result(case.node("Mod", [case.input(draw.tensor(type_, shape)), case.input(divisor)], fmod=fmod))


def shift(case, draw, type_):
    shape = shape_of(draw)
    amount = draw.tensor(type_, draw.broadcast(shape), 0, 7)
    case.result(case.node("BitShift", [case.input(draw.tensor(type_, shape)), case.input(amount)],
                          direction=draw.choice(["LEFT", "RIGHT"])))


def clip(case, draw, type_):
    x = case.input(draw.tensor(type_, shape_of(draw)))
    low, high = (draw.real(-3, 0), draw.real(0, 3)) if is_float(type_) else (draw.integer(0, 9), draw.integer(10, 90))
    low, high = low if draw.chance(0.8) else None, high if draw.chance(0.8) else None
    if case.version < 11:
        return case.result(case.node("Clip", [x], min=low, max=high))
    bounds = [None if each is None else case.constant(Proto.tensor(type_, each)) for each in (low, high)]
    while bounds and bounds[-1] is None:
        bounds.pop()
    return case.result(case.node("Clip", [x, *bounds]))


def prelu(case, draw, type_):
    shape = draw.extents(draw.integer(1, 4))
    slope = draw.tensor(type_, draw.broadcast(shape), *((-1, 1) if is_float(type_) else (0, 3)))
    slope = case.constant(slope) if draw.chance(0.7) else case.input(slope)
    case.result(case.node("PRelu", [case.input(draw.tensor(type_, shape)), slope]))


def where(case, draw, type_):
    shape = shape_of(draw)
    shapes = [draw.broadcast(shape), draw.broadcast(shape), draw.broadcast(shape)]
    shapes[draw.integer(0, 2)] = shape
    case.result(case.node("Where", [case.input(draw.tensor(kind, each)) for kind, each in
                                    zip(("bool", type_, type_), shapes)]))


def is_inf(case, draw, type_):
    attributes = {name: draw.integer(0, 1) for name in ("detect_negative", "detect_positive") if draw.chance(0.6)}
    case.result(case.node("IsInf", [case.input(draw.special(type_, shape_of(draw)))], **attributes))


def gelu(case, draw, type_):
    x = case.input(draw.tensor(type_, shape_of(draw)))
    case.result(case.node("Gelu", [x], approximate=draw.choice([None, "none", "tanh"])))


def dropout(case, draw, type_):
    x = case.input(draw.tensor(type_, shape_of(draw)))
    if case.version < 12:
        return case.result(case.node("Dropout", [x], ratio=0.3))
    ratio = case.constant(Proto.tensor("f32", 0.3)) if draw.chance(0.5) else None
    return case.result(case.node("Dropout", [x, ratio] if ratio else [x]))


CAST_TYPES = ("f32", "f16", "f64", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "bool")


def castable(draw, type_, to):
    """Numbers that the other type holds, since others are undefined."""
    if type_ == "bool" or to in ("bool", *FLOATS):
        return draw.tensor(type_, shape_of(draw))
    least, most = limits(to)
    if is_float(type_):
        return draw.tensor(type_, shape_of(draw), max(least, -100), min(most, 100))
    mine = limits(type_)
    if draw.chance(0.5):  # bits that do not fit are dropped
        return draw.tensor(type_, shape_of(draw), max(mine[0], -70000), min(mine[1], 70000))
    return draw.tensor(type_, shape_of(draw), max(least, mine[0], -70000), min(most, mine[1], 70000))


def cast(case, draw, type_):
    to = draw.choice([each for each in CAST_TYPES if each != type_])
    case.result(case.node("Cast", [case.input(castable(draw, type_, to))], to=Proto.TYPES[to][0]))


def cast_like(case, draw, type_):
    to = draw.choice(CAST_TYPES)
    like = draw.tensor(to, [1])
    case.result(case.node("CastLike", [case.input(castable(draw, type_, to)),
                                       case.constant(like) if draw.chance(0.5) else case.input(like)]))


def to_bfloat(case, draw, type_):
    half = case.node("Cast", [case.input(draw.tensor(type_, shape_of(draw)))], to=Proto.TYPES["bf16"][0])
    case.result(case.node("Cast", [half], to=Proto.TYPES["f32"][0]))


def mean_variance(case, draw, type_):
    rank = draw.integer(3, 4)
    axes = draw.subset(rank) if draw.chance(0.7) or rank == 3 else None
    shape = [each + 2 for each in draw.extents(rank)]  # the runtime has no answer for equal elements
    case.result(case.node("MeanVarianceNormalization", [case.input(draw.tensor(type_, shape))], axes=axes))


ROWS = [
    *rows("Floor Ceil", "7 13", FLOATS[:2], unary()),
    *rows("Abs Neg", "7 13", {7: (*FLOATS, "i8", "i32", "i64"), 13: (*FLOATS, "i8", "i32", "i64")}, unary()),
    *rows("Exp Sigmoid Tanh", "7 13", FLOATS, unary(-4, 4)),
    *rows("Sqrt Log", "7 13", FLOATS, unary(0.01, 50)),
    *rows("Reciprocal", "7 13", FLOATS, unary(0.1, 20)),
    *rows("Relu", "7 13 14", {7: FLOATS, 14: (*FLOATS, "i8", "i32")}, unary()),
    *rows("Erf", "9 13", ("f32", "f16"), unary(-3, 3)),
    *rows("Sign", "9 13", (*FLOATS, *SIGNED, *UNSIGNED), unary()),
    *rows("IsNaN", "9 13 20", FLOATS, unary(special=True)),
    *rows("Round", "11 22", FLOATS, unary(-9, 9)),
    *rows("Sin Cos", "7 22", FLOATS[:2], unary(-7, 7)),
    *rows("Tan", "7 22", FLOATS[:2], unary(-1.3, 1.3)),
    *rows("Atan", "7 22", FLOATS[:2], unary(-9, 9)),
    *rows("Asin Acos", "7 22", FLOATS[:2], unary(-0.99, 0.99)),
    *rows("Sinh Cosh Asinh", "9 22", FLOATS[:2], unary(-4, 4)),
    *rows("Acosh", "9 22", FLOATS[:2], unary(1.01, 9)),
    *rows("Atanh", "9 22", FLOATS[:2], unary(-0.98, 0.98)),
    *rows("Softplus Softsign", "7 22", FLOATS[:2], unary(-9, 9)),
    *rows("HardSwish", "14 22", FLOATS[:2], unary(-5, 5)),
    *rows("Mish", "18 22", FLOATS[:2], unary(-5, 5)),
    *rows("Not", "7", ("bool",), unary()),
    *rows("BitwiseNot", "18", (*SIGNED, *UNSIGNED), unary()),
    *rows("Identity", "7 13 14 16 19 21 23 24 25", {7: ALL, 16: ("f32", "u8", "i64")}, unary()),
    *rows("Elu", "7 22", FLOATS[:2], with_attributes("Elu", alpha=(0.1, 2))),
    *rows("Selu", "7 22", FLOATS[:2], with_attributes("Selu", alpha=(0.5, 2), gamma=(0.5, 2))),
    *rows("Celu", "12", ("f32",), with_attributes("Celu", alpha=(0.3, 2))),
    *rows("LeakyRelu", "7 16", FLOATS[:2], with_attributes("LeakyRelu", alpha=(-0.5, 1.5))),
    *rows("ThresholdedRelu", "10 22", FLOATS[:2], with_attributes("ThresholdedRelu", alpha=(-1, 2))),
    *rows("HardSigmoid", "7 22", FLOATS[:2], with_attributes("HardSigmoid", alpha=(0.1, 0.5), beta=(0.1, 0.9))),
    *rows("Shrink", "9", ("f32", "f16"), with_attributes("Shrink", lambd=(0, 2), bias=(-1, 1))),
    *rows("Swish", "24", FLOATS[:2], with_attributes("Swish", alpha=(0.2, 2))),
    *rows("Gelu", "20", FLOATS[:2], gelu),
    *rows("Clip", "7 11 12 13", {7: FLOATS[:2], 12: (*FLOATS, "i8", "u8", "i32", "i64")}, clip),
    *rows("PRelu", "7 9 16", {7: FLOATS[:2], 16: (*FLOATS[:2], "i32")}, prelu),
    *rows("Dropout", "7 10 12 13 22", FLOATS[:2], dropout),
    *rows("Cast", "7 9 13 19 21 23 24 25", {7: CAST_TYPES, 21: ("f32", "f16", "u8", "i64")}, cast),
    *rows("Cast_to_bfloat16", "13", ("f32", "f16"), to_bfloat),
    *rows("CastLike", "15 19 21 23 24 25", ("f32", "i32", "bool"), cast_like),
    *rows("Add Sub Mul", "7 13 14", {7: (*FLOATS, "i32", "i64"), 14: (*FLOATS, *SIGNED, *UNSIGNED)}, binary()),
    *rows("Div", "7 13 14", {7: (*FLOATS, "i32", "i64"), 14: (*FLOATS, *SIGNED, *UNSIGNED)}, division),
    *rows("Pow", "7 12 13 15", {7: ("f32",), 12: SOME}, power),
    *rows("Mod", "10 13", (*FLOATS[:2], *SIGNED, *UNSIGNED), modulo),
    *rows("And Or Xor", "7", ("bool",), binary()),
    *rows("BitwiseAnd BitwiseOr BitwiseXor", "18", (*SIGNED, *UNSIGNED), binary()),
    *rows("BitShift", "11", ("u8", "u32", "u64"), shift),
    *rows("Equal", "7 11 13 19", {7: ("bool", "i32", "i64"), 11: ("bool", *SOME, "f64", "u8", "i8")}, named(equal)),
    *rows("Less Greater", "7 9 13", {7: FLOATS[:2], 9: (*SOME, "f64", "u8", "i8")}, binary()),
    *rows("LessOrEqual GreaterOrEqual", "12 16", (*SOME, "f64"), binary()),
    *rows("Max Min", "7 8 12 13", {7: FLOATS[:2], 12: (*FLOATS, "i8", "u8", "i32", "i64")}, named(variadic)),
    *rows("Sum Mean", "7 8 13", FLOATS[:2], named(variadic)),
    *rows("Where", "9 16", (*FLOATS, "u8", "i32", "i64"), where),
    *rows("IsInf", "10 20", ("f32", "f64"), is_inf),
    *rows("MeanVarianceNormalization", "9 13", ("f32",), mean_variance),
]

# Draw.py - Random extents, numbers and operands
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from Network import is_float, tensor

WIDTHS = {"i8": 8, "ui8": 8, "i16": 16, "i32": 32, "i48": 48, "i4": 4}
FLOATS = ("f32", "f16", "bf16")


def extents(rng, rank, most=5):
    return [rng.randint(1, most) for _ in range(rank)]


def limits(element):
    width = WIDTHS[element]
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def number(rng, element, low=None, high=None):
    if element == "i1":
        return rng.randint(0, 1)
    if is_float(element):
        return rng.uniform(-8 if low is None else low, 8 if high is None else high)
    least, most = limits(element)
    return rng.randint(least if low is None else low, most if high is None else high)


def numbers(rng, type_, low=None, high=None):
    return [number(rng, type_.element, low, high) for _ in range(type_.count)]


def special(net, rng, shape, element, infinities=(float("inf"), -float("inf"))):
    """An operand with a few NaN and infinities among its floats."""
    type_ = tensor(shape, element)
    values = numbers(rng, type_)
    if is_float(element):
        values = [rng.choice([float("nan"), *infinities]) if rng.random() < 0.08 else value
                  for value in values]
    return net.argument(type_, values)


def operand(net, rng, shape, element, low=None, high=None):
    type_ = tensor(shape, element)
    return net.argument(type_, numbers(rng, type_, low, high))


def broadcast(rng, shape):
    return [1 if rng.random() < 0.3 else extent for extent in shape]

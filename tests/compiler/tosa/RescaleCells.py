# RescaleCells.py - Random rescales, and sums of rescaled numbers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import Specification
from Draw import WIDTHS, broadcast, extents, limits, number, operand
from Network import tensor

def rescale_of(net, rng, x, to, most, per_channel=None, unsigned=(False, False), input_zero=0, single=None):
    """A rescale of numbers of at most this magnitude to about the range of the result."""
    from_ = net.tensors[x].element
    scale32 = from_ != "i48" and rng.random() < 0.8
    count = net.tensors[x].shape[-1] if (rng.random() < 0.4 if per_channel is None else per_channel) else 1
    multipliers, shifts = [], []
    for _ in range(count):
        real = (2.0 ** (WIDTHS[to] - 1)) / max(most, 1) * rng.uniform(0.05, 1.2)
        multiplier, exponent = math.frexp(real)
        bits = (31 if rng.random() < 0.8 else rng.randint(4, 30)) if scale32 else 15
        multiplier = min(int(multiplier * 2**bits), 2**bits - 1)
        shift_ = bits - exponent
        while shift_ > 62 or (shift_ < 2 and multiplier > 1):
            multiplier, shift_ = (multiplier >> 1, shift_ - 1) if shift_ > 62 else (multiplier, 2)
        shift_ = max(shift_, 2)
        # Numbers must be below 2^(shift - 1); then the result is too small, which is no error.
        while scale32 and most >= 2 ** (shift_ - 1) and shift_ < 62:
            shift_ += 1
        multipliers.append(multiplier)
        shifts.append(shift_)
    rounding = "SINGLE_ROUND" if single or not scale32 else rng.choice(["SINGLE_ROUND", "DOUBLE_ROUND"])
    shape = net.tensors[x].shape
    zero_of = 0
    if to == "i8":
        zero_of = rng.randint(-128, 127)
    elif to == "i16" and unsigned[1]:
        zero_of = rng.choice([0, -32768])
    wide = tensor([count], "i32" if scale32 else "i16")
    operands = [x, net.constant(wide, multipliers), net.constant(tensor([count], "i8"), shifts),
                net.scalar(from_, input_zero), net.scalar(to, zero_of)]
    flag = lambda truth: "true" if truth else "false"
    text = (f"{{scale32 = {flag(scale32)}, rounding_mode = {rounding}, per_channel = {flag(count > 1)}, "
            f"input_unsigned = {flag(unsigned[0])}, output_unsigned = {flag(unsigned[1])}}}")
    if count > 1 or net.tensors[x].shape[-1] == 1:
        text = text.replace("per_channel = false", f"per_channel = {flag(count > 1)}")
    name = net.op("rescale", operands, tensor(shape, to), text)
    if x in net.expected:
        net.expect(name, Specification.rescale(net.expected[x], multipliers, shifts, rounding == "DOUBLE_ROUND", zero_of,
                                               limits(to)))
    return name


def rescale(to, unsigned=(False, False)):
    def case(net, rng, element):
        shape = extents(rng, rng.randint(1, 4), 6)
        most = {"i8": 255, "i16": 65535, "i32": 2 ** rng.randint(8, 30), "i48": 2 ** rng.randint(8, 45)}[element]
        zero = 0
        bounds = ()
        if element in ("i32", "i48"):
            bounds = (-most, most)
        if element == "i8":
            zero = rng.randint(-128, 127)
        elif element == "i16" and unsigned[0]:
            zero = rng.choice([0, -32768])
        x = operand(net, rng, shape, element, *bounds)
        net.result(rescale_of(net, rng, x, to, most, unsigned=unsigned, input_zero=zero))
    return case


def sum_of_rescaled(operator):
    """A quantized sum, difference or product, as converters write it."""
    def case(net, rng, element):
        shape = extents(rng, 4)
        parts = []
        for _ in range(2):
            x = operand(net, rng, broadcast(rng, shape), element)
            zero = number(rng, "i8")
            identity = operator == "mul"
            if identity:
                scaled = net.op("rescale", [x, net.scalar("i32", 1 << 30), net.scalar("i8", 30), net.scalar(element, zero),
                                            net.scalar("i32", 0)], tensor(net.tensors[x].shape, "i32"),
                                "{scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, "
                                "input_unsigned = false, output_unsigned = false}")
            else:
                scaled = net.op("rescale", [x, net.scalar("i32", rng.randint(2**29, 2**31 - 1)),
                                            net.scalar("i8", rng.randint(10, 16)), net.scalar(element, zero),
                                            net.scalar("i32", 0)], tensor(net.tensors[x].shape, "i32"),
                                "{scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, "
                                "input_unsigned = false, output_unsigned = false}")
            parts.append(scaled)
        of = [max(x, y) for x, y in zip(net.tensors[parts[0]].shape, net.tensors[parts[1]].shape)]
        operands = parts + ([net.scalar("i8", 0)] if operator == "mul" else [])
        made = net.op(operator, operands, tensor(of, "i32"))
        net.result(rescale_of(net, rng, made, element, 2**16 if operator == "mul" else 2**30, per_channel=False))
    return case

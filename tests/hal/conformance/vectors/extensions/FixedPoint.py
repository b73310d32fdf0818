#===- FixedPoint.py - Conformance cases of com.avocet.fixed_point
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Numbers with a binary point (avocet/nnapi/extensions/FixedPoint.h). Every answer must have exactly these bits."""

import numpy as np

from Cases import ExtensionType, Family, extensionCode, number, ramp

kPrefix = 7
kConvert, kHardSigmoid = (extensionCode(kPrefix, operation) for operation in (0, 1))


class Fixed(ExtensionType):
    """TENSOR_FIXED8 with `bits` bits after the binary point."""

    def __init__(self, bits):
        super().__init__(kPrefix, 0, np.int8, [bits & 0xFF])
        self.step = 2.0**-bits

    def real(self, stored):
        return np.asarray(stored, np.float64) * self.step

    def store(self, real):
        steps = np.asarray(real, np.float64) / self.step
        return np.clip(np.trunc(steps + np.copysign(0.5, steps)), -128, 127).astype(np.int8)


def hardSigmoid(x, alpha, beta):
    """Each step in float32."""
    x, alpha, beta = np.float32(x), np.float32(alpha), np.float32(beta)
    return np.clip(x * alpha + beta, np.float32(0), np.float32(1))


def exact(case):
    """Floats too are compared without tolerance."""
    for output in case.outputs:
        output.update(atol=0.0, rtol=0.0)


def convert(family):
    reals = np.array([-3.0, -0.40625, -0.03125, 0.0, 0.03125, 0.09375, 1.0, 7.96875, 9.0])
    for bits in (4, 0, -3, 9):
        fixed = Fixed(bits)
        exact(family.simple(f"toFixed{bits % 256}", kConvert, [("f", reals)], [(fixed, fixed.store(reals))]))
    every = np.arange(-128, 128).reshape(16, 16)
    exact(family.simple("toFloat", kConvert, [(Fixed(7), every)], [("f", Fixed(7).real(every))]))
    for bits in (2, 9):
        other = Fixed(bits)
        exact(family.simple(f"fixed5ToFixed{bits}", kConvert, [(Fixed(5), every)],
                            [(other, other.store(Fixed(5).real(every)))]))


def activations(family):
    x = ramp(3, 8, start=-4.0, step=0.3125)
    exact(family.simple("hardSigmoid", kHardSigmoid, [("f", x), number(0.2), number(0.5)],
                        [("f", hardSigmoid(x, 0.2, 0.5))]))
    exact(family.simple("hardSigmoidGivenScale", kHardSigmoid, [("f", x), ("F", 0.3), ("F", 0.25)],
                        [("f", hardSigmoid(x, 0.3, 0.25))]))
    every, fixed, result = np.arange(-128, 128).reshape(2, 4, 32), Fixed(4), Fixed(7)
    exact(family.simple("hardSigmoidFixed", kHardSigmoid, [(fixed, every), number(0.2), number(0.5)],
                        [(result, result.store(hardSigmoid(fixed.real(every), 0.2, 0.5)))]))


def network(family):
    """Fixed numbers from the input to the output, with a standard operation between."""
    case = family.case("mixedNetwork")
    fixed, stored = Fixed(4), np.arange(-16, 16).reshape(4, 8)
    x = case.input(fixed, stored)
    real, doubled = case.temporary("f", stored.shape), case.temporary("f", stored.shape)
    case.operation(kConvert, [x], [real])
    case.operation("ADD", [real, real, case.int(0)], [doubled])
    case.operation(kConvert, [doubled], [case.output(Fixed(3), Fixed(3).store(2 * fixed.real(stored)))])
    exact(case)


def constant(family):
    """A constant of the extension's type, in the model's pool."""
    case = family.case("addConstant")
    fixed, stored, x = Fixed(6), np.array([[1, -2], [127, -128]]), ramp(2, 2)
    real = case.temporary("f", stored.shape)
    case.operation(kConvert, [case.constant(fixed, stored, pooled=True)], [real])
    case.operation("ADD", [real, case.input("f", x), case.int(0)], [case.output("f", fixed.real(stored) + x)])
    exact(case)


def make():
    family = Family("fixedPoint", {"com.avocet.fixed_point": kPrefix})
    convert(family)
    activations(family)
    network(family)
    constant(family)
    return family

#===- Elementwise.py - Cases of operations on single elements
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Unary, binary and comparison operations, and activations, computed in double precision."""

import numpy as np

from Cases import Family, Type, integer, kRuns, number, ramp, tensor

kCoupled = kRuns + " QuantCoupling"
u = Type("u", 0.5, 100)
wide = Type("u", 1.0, 50)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def hardSwish(x):
    return x * np.clip(x + 3, 0, 6) / 6


def unary(family):
    positive = ramp(2, 3, start=0.25)
    signed = ramp(2, 3, start=-1.5, step=0.75)
    for name, code, function, value in (
            ("floor", 8, np.floor, signed), ("abs", 38, np.abs, signed), ("exp", 49, np.exp, signed),
            ("log", 60, np.log, positive), ("neg", 67, np.negative, signed), ("rsqrt", 83, lambda x: x**-0.5, positive),
            ("sin", 85, np.sin, signed), ("sqrt", 88, np.sqrt, positive), ("logistic", 14, sigmoid, signed),
            ("relu", 19, lambda x: np.maximum(x, 0), signed), ("relu1", 20, lambda x: np.clip(x, -1, 1), signed),
            ("relu6", 21, lambda x: np.clip(x, 0, 6), 4 * signed), ("tanh", 28, np.tanh, signed),
            ("hardSwish", 99, hardSwish, 2 * signed)):
        for letter in "fh":
            family.simple(name + letter, code, [(letter, value)], [(letter, function(value))])
    family.simple("elu", 98, [("f", signed), number(0.5)],
                  [("f", np.where(signed > 0, signed, 0.5 * np.expm1(signed)))])
    stored = np.array([[90, 96, 100], [101, 104, 255]])
    family.simple("reluQuantised", 19, [(u, stored)], [(u, u.store(np.maximum(u.real(stored), 0)))], runs=kCoupled)
    half = Type("u", 1 / 256, 0)
    family.simple("logisticQuantised", 14, [(u, stored)], [(half, half.store(sigmoid(u.real(stored))))], runs=kCoupled)
    family.simple("logicalNot", 62, [("b", [0, 1, 1])], [("b", [1, 0, 0])])
    family.simple("cast", 45, [("f", [-1.5, 0.0, 2.75])], [("i", [-1, 0, 2])])
    family.simple("castToFloat", 45, [("i", [-3, 0, 7])], [("f", [-3, 0, 7])])
    family.simple("dequantize", 6, [(u, stored)], [("f", u.real(stored))], runs=kCoupled)
    rows = Type("p", channels=[0.5, 0.25], dim=0)
    family.simple("dequantizePerChannel", 6, [(rows, [[1, -2], [3, -4]])], [("f", [[0.5, -1], [0.75, -1]])])
    family.simple("quantize", 72, [("f", signed)], [(u, u.store(signed))])
    family.simple("quantizeSigned", 72, [("f", signed)], [(Type("s", 0.5, -28), Type("s", 0.5, -28).store(signed))])


def fused(family):
    a, b = ramp(2, 3), ramp(1, 3, start=0.5, step=0.5)
    for name, code, function in (("add", 0, np.add), ("mul", 18, np.multiply), ("div", 30, np.divide),
                                 ("sub", 36, np.subtract)):
        family.simple(name, code, [("f", a), ("f", b), integer(0)], [("f", function(a, b))])
        family.simple(name + "Relu", code, [("f", a), ("f", b), integer(1)], [("f", np.maximum(function(a, b), 0))])
    family.simple("addConstant", 0, [("f", a), tensor("f", b, pooled=True), integer(3)],
                  [("f", np.clip(a + b, 0, 6))])
    x, y = np.array([[90, 100, 120]]), np.array([[100, 101, 30]])
    for name, code, function in (("add", 0, np.add), ("mul", 18, np.multiply), ("sub", 36, np.subtract)):
        family.simple(name + "Quantised", code, [(u, x), (u, y), integer(0)],
                      [(wide, wide.store(function(u.real(x), u.real(y))))], runs=kCoupled)
    family.simple("addInt", 0, [("i", [1, -2]), ("i", [10, 20]), integer(0)], [("i", [11, 18])])


def binary(family):
    a, b = np.array([[1.0, 2.0, -3.0]]), np.array([[1.0], [2.0]])
    for name, code, function in (("equal", 48, np.equal), ("greater", 53, np.greater),
                                 ("greaterEqual", 54, np.greater_equal), ("less", 58, np.less),
                                 ("lessEqual", 59, np.less_equal), ("notEqual", 68, np.not_equal)):
        family.simple(name, code, [("f", a), ("f", b)], [("b", function(a, b))])
        family.simple(name + "Quantised", code, [(u, [[100, 102]]), (wide, [[50, 50], [51, 40]])],
                      [("b", function(u.real([[100, 102]]), wide.real([[50, 50], [51, 40]])))], runs=kCoupled)
    for name, code, function in (("maximum", 65, np.maximum), ("minimum", 66, np.minimum)):
        family.simple(name, code, [("f", a), ("f", b)], [("f", function(a, b))])
    family.simple("pow", 70, [("f", [[1.0, 2.0, 3.0]]), ("f", b)], [("f", np.power([[1.0, 2.0, 3.0]], b))])
    alpha = np.array([[0.5, 0.25, 2.0]])
    family.simple("prelu", 71, [("f", a), ("f", alpha)], [("f", np.where(a > 0, a, a * alpha))])
    p, q = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    family.simple("logicalAnd", 61, [("b", p), ("b", q)], [("b", p & q)])
    family.simple("logicalOr", 63, [("b", p), ("b", q)], [("b", p | q)])
    family.simple("select", 84, [("b", p), ("f", [1, 2, 3, 4]), ("f", [5, 6, 7, 8])], [("f", [5, 6, 3, 4])])


def make():
    family = Family("elementwise")
    unary(family)
    fused(family)
    binary(family)
    return family

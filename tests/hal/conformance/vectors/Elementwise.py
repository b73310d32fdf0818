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
    for name, operation, function, value in (
            ("floor", "FLOOR", np.floor, signed), ("abs", "ABS", np.abs, signed), ("exp", "EXP", np.exp, signed),
            ("log", "LOG", np.log, positive), ("neg", "NEG", np.negative, signed),
            ("rsqrt", "RSQRT", lambda x: x**-0.5, positive), ("sin", "SIN", np.sin, signed), ("sqrt", "SQRT", np.sqrt, positive),
            ("logistic", "LOGISTIC", sigmoid, signed),
            ("relu", "RELU", lambda x: np.maximum(x, 0), signed), ("relu1", "RELU1", lambda x: np.clip(x, -1, 1), signed),
            ("relu6", "RELU6", lambda x: np.clip(x, 0, 6), 4 * signed), ("tanh", "TANH", np.tanh, signed),
            ("hardSwish", "HARD_SWISH", hardSwish, 2 * signed)):
        for letter in "fh":
            family.simple(name + letter, operation, [(letter, value)], [(letter, function(value))])
    family.simple("elu", "ELU", [("f", signed), number(0.5)],
                  [("f", np.where(signed > 0, signed, 0.5 * np.expm1(signed)))])
    stored = np.array([[90, 96, 100], [101, 104, 255]])
    family.simple("reluQuantized", "RELU", [(u, stored)], [(u, u.store(np.maximum(u.real(stored), 0)))], runs=kCoupled)
    half = Type("u", 1 / 256, 0)
    family.simple("logisticQuantized", "LOGISTIC", [(u, stored)], [(half, half.store(sigmoid(u.real(stored))))], runs=kCoupled)
    family.simple("logicalNot", "LOGICAL_NOT", [("b", [0, 1, 1])], [("b", [1, 0, 0])])
    family.simple("cast", "CAST", [("f", [-1.5, 0.0, 2.75])], [("i", [-1, 0, 2])])
    family.simple("castToFloat", "CAST", [("i", [-3, 0, 7])], [("f", [-3, 0, 7])])
    family.simple("dequantize", "DEQUANTIZE", [(u, stored)], [("f", u.real(stored))], runs=kCoupled)
    rows = Type("p", channels=[0.5, 0.25], dim=0)
    family.simple("dequantizePerChannel", "DEQUANTIZE", [(rows, [[1, -2], [3, -4]])], [("f", [[0.5, -1], [0.75, -1]])])
    family.simple("quantize", "QUANTIZE", [("f", signed)], [(u, u.store(signed))])
    family.simple("quantizeSigned", "QUANTIZE", [("f", signed)], [(Type("s", 0.5, -28), Type("s", 0.5, -28).store(signed))])


def fused(family):
    a, b = ramp(2, 3), ramp(1, 3, start=0.5, step=0.5)
    for name, operation, function in (("add", "ADD", np.add), ("mul", "MUL", np.multiply), ("div", "DIV", np.divide),
                                      ("sub", "SUB", np.subtract)):
        family.simple(name, operation, [("f", a), ("f", b), integer(0)], [("f", function(a, b))])
        family.simple(name + "Relu", operation, [("f", a), ("f", b), integer(1)], [("f", np.maximum(function(a, b), 0))])
    family.simple("addConstant", "ADD", [("f", a), tensor("f", b, pooled=True), integer(3)],
                  [("f", np.clip(a + b, 0, 6))])
    x, y = np.array([[90, 100, 120]]), np.array([[100, 101, 30]])
    for name, operation, function in (("add", "ADD", np.add), ("mul", "MUL", np.multiply), ("sub", "SUB", np.subtract)):
        family.simple(name + "Quantized", operation, [(u, x), (u, y), integer(0)],
                      [(wide, wide.store(function(u.real(x), u.real(y))))], runs=kCoupled)
    family.simple("addInt", "ADD", [("i", [1, -2]), ("i", [10, 20]), integer(0)], [("i", [11, 18])])


def binary(family):
    a, b = np.array([[1.0, 2.0, -3.0]]), np.array([[1.0], [2.0]])
    for name, operation, function in (("equal", "EQUAL", np.equal), ("greater", "GREATER", np.greater),
                                      ("greaterEqual", "GREATER_EQUAL", np.greater_equal), ("less", "LESS", np.less),
                                      ("lessEqual", "LESS_EQUAL", np.less_equal), ("notEqual", "NOT_EQUAL", np.not_equal)):
        family.simple(name, operation, [("f", a), ("f", b)], [("b", function(a, b))])
        family.simple(name + "Quantized", operation, [(u, [[100, 102]]), (wide, [[50, 50], [51, 40]])],
                      [("b", function(u.real([[100, 102]]), wide.real([[50, 50], [51, 40]])))], runs=kCoupled)
    for name, operation, function in (("maximum", "MAXIMUM", np.maximum), ("minimum", "MINIMUM", np.minimum)):
        family.simple(name, operation, [("f", a), ("f", b)], [("f", function(a, b))])
    family.simple("pow", "POW", [("f", [[1.0, 2.0, 3.0]]), ("f", b)], [("f", np.power([[1.0, 2.0, 3.0]], b))])
    alpha = np.array([[0.5, 0.25, 2.0]])
    family.simple("prelu", "PRELU", [("f", a), ("f", alpha)], [("f", np.where(a > 0, a, a * alpha))])
    p, q = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    family.simple("logicalAnd", "LOGICAL_AND", [("b", p), ("b", q)], [("b", p & q)])
    family.simple("logicalOr", "LOGICAL_OR", [("b", p), ("b", q)], [("b", p | q)])
    family.simple("select", "SELECT", [("b", p), ("f", [1, 2, 3, 4]), ("f", [5, 6, 7, 8])], [("f", [5, 6, 3, 4])])


def make():
    family = Family("elementwise")
    unary(family)
    fused(family)
    binary(family)
    return family

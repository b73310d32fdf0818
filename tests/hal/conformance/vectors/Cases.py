#===- Cases.py - Small NNAPI models with inputs and expected outputs
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Builds cases in the form of hal/conformance/nnapiTest.fbs, as JSON for flatc.

Types have the letters of avocet/hal/types/Signatures.h. Values of quantized types are the stored integers. Operations have
the names of avocet/nnapi/Codes.h; a number stands for a code that does not exist.
"""

import os
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../compiler/nnapi"))
import NnapiCodes

kTypes = {  # letter: (name, numpy type, tolerance class, atol, rtol)
    "F": ("FLOAT32", np.float32, "Float32", 1e-5, 5 * 2.0**-23),
    "I": ("INT32", np.int32, "Int32", 0, 0),
    "B": ("BOOL", np.uint8, "Bool8", 0, 0),
    "f": ("TENSOR_FLOAT32", np.float32, "Float32", 1e-5, 5 * 2.0**-23),
    "i": ("TENSOR_INT32", np.int32, "Int32", 0, 0),
    "u": ("TENSOR_QUANT8_ASYMM", np.uint8, "Quant8", 1, 0),
    "q": ("TENSOR_QUANT16_SYMM", np.int16, "Quant16", 1, 0),
    "h": ("TENSOR_FLOAT16", np.float16, "Float16", 5 * 2.0**-10, 5 * 2.0**-10),
    "b": ("TENSOR_BOOL8", np.uint8, "Bool8", 0, 0),
    "p": ("TENSOR_QUANT8_SYMM_PER_CHANNEL", np.int8, "Quant8", 1, 0),
    "Q": ("TENSOR_QUANT16_ASYMM", np.uint16, "Quant16", 1, 0),
    "y": ("TENSOR_QUANT8_SYMM", np.int8, "Quant8", 1, 0),
    "s": ("TENSOR_QUANT8_ASYMM_SIGNED", np.int8, "Quant8", 1, 0),
}
kRuns = "General DynamicShape DeviceMemory Fenced"
kScalars = "FIB"


def bytesOf(value):
    return list(np.ascontiguousarray(value).tobytes())


class Type:
    """A letter with its quantization: Type("u", 0.5, 100), Type("p", channels=[...], dim=0)."""

    def __init__(self, letter, scale=0.0, zeroPoint=0, channels=None, dim=0):
        self.letter, self.scale, self.zeroPoint, self.channels, self.dim = letter, scale, zeroPoint, channels, dim
        name, self.numpy, self.tolerance, self.atol, self.rtol = kTypes[letter]
        self.code = NnapiCodes.kOperandTypes[name]

    def real(self, stored):
        """The real values of stored numbers."""
        stored = np.asarray(stored, self.numpy).astype(np.float64)
        if self.channels is not None:
            shape = [1] * stored.ndim
            shape[self.dim] = -1
            return stored * np.array(self.channels, np.float64).reshape(shape)
        return (stored - self.zeroPoint) * np.float64(np.float32(self.scale)) if self.scale else stored

    def store(self, real):
        """The nearest numbers that the type can store; halves round away from zero."""
        real = np.asarray(real, np.float64)
        if not self.scale:
            return real.astype(self.numpy)
        steps = real / np.float64(np.float32(self.scale))
        rounded = np.trunc(steps + np.copysign(0.5, steps)) + self.zeroPoint
        limits = np.iinfo(self.numpy)
        return np.clip(rounded, limits.min, limits.max).astype(self.numpy)


def typed(type_):
    return Type(type_) if isinstance(type_, str) else type_


class ExtensionType:
    """Type `number` of an extension of prefix `prefix`, with its data; values are stored numbers of type `numpy`."""

    letter, scale, zeroPoint, channels, atol, rtol, tolerance = "x", 0.0, 0, None, 0, 0, "Quant8"

    def __init__(self, prefix, number, numpy, data):
        self.code, self.numpy, self.data = extensionCode(prefix, number), numpy, list(data)


def extensionCode(prefix, number):
    return prefix << 16 | number


class Graph:
    """A subgraph: operands by index, operations in order."""

    def __init__(self, name):
        self.table = {"name": name, "operands": [], "operations": [], "inputs": [], "outputs": []}

    def add(self, type_, dimensions, lifetime, **more):
        type_ = typed(type_)
        operand = {"type": type_.code, "dimensions": list(dimensions), "scale": float(np.float32(type_.scale)),
                   "zero_point": type_.zeroPoint, "lifetime": lifetime, **more}
        if type_.channels is not None:
            operand.update(channel_scales=list(type_.channels), channel_dim=type_.dim)
        if isinstance(type_, ExtensionType):
            operand.update(extension_data=type_.data)
        self.table["operands"].append(operand)
        return len(self.table["operands"]) - 1

    def graphInput(self, type_, dimensions):
        self.table["inputs"].append(self.add(type_, dimensions, "SubgraphInput"))
        return self.table["inputs"][-1]

    def graphOutput(self, type_, dimensions):
        self.table["outputs"].append(self.add(type_, dimensions, "SubgraphOutput"))
        return self.table["outputs"][-1]

    def temporary(self, type_, dimensions):
        return self.add(type_, dimensions, "Temporary")

    def constant(self, type_, value, pooled=False):
        type_ = typed(type_)
        value = np.asarray(value, type_.numpy)
        dimensions = [] if type_.letter in kScalars else value.shape
        lifetime = "ConstantReference" if pooled else "ConstantCopy"
        return self.add(type_, dimensions, lifetime, data=bytesOf(value))

    def int(self, value):
        return self.constant("I", value)

    def float(self, value):
        return self.constant("F", value)

    def bool(self, value):
        return self.constant("B", value)

    def omitted(self, type_="f", dimensions=(0,)):
        return self.add(type_, dimensions, "NoValue")

    def subgraph(self, index):
        self.table["operands"].append({"type": NnapiCodes.kOperandTypes["SUBGRAPH"], "lifetime": "Subgraph", "subgraph": index})
        return len(self.table["operands"]) - 1

    def operation(self, operation, inputs, outputs):
        code = operation if isinstance(operation, int) else NnapiCodes.kOperations[operation]
        self.table["operations"].append({"type": code, "inputs": inputs, "outputs": outputs})


class Case(Graph):
    """One case. Inputs and outputs of the main subgraph carry their values."""

    def __init__(self, name, runs=kRuns, level="V1_3"):
        super().__init__("main")
        self.name, self.runs, self.level = name, runs, level
        self.referenced, self.inputs, self.outputs = [], [], []
        self.expectsFailure, self.multinomialTolerance = False, 0.0
        self.extensions = []

    def input(self, type_, value):
        value = np.asarray(value, typed(type_).numpy)
        self.inputs.append({"data": bytesOf(value)})
        return self.graphInput(type_, [] if typed(type_).letter in kScalars else value.shape)

    def omittedInput(self, type_, dimensions):
        """An input that the request omits."""
        self.inputs.append({})
        return self.graphInput(type_, dimensions)

    def output(self, type_, value, tolerance=None, unknown=False):
        type_ = typed(type_)
        value = np.asarray(value, type_.numpy)
        dimensions = [] if type_.letter in kScalars else list(value.shape)
        self.outputs.append({"dimensions": dimensions, "data": bytesOf(value),
                             "tolerance": tolerance or type_.tolerance, "atol": type_.atol, "rtol": type_.rtol})
        return self.graphOutput(type_, [0] * len(dimensions) if unknown else dimensions)

    def table_(self):
        return {"name": self.name, "kinds": self.runs, "min_level": self.level, "effective_level": self.level,
                "expect_failure": self.expectsFailure, "multinomial_tolerance": self.multinomialTolerance,
                "main": self.table, "referenced": [graph.table for graph in self.referenced],
                "examples": [{"inputs": self.inputs, "outputs": self.outputs}], "extensions": self.extensions}


class Family:
    """The cases of one file. `extensions`: prefixes by the name of the extension."""

    def __init__(self, spec, extensions=()):
        self.spec, self.cases = spec, []
        self.extensions = [{"name": name, "prefix": prefix} for name, prefix in dict(extensions).items()]

    def case(self, name, **more):
        self.cases.append(Case(name, **more))
        self.cases[-1].extensions = self.extensions
        return self.cases[-1]

    def simple(self, name, operation, inputs, outputs, **more):
        """A case of one operation. `inputs`: (type, value) becomes a model input; a function makes a constant."""
        case = self.case(name, **more)
        positions = [entry(case) if callable(entry) else case.input(*entry) for entry in inputs]
        case.operation(operation, positions, [case.output(*output) for output in outputs])
        return case

    def table_(self):
        return {"format_version": 1, "spec": self.spec, "bucket": "own", "suite": "CtsAndVts",
                "cases": [case.table_() for case in self.cases]}


# Makers of constants for Family.simple().
def integer(value):
    return lambda case: case.int(value)


def number(value):
    return lambda case: case.float(value)


def flag(value):
    return lambda case: case.bool(value)


def tensor(type_, value, pooled=False):
    return lambda case: case.constant(type_, value, pooled)


def none(type_="f", dimensions=(0,)):
    return lambda case: case.omitted(type_, dimensions)


def ramp(*shape, start=-1.0, step=0.25):
    """Equally spaced numbers, by default multiples of 1/4, which floats represent exactly."""
    return (start + step * np.arange(int(np.prod(shape)), dtype=np.float64)).reshape(shape)

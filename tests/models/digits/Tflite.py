#===- Tflite.py - The network as a .tflite file
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Describes the float32 or the quantized network as tables of the TFLite schema (version 3) and writes them.

Field numbers, enumeration values and operator versions are those of the public schema.
"""

from dataclasses import dataclass

import numpy as np

from FlatBuffer import Scalar, Table, TableVector, Vector, Writer
from Quantize import Quantization

kTypes = {np.dtype(np.float32): 0, np.dtype(np.int32): 2, np.dtype(np.int8): 9}
kSame, kValid = 0, 1
kNoActivation, kRelu = 0, 1


@dataclass
class Operator:
    code: int  # BuiltinOperator
    floatVersion: int
    int8Version: int
    optionsType: int  # BuiltinOptions


kOperators = {
    "add": Operator(0, 1, 2, 11), "pool": Operator(1, 1, 2, 5), "conv": Operator(3, 1, 3, 1),
    "depthwise": Operator(4, 1, 3, 2), "dense": Operator(9, 1, 4, 8), "reshape": Operator(22, 1, 1, 17),
    "softmax": Operator(25, 1, 2, 9),
}


def int32(value):
    return Scalar("i", value)


def byte(value):
    return Scalar("b", value)


def activation(layer):
    return byte(kRelu if layer.relu else kNoActivation)


def convOptions(layer, shape):
    return Table({0: byte(kSame), 1: int32(layer.stride), 2: int32(layer.stride), 3: activation(layer)})


def depthwiseOptions(layer, shape):
    return Table({0: byte(kSame), 1: int32(layer.stride), 2: int32(layer.stride), 3: int32(1), 4: activation(layer)})


def poolOptions(layer, shape):
    rows, columns = int32(shape[1]), int32(shape[2])
    return Table({0: byte(kValid), 1: columns, 2: rows, 3: columns, 4: rows})


kOptions = {
    "conv": convOptions, "depthwise": depthwiseOptions, "pool": poolOptions,
    "add": lambda layer, shape: Table({0: activation(layer)}),
    "dense": lambda layer, shape: Table({0: activation(layer)}),
    "softmax": lambda layer, shape: Table({0: Scalar("f", 1.0)}),
}


def storedWeights(layer):
    """Weights in TFLite's layout: OHWI, 1HWC, or OI."""
    if layer.kind == "conv":
        return layer.weights.transpose(3, 0, 1, 2)
    return layer.weights[None] if layer.kind == "depthwise" else layer.weights.T


def quantizationTable(quantization):
    if quantization is None:
        return None
    zeros = np.full(quantization.scale.shape, quantization.zeroPoint, np.int64)
    return Table({2: Vector(quantization.scale), 3: Vector(zeros), 6: int32(quantization.axis)})


class Model:
    """Collects buffers, tensors and operators of one subgraph."""

    def __init__(self, elementType):
        self.elementType_ = np.dtype(elementType)
        self.isInt8_ = self.elementType_ == np.int8
        self.buffers_ = [Table({})]  # buffer 0 is the empty one, by convention
        self.tensors_, self.shapes_, self.operators_ = [], [], []
        self.kinds_ = []

    def addTensor(self, name, shape, quantization=None, data=None):
        buffer, elementType = 0, self.elementType_
        if data is not None:
            buffer, elementType, shape = len(self.buffers_), data.dtype, data.shape
            self.buffers_.append(Table({0: Vector(np.frombuffer(data.tobytes(), np.uint8), alignment=16)}))
        self.tensors_.append(Table({
            0: Vector(np.array(shape, np.int32)), 1: byte(kTypes[elementType]), 2: Scalar("I", buffer), 3: name,
            4: quantizationTable(quantization)}))
        self.shapes_.append(tuple(shape))
        return len(self.tensors_) - 1

    def shapeOf(self, tensor):
        return self.shapes_[tensor]

    def addOperator(self, kind, inputs, output, options):
        if kind not in self.kinds_:
            self.kinds_.append(kind)
        self.operators_.append(Table({
            0: Scalar("I", self.kinds_.index(kind)), 1: Vector(np.array(inputs, np.int32)),
            2: Vector(np.array([output], np.int32)), 3: Scalar("B", kOperators[kind].optionsType), 4: options}))

    def write(self, path, name, inputTensor, outputTensor):
        subgraph = Table({
            0: TableVector(self.tensors_), 1: Vector(np.array([inputTensor], np.int32)),
            2: Vector(np.array([outputTensor], np.int32)), 3: TableVector(self.operators_), 4: name})
        codes = [self.operatorCode_(kOperators[kind]) for kind in self.kinds_]
        model = Table({0: Scalar("I", 3), 1: TableVector(codes), 2: TableVector([subgraph]),
                       3: "Avocet digits", 4: TableVector(self.buffers_)})
        with open(path, "wb") as file:
            file.write(Writer("TFL3").finish(model))

    def operatorCode_(self, operator):
        version = operator.int8Version if self.isInt8_ else operator.floatVersion
        return Table({0: byte(operator.code), 2: int32(version), 3: int32(operator.code)})


def outputShape(layer, shape):
    if layer.kind in ("conv", "depthwise"):
        return (1, -(-shape[1] // layer.stride), -(-shape[2] // layer.stride), layer.weights.shape[-1])
    if layer.kind == "pool":
        return (1, 1, 1, shape[3])
    return (1, layer.weights.shape[-1]) if layer.kind == "dense" else shape


def addWeights(model, layer, inputScale):
    scales = getattr(layer, "weightScales", None)
    biasScales = Quantization(np.float32(inputScale * scales.scale), 0) if scales else None
    weights = model.addTensor(layer.name + "/weights", (), scales, np.ascontiguousarray(storedWeights(layer)))
    return [weights, model.addTensor(layer.name + "/bias", (), biasScales, layer.bias)]


def addFlatten(model, source, quantization):
    """TFLite's fully connected layer takes a matrix: [1, 1, 1, c] to [1, c]."""
    shape = np.array([1, model.shapeOf(source)[-1]], np.int32)
    target = model.addTensor("flat", shape, quantization)
    model.addOperator("reshape", [source, model.addTensor("flat/shape", (), None, shape)], target,
                      Table({0: Vector(shape)}))
    return target


def writeModel(path, name, layers, inputQuantization=None):
    """Writes Network.Layers (float32), or Quantize.QuantizedLayers with the quantization of their input (int8)."""
    model = Model(np.float32 if inputQuantization is None else np.int8)
    tensors = {"image": model.addTensor("image", (1, 28, 28, 1), inputQuantization)}
    parameters = {"image": inputQuantization}
    for layer in layers:
        inputs = [tensors[source] for source in layer.inputs]
        quantization = parameters[layer.name] = getattr(layer, "output", None)
        if layer.kind == "dense":
            inputs = [addFlatten(model, inputs[0], parameters[layer.inputs[0]])]
        if layer.weights is not None:
            source = parameters[layer.inputs[0]]
            inputs += addWeights(model, layer, source.scale[0] if source else None)
        shape = model.shapeOf(inputs[0])
        tensors[layer.name] = model.addTensor(layer.name, outputShape(layer, shape), quantization)
        model.addOperator(layer.kind, inputs, tensors[layer.name], kOptions[layer.kind](layer, shape))
    model.write(path, name, tensors["image"], tensors[layers[-1].name])

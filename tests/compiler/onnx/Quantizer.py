# Quantizer.py - Quantizes ONNX files
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes QuantizeLinear and DequantizeLinear around the operators of a network of floats, as the quantizer of ONNX Runtime does
(static, format QDQ): scales from the ranges of one run, weights with a scale for each channel, biases of int32, and no
conversion between a layer and its rectifier. Operators that keep their numbers have the scale of their operand. A batch
normalization after a convolution goes into its weights first."""
from dataclasses import dataclass, field

import numpy as np

import Proto
from Case import limits

LAYERS = {"Conv": 0, "ConvTranspose": 1, "Gemm": None, "MatMul": None}  # the axis of the channels of their weights
RECTIFIED = (*LAYERS, "Add", "Sub", "Mul", "BatchNormalization")
RECTIFIERS = ("Relu", "Clip")
KEEPING = ("Reshape", "Transpose", "Flatten", "Squeeze", "Unsqueeze", "Slice", "Split", "MaxPool", "Resize", "Identity", "Gather",
           "AveragePool", "Pad")
OTHERS = ("Div", "LeakyRelu", "Sigmoid", "HardSigmoid", "HardSwish", "PRelu", "Softmax", "GlobalAveragePool", "ReduceMean", "ReduceSum",
          "Concat", "Max", "Min", "Tanh", "Erf", "Sqrt", "Pow", "Exp", "Log", "Gelu", "LayerNormalization", "InstanceNormalization")
QUANTIZED = (*RECTIFIED, *RECTIFIERS, *KEEPING, *OTHERS)
# Operands that stay floats: bounds, ratios, and statistics.
PLAIN = {"Clip": (1, 2), "Resize": (1, 2), "BatchNormalization": (1, 2, 3, 4), "Pad": (2,)}
BOUNDED = {"Softmax": (0, 1), "Sigmoid": (0, 1), "HardSigmoid": (0, 1)}


@dataclass
class Node:
    operator: str
    inputs: list
    outputs: list
    domain: str = ""
    attributes: dict = field(default_factory=dict)  # name -> the bytes of the message

    @staticmethod
    def read(data):
        texts = {number: [value.decode() for found, value in Proto.fields(data) if found == number] for number in (1, 2, 4, 7)}
        attributes = {Proto.first(value, 1).decode(): value for number, value in Proto.fields(data) if number == 5}
        return Node(texts[4][0], texts[1], texts[2], "".join(texts[7]), attributes)

    def message(self, name):
        return (Proto.node(self.operator, self.inputs, self.outputs, name, self.domain, {}) +
                b"".join(Proto.message(5, each) for each in self.attributes.values()))

    def integer(self, name, default):
        found = self.attributes.get(name)
        return default if found is None else next((value for number, value in Proto.fields(found) if number == 3), 0)

    def real(self, name, default):
        found = self.attributes.get(name)
        data = found and next((value for number, value in Proto.fields(found) if number == 2), None)
        return default if not data else float(np.frombuffer(data, np.float32)[0])


class Graph:
    def __init__(self, model):
        body = Proto.first(model, 7)
        opsets = [dict(Proto.fields(value)) for number, value in Proto.fields(model) if number == 8]
        self.opset = next(each[2] for each in opsets if not each.get(1))
        parts = {number: [value for found, value in Proto.fields(body) if found == number] for number in (1, 5, 11, 12)}
        self.constants = dict(Proto.read_tensor(each) for each in parts[5])
        self.nodes = []
        for node in map(Node.read, parts[1]):
            if node.operator == "Constant" and "value" in node.attributes:
                self.constants[node.outputs[0]] = Proto.read_tensor(Proto.first(node.attributes["value"], 5))[1]
            else:
                self.nodes.append(node)
        self.inputs = [name for name in (Proto.first(each, 1).decode() for each in parts[11]) if name not in self.constants]
        self.outputs = [Proto.first(each, 1).decode() for each in parts[12]]
        self.fold()

    def readers(self, name):
        return [node for node in self.nodes if name in node.inputs] + [None] * self.outputs.count(name)

    def fold(self):
        """Batch normalizations into the convolutions before them."""
        for node in [each for each in self.nodes if each.operator == "BatchNormalization"]:
            layer = next((each for each in self.nodes if node.inputs[0] in each.outputs), None)
            if layer is None or layer.operator != "Conv" or len(self.readers(node.inputs[0])) > 1:
                continue
            gamma, beta, mean, variance = (self.constants[each].array for each in node.inputs[1:5])
            factor = gamma / np.sqrt(variance + node.real("epsilon", 1e-5))
            weights = self.constants[layer.inputs[1]].array
            bias = self.constants[layer.inputs[2]].array if len(layer.inputs) > 2 else 0
            names = [f"{layer.outputs[0]}_{part}" for part in ("weights", "bias")]
            self.constants[names[0]] = Proto.tensor("f32", weights * factor.reshape([-1] + [1] * (weights.ndim - 1)))
            self.constants[names[1]] = Proto.tensor("f32", (bias - mean) * factor + beta)
            layer.inputs[1:], layer.outputs = names, node.outputs
            self.nodes.remove(node)

    def model(self, inputs, outputs, microsoft=False):
        """`inputs`: {name: Tensor} with the types and shapes."""
        used = {name for node in self.nodes for name in node.inputs}
        # Graphs in attributes read names too.
        hasGraphs = any(node.operator in ("If", "Loop", "Scan") for node in self.nodes)
        body = Proto.graph([node.message(f"n{index}") for index, node in enumerate(self.nodes)],
                           [Proto.tensor_proto(each, name) for name, each in self.constants.items() if hasGraphs or name in used],
                           [Proto.value_info(name, each.type, each.shape) for name, each in inputs.items()],
                           [Proto.value_info(each) for each in outputs])
        return Proto.model(body, self.opset, microsoft)


class Quantizer:
    """`type_`: of activations."""

    def __init__(self, model, inputs, runtime, type_="i8"):
        self.graph, self.inputs, self.type = Graph(model), inputs, type_
        self.constants, self.nodes, self.count = self.graph.constants, [], 0
        self.domain = "" if self.graph.opset >= (13 if type_ in ("i8", "u8") else 21) else "com.microsoft"
        self.values = self.record(runtime)
        self.real, self.scales, self.constantScales = {}, {}, {}  # dequantized name, (scale, zero point) of a tensor

    def record(self, runtime):
        names = [name for node in self.graph.nodes for name in node.outputs if name]
        results = runtime.run(self.graph.model(self.inputs, names, True), self.inputs, names)
        return {**self.inputs, **dict(zip(names, results))}

    def isReal(self, name):
        return name in self.values and self.values[name].type == "f32" and self.values[name].array.size > 0

    def scaleOf(self, array, type_, bounds=None):
        least, most = limits(type_)
        low, high = bounds or (min(float(array.min()), 0.0), max(float(array.max()), 0.0))
        scale = float(np.float32(max(high - low, 1e-6) / (most - least)))
        return scale, int(np.clip(np.round(least - low / scale), least, most))

    def constant(self, type_, values):
        self.count += 1
        self.constants[f"quantizer_{self.count}"] = Proto.tensor(type_, values)
        return f"quantizer_{self.count}"

    def add(self, operator, inputs, **attributes):
        self.count += 1
        written = {name: Proto.attribute(name, value) for name, value in attributes.items()}
        self.nodes.append(Node(operator, inputs, [f"quantizer_{self.count}"], self.domain, written))
        return f"quantizer_{self.count}"

    def convert(self, name, scale):
        """The tensor after both conversions."""
        pair = [self.constant("f32", scale[0]), self.constant(self.type, scale[1])]
        self.scales[name] = scale
        self.real[name] = self.add("DequantizeLinear", [self.add("QuantizeLinear", [name, *pair]), *pair])

    def operand(self, node, index):
        name = node.inputs[index]
        if name in self.real or name not in self.constants or self.constants[name].type != "f32" or index in PLAIN.get(node.operator, ()):
            return self.real.get(name, name)
        array = self.constants[name].array
        if name not in self.constantScales:
            scale = self.scaleOf(array, self.type)
            stored = np.clip(np.round(array / scale[0]) + scale[1], *limits(self.type))
            pair = [self.constant("f32", scale[0]), self.constant(self.type, scale[1])]
            self.constantScales[name] = self.add("DequantizeLinear", [self.constant(self.type, stored), *pair])
        return self.constantScales[name]

    def layerOperands(self, node):
        """Weights with a scale for each channel, and a bias with the scales of the sums."""
        weights = self.constants[node.inputs[1]].array
        axis = LAYERS[node.operator]
        if axis is None:
            axis = 0 if node.integer("transB", 0) else weights.ndim - 1
        others = tuple(each for each in range(weights.ndim) if each != axis)
        scales = np.maximum(np.abs(weights).max(others) / 127, 1e-9).astype(np.float32)
        if node.operator == "ConvTranspose" and node.integer("group", 1) > 1:
            scales = np.full_like(scales, scales.max())
        stored = np.round(weights / scales.reshape([-1 if each == axis else 1 for each in range(weights.ndim)]))
        made = [self.add("DequantizeLinear", [self.constant("i8", stored), self.constant("f32", scales),
                                              self.constant("i8", np.zeros(scales.shape))], axis=axis)]
        if len(node.inputs) > 2 and node.inputs[2]:
            bias = self.constants[node.inputs[2]].array.reshape(-1)
            if bias.size != scales.size:
                return [*made, self.real.get(node.inputs[2], node.inputs[2])]
            sums = (scales * np.float32(self.scales[node.inputs[0]][0])).astype(np.float32)
            stored = np.clip(np.round(bias / sums), -2**31 + 1, 2**31 - 1)
            made.append(self.add("DequantizeLinear", [self.constant("i32", stored), self.constant("f32", sums)], axis=0))
        return made

    def isLayer(self, node):
        return (node.operator in LAYERS and len(node.inputs) > 1 and node.inputs[1] in self.constants and
                node.inputs[0] in self.scales and self.constants[node.inputs[1]].array.ndim > 1)

    def resultScale(self, node, name):
        if node.operator in KEEPING and node.inputs[0] in self.scales:
            return self.scales[node.inputs[0]]
        return self.scaleOf(self.values[name].array, self.type, BOUNDED.get(node.operator))

    def isBeforeRectifier(self, node):
        readers = self.graph.readers(node.outputs[0])
        return node.operator in RECTIFIED and len(readers) == 1 and readers[0] is not None and readers[0].operator in RECTIFIERS

    def quantizeNode(self, node):
        if node.operator not in QUANTIZED or node.domain:
            node.inputs = [self.real.get(name, name) for name in node.inputs]
            self.nodes.append(node)
            return
        first = self.operand(node, 0)
        others = self.layerOperands(node) if self.isLayer(node) else [self.operand(node, i) for i in range(1, len(node.inputs))]
        self.nodes.append(Node(node.operator, [first, *others], node.outputs, node.domain, node.attributes))
        for name in node.outputs:
            if self.isReal(name) and not self.isBeforeRectifier(node):
                self.convert(name, self.resultScale(node, name))

    def model(self):
        """(the file, the names of its outputs)."""
        for name in self.inputs:
            if self.isReal(name):
                self.convert(name, self.scaleOf(self.values[name].array, self.type))
        for node in self.graph.nodes:
            self.quantizeNode(node)
        outputs = [self.real.get(name, name) for name in self.graph.outputs]
        self.graph.nodes = self.nodes
        return self.graph.model(self.inputs, outputs, True), outputs

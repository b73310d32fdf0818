# Pair.py - One network in two formats
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pair adds each layer to an ONNX graph and to a .tflite model, from one description with one set of weights. The ONNX
graph is written as converters from TensorFlow write it: channels first, with a Transpose at both ends of an image."""
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import Proto

sys.path.insert(1, str(Path(__file__).resolve().parents[2] / "bench/schedule/kinds"))

import Model  # pylint: disable=wrong-import-position

OPSET = 13
# Of TFLite's schema, and the ONNX operator that follows the layer.
ACTIVATIONS = {"NONE": None, "RELU": "Relu", "RELU6": "Clip"}


@dataclass
class Value:
    """`shape` is that of TFLite: channels last."""
    name: str
    tensor: Model.Tensor

    @property
    def shape(self):
        return self.tensor.shape


class Pair:
    def __init__(self, *shape):
        """One input of f32."""
        self.random = np.random.default_rng(7)
        self.nodes, self.initializers = [], []
        self.tflite = Model.Model("f32")
        self.input = Value("input", self.tflite.input(*shape))
        self.outputs = []

    # ONNX

    def node(self, operator, inputs, **attributes):
        """The name of the result."""
        name = f"{operator}_{len(self.nodes)}"
        self.nodes.append(Proto.node(operator, inputs, [name], name, "", attributes))
        return name

    def constant(self, values, type_="f32"):
        name = f"c{len(self.initializers)}"
        self.initializers.append(Proto.tensor_proto(Proto.tensor(type_, values), name))
        return name

    def clip(self, name, activation):
        operator = ACTIVATIONS[activation]
        limits = [self.constant(0.0), self.constant(6.0)] if operator == "Clip" else []
        return self.node(operator, [name, *limits]) if operator else name

    # TFLite

    def data(self, values):
        return self.tflite.tensor(values.shape, "f32", None, np.ascontiguousarray(values, np.float32).tobytes())

    # Layers

    def weights(self, *shape, fan):
        return self.random.normal(0, np.sqrt(2 / fan), shape).astype(np.float32)

    def image(self):
        return Value(self.node("Transpose", [self.input.name], perm=[0, 3, 1, 2]), self.input.tensor)

    def convolution(self, value, outputs, kernel=3, stride=1, activation="RELU6", depthwise=False):
        """SAME padding; `outputs` is that of the input if it is depthwise."""
        batch, rows, columns, inputs = value.shape
        shape = (1, kernel, kernel, inputs) if depthwise else (outputs, kernel, kernel, inputs)
        weights = self.weights(*shape, fan=kernel * kernel * (1 if depthwise else inputs))
        bias = self.random.uniform(-0.2, 0.2, outputs).astype(np.float32)
        order = (3, 0, 1, 2) if depthwise else (0, 3, 1, 2)
        operands = [value.name, self.constant(weights.transpose(order)), self.constant(bias)]
        name = self.node("Conv", operands, auto_pad="SAME_UPPER", strides=[stride] * 2, kernel_shape=[kernel] * 2,
                         group=inputs if depthwise else 1)
        result = (batch, -(-rows // stride), -(-columns // stride), outputs)
        kind = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
        more = {"depth_multiplier": 1} if depthwise else {}
        options = "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions"
        tensor = self.tflite.op(kind, [value.tensor, self.data(weights), self.data(bias)], result, options=options,
                                padding="SAME", stride_w=stride, stride_h=stride, activation=activation, **more)
        return Value(self.clip(name, activation), tensor)

    def pool(self, value, kind, kernel, stride):
        """`kind`: MAX or AVERAGE; without padding."""
        batch, rows, columns, channels = value.shape
        result = (batch, (rows - kernel) // stride + 1, (columns - kernel) // stride + 1, channels)
        name = self.node("MaxPool" if kind == "MAX" else "AveragePool", [value.name], kernel_shape=[kernel] * 2,
                         strides=[stride] * 2)
        tensor = self.tflite.op(kind + "_POOL_2D", [value.tensor], result, options="Pool2DOptions", padding="VALID",
                                stride_w=stride, stride_h=stride, filter_width=kernel, filter_height=kernel, activation="NONE")
        return Value(name, tensor)

    def add(self, left, right, activation="NONE"):
        tensor = self.tflite.op("ADD", [left.tensor, right.tensor], left.shape, options="AddOptions", activation=activation)
        return Value(self.clip(self.node("Add", [left.name, right.name]), activation), tensor)

    def concatenation(self, *values):
        shape = (*values[0].shape[:-1], sum(value.shape[-1] for value in values))
        tensor = self.tflite.op("CONCATENATION", [value.tensor for value in values], shape, options="ConcatenationOptions",
                                axis=3, activation="NONE")
        return Value(self.node("Concat", [value.name for value in values], axis=1), tensor)

    def upsampled(self, value):
        """Twice the rows and columns, bilinear."""
        batch, rows, columns, channels = value.shape
        result = (batch, 2 * rows, 2 * columns, channels)
        scales = self.constant([1, 1, 2, 2])
        name = self.node("Resize", [value.name, "", scales], mode="linear", coordinate_transformation_mode="half_pixel")
        size = self.tflite.integers(result[1:3])
        return Value(name, self.tflite.op("RESIZE_BILINEAR", [value.tensor, size], result, options="ResizeBilinearOptions",
                                          half_pixel_centers=True))

    def mean(self, value):
        """Of each channel: a row."""
        name = self.node("Flatten", [self.node("GlobalAveragePool", [value.name])])
        axes = self.tflite.integers([1, 2])
        return Value(name, self.tflite.op("MEAN", [value.tensor, axes], (value.shape[0], value.shape[3]),
                                          options="ReducerOptions", keep_dims=False))

    def dense(self, value, outputs, activation="NONE"):
        rows, inputs = value.shape
        weights = self.weights(outputs, inputs, fan=inputs)
        bias = self.random.uniform(-0.2, 0.2, outputs).astype(np.float32)
        name = self.node("Gemm", [value.name, self.constant(weights), self.constant(bias)], transB=1)
        tensor = self.tflite.op("FULLY_CONNECTED", [value.tensor, self.data(weights), self.data(bias)], (rows, outputs),
                                options="FullyConnectedOptions", activation=activation)
        return Value(self.clip(name, activation), tensor)

    def softmax(self, value):
        tensor = self.tflite.op("SOFTMAX", [value.tensor], value.shape, options="SoftmaxOptions", beta=1.0)
        return Value(self.node("Softmax", [value.name], axis=-1), tensor)

    # Files

    def output(self, value):
        name = self.node("Transpose", [value.name], perm=[0, 2, 3, 1]) if len(value.shape) == 4 else value.name
        self.outputs.append(Proto.value_info(name, "f32", value.shape))
        self.tflite.output(value.tensor)

    def write(self, stem):
        """stem.onnx and stem.tflite."""
        inputs = [Proto.value_info(self.input.name, "f32", self.input.shape)]
        body = Proto.graph(self.nodes, self.initializers, inputs, self.outputs)
        Path(f"{stem}.onnx").write_bytes(Proto.model(body, OPSET))
        self.tflite.write(f"{stem}.tflite")

# QuantizedPair.py - Quantized networks in two formats
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of Networks.py with 8-bit numbers. The ONNX graph has QuantizeLinear and DequantizeLinear around each operator,
with scales from a run on floats, weights with a scale for each channel, and biases of int32. The .tflite model has the same
layers with arbitrary scales, on which cycles do not depend."""
import numpy as np

import Proto
from Pair import Pair, Value

LAYERS = ("Conv", "Gemm", "Add")  # a clamp may be before the quantization of their results
SAME = ("Transpose", "Flatten", "MaxPool")  # whose results have the scale of their operand
BOUNDED = {"Softmax": (1 / 256, -128)}
INPUT = (2 / 255, 0)


class Recorded(Pair):
    """A network of floats whose results are all outputs."""

    def model(self):
        names = [Proto.first(each, 2).decode() for each in self.nodes]
        body = Proto.graph(self.nodes, self.initializers, [Proto.value_info(self.input.name, "f32", self.input.shape)],
                           [Proto.value_info(name) for name in names])
        return Proto.model(body, 13), names

    def ranges(self, runtime, data):
        """The smallest and the largest number of each result, in the order of the nodes."""
        model, names = self.model()
        results = runtime.run(model, {self.input.name: Proto.tensor("f32", data)}, names)
        return [(float(each.array.min()), float(each.array.max())) for each in results]


def scaleOf(low, high):
    low, high = min(low, 0.0), max(high, 0.0)
    scale = float(np.float32((high - low) / 255))
    return scale, int(np.clip(np.round(-128 - low / scale), -128, 127))


def maker(ranges):
    """A class for Networks.py."""
    class Quantized(Pair):
        def __init__(self, *shape):
            super().__init__(*shape)
            self.tflite = type(self.tflite)("i8")
            self.arrays, self.scales, self.stored, self.pending = {}, {}, {}, {}
            self.count, image = 0, self.tflite.input(*shape)
            self.input = Value(self.dequantized("input", INPUT), image)

        # ONNX

        def dequantized(self, name, scale):
            values = [self.numbers("f32", scale[0]), self.numbers("i8", scale[1])]
            real = super().node("DequantizeLinear", [name, *values])
            self.scales[real], self.stored[real] = scale, name
            return real

        def quantized(self, name, scale):
            values = [self.numbers("f32", scale[0]), self.numbers("i8", scale[1])]
            return self.dequantized(super().node("QuantizeLinear", [name, *values]), scale)

        def numbers(self, type_, values):
            return super().constant(values, type_)

        def constant(self, values, type_="f32"):
            name = super().constant(values, type_)
            self.arrays[name] = np.asarray(values)
            return name

        def weights_(self, name, axis, scale):
            """Both operands of a layer: i8, and i32 with the scales of the sums."""
            weights, bias = (self.arrays[each] for each in name)
            others = tuple(each for each in range(weights.ndim) if each != axis)
            scales = (np.abs(weights).max(others) / 127).astype(np.float32)
            stored = np.round(weights / scales.reshape([-1 if each == axis else 1 for each in range(weights.ndim)]))
            sums = (scales * np.float32(scale)).astype(np.float32)
            return [super(Quantized, self).node("DequantizeLinear", [self.numbers("i8", stored), self.numbers("f32", scales)], axis=axis),
                    super(Quantized, self).node("DequantizeLinear", [self.numbers("i32", np.round(bias / sums)),
                                                                     self.numbers("f32", sums)], axis=0)]

        def node(self, operator, inputs, **attributes):
            number, self.count = self.count, self.count + 1
            if operator in ("Conv", "Gemm"):
                inputs = [inputs[0], *self.weights_(inputs[1:], 0, self.scales[inputs[0]][0])]
            made = super().node(operator, inputs, **attributes)
            if operator in LAYERS:
                self.pending[made] = number
                return made
            scale = self.scales[inputs[0]] if operator in SAME else BOUNDED.get(operator, scaleOf(*ranges[number]))
            return self.quantized(made, scale)

        def clip(self, name, activation):
            clamped = super().clip(name, activation)
            return clamped if clamped != name else self.quantized(name, scaleOf(*ranges[self.pending[name]]))

        # TFLite

        def data(self, values):
            if values.ndim == 1:
                return self.tflite.tensor(values.shape, "i32", (0.0025, 0), np.round(values * 1000).astype(np.int32).tobytes())
            stored = np.round(values / np.abs(values).max() * 127).astype(np.int8)
            return self.tflite.tensor(values.shape, "i8", (0.05, 0), stored.tobytes())

        # Files

        def output(self, value):
            name = self.node("Transpose", [value.name], perm=[0, 2, 3, 1]) if len(value.shape) == 4 else value.name
            self.outputs.append(Proto.value_info(self.stored[name], "i8", value.shape))
            self.tflite.output(value.tensor)

        def model(self):
            """The ONNX file, whose input has 8 bits as its outputs have."""
            body = Proto.graph(self.nodes, self.initializers, [Proto.value_info("input", "i8", self.input.shape)], self.outputs)
            return Proto.model(body, 13)

    return Quantized

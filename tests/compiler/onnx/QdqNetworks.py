# QdqNetworks.py - Networks of floats that a test quantizes
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NETWORKS: the name of a network -> a function that returns its file and {name: Tensor} of its inputs. With random weights, in
the forms in which exporters of PyTorch write them; together they have the operators that quantizers put between conversions."""
import numpy as np

import Proto

OPSET = 14


class Builder:
    def __init__(self, *shape):
        self.random = np.random.default_rng(5)
        self.nodes, self.constants = [], []
        self.input = Proto.Tensor("f32", self.random.uniform(-1, 1, shape).astype(np.float32))

    def constant(self, values, type_="f32"):
        self.constants.append(Proto.tensor_proto(Proto.tensor(type_, values), f"c{len(self.constants)}"))
        return f"c{len(self.constants) - 1}"

    def ints(self, *values):
        return self.constant(list(values), "i64")

    def weights(self, *shape, fan):
        return self.constant(self.random.normal(0, np.sqrt(2 / fan), shape))

    def spread(self, low, high, *shape):
        return self.constant(self.random.uniform(low, high, shape))

    def node(self, operator, *inputs, outputs=1, **attributes):
        names = [f"{operator}_{len(self.nodes)}_{index}" for index in range(outputs)]
        self.nodes.append(Proto.node(operator, list(inputs), names, names[0], "", attributes))
        return names[0] if outputs == 1 else names

    def convolution(self, value, ins, outs, kernel=3, stride=1, group=1, activation="Relu"):
        pads = [kernel // 2] * 4
        made = self.node("Conv", value, self.weights(outs, ins // group, kernel, kernel, fan=ins // group * kernel * kernel),
                         self.spread(-0.1, 0.1, outs), kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads, group=group)
        if activation == "PRelu":
            return self.node("PRelu", made, self.spread(0.05, 0.4, outs, 1, 1))
        return self.node(activation, made) if activation else made

    def dense(self, value, ins, outs):
        """As exporters write it: a product and a sum."""
        return self.node("Add", self.node("MatMul", value, self.weights(ins, outs, fan=ins)), self.spread(-0.1, 0.1, outs))

    def finish(self, *outputs):
        body = Proto.graph(self.nodes, self.constants, [Proto.value_info("input", "f32", self.input.shape)],
                           [Proto.value_info(each) for each in outputs])
        return Proto.model(body, OPSET), {"input": self.input}


def rectified():
    """A detector of faces: rectifiers with slopes, two heads."""
    b = Builder(1, 3, 48, 48)
    value = b.node("MaxPool", b.convolution("input", 3, 16, activation="PRelu"), kernel_shape=[2, 2], strides=[2, 2])
    value = b.convolution(value, 16, 32, stride=2, activation="PRelu")
    value = b.node("Flatten", b.convolution(value, 32, 32, stride=2, activation="PRelu"))
    value = b.node("Gemm", value, b.weights(64, 32 * 36, fan=32 * 36), b.spread(-0.1, 0.1, 64), transB=1)
    scores = b.node("Gemm", value, b.weights(8, 64, fan=64), b.spread(-0.1, 0.1, 8), transB=1)
    return b.finish(b.node("Softmax", scores, axis=1),
                    b.node("Gemm", value, b.weights(4, 64, fan=64), b.spread(-0.1, 0.1, 4), transB=1))


def inception():
    """Branches with pools, whose windows at the border are cut."""
    b = Builder(1, 3, 32, 32)
    value, channels = b.convolution("input", 3, 16), 16
    for stride in (1, 2):
        pooled = b.node("AveragePool", value, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
        parts = [b.convolution(value, channels, 16, 1), b.convolution(b.convolution(value, channels, 8, 1), 8, 16),
                 b.convolution(pooled, channels, 8, 1)]
        value, channels = b.node("Concat", *parts, axis=1), 40
        if stride == 2:
            value = b.node("MaxPool", value, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    mean = b.node("ReduceMean", value, axes=[2, 3], keepdims=0)
    return b.finish(b.node("Gemm", mean, b.weights(10, 40, fan=40), b.spread(-0.1, 0.1, 10), transB=1))


def gated():
    """Gates of channels, and hard swish."""
    b = Builder(1, 3, 32, 32)
    value, channels = b.convolution("input", 3, 16, stride=2, activation="HardSwish"), 16
    for outs in (24, 32):
        wide = b.convolution(b.convolution(value, channels, 48, 1, activation="HardSwish"), 48, 48, group=48, activation="HardSwish")
        gate = b.convolution(b.node("GlobalAveragePool", wide), 48, 12, 1)
        gate = b.node("HardSigmoid", b.convolution(gate, 12, 48, 1, activation=""), alpha=1 / 6, beta=0.5)
        value, channels = b.convolution(b.node("Mul", wide, gate), 48, outs, 1, activation=""), outs
    flat = b.node("Flatten", b.node("GlobalAveragePool", value))
    return b.finish(b.node("Gemm", flat, b.weights(10, 32, fan=32), b.spread(-0.1, 0.1, 10), transB=1))


def encoder():
    """A layer of a transformer: attention of four heads, normalization in steps, GELU."""
    b, width, heads, length = Builder(1, 32, 64), 64, 4, 32

    def split(value):
        return b.node("Transpose", b.node("Reshape", value, b.ints(1, length, heads, width // heads)), perm=[0, 2, 1, 3])

    def normalized(value):
        difference = b.node("Sub", value, b.node("ReduceMean", value, axes=[-1]))
        variance = b.node("ReduceMean", b.node("Pow", difference, b.constant(2.0)), axes=[-1])
        quotient = b.node("Div", difference, b.node("Sqrt", b.node("Add", variance, b.constant(1e-5))))
        return b.node("Add", b.node("Mul", quotient, b.spread(0.5, 1.5, width)), b.spread(-0.2, 0.2, width))

    query, key, value = (split(b.dense("input", width, width)) for _ in range(3))
    scores = b.node("Div", b.node("MatMul", query, b.node("Transpose", key, perm=[0, 1, 3, 2])), b.constant(4.0))
    mixed = b.node("MatMul", b.node("Softmax", scores, axis=-1), value)
    mixed = b.node("Reshape", b.node("Transpose", mixed, perm=[0, 2, 1, 3]), b.ints(1, length, width))
    hidden = normalized(b.node("Add", "input", b.dense(mixed, width, width)))
    inner = b.dense(hidden, width, 128)
    error = b.node("Add", b.node("Erf", b.node("Div", inner, b.constant(np.sqrt(2)))), b.constant(1.0))
    inner = b.node("Mul", b.node("Mul", inner, error), b.constant(0.5))
    return b.finish(normalized(b.node("Add", hidden, b.dense(inner, 128, width))))


def upsampled():
    """A decoder: transposed convolution, nearest neighbors, padding, a sum of parts."""
    b = Builder(1, 3, 24, 24)
    deep = b.convolution(b.convolution("input", 3, 16, stride=2), 16, 24, stride=2)
    up = b.node("Relu", b.node("ConvTranspose", deep, b.weights(24, 16, 2, 2, fan=24), b.spread(-0.1, 0.1, 16), strides=[2, 2],
                               kernel_shape=[2, 2]))
    up = b.node("Resize", up, "", b.constant([1, 1, 2, 2]), mode="nearest", coordinate_transformation_mode="asymmetric",
                nearest_mode="floor")
    parts = b.node("Split", b.convolution(up, 16, 16), b.ints(8, 8), outputs=2, axis=1)
    mixed = b.node("Mul", parts[0], b.node("Sigmoid", parts[1]))
    padded = b.node("Pad", mixed, b.ints(0, 0, 1, 1, 0, 0, 1, 1))
    return b.finish(b.node("Tanh", b.convolution(padded, 8, 3, activation="")), b.node("ReduceMax", deep, axes=[2, 3], keepdims=0))


NETWORKS = {each.__name__: each for each in (rectified, inception, gated, encoder, upsampled)}

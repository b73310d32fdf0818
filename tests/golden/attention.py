#===- attention.py - A small transformer encoder block, and its answer
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Writes attention-f32 and attention-i8: the network (.mlir), token numbers (.in) and the result that numpy computes (.out).

Embedding, two attention heads, residual sums, layer normalizations and a feed-forward part with GELU, with the operations
that TensorFlow Lite uses for them. Every operation is computed in double precision and stored in its own type.
"""

import os
import sys

import numpy as np

kTokens, kVocabulary, kWidth, kHeads, kInner = 12, 40, 48, 3, 80


class Quantized:
    """int8 with a scale and a zero point."""

    def __init__(self, scale, zeroPoint):
        self.scale, self.zeroPoint = float(np.float32(scale)), int(zeroPoint)

    def text(self):
        return f"!quant.uniform<i8:f32, {self.scale!r}:{self.zeroPoint}>"

    def store(self, real):
        return np.clip(np.floor(np.asarray(real) / self.scale + 0.5) + self.zeroPoint, -128, 127).astype(np.int8)

    def real(self, stored):
        return (stored.astype(np.float64) - self.zeroPoint) * self.scale


def fitted(real):
    """The type whose range is that of the numbers, with zero."""
    low, high = min(0.0, float(np.min(real))), max(0.0, float(np.max(real)))
    scale = max(high - low, 1e-3) / 255
    return Quantized(scale, np.clip(np.round(-128 - low / scale), -128, 127))


kProbability, kUnit = Quantized(1 / 256, -128), Quantized(1 / 128, 0)


class Value:
    def __init__(self, name, real, type_):
        self.name, self.real, self.type = name, real, type_

    def text(self):
        extents = "".join(f"{extent}x" for extent in self.real.shape)
        return f"tensor<{extents}{self.type.text() if self.type else 'f32'}>"


class Network:
    def __init__(self, quantized):
        self.quantized, self.lines, self.random = quantized, [], np.random.default_rng(7)

    def newName(self):
        return f"%v{len(self.lines)}"

    def constant(self, real, type_=None):
        if not self.quantized:
            value = Value(self.newName(), np.asarray(real, np.float32).astype(np.float64), None)
            self.lines.append(f"  {value.name} = nn.constant dense<{value.real.tolist()}> : {value.text()}")
            return value
        type_ = type_ or fitted(real)
        stored = type_.store(real)
        value = Value(self.newName(), type_.real(stored), type_)
        plain = value.text().replace(type_.text(), "i8")
        self.lines.append(f"  {value.name} = nn.constant dense<{stored.tolist()}> : {plain} as {value.text()}")
        return value

    def op(self, text, operands, real, type_=None):
        """`text` has {} for each operand. Operations that move elements have the type of their operand."""
        value = Value(self.newName(), np.asarray(real), None)
        if self.quantized:
            value.type = type_ or fitted(real)
            value.real = value.type.real(value.type.store(real))
        types = ", ".join(operand.text() for operand in operands)
        named = text.format(*(operand.name for operand in operands))
        self.lines.append(f"  {value.name} = nn.{named} : ({types}) -> {value.text()}")
        return value

    def add(self, a, b):
        return self.op("add {}, {}", [a, b], a.real + b.real)

    def mul(self, a, b):
        return self.op("mul {}, {}", [a, b], a.real * b.real)

    def scaled(self, a, factor):
        return self.mul(a, self.constant(np.full((1,), factor)))

    def dense(self, x, outputs):
        inputs = x.real.shape[-1]
        weights = self.random.normal(0, 1 / np.sqrt(inputs), (outputs, inputs))
        bias = self.random.normal(0, 0.1, outputs)
        w = self.constant(weights, Quantized(np.max(np.abs(weights)) / 127, 0))
        if self.quantized:
            step = x.type.scale * w.type.scale
            stored = np.round(bias / step).astype(np.int32)
            b = Value(self.newName(), stored * step, None)
            self.lines.append(f"  {b.name} = nn.constant dense<{stored.tolist()}> : tensor<{outputs}xi32>")
            b.text = lambda: f"tensor<{outputs}xi32>"
        else:
            b = self.constant(bias)
        return self.op("fully_connected {}, {}, {}", [x, w, b], x.real @ w.real.T + b.real)

    def reshaped(self, x, shape):
        return self.op(f"reshape {{}} to {list(shape)}", [x], x.real.reshape(shape), x.type)

    def heads(self, x):
        split = self.reshaped(x, (kTokens, kHeads, x.real.shape[-1] // kHeads))
        return self.op("transpose {} permutation [1, 0, 2]", [split], split.real.transpose(1, 0, 2), x.type)

    def attention(self, x):
        q, k, v = (self.heads(self.dense(x, kWidth)) for _ in range(3))
        scores = self.op("batch_matmul {}, {} transpose_rhs", [q, k], q.real @ k.real.transpose(0, 2, 1))
        scores = self.scaled(scores, 1 / np.sqrt(kWidth / kHeads))
        powers = np.exp(scores.real - scores.real.max(-1, keepdims=True))
        weights = self.op("softmax {}", [scores], powers / powers.sum(-1, keepdims=True), kProbability)
        mixed = self.op("batch_matmul {}, {}", [weights, v], weights.real @ v.real)
        joined = self.op("transpose {} permutation [1, 0, 2]", [mixed], mixed.real.transpose(1, 0, 2), mixed.type)
        flat = self.reshaped(joined, (kTokens, kWidth))
        return self.dense(flat, kWidth)

    def normalized(self, x):
        mean = self.op("mean {} axes [1] keep_dims", [x], x.real.mean(1, keepdims=True))
        centered = self.op("sub {}, {}", [x, mean], x.real - mean.real)
        squares = self.mul(centered, centered)
        variance = self.op("mean {} axes [1] keep_dims", [squares], squares.real.mean(1, keepdims=True))
        variance = self.add(variance, self.constant(np.full((1,), 1e-3)))
        inverse = self.op("unary rsqrt {}", [variance], variance.real ** -0.5)
        scaled = self.mul(self.mul(centered, inverse), self.constant(self.random.uniform(0.5, 1.5, kWidth)))
        return self.add(scaled, self.constant(self.random.normal(0, 0.1, kWidth)))

    def gelu(self, x):
        """Half of x times 1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))."""
        cube = self.mul(self.mul(x, x), x)
        inner = self.scaled(self.add(x, self.scaled(cube, 0.044715)), np.sqrt(2 / np.pi))
        tanh = self.op("tanh {}", [inner], np.tanh(inner.real), kUnit)
        return self.scaled(self.mul(x, self.add(tanh, self.constant(np.ones((1,))))), 0.5)

    def build(self, tokens):
        table = self.constant(self.random.normal(0, 1, (kVocabulary, kWidth)))
        indices = Value("%tokens", tokens, None)
        indices.text = lambda: f"tensor<{kTokens}xi32>"
        x = self.op("gather {} at {} axis 0", [table, indices], table.real[tokens], table.type)
        x = self.normalized(self.add(x, self.attention(x)))
        inner = self.gelu(self.dense(x, kInner))
        return self.normalized(self.add(x, self.dense(inner, kWidth)))


def write(folder, kind):
    network = Network(kind == "i8")
    tokens = np.random.default_rng(3).integers(0, kVocabulary, kTokens).astype(np.int32)
    result = network.build(tokens)
    stored = result.type.store(result.real) if result.type else result.real.astype(np.float32)
    path = os.path.join(folder, "attention-" + kind)
    body = "\n".join(network.lines)
    with open(path + ".mlir", "w", encoding="ascii") as file:
        file.write(f'module attributes {{avocet.phase = "import"}} {{\nfunc.func @main(%tokens: tensor<{kTokens}xi32>) -> '
                   f"{result.text()} {{\n{body}\n  return {result.name} : {result.text()}\n}}\n}}\n")
    tokens.tofile(path + ".in")
    stored.tofile(path + ".out")


os.makedirs(sys.argv[1], exist_ok=True)
for kindOfType in ("f32", "i8"):
    write(sys.argv[1], kindOfType)

# families.py - Networks of quantized, recurrent and attention operators
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""families.py NAME [OPSET] > FILE: writes the network of a function here."""
import numpy as np

from networks import numbers, write, zeros

MICROSOFT = "com.microsoft"


def ramp(case, type_, *shape):
    """A constant of the numbers from 0 on."""
    return numbers(case, type_, np.arange(np.prod(shape)), shape)


def pair(case, scale, zero, type_="u8"):
    return [numbers(case, "f32", scale), numbers(case, type_, zero)]


def quantize(case):
    x = zeros(case, "f32", 2, 3)
    case.result(case.node("QuantizeLinear", [x, *pair(case, 0.5, 7)]))
    case.result(case.node("QuantizeLinear", [x, *pair(case, [0.5, 1, 2], [0, 1, 2], "i8")], axis=1))
    case.result(case.node("QuantizeLinear", [x, numbers(case, "f32", [[1, 2], [3, 4]])], axis=1, block_size=2))


def dequantize(case):
    x = zeros(case, "i8", 2, 3)
    case.result(case.node("DequantizeLinear", [x, *pair(case, 0.5, 7, "i8")]))
    case.result(case.node("DequantizeLinear", [x, numbers(case, "f32", [1, 2])], axis=0))
    case.result(case.node("DequantizeLinear", [zeros(case, "i32", 4), numbers(case, "f32", 0.25)]))


def dynamic(case):
    values, scale, zero = case.node("DynamicQuantizeLinear", [zeros(case, "f32", 2, 3)], 3)
    case.result(case.node("MatMulInteger", [values, ramp(case, "i8", 3, 4), zero, numbers(case, "i8", 1)]))
    case.result(scale)


def layers(case):
    x = zeros(case, "u8", 1, 2, 4, 4)
    y = case.node("QLinearConv", [x, *pair(case, 0.5, 7), ramp(case, "i8", 3, 2, 1, 1), *pair(case, [1, 2, 4], [0, 0, 0], "i8"),
                                  *pair(case, 2, 9), numbers(case, "i32", [1, 2, 3])])
    case.result(y)
    case.result(case.node("QLinearMatMul", [y, *pair(case, 2, 9), ramp(case, "u8", 4, 2), *pair(case, 1, 3), *pair(case, 8, 0)]))


def between(case):
    x, y = zeros(case, "u8", 2, 3), zeros(case, "u8", 3)
    case.result(case.node("QLinearAdd", [x, *pair(case, 0.5, 7), y, *pair(case, 0.25, 1), *pair(case, 1, 0)], domain=MICROSOFT))
    case.result(case.node("QLinearMul", [x, *pair(case, 0.5, 7), y, *pair(case, 0.25, 1), *pair(case, 1, 0)], domain=MICROSOFT))
    case.result(case.node("QLinearSigmoid", [x, *pair(case, 0.5, 7), *pair(case, 0.25, 1)], domain=MICROSOFT))


def packed(case):
    case.result(case.node("MatMulNBits", [zeros(case, "f32", 1, 16), numbers(case, "u8", np.arange(16), [2, 1, 8]),
                                          numbers(case, "f32", [1, 2])], domain=MICROSOFT, K=16, N=2, block_size=16))


def cells(case):
    x = zeros(case, "f32", 3, 1, 2)
    case.result(case.node("LSTM", [x, ramp(case, "f32", 2, 8, 2), ramp(case, "f32", 2, 8, 2)], 3, hidden_size=2,
                          direction="bidirectional"))
    case.result(case.node("RNN", [x, ramp(case, "f32", 1, 2, 2), ramp(case, "f32", 1, 2, 2)], 2, activations=["Relu"]))


def unrolled(case):
    x, lengths = zeros(case, "f32", 2, 2, 2), numbers(case, "i32", [2, 1])
    case.result(case.node("GRU", [x, ramp(case, "f32", 1, 6, 2), ramp(case, "f32", 1, 6, 2), None, lengths], 2))


def attention(case):
    q, k, v = zeros(case, "f32", 1, 4, 2, 8), zeros(case, "f32", 1, 2, 3, 8), zeros(case, "f32", 1, 2, 3, 8)
    case.result(case.node("Attention", [q, k, v], is_causal=1))


def rotary(case):
    tables = [ramp(case, "f32", 5, 2), ramp(case, "f32", 5, 2)]
    case.result(case.node("RotaryEmbedding", [zeros(case, "f32", 1, 2, 8), *tables, zeros(case, "i64", 1, 2)], num_heads=2))


def fused(case):
    x, w = zeros(case, "f32", 1, 2, 4, 4), ramp(case, "f32", 3, 2, 1, 1)
    case.result(case.node("FusedConv", [x, w], domain=MICROSOFT, activation="LeakyRelu", activation_params=[0.25]))
    y = zeros(case, "f32", 1, 2, 4)
    case.result(case.node("SkipLayerNormalization", [y, y, ramp(case, "f32", 4), ramp(case, "f32", 4)], domain=MICROSOFT))


def short(case):
    case.result(case.node("QuantizeLinear", [zeros(case, "f32", 2), *pair(case, 0.5, 7, "u16")]))


def several(case):
    case.result(case.node("QLinearMatMul", [zeros(case, "u8", 2, 2), *pair(case, 2, 9), ramp(case, "u8", 2, 2),
                                            *pair(case, [1, 2], [3, 4]), *pair(case, 8, 0)]))


def window(case):
    q, k, v = (zeros(case, "f32", 1, 2, 16) for _ in range(3))
    case.result(case.node("GroupQueryAttention", [q, k, v, None, None, numbers(case, "i32", [1]), numbers(case, "i32", 2)], 3,
                          domain=MICROSOFT, num_heads=1, kv_num_heads=1, local_window_size=4))


write(globals(), 24)

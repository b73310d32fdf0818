# RoundTripCells.py - Operations of the graph dialect that TOSA can express
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cell is an operation with types. Its function makes the text of one random network and the bytes of its inputs."""
import math
import random
import struct

BYTES = {"i1": 1, "i8": 1, "u8": 1, "i16": 2, "i32": 4}


class Quantized:
    """A quantized type of random scale."""

    def __init__(self, rng, storage, scale=None, zero=None):
        self.storage, self.scale = storage, scale or rng.uniform(0.004, 0.3)
        low, high = {"i8": (-128, 127), "u8": (0, 255), "i16": (0, 0)}[storage]
        self.zero = rng.randint(low, high) if zero is None else zero

    def __str__(self):
        return f"!quant.uniform<{self.storage}:f32, {self.scale:.9e}:{self.zero}>"


class Network:
    def __init__(self):
        self.rng, self.arguments, self.lines, self.data, self.results = None, [], [], [], []

    def tensor(self, shape, element):
        return f"tensor<{'x'.join([*map(str, shape), str(element)])}>"

    def bytes(self, shape, element):
        count = math.prod(shape)
        storage = element.storage if isinstance(element, Quantized) else element
        if storage == "i1":
            return bytes(self.rng.randint(0, 1) for _ in range(count))
        if storage == "f32":
            return struct.pack(f"<{count}f", *(self.rng.uniform(-4, 4) for _ in range(count)))
        if storage == "i32":
            return b"".join(self.rng.randint(-1000, 1000).to_bytes(4, "little", signed=True) for _ in range(count))
        return self.rng.randbytes(count * BYTES[storage])

    def argument(self, shape, element):
        name, type_ = f"%a{len(self.arguments)}", self.tensor(shape, element)
        self.arguments.append(f"{name}: {type_}")
        self.data.append(self.bytes(shape, element))
        return name, type_

    def constant(self, shape, element, low=None, high=None):
        name, type_ = f"%c{len(self.lines)}", self.tensor(shape, element)
        storage = element if element in ("i32", "i64") else "i8"
        low, high = (low, high) if low is not None else (-2000, 2000) if storage == element else (-128, 127)
        values = [self.rng.randint(low, high) for _ in range(math.prod(shape))]
        for extent in reversed(shape):
            values = [values[i:i + extent] for i in range(0, len(values), extent)]
        plain = self.tensor(shape, storage)
        suffix = "" if storage == element else f" as {type_}"
        self.lines.append(f"{name} = nn.constant dense<{values[0]}> : {plain}{suffix}")
        return name, type_

    def op(self, text, operands, shape, element):
        name, type_ = f"%v{len(self.lines)}", self.tensor(shape, element)
        types = ", ".join(type_ for _, type_ in operands)
        self.lines.append(f"{name} = nn.{text.format(*(each for each, _ in operands))} : ({types}) -> {type_}")
        return name, type_

    def result(self, value):
        self.results.append(value)

    def text(self):
        types = ", ".join(type_ for _, type_ in self.results)
        return ('module attributes {avocet.phase = "import"} {\n'
                f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{\n  " + "\n  ".join(self.lines) +
                f"\n  return {', '.join(name for name, _ in self.results)} : {types}\n}}\n}}\n")


ACTIVATIONS = ("", "activation relu", "activation relu6", "activation relu_n1_to_1")


def weights(net, rng, shape, storage, axis):
    """Those of one scale, or of one for each output channel."""
    if storage != "u8" and rng.random() < 0.6:
        scales = ", ".join(f"{rng.uniform(0.001, 0.05):.9e}" for _ in range(shape[axis]))
        return net.constant(shape, f"!quant.uniform<i8:f32:{axis}, {{{scales}}}>")
    return net.constant(shape, Quantized(rng, "u8" if storage == "u8" else "i8", rng.uniform(0.001, 0.05),
                                         rng.randint(0, 255) if storage == "u8" else 0))


def bias(net, channels, storage):
    return net.constant([channels], "i64" if storage == "i16" else "i32")


def window(rng, extent, kernel):
    """Stride, dilation and padding, often with a rest after the last window."""
    while True:
        stride, dilation = rng.randint(1, 3), rng.choice([1, 1, 2])
        low, high = rng.randint(0, kernel - 1), rng.randint(0, kernel - 1)
        reach = (kernel - 1) * dilation + 1
        if extent + low + high >= reach:
            return stride, dilation, low, high, (extent + low + high - reach) // stride + 1


def convolution(kind):
    def cell(net, rng, storage):
        height, width, channels, outputs = rng.randint(3, 9), rng.randint(3, 9), rng.randint(1, 5), rng.randint(1, 6)
        kh, kw = rng.randint(1, 3), rng.randint(1, 3)
        if kind == "depthwise_conv_2d":
            outputs = channels * rng.randint(1, 2)
        sh, dh, top, bottom, oh = window(rng, height, kh)
        sw, dw, left, right, ow = window(rng, width, kw)
        x = net.argument([1, height, width, channels], Quantized(rng, storage))
        shape, axis = ([1, kh, kw, outputs], 3) if kind == "depthwise_conv_2d" else ([outputs, kh, kw, channels], 0)
        operands = [x, weights(net, rng, shape, storage, axis), bias(net, outputs, storage)]
        net.result(net.op(f"{kind} {{}}, {{}}, {{}} stride [{sh}, {sw}] dilation [{dh}, {dw}] "
                          f"pad [{top}, {bottom}, {left}, {right}] {rng.choice(ACTIVATIONS)}", operands,
                          [1, oh, ow, outputs], Quantized(rng, storage)))
    return cell


def transposed(net, rng, storage):
    height, width, channels, outputs = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)
    kh, kw, sh, sw = rng.randint(2, 4), rng.randint(2, 4), rng.randint(1, 2), rng.randint(1, 2)
    top, left = rng.randint(0, 1) if height > 1 else 0, rng.randint(0, 1) if width > 1 else 0
    bottom, right = rng.randint(-1, 0), rng.randint(-1, 0)
    x = net.argument([1, height, width, channels], Quantized(rng, storage))
    operands = [x, weights(net, rng, [outputs, kh, kw, channels], storage, 0), bias(net, outputs, storage)]
    oh, ow = (height - 1) * sh + kh - top - bottom, (width - 1) * sw + kw - left - right
    net.result(net.op(f"transpose_conv_2d {{}}, {{}}, {{}} stride [{sh}, {sw}] pad [{top}, {bottom}, {left}, {right}]",
                      operands, [1, oh, ow, outputs], Quantized(rng, storage)))


def fully_connected(net, rng, storage):
    rows, depth, outputs = rng.randint(1, 4), rng.randint(1, 20), rng.randint(1, 9)
    operands = [net.argument([rows, depth], Quantized(rng, storage)), weights(net, rng, [outputs, depth], storage, 0),
                bias(net, outputs, storage)]
    net.result(net.op(f"fully_connected {{}}, {{}}, {{}} {rng.choice(ACTIVATIONS)}", operands, [rows, outputs],
                      Quantized(rng, storage)))


def matmul(net, rng, storage):
    batch, rows, depth, columns = rng.randint(1, 3), rng.randint(1, 5), rng.randint(1, 9), rng.randint(1, 5)
    left, right = rng.random() < 0.5, rng.random() < 0.5
    a = net.argument([batch, depth, rows] if left else [batch, rows, depth], Quantized(rng, storage))
    b = net.argument([batch, columns, depth] if right else [batch, depth, columns], Quantized(rng, storage))
    net.result(net.op(f"batch_matmul {{}}, {{}} {'transpose_lhs' if left else ''} {'transpose_rhs' if right else ''}",
                      [a, b], [batch, rows, columns], Quantized(rng, storage)))


def pool(kind):
    def cell(net, rng, storage):
        height, width, channels = rng.randint(2, 9), rng.randint(2, 9), rng.randint(1, 5)
        kh, kw = rng.randint(1, 3), rng.randint(1, 3)
        sh, _, top, bottom, oh = window(rng, height, kh)
        sw, _, left, right, ow = window(rng, width, kw)
        oh, ow = (height + top + bottom - kh) // sh + 1, (width + left + right - kw) // sw + 1
        type_ = Quantized(rng, storage)
        x = net.argument([1, height, width, channels], type_)
        net.result(net.op(f"{kind} {{}} kernel [{kh}, {kw}] stride [{sh}, {sw}] pad [{top}, {bottom}, {left}, {right}] "
                          f"{rng.choice(ACTIVATIONS)}", [x], [1, oh, ow, channels], type_))
    return cell


def arithmetic(kind):
    def cell(net, rng, storage):
        shape = [rng.randint(1, 5) for _ in range(rng.randint(1, 4))]
        other = [1 if rng.random() < 0.3 else extent for extent in shape][rng.randint(0, len(shape) - 1):]
        a, b = Quantized(rng, storage), Quantized(rng, storage)
        # Products of 16 bits beyond the result have no definition.
        scale = a.scale * b.scale * rng.uniform(1, 50) if kind == "mul" and storage == "i16" else None
        net.result(net.op(f"{kind} {{}}, {{}} {rng.choice(ACTIVATIONS) if kind != 'prelu' else ''}",
                          [net.argument(shape, a), net.argument(other, b)], shape, Quantized(rng, storage, scale)))
    return cell


def choice(kind):
    def cell(net, rng, storage):
        shape, type_ = [rng.randint(1, 5) for _ in range(3)], "i32" if storage == "i32" else Quantized(rng, storage)
        a, b = net.argument(shape, type_), net.argument(shape[1:], type_)
        net.result(net.op(f"{kind} {{}}, {{}}", [a, b], shape, "i1" if kind.startswith("compare") else type_))
    return cell


def select(net, rng, storage):
    shape, type_ = [rng.randint(1, 5) for _ in range(3)], Quantized(rng, storage)
    net.result(net.op("select {}, {}, {}", [net.argument(shape, "i1"), net.argument(shape, type_),
                                            net.argument(shape, type_)], shape, type_))


def function(text, to=None, least=False):
    """A function with a table; some have results of a fixed type."""
    def cell(net, rng, storage):
        shape = [rng.randint(1, 9) for _ in range(rng.randint(1, 3))]
        fixed = {"i8": -128, "u8": 0} if least else {"i8": 0, "u8": 128}
        out = Quantized(rng, storage, to, fixed[storage]) if to else Quantized(rng, storage)
        net.result(net.op(f"{text} {{}}", [net.argument(shape, Quantized(rng, storage))], shape, out))
    return cell


def requantize(net, rng, storage):
    shape = [rng.randint(1, 9) for _ in range(rng.randint(1, 3))]
    x = net.argument(shape, Quantized(rng, storage))
    middle = net.op("quantize {}", [x], shape, Quantized(rng, rng.choice(["i8", "u8"])))
    net.result(net.op("quantize {}", [middle], shape, Quantized(rng, rng.choice(["i8", "u8"]))))


def clamp(net, rng, storage):
    shape, type_ = [rng.randint(1, 9) for _ in range(2)], Quantized(rng, storage)
    other = type_ if rng.random() < 0.5 else Quantized(rng, storage)
    net.result(net.op(f"clamp {rng.choice(['relu', 'relu6', 'from -0.5 to 2.5'])} {{}}", [net.argument(shape, type_)],
                      shape, other))


def softmax(net, rng, storage):
    shape = [rng.randint(1, 6) for _ in range(rng.randint(1, 3))]
    axis = rng.randrange(len(shape))
    shape[axis] = rng.choice([1, 2, 10, 40, 600])
    x = net.argument(shape, Quantized(rng, storage))
    beta = "" if rng.random() < 0.7 else f"beta {rng.uniform(0.2, 3):.6e}"
    net.result(net.op(f"softmax {{}} {beta} axis {axis}", [x], shape,
                      Quantized(rng, storage, 1 / 256, -128 if storage == "i8" else 0)))


def mean(net, rng, storage):
    shape = [rng.randint(1, 7) for _ in range(4)]
    axes = sorted(rng.sample(range(4), rng.randint(1, 3)))
    keep = rng.random() < 0.5
    kept = [1 if axis in axes else extent for axis, extent in enumerate(shape)]
    result = kept if keep else [extent for axis, extent in enumerate(shape) if axis not in axes]
    x = net.argument(shape, Quantized(rng, storage))
    net.result(net.op(f"mean {{}} axes {axes} {'keep_dims' if keep else ''}", [x], result, Quantized(rng, storage)))


def reduce(kind):
    def cell(net, rng, storage):
        shape, type_ = [rng.randint(1, 7) for _ in range(3)], Quantized(rng, storage)
        net.result(net.op(f"reduce {kind} {{}} axes [0, 2]", [net.argument(shape, type_)], [shape[1]], type_))
    return cell


def arg_reduce(kind):
    def cell(net, rng, storage):
        shape = [rng.randint(1, 7) for _ in range(3)]
        x = net.argument(shape, Quantized(rng, storage))
        net.result(net.op(f"arg_reduce {kind} {{}} axis 1", [x], [shape[0], shape[2]], "i32"))
    return cell


def moves(net, rng, storage):
    """A chain of operations that move elements."""
    type_ = Quantized(rng, storage)
    a, b = net.argument([2, 3, 4], type_), net.argument([2, 5, 4], type_)
    x = net.op("concatenation {}, {} axis 1", [a, b], [2, 8, 4], type_)
    x = net.op("transpose {} permutation [1, 2, 0]", [x], [8, 4, 2], type_)
    x = net.op(f"slice {{}} begin [{rng.choice([7, 6])}, 0, 0] size [3, 4, 2] strides [{rng.choice([-2, -3])}, 1, 1]",
               [x], [3, 4, 2], type_)
    x = net.op("slice {} begin [0, 1, 0] size [3, 2, 2] strides [1, 2, 1]", [x], [3, 2, 2], type_)
    x = net.op(f"pad {{}} low [1, 0, 0] high [0, 2, 0] {rng.choice(['', 'value 3.0'])}", [x], [4, 4, 2], type_)
    x = net.op("tile {} multiples [1, 2, 1]", [x], [4, 8, 2], type_)
    net.result(net.op("reshape {} to [2, 32]", [x], [2, 32], type_))


def gather(net, rng, storage):
    type_ = Quantized(rng, storage)
    x = net.argument([3, 5, 2], type_)
    rows = net.constant([4], "i32", 0, 4)
    net.result(net.op(f"gather {{}} at {{}} axis 1", [x, rows], [3, 4, 2], type_))
    places = net.constant([6, 2], "i32", 0, 2)
    net.result(net.op("gather_nd {} at {}", [x, places], [6, 2], type_))


def resize(kind, centers=None):
    def cell(net, rng, storage):
        height, width, channels = rng.randint(2, 5), rng.randint(2, 5), rng.randint(1, 3)
        size = [height * rng.choice([2, 4]), width * rng.choice([2, 4])]
        type_, where = Quantized(rng, storage), rng.choice(["", "half_pixel_centers"]) if centers is None else centers
        x = net.argument([1, height, width, channels], type_)
        net.result(net.op(f"resize {kind} {{}} to {size} {where}", [x], [1, *size, channels], type_))
    return cell


def floats(text, operands=1, result=None):
    """A function of floats, between -4 and 4, with an image as its result."""
    def cell(net, rng, storage):
        shape = [1, rng.randint(2, 5), rng.randint(2, 5), rng.randint(1, 4)]
        x = net.argument(shape, "f32")
        if "log" in text or "sqrt" in text:
            x = net.op("mul {}, {}", [x, x], shape, "f32")
        others = [net.argument(shape, "f32") for _ in range(operands - 1)]
        net.result(net.op(text, [x, *others], result(shape) if result else shape, "i8" if "cast" in text else "f32"))
    return cell


def float_layers(net, rng, storage):
    shape = [1, rng.randint(3, 6), rng.randint(3, 6), 3]
    pooled = [1, (shape[1] - 2) // 2 + 1, (shape[2] - 2) // 2 + 1, 3]
    x = net.argument(shape, "f32")
    net.result(net.op("average_pool_2d {} kernel [2, 2] stride [2, 2] activation relu6", [x], pooled, "f32"))
    net.result(net.op("batch_matmul {}, {} transpose_rhs", [net.argument([2, 3, 4], "f32"),
                                                            net.argument([2, 5, 4], "f32")], [2, 3, 5], "f32"))


BOTH, ALL = ("i8", "u8"), ("i8", "u8", "i16")
CELLS = [
    *[(name, ALL, convolution(name)) for name in ("conv_2d", "depthwise_conv_2d")],
    ("transpose_conv_2d", ALL, transposed),
    ("fully_connected", ALL, fully_connected),
    ("batch_matmul", ("i8", "i16"), matmul),
    *[(name, ALL, pool(name)) for name in ("average_pool_2d", "max_pool_2d")],
    *[(name, ALL, arithmetic(name)) for name in ("add", "sub", "mul")],
    ("prelu", BOTH, arithmetic("prelu")),
    *[(name, (*ALL, "i32") if name != "compare less" else ("i8", "u8", "i32"), choice(name))
      for name in ("minimum", "maximum", "compare less", "compare not_equal")],
    ("select", ALL, select),
    ("logistic", BOTH, function("logistic", 1 / 256, True)),
    ("tanh", BOTH, function("tanh", 1 / 128)),
    *[(f"unary {kind}", BOTH, function(f"unary {kind}")) for kind in ("abs", "elu", "hard_swish", "gelu", "rsqrt")],
    ("quantize", BOTH, requantize),
    ("clamp", BOTH, clamp),
    ("softmax", BOTH, softmax),
    ("mean", ALL, mean),
    *[(f"reduce {kind}", ALL, reduce(kind)) for kind in ("max", "min")],
    *[(f"arg_reduce {kind}", ("i8", "u8", "i16"), arg_reduce(kind)) for kind in ("max", "min")],
    ("moves", ALL, moves),
    ("gather", ALL, gather),
    ("resize nearest", ALL, resize("nearest")),
    ("resize bilinear", ("i8",), resize("bilinear", "")),
    *[(f"unary {kind} of floats", ("f32",), floats(f"unary {kind} {{}}"))
      for kind in ("abs", "neg", "exp", "log", "sqrt", "rsqrt", "sin", "cos", "floor", "ceil", "erf", "square", "elu",
                   "leaky_relu", "gelu", "gelu_tanh", "swish", "hard_swish", "hard_sigmoid")],
    *[(f"{kind} of floats", ("f32",), floats(f"{kind} {{}}, {{}}", 2))
      for kind in ("add", "sub", "mul", "div", "minimum", "maximum", "prelu", "binary squared_difference")],
    *[(f"{kind} of floats", ("f32",), floats(f"{kind} {{}}"))
      for kind in ("logistic", "tanh", "softmax", "log_softmax", "clamp relu6", "cast")],
    ("mean of floats", ("f32",), floats("mean {} axes [1, 2] keep_dims", 1, lambda s: [1, 1, 1, s[3]])),
    ("resize of floats", ("f32",), floats("resize bilinear {} to [7, 9]", 1, lambda s: [1, 7, 9, s[3]])),
    ("layers of floats", ("f32",), float_layers),
    ("resize bilinear of centers", ("i8",), resize("bilinear", "half_pixel_centers")),
]


def network(cell, cases):
    """One network of independent cases: of types and seeds."""
    net = Network()
    for element, seed in cases:
        net.rng = random.Random(seed)
        cell(net, net.rng, element)
    return net

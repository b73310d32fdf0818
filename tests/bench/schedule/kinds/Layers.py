# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators with their constants, as exporters write them."""

import array

WEIGHT_TYPES = {"f32": "f32", "f16": "f16", "i16": "i8", "i8": "i8", "u8": "u8"}


def filterOf(model, shape):
    weights = WEIGHT_TYPES[model.type]
    return model.constant(shape, weights, (0.02, 0) if weights == "i8" else None)


def biasOf(model, x, weights, count=None):
    """Zeros, with the scale of the products; one for each filter if `count` is None."""
    count = count or weights.shape[0]
    if model.type in ("f32", "f16"):
        return model.constant((count,))
    wide = model.type == "i16"
    scale = x.quantization[0] * weights.quantization[0]
    return model.tensor((count,), "i64" if wide else "i32", (scale, 0), bytes(count * (8 if wide else 4)))


def extentOf(size, kernel, stride, dilation, padding):
    reach = (kernel - 1) * dilation + 1
    return -(-size // stride) if padding == "SAME" else -(-(size - reach + 1) // stride)


def windowed(x, kernel, stride, dilation, padding):
    return tuple(extentOf(size, k, stride, dilation, padding) for size, k in zip(x.shape[1:3], kernel))


def conv(model, x, channels, kernel=(3, 3), stride=1, dilation=1, padding="SAME", groups=1, activation="RELU"):
    shape = (x.shape[0], *windowed(x, kernel, stride, dilation, padding), channels)
    weights = filterOf(model, (channels, *kernel, x.shape[3] // groups))
    return model.op("CONV_2D", [x, weights, biasOf(model, x, weights)], shape, options="Conv2DOptions", padding=padding,
                    stride_w=stride, stride_h=stride, dilation_w=dilation, dilation_h=dilation,
                    activation=activation)


def depthwise(model, x, kernel=(3, 3), stride=1, dilation=1, padding="SAME", multiplier=1):
    channels = x.shape[3] * multiplier
    shape = (x.shape[0], *windowed(x, kernel, stride, dilation, padding), channels)
    weights = filterOf(model, (1, *kernel, channels))
    return model.op("DEPTHWISE_CONV_2D", [x, weights, biasOf(model, x, weights, channels)], shape, options="DepthwiseConv2DOptions",
                    padding=padding, stride_w=stride, stride_h=stride, depth_multiplier=multiplier,
                    dilation_w=dilation, dilation_h=dilation, activation="RELU")


def transposeConv(model, x, channels, kernel, stride, padding):
    extents = tuple(size * stride if padding == "SAME" else (size - 1) * stride + kernel for size in x.shape[1:3])
    shape = (x.shape[0], *extents, channels)
    weights = filterOf(model, (channels, kernel, kernel, x.shape[3]))
    return model.op("TRANSPOSE_CONV", [model.integers(shape), weights, x], shape, options="TransposeConvOptions",
                    padding=padding, stride_w=stride, stride_h=stride)


def fullyConnected(model, x, channels):
    weights = filterOf(model, (channels, x.shape[-1]))
    return model.op("FULLY_CONNECTED", [x, weights, biasOf(model, x, weights)], (*x.shape[:-1], channels),
                    options="FullyConnectedOptions", activation="NONE", keep_num_dims=len(x.shape) > 2)


def pool(model, x, code, kernel, stride, padding="VALID"):
    shape = (x.shape[0], *windowed(x, kernel, stride, 1, padding), x.shape[3])
    return model.op(code, [x], shape, options="Pool2DOptions", padding=padding, stride_w=stride, stride_h=stride,
                    filter_width=kernel[1], filter_height=kernel[0], activation="NONE", quantization=x.quantization)


def reduced(shape, axes, isKept):
    axes = {axis % len(shape) for axis in axes}
    return tuple(1 if axis in axes else size for axis, size in enumerate(shape) if isKept or axis not in axes)


def reduce(model, x, code, axes, isKept=False):
    same = x.quantization if code.startswith("REDUCE_M") else None
    return model.op(code, [x, model.integers(axes)], reduced(x.shape, axes, isKept), options="ReducerOptions",
                    keep_dims=isKept, quantization=same)


def argMax(model, x, axis):
    return model.op("ARG_MAX", [x, model.integers((axis,), ())], reduced(x.shape, (axis,), False), "i32",
                    options="ArgMaxOptions", output_type="INT32")


def softmax(model, x):
    return model.op("SOFTMAX", [x], x.shape, options="SoftmaxOptions", beta=1.0)


def transpose(model, x, order):
    return model.op("TRANSPOSE", [x, model.integers(order)], tuple(x.shape[axis] for axis in order),
                    quantization=x.quantization)


def reshape(model, x, *shape):
    return model.op("RESHAPE", [x, model.integers(shape)], shape, quantization=x.quantization)


def concatenation(model, parts, axis=-1):
    shape = list(parts[0].shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    return model.op("CONCATENATION", parts, shape, options="ConcatenationOptions", axis=axis % len(shape), activation="NONE",
                    quantization=parts[0].quantization)


def split(model, x, count, axis=-1):
    shape = list(x.shape)
    shape[axis] //= count
    parts = [model.tensor(shape, x.type, x.quantization) for _ in range(count)]
    model.operator("SPLIT", [model.integers((axis % len(shape),), ()), x], parts, "SplitOptions", num_splits=count)
    return parts


def slice(model, x, begin, size):  # named as the operator
    return model.op("SLICE", [x, model.integers(begin), model.integers(size)], size, quantization=x.quantization)


def pad(model, x, pairs):
    shape = tuple(low + size + high for size, (low, high) in zip(x.shape, pairs))
    flat = [value for pair in pairs for value in pair]
    return model.op("PAD", [x, model.integers(flat, (len(pairs), 2))], shape, quantization=x.quantization)


def pair(model, code, x, y):
    """An element-wise function with broadcast."""
    options = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions", "DIV": "DivOptions"}.get(code)
    rank = max(len(x.shape), len(y.shape))
    full = lambda shape: (1,) * (rank - len(shape)) + tuple(shape)
    shape = tuple(max(a, b) for a, b in zip(full(x.shape), full(y.shape)))
    same = x.quantization if code in ("MAXIMUM", "MINIMUM") else None
    return model.op(code, [x, y], shape, options=options, quantization=same, **({"activation": "NONE"} if options else {}))


def unary(model, code, x, options=None, **fields):
    return model.op(code, [x], x.shape, options=options, **fields)


def resize(model, x, code, height, width, isHalfPixel=False, isAligned=False):
    options = {"RESIZE_BILINEAR": "ResizeBilinearOptions", "RESIZE_NEAREST_NEIGHBOR": "ResizeNearestNeighborOptions"}[code]
    return model.op(code, [x, model.integers((height, width))], (x.shape[0], height, width, x.shape[3]), options=options,
                    half_pixel_centers=isHalfPixel, align_corners=isAligned, quantization=x.quantization)


def moveSpace(model, x, code, block):
    n, h, w, c = x.shape
    toDepth = code == "SPACE_TO_DEPTH"
    shape = (n, h // block, w // block, c * block * block) if toDepth else (n, h * block, w * block, c // block // block)
    options = "SpaceToDepthOptions" if toDepth else "DepthToSpaceOptions"
    return model.op(code, [x], shape, options=options, block_size=block, quantization=x.quantization)


def moveBatch(model, x, code, block):
    n, h, w, c = x.shape
    toBatch = code == "SPACE_TO_BATCH_ND"
    shape = (n * block * block, h // block, w // block, c) if toBatch else (n // block // block, h * block, w * block, c)
    zeros = model.integers((0, 0, 0, 0), (2, 2))
    return model.op(code, [x, model.integers((block, block)), zeros], shape, quantization=x.quantization)


def gather(model, x, count, axis):
    indices = model.integers([7 * i % x.shape[axis] for i in range(count)])
    shape = x.shape[:axis] + (count,) + x.shape[axis + 1:]
    return model.op("GATHER", [x, indices], shape, options="GatherOptions", axis=axis, quantization=x.quantization)


def rfft(model, x, points):
    """The spectra of lines: RFFT2D of one row each, as exporters write it."""
    image = reshape(model, x, *x.shape[:-1], 1, x.shape[-1])
    spectrum = (*x.shape[:-1], 1, points // 2 + 1)
    complexImage = model.op("RFFT2D", [image, model.integers((1, points))], spectrum, "c64")
    return model.op("SQUEEZE", [complexImage], (*x.shape[:-1], spectrum[-1]), "c64", options="SqueezeOptions",
                    squeeze_dims=array.array("i", [len(spectrum) - 2]))


def batchMatmul(model, x, y, isTransposed=False):
    columns = y.shape[-2] if isTransposed else y.shape[-1]
    return model.op("BATCH_MATMUL", [x, y], (*x.shape[:-1], columns), options="BatchMatMulOptions", adj_x=False,
                    adj_y=isTransposed)


def lstm(model, x, cells, isHybrid=False):
    """UNIDIRECTIONAL_SEQUENCE_LSTM, time first, without peepholes, projection and normalization."""
    steps, batch, inputs = x.shape
    isInteger = model.type == "i8"
    matrix = lambda columns: model.constant((cells, columns), "i8" if isInteger or isHybrid else "f32",
                                            (0.005, 0) if isInteger or isHybrid else None)
    bias = lambda: model.tensor((cells,), "i32", (1e-4, 0), bytes(4 * cells)) if isInteger else model.constant((cells,), "f32")
    operands = [x] + [matrix(inputs) for _ in range(4)] + [matrix(cells) for _ in range(4)] + [-1] * 3
    operands += [bias() for _ in range(4)] + [-1] * 2
    state = (1 / 128, 0) if isInteger else None
    operands += [model.variable((batch, cells), model.type, state),
                 model.variable((batch, cells), "i16" if isInteger else "f32", (1 / 2048, 0) if isInteger else None)]
    operands += [-1] * 4
    result = model.tensor((steps, batch, cells), model.type, state)
    gates = [model.tensor((), "i16", (1 / 4096, 0)) for _ in range(4)] + [model.tensor((), "i8", state)] if isInteger else ()
    model.operator("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [result], "UnidirectionalSequenceLSTMOptions", gates,
                   activation="TANH", time_major=True)
    return result


def gruStep(model, x, hidden, weights):
    """One step as exporters unroll it: two gates, the candidate, and the mixture of both."""
    both = concatenation(model, [x, hidden])
    gates = unary(model, "LOGISTIC", fullyConnectedBy(model, both, weights[0]))
    reset, update = split(model, gates, 2)
    candidate = unary(model, "TANH", fullyConnectedBy(model, concatenation(model, [x, pair(model, "MUL", reset, hidden)]),
                                                     weights[1]))
    change = pair(model, "MUL", update, pair(model, "SUB", hidden, candidate))
    return pair(model, "ADD", candidate, change)


def fullyConnectedBy(model, x, weights):
    return model.op("FULLY_CONNECTED", [x, *weights], (x.shape[0], weights[0].shape[0]), options="FullyConnectedOptions",
                    activation="NONE")


def gru(model, x, cells):
    """All steps, unrolled: x has a row for each."""
    steps, inputs = x.shape
    filters = [filterOf(model, (rows, inputs + cells)) for rows in (2 * cells, cells)]
    weights = [(matrix, biasOf(model, x, matrix)) for matrix in filters]
    hidden = model.constant((1, cells))
    for step in range(steps):
        hidden = gruStep(model, slice(model, x, (step, 0), (1, inputs)), hidden, weights)
    return hidden

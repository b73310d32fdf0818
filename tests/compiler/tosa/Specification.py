# Specification.py - Operators as the TOSA specification defines them
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The second definition of operators, for what MLIR's lowering defines in another way or not at all. Integers have any
width, floats are those of Python."""


def resize(values, shape, result, scale, offset, mode, is_float):
    """NHWC; `scale` is [y numerator, y denominator, x numerator, x denominator]."""
    _, height, width, channels = shape

    def at(n, y, x, c):
        return values[((n * height + y) * width + x) * channels + c]

    def axis(index, first, extent, place):
        position = index * scale[first + 1] + offset[place]
        below = position // scale[first]
        fraction = position - below * scale[first]
        return min(max(below, 0), extent - 1), min(max(below + 1, 0), extent - 1), fraction

    elements = []
    for n in range(result[0]):
        for oy in range(result[1]):
            y0, y1, dy = axis(oy, 0, height, 0)
            for ox in range(result[2]):
                x0, x1, dx = axis(ox, 2, width, 1)
                for c in range(channels):
                    if mode != "BILINEAR":
                        elements.append(at(n, y1 if 2 * dy >= scale[0] else y0, x1 if 2 * dx >= scale[2] else x0, c))
                        continue
                    total = (at(n, y0, x0, c) * (scale[0] - dy) * (scale[2] - dx) +
                             at(n, y0, x1, c) * (scale[0] - dy) * dx + at(n, y1, x0, c) * dy * (scale[2] - dx) +
                             at(n, y1, x1, c) * dy * dx)
                    elements.append(total / (scale[0] * scale[2]) if is_float else total)
    return elements


def rescale(values, multipliers, shifts, is_double, zero, limits):
    """One multiplier for all elements, or one for each element of the last axis; the input's zero point is 0."""
    result = []
    for index, value in enumerate(values):
        multiplier, shift = multipliers[index % len(multipliers)], shifts[index % len(shifts)]
        rounding = 1 << (shift - 1)
        if is_double and shift > 31:
            rounding += (1 << 30) if value >= 0 else -(1 << 30)
        result.append(min(max(((value * multiplier + rounding) >> shift) + zero, limits[0]), limits[1]))
    return result


def transpose_conv2d(values, shape, weights, filter_shape, bias, stride, before, result):
    """Input NHWC, filter OHWI, both less their zero points; `before` is out_pad at the top and at the left."""
    batches, height, width, channels = shape
    outputs, rows, columns, _ = filter_shape
    sums = [bias[index % result[3] % len(bias)] for index in range(result[0] * result[1] * result[2] * result[3])]
    for n in range(batches):
        for iy in range(height):
            for ix in range(width):
                for ky in range(rows):
                    for kx in range(columns):
                        oy, ox = iy * stride[0] + before[0] + ky, ix * stride[1] + before[1] + kx
                        if not (0 <= oy < result[1] and 0 <= ox < result[2]):
                            continue
                        for o in range(outputs):
                            total = sum(values[((n * height + iy) * width + ix) * channels + c] *
                                        weights[((o * rows + ky) * columns + kx) * channels + c] for c in range(channels))
                            sums[((n * result[1] + oy) * result[2] + ox) * outputs + o] += total
    return sums

# WindowCells.py - Random pools, convolutions and matrix products
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import Specification
from Draw import extents, limits, number, numbers, operand, special
from Network import is_float, tensor
from RescaleCells import rescale_of

def paddings(extent, kernel, stride, dilation):
    """Padding before and after, and the extent of the result, of each window that fits exactly."""
    return [(before, after, rest // stride + 1) for before in range(kernel) for after in range(kernel)
            if (rest := extent - 1 + before + after - (kernel - 1) * dilation) >= 0 and rest % stride == 0]


def window(rng, extent, kernel, stride, dilation=1):
    return rng.choice(paddings(extent, kernel, stride, dilation))


def windows(rng, count, dilated=True):
    """Kernel, stride, dilation and extent along each axis."""
    axes = []
    while len(axes) < count:
        kernel, stride = rng.randint(1, 3), rng.randint(1, 2)
        dilation = rng.randint(1, 2) if dilated else 1
        extent = rng.randint((kernel - 1) * dilation + 1, 8)
        if paddings(extent, kernel, stride, dilation):
            axes.append((kernel, stride, dilation, extent))
    return [list(figures) for figures in zip(*axes)]


def array(values):
    return f"array<i64: {', '.join(map(str, values))}>"


def pool(operator):
    def case(net, rng, element):
        kernel, stride, _, size = windows(rng, 2, dilated=False)
        n, c = rng.randint(1, 2), rng.randint(1, 6)
        pads = [window(rng, size[i], kernel[i], stride[i]) for i in (0, 1)]
        if operator == "max_pool2d":  # which begins with the lowest finite number in the lowering
            x = special(net, rng, [n, *size, c], element, [float("inf")])
        else:
            x = operand(net, rng, [n, *size, c], element)
        text = f"kernel = {array(kernel)}, stride = {array(stride)}, pad = {array([p for q in pads for p in q[:2]])}"
        result = tensor([n, pads[0][2], pads[1][2], c], element)
        if operator == "max_pool2d":
            mode = f", nan_mode = {rng.choice(['PROPAGATE', 'IGNORE'])}" if is_float(element) else ""
            return net.result(net.op(operator, [x], result, f"{{{text}{mode}}}"))
        zero = (lambda: number(rng, element)) if element == "i8" else (lambda: 0.0 if is_float(element) else 0)
        accumulator = "f32" if is_float(element) else "i32"
        net.result(net.op(operator, [x, net.scalar(element, zero()), net.scalar(element, zero())], result,
                          f"{{{text}, acc_type = {accumulator}}}"))
    return case


def accumulators(element):
    return {"i8": "i32", "i16": "i48"}.get(element, element)


def filter_of(net, rng, shape, element, weight):
    type_ = tensor(shape, weight)
    low, high = (-0.5, 0.5) if is_float(weight) else limits(weight)
    return net.constant(type_, numbers(rng, type_, low, high))


def zeros_of(net, rng, element, weight):
    zero = number(rng, "i8") if element == "i8" else 0.0 if is_float(element) else 0
    filter_zero = rng.choice([0, number(rng, "i8")]) if weight == "i8" and element == "i8" else \
        0.0 if is_float(element) else 0
    return [net.scalar(element, zero), net.scalar(weight, filter_zero)]


def finish_sums(net, rng, sums, products, to):
    """The sums themselves, or what a rescale makes of them, perhaps with a clamp."""
    type_ = net.tensors[sums]
    if to == type_.element:
        return net.result(sums)
    most = products * 2 ** (15 if type_.element == "i32" else 22) + 2**12
    scaled = rescale_of(net, rng, sums, to, most)
    if rng.random() < 0.5:
        low, high = sorted([number(rng, to), number(rng, to)])
        whole = net.expected.get(scaled)
        scaled = net.op("clamp", [scaled], net.tensors[scaled],
                        f"{{min_val = {low} : {to}, max_val = {high} : {to}}}")
        if whole:
            net.expect(scaled, [min(max(value, low), high) for value in whole])
    net.result(scaled)


def convolution(operator, weight, to=None):
    def case(net, rng, element):
        axes = 3 if operator == "conv3d" else 2
        kernel, stride, dilation, size = windows(rng, axes)
        n, ic, oc = rng.randint(1, 2), rng.randint(1, 9), rng.randint(1, 9)
        sums = accumulators(element)
        x = operand(net, rng, [n, *size, ic], element, *((-2, 2) if is_float(element) else ()))
        if operator == "depthwise_conv2d":
            oc = rng.randint(1, 3)
            w = filter_of(net, rng, [*kernel, ic, oc], element, weight)
            channels, products = ic * oc, math.prod(kernel)
        else:
            w = filter_of(net, rng, [oc, *kernel, ic], element, weight)
            channels, products = oc, math.prod(kernel) * ic
        bias_type = tensor([rng.choice([1, channels])], sums)
        bias = net.constant(bias_type, numbers(rng, bias_type, *((-1, 1) if is_float(element) else (-4000, 4000))))
        zeros = zeros_of(net, rng, element, weight)
        if operator == "transpose_conv2d":
            pads, result = [], []
            for i in (0, 1):
                before, after = (rng.randint(-(kernel[i] - 1), 2) for _ in range(2))
                full = (size[i] - 1) * stride[i] + kernel[i]
                if full + before + after < 1:
                    before = after = 0
                pads += [before, after]
                result.append(full + before + after)
            text = f"{{out_pad = {array(pads)}, stride = {array(stride)}, acc_type = {'f32' if is_float(element) else sums}}}"
        else:
            each = [window(rng, size[i], kernel[i], stride[i], dilation[i]) for i in range(axes)]
            result = [p[2] for p in each]
            text = (f"{{pad = {array([p for q in each for p in q[:2]])}, stride = {array(stride)}, "
                    f"dilation = {array(dilation)}, acc_type = {'f32' if is_float(element) else sums}}}")
        made = net.op(operator, [x, w, bias, *zeros], tensor([n, *result, channels], sums), text)
        if operator == "transpose_conv2d" and (element == "i16" or weight == "i4"):  # which the lowering does not take
            centered = [[value - net.values(zero)[0] for value in net.values(of)] for of, zero in zip((x, w), zeros)]
            net.expect(made, Specification.transpose_conv2d(
                centered[0], net.tensors[x].shape, centered[1], net.tensors[w].shape, net.values(bias), stride,
                [pads[0], pads[2]], net.tensors[made].shape))
        finish_sums(net, rng, made, products, to or sums)
    return case


def matmul(to=None):
    def case(net, rng, element):
        n, h, c, w = rng.randint(1, 3), *extents(rng, 3, 9)
        bounds = (-2, 2) if is_float(element) else ()
        a, b = operand(net, rng, [n, h, c], element, *bounds), operand(net, rng, [n, c, w], element, *bounds)
        zero = (lambda: number(rng, "i8")) if element == "i8" else (lambda: 0.0 if is_float(element) else 0)
        zeros = [net.scalar(element, zero()) for _ in range(2)]
        sums = {"i8": "i32", "i16": "i48", "bf16": "f32"}.get(element, element)
        made = net.op("matmul", [a, b, *zeros], tensor([n, h, w], sums))
        finish_sums(net, rng, made, c, to or sums)
    return case

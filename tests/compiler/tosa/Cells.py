# Cells.py - Random cases of each TOSA operator and type
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cell is an operator with element types. Its function adds one random case to a network. Numbers keep to what the
specification defines: sums do not overflow, indices are inside, operands of a rescale are in range."""
import math

import Specification
from Network import is_float, tensor

WIDTHS = {"i8": 8, "ui8": 8, "i16": 16, "i32": 32, "i48": 48, "i4": 4}
FLOATS = ("f32", "f16", "bf16")


def extents(rng, rank, most=5):
    return [rng.randint(1, most) for _ in range(rank)]


def limits(element):
    width = WIDTHS[element]
    return -(1 << (width - 1)), (1 << (width - 1)) - 1


def number(rng, element, low=None, high=None):
    if element == "i1":
        return rng.randint(0, 1)
    if is_float(element):
        value = rng.uniform(-8 if low is None else low, 8 if high is None else high)
        if element == "bf16":
            return value
        return value
    least, most = limits(element)
    return rng.randint(least if low is None else low, most if high is None else high)


def numbers(rng, type_, low=None, high=None):
    return [number(rng, type_.element, low, high) for _ in range(type_.count)]


def operand(net, rng, shape, element, low=None, high=None):
    type_ = tensor(shape, element)
    return net.argument(type_, numbers(rng, type_, low, high))


def broadcast(rng, shape):
    return [1 if rng.random() < 0.3 else extent for extent in shape]


# Functions of single elements.

def unary(operator, low=None, high=None):
    def case(net, rng, element):
        shape = extents(rng, rng.randint(1, 4))
        x = operand(net, rng, shape, element, low, high)
        net.result(net.op(operator, [x], tensor(shape, element)))
    return case


def negate(net, rng, element):
    shape = extents(rng, 3)
    x = operand(net, rng, shape, element, *((-2**30, 2**30) if element == "i32" else ()))
    zero = (lambda: 0.0) if is_float(element) else (lambda: number(rng, element) if element == "i8" else 0)
    zeros = [net.scalar(element, zero()) for _ in range(2)]
    net.result(net.op("negate", [x, *zeros], tensor(shape, element)))


def binary(operator, low=None, high=None, result=None, attributes=None):
    def case(net, rng, element):
        shape = extents(rng, rng.randint(1, 4))
        wide = limits(element) if element == "i32" and low is None else (low, high)
        a = operand(net, rng, broadcast(rng, shape), element, *wide)
        b = operand(net, rng, broadcast(rng, shape), element, *wide)
        of = [max(x, y) for x, y in zip(net.tensors[a].shape, net.tensors[b].shape)]
        text = attributes(rng, element) if attributes else ""
        net.result(net.op(operator, [a, b], tensor(of, result or element), text))
    return case


def shift(operator, attributes=None):
    def case(net, rng, element):
        shape = extents(rng, 3)
        a = operand(net, rng, shape, element)
        b = operand(net, rng, broadcast(rng, shape), element, 0, WIDTHS[element] - 1)
        net.result(net.op(operator, [a, b], tensor(shape, element), attributes(rng, element) if attributes else ""))
    return case


def rounds(rng, _):
    return f"{{round = {rng.choice(['true', 'false'])}}}"


def nan_mode(rng, element):
    return f"{{nan_mode = {rng.choice(['PROPAGATE', 'IGNORE'])}}}" if is_float(element) else ""


def power(net, rng, element):
    shape = extents(rng, 2)
    a, b = operand(net, rng, shape, element, 0.1, 3), operand(net, rng, shape, element, -2, 2)
    net.result(net.op("pow", [a, b], tensor(shape, element)))


def intdiv(net, rng, element):
    shape = extents(rng, 3)
    type_ = tensor(shape, element)
    a = operand(net, rng, shape, element)
    b = net.argument(type_, [number(rng, element, 1, 1 << rng.randint(0, 30)) * rng.choice([1, -1])
                             for _ in range(type_.count)])
    net.result(net.op("intdiv", [a, b], type_))


def mul(net, rng, element):
    shape = extents(rng, 3)
    result = element if is_float(element) else "i32"
    amount = rng.randint(0, 40) if element == "i32" else 0
    most = 2**15 if element == "i32" and amount == 0 else 2**30 if amount else None
    bounds = (-most, most) if most else ()
    if amount and amount < 31:
        bounds = (-(2**14 << amount // 2), 2**14 << amount // 2)
    a, b = operand(net, rng, shape, element, *bounds), operand(net, rng, broadcast(rng, shape), element, *bounds)
    net.result(net.op("mul", [a, b, net.scalar("i8", amount)], tensor(shape, result)))


def select(net, rng, element):
    shape = extents(rng, 3)
    p = operand(net, rng, broadcast(rng, shape), "i1")
    a, b = operand(net, rng, shape, element), operand(net, rng, broadcast(rng, shape), element)
    net.result(net.op("select", [p, a, b], tensor(shape, element)))


def table(net, rng, element):
    shape = extents(rng, 3)
    x = operand(net, rng, shape, element)
    entries = tensor([256 if element == "i8" else 513], element)
    values, last = [], 0
    for _ in range(entries.count):
        last = number(rng, element) if element == "i8" else max(-32768, min(32767, last + rng.randint(-900, 900)))
        values.append(last)
    result = tensor(shape, "i8" if element == "i8" else "i32")
    net.result(net.op("table", [x, net.constant(entries, values)], result))


def clamp(net, rng, element):
    shape = extents(rng, 3)
    x = operand(net, rng, shape, element)
    low, high = sorted([number(rng, element), number(rng, element)])
    if is_float(element):
        text = (f"{{min_val = {low:.6e} : {element}, max_val = {high:.6e} : {element}, "
                f"nan_mode = {rng.choice(['PROPAGATE', 'IGNORE'])}}}")
    else:
        text = f"{{min_val = {low} : {element}, max_val = {high} : {element}}}"
    net.result(net.op("clamp", [x], tensor(shape, element), text))


def cast(to):
    def case(net, rng, element):
        shape = extents(rng, 3)
        bounds = ()
        if is_float(element):
            most = {"i8": 130, "i16": 33000, "i32": 1e6 if element == "f32" else 60000}.get(to, 100)
            bounds = (-most, most)
        if to == "f16" and element == "i32":
            bounds = (-60000, 60000)
        x = operand(net, rng, shape, element, *bounds)
        net.result(net.op("cast", [x], tensor(shape, to)))
    return case


# Rescales.

def rescale_of(net, rng, x, to, most, per_channel=None, unsigned=(False, False), input_zero=0, single=None):
    """A rescale of numbers of at most this magnitude to about the range of the result."""
    from_ = net.tensors[x].element
    scale32 = from_ != "i48" and rng.random() < 0.8
    count = net.tensors[x].shape[-1] if (rng.random() < 0.4 if per_channel is None else per_channel) else 1
    multipliers, shifts = [], []
    for _ in range(count):
        real = (2.0 ** (WIDTHS[to] - 1)) / max(most, 1) * rng.uniform(0.05, 1.2)
        multiplier, exponent = math.frexp(real)
        bits = (31 if rng.random() < 0.8 else rng.randint(4, 30)) if scale32 else 15
        multiplier = min(int(multiplier * 2**bits), 2**bits - 1)
        shift_ = bits - exponent
        while shift_ > 62 or (shift_ < 2 and multiplier > 1):
            multiplier, shift_ = (multiplier >> 1, shift_ - 1) if shift_ > 62 else (multiplier, 2)
        shift_ = max(shift_, 2)
        # Numbers must be below 2^(shift - 1); then the result is too small, which is no error.
        while scale32 and most >= 2 ** (shift_ - 1) and shift_ < 62:
            shift_ += 1
        multipliers.append(multiplier)
        shifts.append(shift_)
    rounding = "SINGLE_ROUND" if single or not scale32 else rng.choice(["SINGLE_ROUND", "DOUBLE_ROUND"])
    shape = net.tensors[x].shape
    zero_of = 0
    if to == "i8":
        zero_of = rng.randint(-128, 127)
    elif to == "i16" and unsigned[1]:
        zero_of = rng.choice([0, -32768])
    wide = tensor([count], "i32" if scale32 else "i16")
    operands = [x, net.constant(wide, multipliers), net.constant(tensor([count], "i8"), shifts),
                net.scalar(from_, input_zero), net.scalar(to, zero_of)]
    flag = lambda truth: "true" if truth else "false"
    text = (f"{{scale32 = {flag(scale32)}, rounding_mode = {rounding}, per_channel = {flag(count > 1)}, "
            f"input_unsigned = {flag(unsigned[0])}, output_unsigned = {flag(unsigned[1])}}}")
    if count > 1 or net.tensors[x].shape[-1] == 1:
        text = text.replace("per_channel = false", f"per_channel = {flag(count > 1)}")
    name = net.op("rescale", operands, tensor(shape, to), text)
    if x in net.expected:
        net.expect(name, Specification.rescale(net.expected[x], multipliers, shifts, rounding == "DOUBLE_ROUND", zero_of,
                                               limits(to)))
    return name


def rescale(to, unsigned=(False, False)):
    def case(net, rng, element):
        shape = extents(rng, rng.randint(1, 4), 6)
        most = {"i8": 255, "i16": 65535, "i32": 2 ** rng.randint(8, 30), "i48": 2 ** rng.randint(8, 45)}[element]
        zero = 0
        bounds = ()
        if element in ("i32", "i48"):
            bounds = (-most, most)
        if element == "i8":
            zero = rng.randint(-128, 127)
        elif element == "i16" and unsigned[0]:
            zero = rng.choice([0, -32768])
        x = operand(net, rng, shape, element, *bounds)
        net.result(rescale_of(net, rng, x, to, most, unsigned=unsigned, input_zero=zero))
    return case


# Reductions.

def reduce(operator, low=None, high=None):
    def case(net, rng, element):
        shape = extents(rng, rng.randint(1, 4))
        axis = rng.randrange(len(shape))
        x = operand(net, rng, shape, element, *((-2**26, 2**26) if element == "i32" and low is None else (low, high)))
        result = shape[:axis] + [1] + shape[axis + 1:]
        modes = operator in ("reduce_max", "reduce_min") and is_float(element)
        mode = f", nan_mode = {rng.choice(['PROPAGATE', 'IGNORE'])}" if modes else ""
        net.result(net.op(operator, [x], tensor(result, element), f"{{axis = {axis} : i32{mode}}}"))
    return case


def argmax(net, rng, element):
    shape = extents(rng, rng.randint(1, 4))
    axis = rng.randrange(len(shape))
    x = operand(net, rng, shape, element)
    net.result(net.op("argmax", [x], tensor(shape[:axis] + shape[axis + 1:], "i32"), f"{{axis = {axis} : i32}}"))


# Moves.

def concat(net, rng, element):
    shape = extents(rng, rng.randint(1, 4))
    axis = rng.randrange(len(shape))
    parts = []
    for _ in range(rng.randint(1, 3)):
        shape[axis] = rng.randint(1, 4)
        parts.append(operand(net, rng, shape, element))
    shape[axis] = sum(net.tensors[part].shape[axis] for part in parts)
    net.result(net.op("concat", parts, tensor(shape, element), f"{{axis = {axis} : i32}}"))


def pad(net, rng, element):
    shape = extents(rng, rng.randint(1, 4))
    amounts = [rng.randint(0, 3) for _ in range(2 * len(shape))]
    x = operand(net, rng, shape, element)
    result = [extent + amounts[2 * i] + amounts[2 * i + 1] for i, extent in enumerate(shape)]
    value = number(rng, element) if not is_float(element) else rng.choice([0.0, 1.5, -2.0])
    net.result(net.op("pad", [x, net.shape(amounts), net.scalar(element, value)], tensor(result, element)))


def reshape(net, rng, element):
    shape = extents(rng, 4)
    flat = [shape[0] * shape[1], shape[2], shape[3]] if rng.random() < 0.5 else [math.prod(shape)]
    x = operand(net, rng, shape, element)
    net.result(net.op("reshape", [x, net.shape(flat)], tensor(flat, element)))


def reverse(net, rng, element):
    shape = extents(rng, rng.randint(1, 4))
    x = operand(net, rng, shape, element)
    net.result(net.op("reverse", [x], tensor(shape, element), f"{{axis = {rng.randrange(len(shape))} : i32}}"))


def slice_(net, rng, element):
    shape = extents(rng, rng.randint(1, 4), 6)
    start = [rng.randrange(extent) for extent in shape]
    size = [rng.randint(1, extent - first) for first, extent in zip(start, shape)]
    x = operand(net, rng, shape, element)
    net.result(net.op("slice", [x, net.shape(start), net.shape(size)], tensor(size, element)))


def tile(net, rng, element):
    shape = extents(rng, rng.randint(1, 4), 4)
    multiples = extents(rng, len(shape), 3)
    x = operand(net, rng, shape, element)
    net.result(net.op("tile", [x, net.shape(multiples)], tensor([a * b for a, b in zip(shape, multiples)], element)))


def transpose(net, rng, element):
    shape = extents(rng, rng.randint(1, 5))
    permutation = rng.sample(range(len(shape)), len(shape))
    x = operand(net, rng, shape, element)
    net.result(net.op("transpose", [x], tensor([shape[axis] for axis in permutation], element),
                      f"{{perms = array<i32: {', '.join(map(str, permutation))}>}}"))


def gather(net, rng, element):
    n, k, c, w = extents(rng, 4, 6)
    values = operand(net, rng, [n, k, c], element)
    indices = operand(net, rng, [n, w], "i32", 0, k - 1)
    net.result(net.op("gather", [values, indices], tensor([n, w, c], element)))


def scatter(net, rng, element):
    n, k, c = extents(rng, 3, 6)
    w = rng.randint(1, k)
    values, update = operand(net, rng, [n, k, c], element), operand(net, rng, [n, w, c], element)
    indices = net.argument(tensor([n, w], "i32"), [i for _ in range(n) for i in rng.sample(range(k), w)])
    net.result(net.op("scatter", [values, indices, update], tensor([n, k, c], element)))


def resize(mode):
    def case(net, rng, element):
        n, h, w, c = rng.randint(1, 2), rng.randint(2, 5), rng.randint(2, 5), rng.randint(1, 4)
        numerators, denominators, offsets, borders, result = [], [], [], [], []
        for extent in (h, w):
            while True:
                n_, d, o = rng.randint(1, 4), rng.randint(1, 4), rng.randint(-2, 2)
                b = rng.randint(-2, 2)
                total = (extent - 1) * n_ - o + b
                if total >= 0 and total % d == 0 and -n_ <= o < 16 * n_ and -16 * n_ <= b < n_:
                    break
            numerators.append(n_), denominators.append(d), offsets.append(o), borders.append(b)
            result.append(total // d + 1)
        x = operand(net, rng, [n, h, w, c], element)
        scale = [numerators[0], denominators[0], numerators[1], denominators[1]]
        to = {"i8": "i32", "i16": "i48"}.get(element, element) if mode == "BILINEAR" else element
        name = net.op("resize", [x, net.shape(scale), net.shape(offsets), net.shape(borders)],
                      tensor([n, *result, c], to), f"{{mode = {mode}}}")
        net.result(name)
        if min(offsets) < 0:  # the lowering divides negative positions towards zero
            net.expect(name, Specification.resize(net.values(x), net.tensors[x].shape, net.tensors[name].shape, scale,
                                                  offsets, mode, is_float(element)))
    return case


# Windows.

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
        x = operand(net, rng, [n, *size, c], element)
        text = f"kernel = {array(kernel)}, stride = {array(stride)}, pad = {array([p for q in pads for p in q[:2]])}"
        result = tensor([n, pads[0][2], pads[1][2], c], element)
        if operator == "max_pool2d":
            return net.result(net.op(operator, [x], result, f"{{{text}}}"))
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
            centred = [[value - net.values(zero)[0] for value in net.values(of)] for of, zero in zip((x, w), zeros)]
            net.expect(made, Specification.transpose_conv2d(
                centred[0], net.tensors[x].shape, centred[1], net.tensors[w].shape, net.values(bias), stride,
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


def sum_of_rescaled(operator):
    """A quantised sum, difference or product, as converters write it."""
    def case(net, rng, element):
        shape = extents(rng, 4)
        parts = []
        for _ in range(2):
            x = operand(net, rng, broadcast(rng, shape), element)
            zero = number(rng, "i8")
            identity = operator == "mul"
            if identity:
                scaled = net.op("rescale", [x, net.scalar("i32", 1 << 30), net.scalar("i8", 30), net.scalar(element, zero),
                                            net.scalar("i32", 0)], tensor(net.tensors[x].shape, "i32"),
                                "{scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, "
                                "input_unsigned = false, output_unsigned = false}")
            else:
                scaled = net.op("rescale", [x, net.scalar("i32", rng.randint(2**29, 2**31 - 1)),
                                            net.scalar("i8", rng.randint(10, 16)), net.scalar(element, zero),
                                            net.scalar("i32", 0)], tensor(net.tensors[x].shape, "i32"),
                                "{scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, "
                                "input_unsigned = false, output_unsigned = false}")
            parts.append(scaled)
        of = [max(x, y) for x, y in zip(net.tensors[parts[0]].shape, net.tensors[parts[1]].shape)]
        operands = parts + ([net.scalar("i8", 0)] if operator == "mul" else [])
        made = net.op(operator, operands, tensor(of, "i32"))
        net.result(rescale_of(net, rng, made, element, 2**16 if operator == "mul" else 2**30, per_channel=False))
    return case


MOVED = ("i1", "i8", "i16", "i32", "f32", "f16", "bf16")

# Operator (with a form), element types, function.
CELLS = [
    *[(name, FLOATS, unary(name, low, high)) for name, low, high in
      [("ceil", None, None), ("floor", None, None), ("exp", -4, 4), ("log", 0.01, 50), ("rsqrt", 0.01, 50),
       ("reciprocal", 0.1, 20), ("sin", None, None), ("cos", None, None), ("erf", -3, 3), ("tanh", -4, 4),
       ("sigmoid", None, None)]],
    ("abs", ("i32", *FLOATS), unary("abs")),
    ("clz", ("i32",), unary("clz")),
    ("bitwise_not", ("i8", "i16", "i32"), unary("bitwise_not")),
    ("logical_not", ("i1",), unary("logical_not")),
    ("negate", ("i8", "i16", "i32", *FLOATS), negate),
    ("add", ("i32",), binary("add", -2**30, 2**30 - 1)),
    ("add", FLOATS, binary("add")),
    ("sub", ("i32",), binary("sub", -2**30, 2**30 - 1)),
    ("sub", FLOATS, binary("sub")),
    ("mul", ("i8", "i16", "i32", *FLOATS), mul),
    ("pow", FLOATS, power),
    ("intdiv", ("i32",), intdiv),
    *[(name, ("i32", *FLOATS), binary(name, attributes=nan_mode)) for name in ("maximum", "minimum")],
    *[(name, ("i8", "i16", "i32"), binary(name)) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")],
    *[(name, ("i1",), binary(name)) for name in ("logical_and", "logical_or", "logical_xor")],
    *[(name, ("i32", *FLOATS), binary(name, result="i1")) for name in ("equal", "greater", "greater_equal")],
    *[(name, ("i8", "i16", "i32"), shift(name)) for name in ("logical_left_shift", "logical_right_shift")],
    ("arithmetic_right_shift", ("i8", "i16", "i32"), shift("arithmetic_right_shift", rounds)),
    ("select", MOVED, select),
    ("table", ("i8", "i16"), table),
    ("clamp", ("i8", "i16", *FLOATS), clamp),
    *[(f"cast to {to}", from_, cast(to)) for to, from_ in
      [("i1", ("i8", "i16", "i32")), ("i8", ("i1", "i16", "i32", *FLOATS)), ("i16", ("i1", "i8", "i32", *FLOATS)),
       ("i32", ("i1", "i8", "i16", *FLOATS)), ("f32", ("i8", "i16", "i32", "f16", "bf16")),
       ("f16", ("i8", "i16", "i32", "f32")), ("bf16", ("i8", "i16", "i32", "f32"))]],
    *[(f"rescale to {to}", ("i8", "i16", "i32", "i48"), rescale(to)) for to in ("i8", "i16", "i32")],
    ("rescale from unsigned to i8", ("i8", "i16"), rescale("i8", (True, False))),
    ("rescale to unsigned i8", ("i8", "i16", "i32"), rescale("i8", (False, True))),
    ("rescale to unsigned i16", ("i8", "i16"), rescale("i16", (False, True))),
    ("reduce_all", ("i1",), reduce("reduce_all")),
    ("reduce_any", ("i1",), reduce("reduce_any")),
    *[(name, ("i8", "i16", "i32", *FLOATS), reduce(name)) for name in ("reduce_max", "reduce_min")],
    ("reduce_sum", ("i32", *FLOATS), reduce("reduce_sum")),
    ("reduce_product", FLOATS, reduce("reduce_product", -2, 2)),
    ("argmax", ("i8", "i16", *FLOATS), argmax),
    *[(name, MOVED, function) for name, function in
      [("concat", concat), ("pad", pad), ("reshape", reshape), ("reverse", reverse), ("slice", slice_), ("tile", tile),
       ("transpose", transpose)]],
    ("identity", MOVED, unary("identity")),
    ("gather", ("i8", "i16", "i32", *FLOATS), gather),
    ("scatter", ("i8", "i16", "i32", *FLOATS), scatter),
    ("resize nearest", ("i8", "i16", *FLOATS), resize("NEAREST_NEIGHBOR")),
    ("resize bilinear", ("i8", "i16", *FLOATS), resize("BILINEAR")),
    ("avg_pool2d", ("i8", "i16", *FLOATS), pool("avg_pool2d")),
    ("max_pool2d", ("i8", "i16", *FLOATS), pool("max_pool2d")),
    *[(f"{name} weights {weight}{f' rescaled to {to}' if to else ''}", (element,), convolution(name, weight, to))
      for name in ("conv2d", "depthwise_conv2d", "transpose_conv2d", "conv3d")
      for element, weight, to in [("i8", "i8", None), ("i8", "i8", "i8"), ("i8", "i4", "i8"), ("i8", "i8", "i16"),
                                  ("i16", "i8", None), ("i16", "i8", "i16"), ("f32", "f32", None), ("f16", "f16", None),
                                  ("bf16", "bf16", None)]],
    ("matmul", ("i8", "i16", *FLOATS), matmul()),
    ("matmul rescaled to i8", ("i8",), matmul("i8")),
    ("matmul rescaled to i16", ("i16",), matmul("i16")),
    *[(f"{name} of rescaled", ("i8",), sum_of_rescaled(name)) for name in ("add", "sub", "mul")],
]

# MoveCells.py - Random moves, reductions, gathers and samples
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math

import Specification
from Draw import extents, number, operand, special
from Network import is_float, tensor

def reduce(operator, low=None, high=None):
    def case(net, rng, element):
        shape = extents(rng, rng.randint(1, 4))
        axis = rng.randrange(len(shape))
        modes = operator in ("reduce_max", "reduce_min") and is_float(element)
        bounds = (-2**26, 2**26) if element == "i32" and low is None else (low, high)
        x = special(net, rng, shape, element) if modes else operand(net, rng, shape, element, *bounds)
        result = shape[:axis] + [1] + shape[axis + 1:]
        mode = f", nan_mode = {rng.choice(['PROPAGATE', 'IGNORE'])}" if modes else ""
        net.result(net.op(operator, [x], tensor(result, element), f"{{axis = {axis} : i32{mode}}}"))
    return case


def argmax(net, rng, element):
    shape = extents(rng, rng.randint(1, 4))
    axis = rng.randrange(len(shape))
    x = special(net, rng, shape, element)
    mode = f", nan_mode = {rng.choice(['PROPAGATE', 'IGNORE'])}" if is_float(element) else ""
    net.result(net.op("argmax", [x], tensor(shape[:axis] + shape[axis + 1:], "i32"), f"{{axis = {axis} : i32{mode}}}"))


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


def spectrum(operator):
    """Images of real or complex numbers, whose extents are powers of two; the results are two tensors."""
    def case(net, rng, element):
        shape = [rng.randint(1, 2), 2 ** rng.randint(0, 4), 2 ** rng.randint(1, 4)]
        parts = [operand(net, rng, shape, element, -1, 1) for _ in range(2 if operator == "fft2d" else 1)]
        to = tensor(shape if operator == "fft2d" else [*shape[:2], shape[2] // 2 + 1], element)
        attributes = f"{{inverse = {rng.choice(['true', 'false'])}}}" if operator == "fft2d" else ""
        for name in net.pair(operator, parts, to, attributes):
            net.result(name)
    return case


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
        # The lowering divides negative positions towards zero, and rounds each product of f16.
        if min(offsets) < 0 or element == "f16":
            net.expect(name, Specification.resize(net.values(x), net.tensors[x].shape, net.tensors[name].shape, scale,
                                                  offsets, mode, is_float(element)))
    return case

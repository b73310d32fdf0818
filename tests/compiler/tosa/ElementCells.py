# ElementCells.py - Random functions of single elements
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from Draw import WIDTHS, broadcast, extents, limits, number, operand, special
from Network import is_float, tensor

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
        if operator in ("maximum", "minimum"):
            a, b = (special(net, rng, broadcast(rng, shape), element) for _ in range(2))
        else:
            a, b = (operand(net, rng, broadcast(rng, shape), element, *wide) for _ in range(2))
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
    x = special(net, rng, shape, element)
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

# Network.py - A module of TOSA operations with the data of its arguments
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several independent cases make one module, so that a process compiles many of them."""
import struct

from Oracle import BYTES, Tensor

FORMATS = {"i1": "B", "i4": "b", "i8": "b", "ui8": "B", "i16": "h", "i32": "i", "i64": "q", "f16": "e", "f32": "f"}


def is_float(element):
    return "f" in element


def pack(tensor, values):
    """The bytes of a tensor with these elements."""
    if tensor.element == "bf16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    if tensor.element == "i48":
        return struct.pack(f"<{tensor.count}q", *values)
    return struct.pack(f"<{tensor.count}{FORMATS[tensor.element]}", *values)


def unpack(tensor, data):
    """The elements of a tensor; of i48 only the low 48 bits count."""
    if tensor.element == "bf16":
        return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, 2 * tensor.count, 2)]
    if tensor.element == "i48":
        return [((value + 2**47) & (2**48 - 1)) - 2**47 for value in struct.unpack(f"<{tensor.count}q", data)]
    return list(struct.unpack(f"<{tensor.count}{FORMATS[tensor.element]}", data))


def tensor(shape, element):
    return Tensor("x".join([*map(str, shape), element]))


def literal(element, value):
    if element == "i1":
        return "true" if value else "false"
    return f"{value:.9e}" if is_float(element) else str(value)


def nested(type_, values):
    """The elements as MLIR writes them: [[1, 2], [3, 4]]."""
    texts = [literal(type_.element, value) for value in values]
    for extent in reversed(type_.shape):
        texts = ["[" + ", ".join(texts[i:i + extent]) + "]" for i in range(0, len(texts), extent)]
    return texts[0]


class Network:
    """Builds the function of a module. Values are names such as "%3"."""

    def __init__(self):
        self.arguments, self.data, self.lines, self.results, self.tensors = [], [], [], [], {}
        self.prefix = "%v"
        self.expected, self.constants = {}, {}

    def name(self, type_):
        name = f"{self.prefix}{len(self.tensors)}"
        self.tensors[name] = type_
        return name

    def argument(self, type_, values):
        name = self.name(type_)
        self.arguments.append(name)
        self.data.append(pack(type_, values))
        return name

    def constant(self, type_, values):
        name = self.name(type_)
        self.constants[name] = values
        self.lines.append(f'{name} = "tosa.const"() <{{values = dense<{nested(type_, values)}> : tensor<{type_.text}>}}> '
                          f": () -> tensor<{type_.text}>")
        return name

    def scalar(self, element, value):
        return self.constant(tensor([1], element), [value])

    def shape(self, extents):
        name = self.name(f"!tosa.shape<{len(extents)}>")
        self.lines.append(f"{name} = tosa.const_shape {{values = dense<{list(extents)}> : "
                          f"tensor<{len(extents)}xindex>}} : () -> !tosa.shape<{len(extents)}>")
        return name

    def typeText(self, name):
        type_ = self.tensors[name]
        return type_ if isinstance(type_, str) else f"tensor<{type_.text}>"

    def op(self, operator, operands, result, attributes=""):
        """An operation in its usual form."""
        name = self.name(result)
        types = ", ".join(self.typeText(each) for each in operands)
        self.lines.append(f"{name} = tosa.{operator} {', '.join(operands)} {attributes} : ({types}) -> "
                          f"tensor<{result.text}>")
        return name

    def pair(self, operator, operands, result, attributes=""):
        """An operation with two results of one type."""
        name = self.name(result)
        types = ", ".join(self.typeText(each) for each in operands)
        self.lines.append(f"{name}:2 = tosa.{operator} {', '.join(operands)} {attributes} : ({types}) -> "
                          f"(tensor<{result.text}>, tensor<{result.text}>)")
        names = [f"{name}#{index}" for index in range(2)]
        self.tensors |= dict.fromkeys(names, result)
        return names

    def result(self, name):
        self.results.append(name)

    def values(self, name):
        """The elements of a constant, or of an argument as they are stored."""
        if name in self.constants:
            return self.constants[name]
        return unpack(self.tensors[name], self.data[self.arguments.index(name)])

    def expect(self, name, values):
        """The elements of a result by the definition of the specification, where the lowering has another one."""
        self.expected[name] = values

    def text(self):
        arguments = ", ".join(f"{name}: {self.typeText(name)}" for name in self.arguments)
        types = ", ".join(self.typeText(name) for name in self.results)
        body = "\n  ".join(self.lines)
        return (f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n  return {', '.join(self.results)} : {types}\n"
                "}\n")

    def resultTensors(self):
        return [self.tensors[name] for name in self.results]

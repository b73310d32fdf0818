# Small NNAPI models as messages.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import struct

from .Constants import Lifetime, Operation, Type
from .Schema import fb, make


def location(pool=0, offset=0, length=0, padding=0):
    return make(fb.LocationT, pool=pool, offset=offset, length=length, padding=padding)


class ModelBuilder:
    """One model; `graph` is the subgraph that is being built."""

    def __init__(self):
        self.values = bytearray()
        self.graphs = []
        self.graph = None

    def begin(self):
        """Starts a subgraph: the main one first. Its index among the referenced ones is the answer's minus 1."""
        self.graph = make(fb.SubgraphT, operands=[], operations=[], inputs=[], outputs=[])
        self.graphs.append(self.graph)
        return len(self.graphs) - 1

    def operand(self, kind, dimensions, lifetime, place=None):
        self.graph.operands.append(make(fb.OperandT, type=int(kind), dimensions=list(dimensions), lifetime=int(lifetime),
                                        location=place or location()))
        index = len(self.graph.operands) - 1
        if lifetime == Lifetime.INPUT:
            self.graph.inputs.append(index)
        if lifetime == Lifetime.OUTPUT:
            self.graph.outputs.append(index)
        return index

    def constant(self, kind, dimensions, data):
        place = location(0, len(self.values), len(data))
        self.values += data + bytes(-len(data) % 4)
        return self.operand(kind, dimensions, Lifetime.CONSTANT_COPY, place)

    def integer(self, value):
        return self.constant(Type.INT32, [], struct.pack("<i", value))

    def subgraph(self, index):
        return self.operand(Type.SUBGRAPH, [], Lifetime.SUBGRAPH, location(0, index, 0))

    def operation(self, code, inputs, outputs):
        self.graph.operations.append(make(fb.OperationT, type=int(code), inputs=inputs, outputs=outputs))

    def model(self, pools=()):
        return make(fb.ModelT, main=self.graphs[0], referenced=self.graphs[1:], operandValues=list(self.values),
                    pools=list(pools), extensions=[])


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def addModel(count=4):
    """output = input0 + input1."""
    builder = ModelBuilder()
    builder.begin()
    inputs = [builder.operand(Type.TENSOR_FLOAT32, [count], Lifetime.INPUT) for _ in range(2)]
    none = builder.integer(0)
    output = builder.operand(Type.TENSOR_FLOAT32, [count], Lifetime.OUTPUT)
    builder.operation(Operation.ADD, [*inputs, none], [output])
    return builder.model()


def addConstantModel(values):
    """output = input + values, which are in the message."""
    builder = ModelBuilder()
    builder.begin()
    source = builder.operand(Type.TENSOR_FLOAT32, [len(values)], Lifetime.INPUT)
    constant = builder.constant(Type.TENSOR_FLOAT32, [len(values)], floats(*values))
    none = builder.integer(0)
    output = builder.operand(Type.TENSOR_FLOAT32, [len(values)], Lifetime.OUTPUT)
    builder.operation(Operation.ADD, [source, constant, none], [output])
    return builder.model()


def convModel():
    """A 3x3 picture of one channel, one 2x2 filter of ones, bias 1: four sums."""
    builder = ModelBuilder()
    builder.begin()
    source = builder.operand(Type.TENSOR_FLOAT32, [1, 3, 3, 1], Lifetime.INPUT)
    weights = builder.constant(Type.TENSOR_FLOAT32, [1, 2, 2, 1], floats(1, 1, 1, 1))
    bias = builder.constant(Type.TENSOR_FLOAT32, [1], floats(1))
    valid, one, none = builder.integer(2), builder.integer(1), builder.integer(0)
    output = builder.operand(Type.TENSOR_FLOAT32, [1, 2, 2, 1], Lifetime.OUTPUT)
    builder.operation(Operation.CONV_2D, [source, weights, bias, valid, one, one, none], [output])
    return builder.model()


def _addStep(builder, count, summand):
    """A subgraph: output = input + summand."""
    index = builder.begin()
    source = builder.operand(Type.TENSOR_FLOAT32, [count], Lifetime.INPUT)
    constant = builder.constant(Type.TENSOR_FLOAT32, [count], floats(*[summand] * count))
    none = builder.integer(0)
    output = builder.operand(Type.TENSOR_FLOAT32, [count], Lifetime.OUTPUT)
    builder.operation(Operation.ADD, [source, constant, none], [output])
    return index


def ifModel(count=4):
    """output = input + (condition ? 10 : 20)."""
    builder = ModelBuilder()
    builder.begin()
    condition = builder.operand(Type.TENSOR_BOOL8, [1], Lifetime.INPUT)
    then, otherwise = builder.subgraph(0), builder.subgraph(1)
    source = builder.operand(Type.TENSOR_FLOAT32, [count], Lifetime.INPUT)
    output = builder.operand(Type.TENSOR_FLOAT32, [count], Lifetime.OUTPUT)
    builder.operation(Operation.IF, [condition, then, otherwise, source], [output])
    _addStep(builder, count, 10)
    _addStep(builder, count, 20)
    return builder.model()


def whileModel(limit=5.0):
    """Adds 1 while the value is less than the limit."""
    builder = ModelBuilder()
    builder.begin()
    condition, body = builder.subgraph(0), builder.subgraph(1)
    source = builder.operand(Type.TENSOR_FLOAT32, [1], Lifetime.INPUT)
    output = builder.operand(Type.TENSOR_FLOAT32, [1], Lifetime.OUTPUT)
    builder.operation(Operation.WHILE, [condition, body, source], [output])
    builder.begin()
    value = builder.operand(Type.TENSOR_FLOAT32, [1], Lifetime.INPUT)
    bound = builder.constant(Type.TENSOR_FLOAT32, [1], floats(limit))
    isLess = builder.operand(Type.TENSOR_BOOL8, [1], Lifetime.OUTPUT)
    builder.operation(Operation.LESS, [value, bound], [isLess])
    _addStep(builder, 1, 1)
    return builder.model()


def argument(pool, offset, length, dimensions=()):
    return make(fb.ArgumentT, location=location(pool, offset, length), dimensions=list(dimensions))


def request(inputs, outputs, pools):
    """Lists of arguments, and a list of fb.RequestPoolT."""
    return make(fb.RequestT, inputs=inputs, outputs=outputs, pools=pools)


def memoryPool(memory):
    return make(fb.RequestPoolT, memory=memory)


def tokenPool(token):
    return make(fb.RequestPoolT, token=token)


def options(**fields):
    return make(fb.ExecutionOptionsT, hints=[], **fields)

# What the tests read and change in a .tflite file.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reader of the first subgraph. Field numbers are those of the public schema."""

import struct
from dataclasses import dataclass

import numpy

TYPES = {0: numpy.float32, 2: numpy.int32, 3: numpy.uint8, 9: numpy.int8}


@dataclass
class Tensor:
    shape: tuple
    elementType: type
    scale: float  # 0.0 without quantization; the first one of several
    zeroPoint: int


@dataclass
class Operator:
    code: int  # BuiltinOperator
    inputs: list
    outputs: list


class TfliteFile:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes_ = file.read()
        root = self.at_(0)
        self.graph_ = self.tables_(root, 2)[0]
        codes = [self.scalar_("i", code, 3, 0) or self.scalar_("b", code, 0, 0) for code in self.tables_(root, 1)]
        self.tensors = [self.tensor_(table) for table in self.tables_(self.graph_, 0)]
        self.operators = [Operator(codes[self.scalar_("I", table, 0, 0)], self.vector_("i", table, 1),
                                   self.vector_("i", table, 2)) for table in self.tables_(self.graph_, 3)]

    def writeWithOutputs(self, path, tensors):
        """A copy of the file whose outputs are these tensors."""
        changed = bytearray(self.bytes_) + bytes(-len(self.bytes_) % 4)
        slot = self.slot_(self.graph_, 2)
        struct.pack_into("<I", changed, slot, len(changed) - slot)
        changed += struct.pack(f"<I{len(tensors)}i", len(tensors), *tensors)
        with open(path, "wb") as file:
            file.write(changed)

    def tensor_(self, table):
        quantization = self.slot_(table, 4)
        quantization = self.at_(quantization) if quantization else None
        scales = self.vector_("f", quantization, 2) if quantization else []
        zeroPoints = self.vector_("q", quantization, 3) if quantization else []
        return Tensor(tuple(self.vector_("i", table, 0)), TYPES.get(self.scalar_("b", table, 1, 0)),
                      (scales or [0.0])[0], (zeroPoints or [0])[0])

    def unpack_(self, form, position):
        return struct.unpack_from("<" + form, self.bytes_, position)

    def at_(self, slot):
        """The position to which an offset points."""
        return slot + self.unpack_("I", slot)[0]

    def slot_(self, table, field):
        """Where the field of a table is; 0 if it is absent."""
        vtable = table - self.unpack_("i", table)[0]
        if 4 + 2 * field >= self.unpack_("H", vtable)[0]:
            return 0
        offset = self.unpack_("H", vtable + 4 + 2 * field)[0]
        return table + offset if offset else 0

    def scalar_(self, form, table, field, default):
        slot = self.slot_(table, field)
        return self.unpack_(form, slot)[0] if slot else default

    def vector_(self, form, table, field):
        slot = self.slot_(table, field)
        if not slot:
            return []
        position = self.at_(slot)
        return list(self.unpack_(f"{self.unpack_('I', position)[0]}{form}", position + 4))

    def tables_(self, table, field):
        first = self.at_(self.slot_(table, field)) + 4
        return [self.at_(first + 4 * index) for index in range(len(self.vector_("I", table, field)))]

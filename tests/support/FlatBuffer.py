#===- FlatBuffer.py - A small writer of the FlatBuffers wire format
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Writes FlatBuffers front to back: parents before children, so that every offset is positive as the format requires."""

import struct


class Scalar:
    def __init__(self, code, value):
        self.code, self.value = code, value  # code: a struct format letter
        self.size = struct.calcsize(code)


class Table:
    """Fields by index: Scalar, str, Vector, TableVector or Table; fields that are None are left out."""

    def __init__(self, fields):
        self.fields = {index: value for index, value in fields.items() if value is not None}


class Vector:
    """Elements of anything with the buffer protocol: bytes, array.array, a contiguous array of numpy. Little-endian."""

    def __init__(self, elements, alignment=4):
        view = memoryview(elements)
        self.bytes, self.count = view.tobytes(), view.nbytes // view.itemsize
        self.alignment = max(4, alignment, view.itemsize)


class TableVector:
    def __init__(self, items):
        self.items = list(items)


class Writer:
    def __init__(self, identifier):
        self.bytes_ = bytearray(4) + identifier.encode("ascii")

    def finish(self, root):
        self.patch_(0, self.write_(root))
        return bytes(self.bytes_)

    def align_(self, alignment, before=0):
        """Pads so that the position after `before` further bytes is aligned."""
        self.bytes_ += bytes(-(len(self.bytes_) + before) % alignment)

    def patch_(self, slot, target):
        struct.pack_into("<I", self.bytes_, slot, target - slot)

    def write_(self, value):
        """Appends an object and returns its position."""
        if isinstance(value, Table):
            return self.writeTable_(value)
        if isinstance(value, TableVector):
            return self.writeTableVector_(value)
        if isinstance(value, str):
            value = Vector(value.encode() + b"\0")
            return self.writeVector_(value, value.count - 1)
        return self.writeVector_(value, value.count)

    def writeVector_(self, vector, count):
        self.align_(vector.alignment, before=4)
        position = len(self.bytes_)
        self.bytes_ += struct.pack("<I", count) + vector.bytes
        return position

    def writeTableVector_(self, vector):
        self.align_(4)
        position = len(self.bytes_)
        self.bytes_ += struct.pack("<I", len(vector.items)) + bytes(4 * len(vector.items))
        for i, item in enumerate(vector.items):
            self.patch_(position + 4 + 4 * i, self.write_(item))
        return position

    def writeTable_(self, table):
        offsets, size = self.layOut_(table)
        slots = 1 + max(table.fields, default=-1)
        self.align_(8, before=4 + 2 * slots)
        vtable = len(self.bytes_)
        self.bytes_ += struct.pack(f"<HH{slots}H", 4 + 2 * slots, size, *[offsets.get(i, 0) for i in range(slots)])
        position = len(self.bytes_)
        self.bytes_ += struct.pack("<i", position - vtable) + bytes(size - 4)
        for index, value in table.fields.items():
            slot = position + offsets[index]
            if isinstance(value, Scalar):
                struct.pack_into("<" + value.code, self.bytes_, slot, value.value)
            else:
                self.patch_(slot, self.write_(value))
        return position

    @staticmethod
    def layOut_(table):
        """Offset of each field in the table, widest first, and the table's size."""
        widths = {i: v.size if isinstance(v, Scalar) else 4 for i, v in table.fields.items()}
        offsets, end = {}, 4
        for index in sorted(widths, key=lambda i: (-widths[i], i)):
            end += -end % widths[index]
            offsets[index] = end
            end += widths[index]
        return offsets, end + -end % 4

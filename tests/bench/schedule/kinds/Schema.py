# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers and field positions of the .tflite format, read from the schema of the importer (compiler/tflite/Tflite.fbs)."""

import functools
import pathlib
import re

SCHEMA = pathlib.Path(__file__).resolve().parents[4] / "compiler" / "tflite" / "Tflite.fbs"
CODES = {"byte": "b", "ubyte": "B", "bool": "?", "short": "h", "ushort": "H", "int": "i", "int32": "i", "uint": "I",
         "long": "q", "ulong": "Q", "float": "f"}


def members(body, first=0):
    """(name, number) of an enumeration or union; a member without a number follows the one before."""
    number = first - 1
    for member in filter(None, map(str.strip, body.split(","))):
        name, _, value = map(str.strip, member.partition("="))
        number = int(value) if value else number + 1
        yield name, number


class Schema:
    """`enums` and `unions` by name, each a dictionary of numbers; `tables` by name, each (slot, type) by field."""

    def __init__(self, text):
        text = re.sub(r"//.*", "", text)
        blocks = re.findall(r"(enum|union|table)\s+(\w+)[^{]*\{([^}]*)\}", text)
        underlying = dict(re.findall(r"enum\s+(\w+)\s*:\s*(\w+)", text))
        self.enums = {name: dict(members(body)) for kind, name, body in blocks if kind == "enum"}
        self.unions = {name: dict(members(body, first=1)) for kind, name, body in blocks if kind == "union"}
        self.codes = {**CODES, **{name: CODES[of] for name, of in underlying.items()}}
        self.tables = {name: self.fields_(body) for kind, name, body in blocks if kind == "table"}

    def fields_(self, body):
        fields, slot = {}, 0
        for name, typeName in re.findall(r"(\w+)\s*:\s*([\[\]\w]+)", body):
            if typeName in self.unions:  # its first slot has the number of the member
                fields[name + "_type"] = (slot, "ubyte")
                slot += 1
            fields[name] = (slot, typeName)
            slot += 1
        return fields


@functools.cache
def read():
    return Schema(SCHEMA.read_text(encoding="utf-8"))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tables of the operations of the graph dialect from its TableGen records.

  WriteOperations.py RECORDS NnOperations.inc   tables for C++
  WriteOperations.py RECORDS Operations.md      page

RECORDS is what `llvm-tblgen --dump-json NnOps.td` prints. The tables need no MLIR. A row is an operation, or a kind of one, with the number of its operands, the element types of
the first one, and its names in other formats (NnNames.td)."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

FORMATS = ("tflite", "nnapi", "onnx", "tosa")
ANY_NUMBER = "UINT32_MAX"

TYPES = ("f32", "f16", "bf16", "i64", "i32", "i16", "i8", "ui8", "i1", "q8", "uq8", "q8c", "q16", "uq16")
# Quantized numbers are q (signed) and uq with their width; those with a scale for each channel end with c.
QUANTIZED = {
    "Nn_PerTensor8": ["q8", "uq8"],
    "Nn_PerTensor16": ["q16", "uq16"],
    "Nn_Signed8": ["q8"],
    "Nn_Signed16": ["q16"],
    "Nn_Symmetric16": ["q16"],
    "Nn_PerAxis8": ["q8c"],
}

HEADER = """\
//===- NnOperations.inc - The operations of the graph dialect ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from the dialect by WriteOperations.py. Define some of these macros before the #include:
//
//   AVOCET_NN_OPERATION(mnemonic, kind, least, most, types, tflite, nnapi, onnx, tosa)
//       operation, kind or "", number of operands, element types of the first operand, names; several are separated by
//       spaces
//   AVOCET_NN_UNARY_KIND(Case, types)    a kind of a function with element types of its own
//   AVOCET_NN_BINARY_KIND(Case, types)
//   AVOCET_NN_TFLITE(OPERATOR, operands, Op, Kind)    an operator of TensorFlow Lite whose operands are those of the
//   AVOCET_NN_NNAPI(Operation, operands, Op, Kind)    operation; the same for NNAPI. Without Kind if there are none.
//
//===----------------------------------------------------------------------===//

"""

MACROS = ("OPERATION", "UNARY_KIND", "BINARY_KIND", "TFLITE", "NNAPI")

PAGE = """\
# Operations

The operations of the graph dialect, with their kinds: the element types of the first operand, and what other formats call
them. *q8* and *q16* are signed quantized numbers, *uq8* and *uq16* unsigned ones, *q8c* has a scale for each channel. A name
stands in each row to which its format's operation can lead; front ends build other operations from several of these.
[Supported.md](Supported.md) says what the front ends take.

Written by `compiler/nnapi/WriteOperations.py` from the dialect; a test compares it.

| operation | element types | TensorFlow Lite | NNAPI | ONNX | TOSA |
|---|---|---|---|---|---|
"""


@dataclass
class Row:
    """An operation, or a kind of one."""

    mnemonic: str
    op: str  # C++ class
    least: int
    most: str
    types: list
    names: dict
    enum: str = ""  # C++ enum of the kinds
    case: str = ""  # its enumerator
    kind: str = ""  # its text
    has_own_types: bool = False


class Records:
    """The records of a dump; names refer to others."""

    def __init__(self, dump):
        self.dump = dump

    def get(self, reference):
        return self.dump[reference["def"]]

    def operations(self):
        return [self.dump[name] for name in self.dump["!instanceof"]["Nn_WorkOp"]]

    def isa(self, record, name):
        return name in record["!superclasses"]

    def arguments(self, operation):
        return [(self.get(value), name) for value, name in operation["arguments"]["args"]]

    def types(self, references):
        """The names of element types."""
        names = []
        for reference in references:
            names += QUANTIZED.get(reference["def"], [reference["def"].lower()])
        return sorted(names, key=TYPES.index)

    def names(self, record):
        return self.get(record["names"])


def element_types(records, operand):
    """Those of an operand, which may be optional or one of several."""
    while "elementTypes" not in operand and operand.get("baseType"):
        operand = records.get(operand["baseType"])
    return records.types(operand.get("elementTypes", []))


def rows_of(records, operation):
    arguments = records.arguments(operation)
    operands = [value for value, _ in arguments if records.isa(value, "TypeConstraint")]
    is_open = any(records.isa(operand, "Variadic") for operand in operands)
    least = sum(not records.isa(operand, "Optional") and not records.isa(operand, "Variadic") for operand in operands)
    types = element_types(records, operands[0]) if operands else []
    kinds = [records.get(value["enum"]) for value, name in arguments if name == "kind" and records.isa(value, "EnumAttr")]
    op = operation["!name"].removeprefix("Nn_")
    common = (operation["opName"], op, least, ANY_NUMBER if is_open else str(len(operands)))
    cases = [records.get(case) for kind in kinds for case in kind["enumerants"]]
    named = [case for case in cases if "names" in case]
    if not named:
        return [Row(*common, types, records.names(operation))]
    return [
        Row(*common, records.types(case["elementTypes"]) or types, records.names(case), kinds[0]["className"],
            case["symbol"], case["str"], bool(case["elementTypes"]))
        for case in named
    ]


def enumerator(name):
    """Of an NNAPI operation (Operations.inc)."""
    return "".join(word.capitalize() for word in name.split("_"))


def quoted(text):
    return '"' + text + '"'


def write_tables(rows, out):
    out.write(HEADER)
    for macro in MACROS:
        out.write(f"#ifndef AVOCET_NN_{macro}\n#define AVOCET_NN_{macro}(...)\n#endif\n")
    for row in rows:
        texts = [quoted(" ".join(row.types))] + [quoted(row.names[name]) for name in FORMATS]
        out.write(f"AVOCET_NN_OPERATION({quoted(row.mnemonic)}, {quoted(row.kind)}, {row.least}, {row.most}, ")
        out.write(", ".join(texts) + ")\n")
    for row in rows:
        if row.has_own_types:
            kind = row.enum.removesuffix("Kind").upper()
            out.write(f"AVOCET_NN_{kind}_KIND({row.case}, {quoted(' '.join(row.types))})\n")
    for row in rows:
        kind = f", nn::{row.enum}::{row.case}" if row.case else ""
        for name in row.names["direct"]:
            own = row.names[name] if name == "tflite" else enumerator(row.names[name])
            out.write(f"AVOCET_NN_{name.upper()}({own}, {row.least}, nn::{row.op}{kind})\n")
    for macro in MACROS:
        out.write(f"#undef AVOCET_NN_{macro}\n")


def write_page(rows, out):
    out.write(PAGE)
    for row in rows:
        cells = [f"{row.mnemonic} {row.kind}".strip(), " ".join(row.types)]
        cells += [row.names[name].replace(" ", ", ") for name in FORMATS]
        out.write("| " + " | ".join(cells) + " |\n")


def main():
    records = Records(json.loads(Path(sys.argv[1]).read_text()))
    rows = [row for operation in records.operations() for row in rows_of(records, operation) if row.most != "0"]
    rows.sort(key=lambda row: row.mnemonic)
    with open(sys.argv[2], "w") as out:
        (write_page if sys.argv[2].endswith(".md") else write_tables)(rows, out)


if __name__ == "__main__":
    main()

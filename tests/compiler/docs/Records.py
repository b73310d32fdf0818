#===- Records.py - TableGen records of the compiler
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""The records that the .td files of the compiler define, as llvm-tblgen dumps them."""

import json
import pathlib
import re
import subprocess

kRoot = pathlib.Path(__file__).resolve().parents[3]
# Classes whose records a reader of the IR meets. Each needs a description with an example.
kDocumented = ("Dialect", "Op", "AttrDef", "TypeDef", "EnumInfo", "Interface", "PassBase")
kExample = re.compile(r"^```mlir\n(.*?)\n```$", re.MULTILINE | re.DOTALL)


def files():
    """All .td files of the compiler."""
    return sorted((kRoot / "compiler").rglob("*.td"))


def roots():
    """The .td files that no other one includes. They and what they include are all files."""
    included = {name for file in files() for name in re.findall(r'^include "avocet/.*/(\w+\.td)"$', file.read_text(), re.MULTILINE)}
    return [file for file in files() if file.name not in included]


def dump(tblgen, source):
    """The records of a .td file and of those that it includes."""
    include = pathlib.Path(tblgen).parents[1] / "include"
    done = subprocess.run([tblgen, "--dump-json", f"-I{kRoot / 'compiler' / 'include'}", f"-I{include}", source],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def isOwn(record):
    """Whether a file of the compiler defines the record. TableGen gives the file's name without its folder."""
    return record["!locs"][0].split(":")[0] in {file.name for file in files()}


class Documented:
    """A record with a description. `examples` are its blocks of IR, `prose` is the rest."""

    def __init__(self, kind, record, dumped):
        self.kind, self.record, self.dumped = kind, record, dumped
        self.name, self.where = record["!name"], record["!locs"][0]
        text = unindented(record["description"] or "")
        self.examples, self.prose = kExample.findall(text), kExample.sub("", text).strip()

    def __str__(self):
        return f"{self.name} ({self.where})"

    def operations(self):
        """Full names of the operations that have this interface."""
        for name in self.dumped["!instanceof"].get("Op", []):
            op = self.dumped[name]
            traits = [self.dumped[trait["def"]] for trait in op["traits"]]
            if any(trait.get("cppInterfaceName") == self.record["cppInterfaceName"] for trait in traits):
                yield f'{self.dumped[op["opDialect"]["def"]]["name"]}.{op["opName"]}'

    def dialect(self, field):
        """Name of the dialect in this field."""
        return self.dumped[self.record[field]["def"]]["name"]

    def pattern(self):
        """What the generic form of an example of this record must match."""
        if self.kind == "Op":
            return rf'"{self.dialect("opDialect")}\.{self.record["opName"]}"'
        if self.kind in ("AttrDef", "TypeDef"):
            return rf'[#!]{self.dialect("dialect")}[<.]{self.record["mnemonic"]}\b'
        if self.kind == "Interface":
            return "|".join(f'"{re.escape(name)}"' for name in self.operations()) or "no operation has the interface"
        return rf'"{self.record["name"]}\.' if self.kind == "Dialect" else ""

    def words(self):
        """Words of which the text of an example must have one: the cases of an enumeration."""
        cases = self.record["enumerants"] if self.kind == "EnumInfo" else []
        return {self.dumped[case["def"]]["str"] for case in cases}


def unindented(text):
    """The text with the indentation of its first line removed from all lines."""
    lines = text.strip("\n").split("\n")
    depth = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[depth:] if line[:depth].isspace() else line for line in lines)


def documented(tblgen):
    """All records of kDocumented, by name."""
    found = {}
    for source in roots():
        dumped = dump(tblgen, source)
        for kind in kDocumented:
            for name in dumped["!instanceof"].get(kind, []):
                # Anonymous records declare methods of an interface that has a record of its own.
                if isOwn(dumped[name]) and not dumped[name]["!anonymous"]:
                    found[name] = Documented(kind, dumped[name], dumped)
    return found

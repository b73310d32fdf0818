#!/usr/bin/env python3
#===- AbiTest.py - The interface of libavocet.so.0 against its dump
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Compares avocet.h with the stored dump, with the version script and with the symbols of the built library.

  AbiTest.py LIBRARY     compares; exit code 1 and one line for each difference
  AbiTest.py --update    adds what is new to the dump; refuses to change or remove a line
  AbiTest.py --selftest  breaks copies of the header and expects that each break is found
"""

import os
import re
import subprocess
import sys

kTree = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
kHeader = "runtime/capi/include/avocet/avocet.h"
kDump = "runtime/capi/avocet.abi"
kMap = "runtime/capi/avocet.map"

kFunction = re.compile(r"(/\*(?:[^*]|\*(?!/))*\*/)\s*AVOCET_API\s+([^;]+?)\b(avocet\w+)\(([^;]*)\);")
kSince = re.compile(r"Since (\d+\.\d+)\.")
kEnumeration = re.compile(r"\benum \{(.*?)\};", re.DOTALL)
kCallback = re.compile(r"typedef ([^;{]+)\(\*(\w+)\)\(([^;]*)\);")
kType = re.compile(r"typedef ([^;({]+?)\b(\w+);")


def read(path):
    with open(os.path.join(kTree, path), encoding="utf-8") as file:
        return file.read()


def tidy(text):
    return re.sub(r"\s*\*", "*", " ".join(text.split()))


def typeOf(parameter):
    """The type of a parameter, whose name is its last word."""
    parameter = tidy(parameter)
    return parameter if parameter == "void" else re.sub(r"(?<=[\s*])\w+$", "", parameter).strip()


def typesOf(parameters):
    return ", ".join(typeOf(each) for each in parameters.split(","))


def withoutComments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def dumpOf(header):
    """Lines of the interface, without the order of the header, and what is wrong in it."""
    lines, wrong = [], []
    for comment, result, name, parameters in kFunction.findall(header):
        since = kSince.findall(comment)
        if len(since) != 1:
            wrong.append(f"{kHeader}: {name}: its comment must name one release, as in 'Since 0.1.'")
        lines.append(f"function {name}({typesOf(parameters)}) -> {tidy(result)} since {since[-1] if since else '?'}")
    code = withoutComments(header)
    documented = {line.split()[1].split("(")[0] for line in lines}
    for name in re.findall(r"AVOCET_API\s+[^;]+?\b(avocet\w+)\(", code):
        if name not in documented:
            wrong.append(f"{kHeader}: {name}: has no comment before it")
    for body in kEnumeration.findall(code):
        for constant in filter(None, (tidy(each) for each in body.split(","))):
            lines.append(f"constant {constant}")
    lines += [f"call-back {name}({typesOf(parameters)}) -> {tidy(result)}" for result, name, parameters in kCallback.findall(code)]
    lines += [f"type {name} = {tidy(what)}" for what, name in kType.findall(code)]
    return sorted(lines), wrong


def compareWithDump(lines, stored):
    changed = [f"{kDump}: changed or removed: {line}" for line in stored if line not in lines]
    added = [f"{kDump}: new: {line}; see runtime/capi/Stability.md, then run tests/runtime/capi/AbiTest.py --update"
             for line in lines if line not in stored]
    return changed, added


def storedDump():
    return [line for line in read(kDump).splitlines() if line and not line.startswith("#")]


def functionsIn(lines):
    """Function -> the release that has it first."""
    return {line.split()[1].split("(")[0]: line.rsplit(" ", 1)[1] for line in lines if line.startswith("function ")}


def symbolsOfMap(text):
    """Function -> its version node."""
    nodes = re.findall(r"AVOCET_(\d+\.\d+) \{(.*?)\n\}", withoutComments(text), re.DOTALL)
    return {name: node for node, body in nodes for name in re.findall(r"\b(avocet\w+);", body)}


def symbolsOfLibrary(path):
    listing = subprocess.run(["nm", "--dynamic", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    symbols = (line.split()[-1] for line in listing.splitlines())
    return dict(symbol.split("@@AVOCET_", 1) if "@@AVOCET_" in symbol else (symbol, "none") for symbol in symbols
                if not symbol.startswith(("AVOCET_", "__", "_edata", "_end", "_fini", "_init")))


def compareSymbols(functions, symbols, where):
    for name in sorted(functions.keys() | symbols.keys()):
        if functions.get(name) != symbols.get(name):
            yield f"{where}: {name}: has version {symbols.get(name)}, the header says {functions.get(name)}"


def findings(header, stored, library=None):
    lines, wrong = dumpOf(header)
    changed, added = compareWithDump(lines, stored)
    functions = functionsIn(lines)
    wrong += changed + added + list(compareSymbols(functions, symbolsOfMap(read(kMap)), kMap))
    if library:
        wrong += compareSymbols(functions, symbolsOfLibrary(library), library)
    return wrong


def update():
    lines, wrong = dumpOf(read(kHeader))
    stored = storedDump() if os.path.exists(os.path.join(kTree, kDump)) else []
    wrong += compareWithDump(lines, stored)[0]
    if not wrong:
        with open(os.path.join(kTree, kDump), "w", encoding="utf-8") as file:
            file.write("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
                       "# The interface of libavocet.so.0. Lines stay as they are: see Stability.md.\n")
            file.writelines(line + "\n" for line in lines)
    return wrong


# What is replaced in the header by what, and a part of the finding.
kBreaks = (
    ("AVOCET_NOT_FOUND = 2", "AVOCET_NOT_FOUND = 12", "changed or removed: constant AVOCET_NOT_FOUND = 2"),
    ("int64_t nanoseconds", "int32_t nanoseconds", "changed or removed: function avocetRunWait"),
    ("AVOCET_API size_t avocetReportSize", "AVOCET_API uint32_t avocetReportSize", "changed or removed: function avocetReportSize"),
    ("typedef void (*AvocetCompleted)(void *user, AvocetCode code)", "typedef void (*AvocetCompleted)(void *user)",
     "changed or removed: call-back AvocetCompleted"),
    ("typedef int32_t AvocetType;", "typedef int64_t AvocetType;", "changed or removed: type AvocetType"),
    ("avocetRunCycles(", "avocetRunTicks(", "changed or removed: function avocetRunCycles"),
    ("/* By name. AVOCET_NOT_FOUND lists the names. Since 0.1. */", "/* By name. */", "must name one release"),
    ("#ifdef __cplusplus\n}", "/* Since 0.2. */\nAVOCET_API void avocetNew(void);\n#ifdef __cplusplus\n}", "new: function avocetNew(void)"),
)


def selfTest():
    header, stored = read(kHeader), storedDump()
    for old, new, expected in kBreaks:
        broken = header.replace(old, new)
        found = findings(broken, stored)
        if broken == header or not any(expected in each for each in found):
            yield f"{old!r} -> {new!r}: expected '{expected}', found {found}"


def main(arguments):
    if arguments == ["--update"]:
        wrong = update()
    elif arguments == ["--selftest"]:
        wrong = list(selfTest())
    elif len(arguments) == 1:
        wrong = findings(read(kHeader), storedDump(), arguments[0])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
#===- AbiTest.py - The interfaces in C against their dumps
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Compares avocet.h and BackendPlugin.h with their stored dumps, and avocet.h with the version script and with the symbols
of the built library.

  AbiTest.py LIBRARY     compares; exit code 1 and one line for each difference
  AbiTest.py --update    adds what is new to the dumps; refuses to change or remove a line
  AbiTest.py --selftest  breaks copies of the header and expects that each break is found
"""

import os
import re
import subprocess
import sys

kTree = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
kMap = "runtime/capi/avocet.map"


class Interface:
    """`what` it is called in the head of its dump; `page`: where the rules are; isDated: each function names its release."""

    def __init__(self, what, header, dump, page, isDated):
        self.what, self.header, self.dump, self.page, self.isDated = what, header, dump, page, isDated

    def text(self):
        return read(self.header)

    def stored(self):
        if not os.path.exists(os.path.join(kTree, self.dump)):
            return []
        return [line for line in read(self.dump).splitlines() if line and not line.startswith("#")]


kLibrary = Interface("libavocet.so.0", "runtime/capi/include/avocet/avocet.h", "runtime/capi/avocet.abi",
                     "runtime/capi/Stability.md", True)
kPlugin = Interface("plug-ins with back ends", "runtime/include/avocet/runtime/BackendPlugin.h",
                    "runtime/backends/plugin/backend.abi", "runtime/Versions.md", False)

kFunction = re.compile(r"(/\*(?:[^*]|\*(?!/))*\*/)\s*AVOCET_(?:API|BACKEND_EXPORT)\s+([^;]+?)\b(avocet\w+)\(([^;]*)\);")
kSince = re.compile(r"Since (\d+\.\d+)\.")
kEnumeration = re.compile(r"\benum \{(.*?)\};", re.DOTALL)
kCallback = re.compile(r"typedef ([^;{]+)\(\*(\w+)\)\(([^;]*)\);")
kType = re.compile(r"typedef ([^;({]+?)\b(\w+);")
kStruct = re.compile(r"typedef struct (\w+) \{(.*?)\n\} \1;", re.DOTALL)
kPointer = re.compile(r"(.*)\(\*(\w+)\)\((.*)\)$")
kMember = re.compile(r"(.*?)(\w+)((?:\[\d+\])*)$")


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


def memberLine(declaration):
    """"NAME: TYPE" of a member; TYPE of a function is that of a call-back."""
    declaration = tidy(declaration)
    if pointer := kPointer.match(declaration):
        return f"{pointer.group(2)}: ({typesOf(pointer.group(3))}) -> {tidy(pointer.group(1))}"
    what, name, extents = kMember.match(declaration).groups()
    return f"{name}: {tidy(what).strip()}{extents}"


def structLines(code):
    """A line for each member with its number, so that a member that moves is a changed line."""
    for name, body in kStruct.findall(code):
        for number, declaration in enumerate(filter(None, map(tidy, body.split(";")))):
            yield f"struct {name} {number:02} {memberLine(declaration)}"


def functionLines(interface, header):
    for comment, result, name, parameters in kFunction.findall(header):
        since = kSince.findall(comment)
        dated = f" since {since[-1] if since else '?'}" if interface.isDated else ""
        yield f"function {name}({typesOf(parameters)}) -> {tidy(result)}{dated}"


def wrongComments(interface, header, documented):
    for comment, _, name, _ in kFunction.findall(header):
        if interface.isDated and len(kSince.findall(comment)) != 1:
            yield f"{interface.header}: {name}: its comment must name one release, as in 'Since 0.1.'"
    for name in re.findall(r"AVOCET_API\s+[^;]+?\b(avocet\w+)\(", withoutComments(header)):
        if name not in documented:
            yield f"{interface.header}: {name}: has no comment before it"


def dumpOf(interface, header):
    """Lines of the interface, without the order of the header, and what is wrong in it."""
    lines = list(functionLines(interface, header))
    wrong = list(wrongComments(interface, header, {line.split()[1].split("(")[0] for line in lines}))
    code = withoutComments(header)
    for body in kEnumeration.findall(code):
        for constant in filter(None, (tidy(each) for each in body.split(","))):
            lines.append(f"constant {constant}")
    lines += structLines(code)
    code = kStruct.sub("", code)
    lines += [f"call-back {name}({typesOf(parameters)}) -> {tidy(result)}" for result, name, parameters in kCallback.findall(code)]
    lines += [f"type {name} = {tidy(what)}" for what, name in kType.findall(code)]
    return sorted(lines), wrong


def closedStructs(stored):
    """Those of the dump that do not begin with their size, and so can never have another member."""
    structs = {line.split()[1] for line in stored if line.startswith("struct ")}
    return {name for name in structs if f"struct {name} 00 size: uint32_t" not in stored}


def compareWithDump(interface, lines, stored):
    changed = [f"{interface.dump}: changed or removed: {line}" for line in stored if line not in lines]
    closed = closedStructs(stored)
    changed += [f"{interface.dump}: added to a struct that never changes: {line}" for line in lines
                if line not in stored and line.startswith("struct ") and line.split()[1] in closed and not changed]
    added = [f"{interface.dump}: new: {line}; see {interface.page}, then run tests/runtime/capi/AbiTest.py --update"
             for line in lines if line not in stored]
    return changed, added


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


def findings(interface, header, stored, library=None):
    lines, wrong = dumpOf(interface, header)
    changed, added = compareWithDump(interface, lines, stored)
    wrong += changed + added
    if interface is kLibrary:
        functions = functionsIn(lines)
        wrong += compareSymbols(functions, symbolsOfMap(read(kMap)), kMap)
        wrong += compareSymbols(functions, symbolsOfLibrary(library), library) if library else []
    return wrong


def update(interface):
    lines, wrong = dumpOf(interface, interface.text())
    wrong += compareWithDump(interface, lines, interface.stored())[0]
    if not wrong:
        with open(os.path.join(kTree, interface.dump), "w", encoding="utf-8") as file:
            file.write("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
                       f"# The interface of {interface.what}. Lines stay as they are: see {os.path.basename(interface.page)}.\n")
            file.writelines(line + "\n" for line in lines)
    return wrong


# What is replaced in a header by what, and a part of the finding.
kBreaks = {kLibrary: (
    ("AVOCET_NOT_FOUND = 2", "AVOCET_NOT_FOUND = 12", "changed or removed: constant AVOCET_NOT_FOUND = 2"),
    ("int64_t nanoseconds", "int32_t nanoseconds", "changed or removed: function avocetRunWait"),
    ("AVOCET_API size_t avocetReportSize", "AVOCET_API uint32_t avocetReportSize", "changed or removed: function avocetReportSize"),
    ("typedef void (*AvocetCompleted)(void *user, AvocetCode code)", "typedef void (*AvocetCompleted)(void *user)",
     "changed or removed: call-back AvocetCompleted"),
    ("typedef int32_t AvocetType;", "typedef int64_t AvocetType;", "changed or removed: type AvocetType"),
    ("avocetRunCycles(", "avocetRunTicks(", "changed or removed: function avocetRunCycles"),
    ("/* By name. AVOCET_NOT_FOUND lists the names. Since 0.1. */", "/* By name. */", "must name one release"),
    ("#ifdef __cplusplus\n}", "/* Since 0.2. */\nAVOCET_API void avocetNew(void);\n#ifdef __cplusplus\n}", "new: function avocetNew(void)"),
), kPlugin: (
    ("AVOCET_BACKEND_TIMING = 2", "AVOCET_BACKEND_TIMING = 16", "changed or removed: constant AVOCET_BACKEND_TIMING = 2"),
    ("uint32_t queueDepth;", "uint64_t queueDepth;", "changed or removed: struct AvocetBackendProperties 04 queueDepth"),
    ("  int32_t *endFile;", "  uint64_t more;\n  int32_t *endFile;", "changed or removed: struct AvocetBackendSubmission 22 endFile"),
    ("uint32_t owner, uint32_t *context", "uint64_t owner, uint32_t *context", "changed or removed: struct AvocetBackendTable 11 createContext"),
    ("  uint64_t writeBytes;\n}", "  uint64_t writeBytes;\n  uint64_t more;\n}", "added to a struct that never changes: struct AvocetBackendTraffic 04 more"),
    ("  uint32_t reserved;\n} AvocetBackendProperties", "  uint32_t reserved;\n  uint64_t more;\n} AvocetBackendProperties", "new: struct AvocetBackendProperties 07 more: uint64_t"),
    ("*avocetBackendTable(void)", "*avocetBackendTable(int32_t version)", "changed or removed: function avocetBackendTable(void)"),
)}


def selfTest():
    for interface, breaks in kBreaks.items():
        header, stored = interface.text(), interface.stored()
        for old, new, expected in breaks:
            broken = header.replace(old, new)
            found = findings(interface, broken, stored)
            if broken == header or not any(expected in each for each in found):
                yield f"{old!r} -> {new!r}: expected '{expected}', found {found}"


def main(arguments):
    interfaces = (kLibrary, kPlugin)
    if arguments == ["--update"]:
        wrong = [each for interface in interfaces for each in update(interface)]
    elif arguments == ["--selftest"]:
        wrong = list(selfTest())
    elif len(arguments) == 1:
        wrong = [each for interface in interfaces
                 for each in findings(interface, interface.text(), interface.stored(), arguments[0])]
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#===- nestedText.py - MLIR text that nests deeply
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Modules with an attribute, a type, a location or regions that nest deeply.

  nestedText.py KIND LEVELS             writes one
  nestedText.py --run LEVELS TOOL...    runs a tool on every kind; prints the kind, the exit code (negative: the signal
                                        that ended the tool) and the first message
"""

import subprocess
import sys


def aliases(sign, first, next_, levels):
    lines = [f"{sign}a0 = {first}"]
    lines += [f"{sign}a{i} = " + next_.replace("@", f"{sign}a{i - 1}") for i in range(1, levels)]
    return "\n".join(lines) + "\n", f"{sign}a{levels - 1}"


def inOperation(attribute):
    return f'"test.op"() {{a = {attribute}}} : () -> ()\n'


def inAliases(sign, first, next_):
    def make(n):
        lines, last = aliases(sign, first, next_, n)
        return lines + inOperation(last)
    return make


def locationAliases(n):
    lines, last = aliases("#", 'loc("x")', 'loc("n"(@))', n)
    return lines + f"module {{}} loc({last})\n"


kKinds = {
    "array": lambda n: inOperation("[" * n + "]" * n),
    "dictionary": lambda n: inOperation("{b = " * n + "1" + "}" * n),
    "type": lambda n: inOperation("tuple<" * n + "i1" + ">" * n),
    "function": lambda n: inOperation("() -> (" * n + "i1" + ")" * n),
    "dense": lambda n: inOperation("dense<" + "[" * n + "1" + "]" * n + "> : tensor<" + "1x" * n + "i32>"),
    "minus": lambda n: inOperation("affine_map<(d0) -> (" + "- " * n + "d0)>"),
    "sum": lambda n: inOperation("affine_map<(d0) -> (" + "d0 + " * n + "d0)>"),
    "set": lambda n: inOperation("affine_set<(d0) : (" + "d0 + " * n + "d0 >= 0)>"),
    "parentheses": lambda n: inOperation("affine_map<(d0) -> (" + "(" * n + "d0" + ")" * n + ")>"),
    "region": lambda n: '"test.op"() ({\n' * n + "}) : () -> ()\n" * n,
    "module": lambda n: "module {\n" * n + "}\n" * n,
    "location": lambda n: "module {} loc(" + "callsite(" * n + '"a"' + ' at "b")' * n + ")\n",
    "attributeAlias": inAliases("#", "1 : i32", "[@]"),
    "typeAlias": inAliases("!", "i1", "tuple<@>"),
    "locationAlias": locationAliases,
    "expansion": inAliases("#", "1 : i32", "[@, @]"),
}

def runAll(levels, tool):
    for kind, make in kKinds.items():
        if kind == "expansion":
            continue
        end = subprocess.run(tool, input=make(levels).encode(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        messages = end.stderr.decode().splitlines()
        print(kind, end.returncode, messages[0] if messages else "")


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        runAll(int(sys.argv[2]), sys.argv[3:])
    else:
        sys.stdout.write(kKinds[sys.argv[1]](int(sys.argv[2])))

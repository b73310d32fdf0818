#===- DeadCodeTest.py - Tests of the search for dead code
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Builds a small program from several sources and runs scripts/deadCode on it.

  DeadCodeTest.py PATH_OF_DEADCODE COMPILER
"""

import json
import os
import subprocess
import sys
import unittest

from SourceTree import SourceTree

kDeadCode, kCompiler = os.path.abspath(sys.argv[1]), sys.argv[2]
del sys.argv[1:3]
kMain = "int used();\nint main() { return used(); }\n"


class DeadCodeTest(SourceTree):
    def search(self, files):
        """Compiles and links the sources as the release build does; exit code and output of the search."""
        self.commit({"tool/Main.cpp": kMain, **files})
        commands, objects = [], []
        for path in sorted({"tool/Main.cpp", *files}):
            if path.endswith(".cpp"):
                objects.append(f"build/{os.path.basename(path)}.o")
                command = f"{kCompiler} -O2 -fPIC -ffunction-sections -fdata-sections -o {objects[-1]} -c {path}"
                commands.append({"directory": self.root, "file": os.path.join(self.root, path), "command": command})
        os.makedirs(os.path.join(self.root, "build"))
        for command in commands:
            subprocess.run(command["command"].split(), cwd=self.root, check=True)
        shipped = [o for o, command in zip(objects, commands) if "/tests/" not in command["file"] or "/validation/" in command["file"]]
        subprocess.run([kCompiler, "-fuse-ld=lld", "-Wl,--gc-sections", *shipped, "-o", "build/tool"], cwd=self.root, check=True)
        self.write("build/compile_commands.json", json.dumps(commands))
        return self.run_(kDeadCode, "--build", "build", "--programs", "tool")

    def assertUnused(self, files, *findings):
        code, output = self.search(files)
        self.assertEqual(code, 1, output)
        self.assertEqual(sorted(output.splitlines()), sorted(findings))

    def assertClean(self, files):
        self.assertEqual(self.search(files), (0, "deadCode: none\n"))

    def testCalledFunctionsPass(self):
        self.assertClean({"sim/Sim.cpp": "int other() { return 1; }\nint used() {\n  return other();\n}\n"})

    def testFindsFunctionWithoutCaller(self):
        self.assertUnused({"sim/Sim.cpp": "int used() { return 1; }\nint idle(int a) { return a; }\n"},
                          "sim/Sim.cpp: idle(int): no shipped program uses it")

    def testFindsFunctionThatOnlyTestsCall(self):
        self.assertUnused({"sim/Sim.cpp": "int used() { return 1; }\nint tested() { return 2; }\n",
                           "tests/SimTest.cpp": "int tested();\nint check() { return tested(); }\n"},
                          "sim/Sim.cpp: tested(): no shipped program uses it")

    def testProgramsOfValidationAreShipped(self):
        self.assertUnused({"sim/Sim.cpp": "int ran();\nint used() { return ran(); }\n",
                           "tests/validation/Run.cpp": "int ran() { return 1; }\nint tested() { return 2; }\n",
                           "tests/RunTest.cpp": "int tested();\nint check() { return tested(); }\n"},
                          "tests/validation/Run.cpp: tested(): no shipped program uses it")

    def testFindsFunctionThatOnlyUnusedOnesCall(self):
        self.assertUnused({"sim/Sim.cpp": "int used() { return 1; }\n",
                           "sim/Inner.cpp": "__attribute__((noinline)) int inner() { return 1; }\n",
                           "sim/Outer.cpp": "int inner();\nint outer() { return inner(); }\n"},
                          "sim/Inner.cpp: inner(): no shipped program uses it",
                          "sim/Outer.cpp: outer(): no shipped program uses it")

    def testFindsUnusedOverloadOnly(self):
        self.assertUnused({"sim/Sim.cpp": "int f(int a) {\n  return a;\n}\nint f(char a) {\n  return a;\n}\n"
                                          "int used() {\n  return f(1);\n}\n"},
                          "sim/Sim.cpp: f(char): no shipped program uses it")

    def testFindsUnusedMethodDespiteSameNameElsewhere(self):
        self.assertUnused({"sim/Sim.cpp": "struct A { int get(); };\nstruct B { int get(); };\n"
                                          "int A::get() {\n  return 1;\n}\nint B::get() {\n  return 2;\n}\n"
                                          "int used() {\n  A a;\n  return a.get();\n}\n"},
                          "sim/Sim.cpp: B::get(): no shipped program uses it")

    def testFindsUnusedFunctionOfHeader(self):
        self.assertUnused({"sim/Sim.cpp": '#include "Sim.h"\nint used() { return half(2); }\n',
                           "sim/Sim.h": "inline int half(int a) { return a / 2; }\ninline int third(int a) { return a / 3; }\n"},
                          "sim/Sim.h: third: no shipped program uses it")

    def testListedFunctionsPass(self):
        self.assertClean({"sim/Sim.cpp": "int used() { return 1; }\nnamespace api {\nint idle() { return 2; }\n}\n",
                          "scripts/lists/deadCode.txt": "api::* -- for programs of users\n"})

    def testRefusesListEntriesWithoutReason(self):
        self.assertUnused({"sim/Sim.cpp": "int used() { return 1; }\nint idle() { return 2; }\n",
                           "scripts/lists/deadCode.txt": "idle\n"},
                          "scripts/lists/deadCode.txt:1: idle: no reason; write: idle -- reason")

    def testRefusesListEntriesForUsedFunctions(self):
        self.assertUnused({"sim/Sim.cpp": "int used() { return 1; }\n", "scripts/lists/deadCode.txt": "used -- public\n"},
                          "scripts/lists/deadCode.txt:1: used: applies to nothing any more; remove the entry")

    def testRefusesIncompleteBuilds(self):
        self.search({"sim/Sim.cpp": "int used() { return 1; }\n"})
        os.remove(os.path.join(self.root, "build/Sim.cpp.o"))
        code, output = self.run_(kDeadCode, "--build", "build", "--programs", "tool")
        self.assertEqual(code, 1, output)
        self.assertIn("Sim.cpp.o is missing; build all of ", output)


if __name__ == "__main__":
    unittest.main()

#===- LayeringTest.py - Tests of the layering check
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Builds small trees with and without violations and runs scripts/checkLayering on them.

  LayeringTest.py PATH_OF_CHECK
"""

import os
import subprocess
import sys
import tempfile
import unittest

kCheck = sys.argv.pop(1)


class LayeringTest(unittest.TestCase):
    def check(self, files):
        """Exit code and output of the check on a tree of {path: text}."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            run = subprocess.run([sys.executable, kCheck, "--root", root], capture_output=True, text=True, check=False)
            return run.returncode, run.stdout

    def assertViolation(self, files, *parts):
        code, output = self.check(files)
        self.assertEqual(code, 1, output)
        for part in parts:
            self.assertIn(part, output)

    def assertClean(self, files):
        self.assertEqual(self.check(files), (0, "layering: no violation\n"))

    def testDownwardUseIsAllowed(self):
        self.assertClean({
            "sim/lib/Mac.cpp": '#include "avocet/kernels/Kernel.h"\n#include "avocet/base/Status.h"\n#include <vector>\n',
            "kernels/include/avocet/kernels/Kernel.h": "",
            "sim/CMakeLists.txt": "avocet_library(avocetSim SOURCES lib/Mac.cpp DEPENDS avocetKernels)\n",
            "kernels/CMakeLists.txt": "avocet_library(avocetKernels SOURCES a.cpp)\n",
        })

    def testUpwardIncludeIsRefused(self):
        self.assertViolation({"kernels/lib/Conv.cpp": '// text\n#include "avocet/sim/Device.h"\n',
                              "sim/include/avocet/sim/Device.h": ""},
                             'kernels/lib/Conv.cpp:2: includes "avocet/sim/Device.h"', "kernels must not use sim")

    def testForbiddenGeneratedHeaderIsRefused(self):
        self.assertViolation({"runtime/lib/Device.cpp": '#include "avocet/compiler/Dialect/Nn/NnOps.h.inc"\n'},
                             "runtime must not use compiler")

    def testForbiddenRelativeIncludeIsRefused(self):
        self.assertViolation({"cache/lib/Reader.cpp": '#include "../../runtime/lib/Private.h"\n',
                              "runtime/lib/Private.h": ""}, "cache must not use runtime")

    def testMlirIsAllowedInCompilerOnly(self):
        self.assertViolation({"cache/lib/Reader.cpp": '#include "llvm/ADT/StringRef.h"\n'}, "cache must not use mlir")
        self.assertClean({"compiler/lib/Import/Import.cpp": '#include "mlir/IR/Builders.h"\n'})
        self.assertViolation({"runtime/CMakeLists.txt": "target_link_libraries(avocetRuntime PUBLIC MLIRIR)\n"},
                             "links MLIRIR")

    def testOnlySimBackEndMayIncludeSimulator(self):
        header = {"sim/include/avocet/sim/Device.h": ""}
        self.assertClean({"runtime/backends/sim/lib/SimBackend.cpp": '#include "avocet/sim/Device.h"\n', **header})
        self.assertViolation({"runtime/lib/Device.cpp": '#include "avocet/sim/Device.h"\n', **header},
                             "runtime must not use sim")

    def testOnlyCompilerFacadeMayBeIncluded(self):
        headers = {"compiler/include/avocet/compiler/Compiler.h": "", "compiler/include/avocet/compiler/Import.h": ""}
        self.assertClean({"runtime/tools/avocet/Main.cpp": '#include "avocet/compiler/Compiler.h"\n', **headers})
        self.assertViolation({"runtime/tools/avocet/Main.cpp": '#include "avocet/compiler/Import.h"\n', **headers},
                             "runtime/tools must not use compiler")
        self.assertViolation({"runtime/lib/Device.cpp": '#include "avocet/compiler/Compiler.h"\n', **headers},
                             "runtime must not use compiler/facade")

    def testUpwardLinkIsRefused(self):
        self.assertViolation({
            "sim/CMakeLists.txt": "# note\navocet_library(avocetSim\n  SOURCES a.cpp\n  DEPENDS avocetCompiler)\n",
            "compiler/CMakeLists.txt": "add_library(avocetCompiler SHARED a.cpp)\n",
        }, "sim/CMakeLists.txt:2: links avocetCompiler: sim must not use compiler")

    def testBuildOrderAndTestsAreUnrestricted(self):
        compiler = {"compiler/CMakeLists.txt": "add_library(avocetCompiler SHARED a.cpp)\n"}
        self.assertClean({"runtime/tools/avocet/CMakeLists.txt":
                          "add_executable(avocet a.cpp)\nadd_dependencies(avocet avocetCompiler)\n", **compiler})
        self.assertClean({"tests/sim/CMakeLists.txt": "target_link_libraries(simTest PRIVATE avocetCompiler)\n", **compiler})


if __name__ == "__main__":
    unittest.main()

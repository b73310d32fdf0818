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

    def testCompilerCoreMustNotUseMlir(self):
        for core in ("Schedule/Core", "Schedule/Core/Pieces", "Sync", "Yield"):
            self.assertViolation({f"compiler/lib/{core}/File.cpp": '#include "llvm/ADT/STLExtras.h"\n'},
                                 "compiler/core must not use mlir")
        self.assertViolation({"compiler/lib/Schedule/Core/Plan.h": '#include "mlir/IR/Types.h"\n'},
                             "compiler/core must not use mlir")
        self.assertViolation({"compiler/lib/Yield/CMakeLists.txt":
                              "target_link_libraries(avocetYield PUBLIC MLIRIR)\n"}, "links MLIRIR")
        self.assertClean({"compiler/lib/Schedule/ProgramWriter.cpp": '#include "mlir/IR/Builders.h"\n'})

    def testCompilerCoreMustNotUseDialects(self):
        dialect = {"compiler/include/avocet/compiler/Dialect/Npu/NpuDialect.h": ""}
        self.assertViolation({"compiler/lib/Schedule/Core/Planner.cpp":
                              '#include "avocet/compiler/Dialect/Npu/NpuDialect.h"\n', **dialect},
                             "compiler/core must not use compiler")
        self.assertViolation({
            "compiler/lib/Schedule/Core/CMakeLists.txt": "target_link_libraries(avocetScheduling avocetNpuDialect)\n",
            "compiler/lib/Dialect/Npu/CMakeLists.txt": "avocet_compiler_library(avocetNpuDialect SOURCES a.cpp)\n",
        }, "links avocetNpuDialect: compiler/core must not use compiler")

    def testCompilerMayUseItsCore(self):
        self.assertClean({
            "compiler/lib/Schedule/Schedule.cpp":
                '#include "Schedule/Core/TileCommand.h"\n#include "Yield/CommandCosts.h"\n#include "Sync/StreamSync.h"\n',
            "compiler/lib/Schedule/Core/TileCommand.h": '#include "avocet/compiler/Support/Cancel.h"\n',
            "compiler/lib/Yield/CommandCosts.h": '#include "Sync/StreamSync.h"\n',
            "compiler/lib/Sync/StreamSync.h": "",
            "compiler/include/avocet/compiler/Support/Cancel.h": "",
        })

    def testCompilerLibrariesShareListedHeaders(self):
        library = {"compiler/lib/Emit/CMakeLists.txt": "avocet_compiler_library(avocetEmit SOURCES EmitArtefacts.cpp)\n",
                   "compiler/lib/Emit/Artefacts.h": "", "compiler/lib/Emit/DescriptionAttr.h": ""}
        user = {"compiler/lib/Pipeline/CMakeLists.txt": "avocet_compiler_library(avocetPipeline SOURCES Output.cpp)\n",
                "compiler/lib/Pipeline/Output.cpp": '#include "Emit/Artefacts.h"\n'}
        self.assertClean(library | user)
        self.assertViolation(library | user | {"compiler/lib/Pipeline/Input.cpp": '#include "Emit/DescriptionAttr.h"\n'},
                             "compiler/lib/Emit/DescriptionAttr.h is private to compiler/lib/Emit")
        self.assertViolation(library | user | {"runtime/tools/avocet/Main.cpp": '#include "Emit/Artefacts.h"\n'},
                             "runtime/tools must not use compiler")
        self.assertViolation(library | {"compiler/lib/Emit/EmitArtefacts.cpp": '#include "Artefacts.h"\n'},
                             "no other library includes compiler/lib/Emit/Artefacts.h")

    def testUpwardLinkIsRefused(self):
        self.assertViolation({
            "sim/CMakeLists.txt": "# note\navocet_library(avocetSim\n  SOURCES a.cpp\n  DEPENDS avocetCompiler)\n",
            "compiler/CMakeLists.txt": "add_library(avocetCompiler SHARED a.cpp)\n",
        }, "sim/CMakeLists.txt:2: links avocetCompiler: sim must not use compiler")

    def testHalLibraryMayUseOnlyLowerOnes(self):
        headers = {"hal/driver/include/avocet/hal/driver/Driver.h": "", "hal/types/include/avocet/hal/types/Types.h": "",
                   "hal/ipc/include/avocet/hal/ipc/Client.h": ""}
        self.assertClean({"hal/driver/lib/Device.cpp": '#include "avocet/hal/types/Types.h"\n', **headers})
        self.assertViolation({"hal/types/lib/Types.cpp": '#include "avocet/hal/driver/Driver.h"\n', **headers},
                             "hal/types must not use hal/driver")
        self.assertViolation({"hal/service/lib/Session.cpp": '#include "avocet/hal/ipc/Client.h"\n', **headers},
                             "hal/service must not use hal/ipc")

    def testOnlyServiceProgramMayUseSandbox(self):
        header = {"hal/sandbox/include/avocet/hal/sandbox/ServiceSandbox.h": ""}
        include = '#include "avocet/hal/sandbox/ServiceSandbox.h"\n'
        self.assertClean({"hal/service/tool/Main.cpp": include, **header})
        self.assertViolation({"hal/service/lib/Service.cpp": include, **header}, "hal/service must not use hal/sandbox")

    def testValidationIsUsedByNoProduct(self):
        headers = {"tests/validation/include/avocet/validation/Runner.h": "", "runtime/tools/avocet/output/Progress.h": "",
                   "runtime/tools/avocet/CMakeLists.txt": "add_library(avocetTool a.cpp)\n",
                   "tests/validation/CMakeLists.txt": "avocet_library(avocetValidation SOURCES a.cpp)\n"}
        self.assertClean({"tests/validation/tool/Main.cpp": '#include "Progress.h"\n#include "avocet/validation/Runner.h"\n', **headers})
        self.assertViolation({"runtime/tools/avocet/Main.cpp": '#include "avocet/validation/Runner.h"\n', **headers},
                             "runtime/tools must not use tests/validation")
        self.assertViolation({"hal/types/CMakeLists.txt": "target_link_libraries(types PUBLIC avocetValidation)\n", **headers},
                             "links avocetValidation: hal/types must not use tests/validation")

    def testProgramsAreNotLibraries(self):
        programs = {"runtime/tools/avocet/CMakeLists.txt": "add_library(avocetTool a.cpp)\n",
                    "hal/service/tool/CMakeLists.txt": "add_library(serviceParts a.cpp)\n",
                    "compiler/tools/avocet-opt/CMakeLists.txt": "add_library(optParts a.cpp)\n"}
        for user, part in (("hal/driver", "avocetTool"), ("hal/service", "serviceParts"), ("compiler/lib", "optParts")):
            self.assertViolation({f"{user}/CMakeLists.txt": f"target_link_libraries(user PRIVATE {part})\n", **programs},
                                 f"links {part}")

    kTwoLibraries = {
        "hal/wire/CMakeLists.txt": "avocet_library(avocetHalWire SOURCES a.cpp)\n",
        "hal/wire/lib/Packet.h": "",
        "hal/service/CMakeLists.txt": "avocet_library(avocetHalService SOURCES a.cpp)\n",
    }

    def testPrivateHeaderOfOtherLibraryIsRefused(self):
        self.assertViolation({"hal/service/lib/Call.cpp": '#include "Packet.h"\n', **self.kTwoLibraries},
                             'hal/service/lib/Call.cpp:1: includes "Packet.h": hal/wire/lib/Packet.h is private to hal/wire')
        self.assertViolation({"hal/service/lib/Call.cpp": '#include "../../wire/lib/Packet.h"\n', **self.kTwoLibraries},
                             "is private to hal/wire")

    def testOwnPrivateHeaderIsAllowed(self):
        self.assertClean({"hal/wire/lib/Packet.cpp": '#include "Packet.h"\n', **self.kTwoLibraries})
        self.assertClean({"hal/service/lib/Call.cpp": '#include "Packet.h"\n', "hal/service/lib/Packet.h": "",
                          **self.kTwoLibraries})
        self.assertClean({"hal/wire/tool/Main.cpp": '#include "Packet.h"\n',
                          "hal/wire/tool/CMakeLists.txt": "add_executable(wire Main.cpp)\n", **self.kTwoLibraries})

    def testTestsIncludePrivateHeadersOfTheirLibraryOnly(self):
        include = '#include "Packet.h"\n'
        self.assertClean({"tests/hal/wire/PacketTest.cpp": include, **self.kTwoLibraries})
        self.assertViolation({"tests/hal/service/CallTest.cpp": include, **self.kTwoLibraries}, "is private to hal/wire")
        part = {"compiler/lib/Schedule/CMakeLists.txt": "add_library(scheduling a.cpp)\n", "compiler/lib/Schedule/Plan.h": ""}
        self.assertClean({"tests/compiler/Schedule/PlanTest.cpp": '#include "Plan.h"\n', **part})
        self.assertViolation({"tests/compiler/Yield/YieldTest.cpp": '#include "Plan.h"\n', **part},
                             "is private to compiler/lib/Schedule")

    def testExceptionOfTestsMustBeNeeded(self):
        cache = {"cache/CMakeLists.txt": "avocet_library(avocetCache SOURCES a.cpp)\n", "cache/lib/ModelFile.h": ""}
        self.assertClean({"tests/fuzz/artefact/Fuzz.cpp": '#include "ModelFile.h"\n', **cache})
        self.assertViolation({"tests/fuzz/artefact/Fuzz.cpp": "\n", **cache}, "tests/fuzz/artefact no longer includes", "cache")

    def testFolderOfTestsMirrorsSourceFolder(self):
        sources = {"compiler/lib/Schedule/Plan.cpp": "", "runtime/base/lib/File.cpp": ""}
        self.assertClean({"tests/compiler/Schedule/PlanTest.cpp": "", "tests/runtime/base/FileTest.cpp": "",
                          "tests/compiler/Schedule/Inputs/plan.mlir": "", "tests/stress/CMakeLists.txt": "", **sources})
        self.assertViolation({"tests/compiler/schedule/plan.mlir": "", **sources},
                             "tests/compiler/schedule: tests of no source folder")
        self.assertViolation({"tests/base/FileTest.cpp": "", **sources}, "tests/base: tests of no source folder")

    def testKernelFamiliesUseCommonPartsOnly(self):
        tree = {"kernels/CMakeLists.txt": "avocet_library(avocetKernels SOURCES a.cpp)\n", "kernels/lib/common/Checks.h": "",
                "kernels/lib/conv/Tile.h": ""}
        self.assertClean({"kernels/lib/pool/Pool.cpp": '#include "common/Checks.h"\n', **tree})
        self.assertViolation({"kernels/lib/pool/Pool.cpp": '#include "conv/Tile.h"\n', **tree}, "pool must not use conv")
        self.assertViolation({"kernels/lib/common/Checks.cpp": '#include "conv/Tile.h"\n', **tree},
                             "common must not use conv; it may use cost")

    def testBuildOrderAndTestsAreUnrestricted(self):
        compiler = {"compiler/CMakeLists.txt": "add_library(avocetCompiler SHARED a.cpp)\n"}
        self.assertClean({"runtime/tools/avocet/CMakeLists.txt":
                          "add_executable(avocet a.cpp)\nadd_dependencies(avocet avocetCompiler)\n", **compiler})
        self.assertClean({"tests/sim/CMakeLists.txt": "target_link_libraries(simTest PRIVATE avocetCompiler)\n",
                          "sim/lib/Mac.cpp": "", **compiler})


if __name__ == "__main__":
    unittest.main()

# The documented exit codes of every program: 0 done, 1 the work failed, 2 the command line is wrong.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

import Harness
from Harness import DIGITS, ProgramTest

# MLIR's own command lines, which end with 1; lit and GoogleTest runners have their own conventions, too.
MLIR_TOOLS = ("avocet-opt", "avocet-translate", "avocet-lsp-server")
# Programs for people; the others in the folder are tests, probes of tests, and fuzz targets.
PROGRAMS = ("avocet", "avocetd", "avocetCompileWorker", "avocetApplication", "avocet-device", "avocetStress",
            "avocetDifferential")
FOREIGN = ("kernelBench", "typeBench")  # Google Benchmark's command line, and none
FAILURES = {
    "avocet": ["run", "nowhere.tflite"],
    "avocetd": ["--socket", "no/such/folder/socket"],
}


class ExitCodesTest(ProgramTest):
    def programs(self):
        benchmarks = [name for name in os.listdir(Harness.PROGRAMS) if name.endswith("Bench") and name not in FOREIGN]
        return [name for name in (*PROGRAMS, *sorted(benchmarks)) if os.path.exists(Harness.program(name))]

    def check(self, name, code, *arguments, **variables):
        result = self.start(name, *arguments, **variables)
        self.assertEqual(result.returncode, code, f"{name} {arguments}: {result.stdout}{result.stderr}")
        return result

    def test_helpAndVersionEndWithZero(self):
        for name in self.programs():
            for option in ("--help", "--version"):
                result = self.check(name, 0, option)
                self.assertIn(name, result.stdout)
                self.assertEqual(result.stderr, "")

    def test_wrongCommandLinesEndWithTwo(self):
        for name in self.programs():
            result = self.check(name, 2, "--no-such-option")
            self.assertEqual(result.stdout, "")
            self.assertIn("--no-such-option", result.stderr, name)

    def test_wrongVariablesEndWithTwo(self):
        for name, arguments in FAILURES.items():
            self.check(name, 2, *arguments, AVOCET_LOG="junk")

    def test_failedWorkEndsWithOne(self):
        for name, arguments in FAILURES.items():
            result = self.check(name, 1, *arguments)
            self.assertIn(f"{name}: error: ", result.stderr)

    def test_mlirToolsEndWithZeroOrOne(self):
        for name in MLIR_TOOLS:
            if os.path.exists(Harness.program(name)):
                self.check(name, 0, "--help")
                self.check(name, 1, "--no-such-option")

    def test_errorsOfLibraryBecomeDocumentedCodes(self):
        # CLI11 has codes of its own, from 100 on, one for each kind of error.
        for arguments in (["run"], ["run", DIGITS, "--report"], ["run", DIGITS, "--report", "poem"],
                          ["run", DIGITS, "--repeat", "0"], ["run", DIGITS, "--burst"], ["run", DIGITS, "more"],
                          ["run", DIGITS, "--repeat", "2", "--runs", "2"], ["fly"], []):
            self.check("avocet", 2, *arguments)

    def test_slipsGetSuggestions(self):
        self.assertIn("'inspect'", self.check("avocet", 2, "inspct", "out").stderr)
        self.assertIn("'--optimize'", self.check("avocet", 2, "run", DIGITS, "--optimizes", "3").stderr)
        self.assertNotIn("did you mean", self.check("avocet", 2, "fly").stderr)

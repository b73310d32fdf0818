#===- TidyTest.py - Tests of clang-tidy on changed files
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Runs the rule clang-tidy of scripts/presubmit on small trees.

  TidyTest.py FOLDER_OF_SCRIPTS
"""

import contextlib
import io
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.abspath(sys.argv.pop(1)))

from SourceTree import SourceTree
from checks import Tidy
from checks.Tree import Tree

kConfiguration = ("Checks: '-*,readability-identifier-naming'\n"
                  "HeaderFilterRegex: '.*'\nCheckOptions: {readability-identifier-naming.FunctionCase: camelBack}\n")
kBad = "int Add_Numbers() { return 1; }\n"


class TidyTest(SourceTree):
    def setUp(self):
        super().setUp()
        self.commit({".clang-tidy": kConfiguration, "Old.cpp": kBad, "New.cpp": "int add() { return 1; }\n"})

    def tidy(self, files, compiled, seconds=60):
        """Findings and output for changed files, of which some are compiled."""
        for path, text in files.items():
            self.write(path, text)
        self.git("add", "--all")
        entries = [{"directory": self.root, "file": path, "command": f"clang++-22 -c {path}"} for path in compiled]
        self.write("build/release/compile_commands.json", json.dumps(entries))
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            findings = list(Tidy.tidy(Tree(self.root, "HEAD"), seconds))
        if os.environ.get("AVOCET_SHOW_OUTPUT"):
            print(f"\n{self.id().split('.')[-1]}:", *findings, output.getvalue(), sep="\n")
        return findings, output.getvalue()

    def testCleanFilePasses(self):
        findings, output = self.tidy({"New.cpp": "int sum() { return 1; }\n"}, ["New.cpp", "Old.cpp"])
        self.assertEqual(findings, [])
        self.assertIn("1 of 1 files checked", output)

    def testFindsNameInChangedFileOnly(self):
        findings, _ = self.tidy({"New.cpp": kBad}, ["New.cpp", "Old.cpp"])
        self.assertEqual(len(findings), 1)
        self.assertIn("New.cpp:1:5: warning: invalid case style for function 'Add_Numbers'", findings[0])

    def testChecksHeaderThroughSourceThatIncludesIt(self):
        findings, _ = self.tidy({"Sum.h": "inline " + kBad, "Any.cpp": '#include "Sum.h"\n'}, ["Any.cpp"])
        self.assertEqual(len(findings), 1)
        self.assertIn("Sum.h:1:12: warning: invalid case style", findings[0])

    def testChecksHeaderThroughOtherHeader(self):
        files = {"Sum.h": "inline " + kBad, "Sums.h": '#include "Sum.h"\n', "Any.cpp": '#include "Sums.h"\n'}
        findings, _ = self.tidy(files, ["Any.cpp"])
        self.assertEqual(len(findings), 1)
        self.assertIn("Sum.h:1:12: warning: invalid case style", findings[0])

    def testProgramThatTestsBuildNeedsNoCommand(self):
        files = {"tests/clients/examples/Any.cpp": '#include "Other.h"\n', "tests/clients/onnxruntime/Other.h": "int sum();\n"}
        self.assertEqual(self.tidy(files, ["New.cpp"])[0], [])

    def testLeavesUnchangedHeadersAlone(self):
        self.commit({"Sum.h": "inline " + kBad})
        self.assertEqual(self.tidy({"New.cpp": '#include "Sum.h"\n'}, ["New.cpp"])[0], [])

    def testSourceWithoutCompileCommandIsFinding(self):
        findings, _ = self.tidy({"New.cpp": "int sum();\n"}, [])
        self.assertEqual(len(findings), 1)
        self.assertIn("New.cpp: no compile command in build/release", findings[0])

    def testHeaderWithoutIncluderIsFinding(self):
        self.assertEqual(self.tidy({"Sum.h": "int sum();\n"}, ["New.cpp"])[0], ["Sum.h: no compiled source includes it"])

    def testFailureOfProgramIsFinding(self):
        self.write(".clang-tidy", "Checks: [\n")
        findings, _ = self.tidy({"New.cpp": "int sum() { return 1; }\n"}, ["New.cpp"])
        self.assertNotEqual(findings, [])

    def testPrintsFilesThatTimeDidNotAllow(self):
        findings, output = self.tidy({"New.cpp": kBad}, ["New.cpp"], seconds=0)
        self.assertEqual(findings, [])
        self.assertIn("0 of 1 files checked\n  not checked, as 0 s are over: New.cpp\n", output)


if __name__ == "__main__":
    unittest.main()

#===- PresubmitTest.py - Tests of the presubmit
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Builds a small tree with one violation of each rule and runs scripts/presubmit on it.

  PresubmitTest.py PATH_OF_PRESUBMIT       AVOCET_SHOW_OUTPUT=1 prints what presubmit says to each violation
"""

import os
import sys
import unittest

from SourceTree import SourceTree, kLicense

kPresubmit = os.path.abspath(sys.argv.pop(1))
kHeader = f"// {kLicense}\n\n"
kClean = {
    "sim/lib/Mac.cpp": kHeader + "int add(int a, int b) { return a + b; }\n",
    "sim/CMakeLists.txt": f"# {kLicense}\nadd_library(sim lib/Mac.cpp)\n",
    "tests/sim/MacTest.cpp": kHeader + "TEST(MacTest, AddsTwoNumbers) {}\n",
    "tests/sim/two-layers.mlir": kHeader + "// RUN: true\n",
    "scripts/run": f"#!/bin/sh\n# {kLicense}\n",
    "README.md": "The user `nobody` runs the service.\n",
}
# Pieces of words that the check refuses, so that this file passes it.
kNote, kDisabled, kSkip = "TO" "DO", "DISABLED" "_", "GTEST" "_SKIP"


class PresubmitTest(SourceTree):
    def check(self, files):
        self.commit({**kClean, **files})
        return self.run_(kPresubmit, "--all", "--without-build")

    def assertViolation(self, files, message):
        code, output = self.check(files)
        self.assertEqual(code, 1, output)
        self.assertIn(message, output)
        self.assertIn("presubmit: 1 findings", output)

    def assertDecisions(self, text, message):
        self.assertViolation({"README.md": "[r](sim/Rationale.md)\n", "sim/Rationale.md": text}, message)

    def testCleanTreePasses(self):
        code, output = self.check({})
        self.assertEqual(code, 0, output)
        self.assertIn("presubmit: clean", output)

    def testRefusesOtherFormat(self):
        self.assertViolation({"sim/lib/Mac.cpp": kHeader + "int  add(int a, int b) { return a + b; }\n"},
                             "sim/lib/Mac.cpp: 1 places differ from clang-format")

    def testRefusesTabs(self):
        self.assertViolation({"README.md": "a\tb\n"}, "README.md:1: tab")

    def testRefusesBritishSpelling(self):
        self.assertViolation({"README.md": "an optimi" "sed network\n"}, "README.md:1: 'optimi" "sed': write American spelling")
        self.assertViolation({"README.md": "maxColo" "urs\n"}, "README.md:1: 'Colo" "ur': write American spelling")
        self.assertEqual(self.check({"README.md": "`optimi" "se` is a former name, and so is --optimi" "se\n"})[0], 0)

    def testRefusesTitlesWithoutPurpose(self):
        title = "//===- Mac.cpp " + "-" * 60 + "===//\n"
        self.assertViolation({"sim/lib/Mac.cpp": title + kHeader.strip() + "\n"}, "sim/lib/Mac.cpp:1: the title says no purpose")

    def testRefusesTrailingSpace(self):
        self.assertViolation({"README.md": "a \n"}, "README.md:1: trailing space")

    def testRefusesNotesToOneself(self):
        self.assertViolation({"sim/lib/Mac.cpp": kHeader + f"// {kNote}: faster\n"},
                             f"sim/lib/Mac.cpp:3: '{kNote}' must not be committed")

    def testRefusesPathsOfOneMachine(self):
        self.assertViolation({"README.md": "See /ho" "me/me/model.\n"}, "README.md:1: '/ho" "me/' must not be committed")

    def testRefusesWordsOutsideStandardTerms(self):
        self.assertViolation({"README.md": "It wakes who" "ever waits.\n"},
                             "README.md:1: 'who" "ever': write the standard term (CONTRIBUTING.md, Language)")

    def testRefusesFilesWithoutLicense(self):
        for path, text in (("sim/lib/Mac.cpp", "int add();\n"), ("sim/CMakeLists.txt", "add_library(sim)\n"),
                           ("sim/Sim.td", "def A;\n"), ("sim/sim.fbs", "table A {}\n"), ("sim/e.toml", "a = 1\n"),
                           ("sim/tool.py", "pass\n"), ("scripts/run", "#!/bin/sh\n"), ("tests/sim/two-layers.mlir", "\n\n"),
                           ("tests/sim/cases.test", "RUN: true\n")):
            with self.subTest(path):
                self.setUp()
                self.assertViolation({path: text}, f"{path}: no license header")

    def testRefusesLongFiles(self):
        self.assertViolation({"sim/lib/Mac.cpp": kHeader + "int a;\n" * 499},
                             "sim/lib/Mac.cpp: 501 lines; split it by subject (limit 500)")

    def testRefusesUnguardedMain(self):
        self.assertViolation({"sim/lib/Mac.cpp": kHeader + "int main() { return 0; }\n"}, "sim/lib/Mac.cpp:3: must be: int main(")

    def testRefusesOtherFileNames(self):
        for path, form in (("sim/lib/mac_unit.cpp", "CamelCase"), ("tests/sim/twoLayers.mlir", "kebab-case"),
                           ("sim/mac_unit.py", "CamelCase or camelBack"), ("scripts/run_it", "camelBack")):
            with self.subTest(path):
                self.setUp()
                text = f"#!/bin/sh\n# {kLicense}\n" if path.startswith("scripts") else f"// {kLicense}\n"
                self.assertViolation({path: text}, f"{path}: the name must be {form}")

    def testRefusesTestsOutsideTestFiles(self):
        self.assertViolation({"tests/sim/Mac.cpp": kHeader + "TEST(MacTest, Adds) {}\n"},
                             "tests/sim/Mac.cpp: defines tests, so its name must be SubjectTest.cpp")

    def testRefusesTestFilesWithoutTests(self):
        self.assertViolation({"tests/sim/MacTest.cpp": kHeader + "int a;\n"},
                             "tests/sim/MacTest.cpp: is named like a test but defines none")

    def testRefusesLongTestNames(self):
        self.assertViolation({"tests/sim/MacTest.cpp": kHeader + "TEST(MacTest, AddsOneTwoThreeFourFiveSixSevenNumbers) {}\n"},
                             "MacTest.AddsOneTwoThreeFourFiveSixSevenNumbers: 9 words; at most 8")

    def testRefusesOtherFormsOfTestNames(self):
        self.assertViolation({"tests/sim/MacTest.cpp": kHeader + "TEST(MacTest, adds_numbers) {}\n"},
                             "MacTest.adds_numbers: the name must be CamelCase")

    def testRefusesDisabledTestsWithoutReason(self):
        cmake = f"# {kLicense}\nset_tests_properties(a PROPERTIES DISABLED TRUE)\n"
        for path, text, marker in (
                ("tests/sim/MacTest.cpp", kHeader + f"TEST(MacTest, {kDisabled}Adds) {{}}\n", f"{kDisabled}Adds"),
                ("tests/sim/MacTest.cpp", kHeader + f'TEST(MacTest, Adds) {{ {kSkip}() << "no"; }}\n', kSkip),
                ("tests/sim/two-layers.mlir", kHeader + "// XFAIL: *\n", "XFAIL"),
                ("tests/sim/two-layers.mlir", kHeader + "// UNSUPPORTED: true\n", "UNSUPPORTED"),
                ("tests/sim/ServiceTest.py", f"# {kLicense}\nself.skip" "Test()\n", "skip" "Test"),
                ("sim/CMakeLists.txt", cmake, "DISABLED")):
            with self.subTest(marker):
                self.setUp()
                self.assertViolation({path: text}, f"{marker}: not in scripts/lists/disabledTests.txt")

    def testRefusesSkippedTestsWithoutMessage(self):
        self.assertViolation({"tests/sim/MacTest.cpp": kHeader + f"TEST(MacTest, Adds) {{ {kSkip}(); }}\n",
                              "scripts/lists/disabledTests.txt": f"# {kLicense}\ntests/sim/MacTest.cpp: {kSkip} -- no\n"},
                             f"{kSkip}: the test must print why it is skipped")

    def testListedDisabledTestsPass(self):
        code, output = self.check({
            "tests/sim/MacTest.cpp": kHeader + f"TEST(MacTest, {kDisabled}Adds) {{}}\n",
            "scripts/lists/disabledTests.txt": f"# {kLicense}\ntests/sim/MacTest.cpp: {kDisabled}Adds -- slow\n"})
        self.assertEqual(code, 0, output)

    def testRefusesListEntriesThatApplyToNothing(self):
        self.assertViolation({"scripts/lists/disabledTests.txt": f"# {kLicense}\ntests/a: {kSkip} -- slow\n"},
                             "scripts/lists/disabledTests.txt:2: tests/a: GTEST" "_SKIP: applies to nothing any more")

    def testRefusesListEntriesWithoutReason(self):
        self.assertViolation({"tests/sim/MacTest.cpp": kHeader + f"TEST(MacTest, {kDisabled}Adds) {{}}\n",
                              "scripts/lists/disabledTests.txt": f"# {kLicense}\ntests/sim/MacTest.cpp: {kDisabled}Adds\n"},
                             "no reason; write: ")

    def testRefusesPatchesThatDoNotApply(self):
        def patch(line):
            return f"Rule: x\n\n--- a/scripts/run\n+++ b/scripts/run\n@@ -1,2 +1,1 @@\n {line}\n-# {kLicense}\n"

        self.assertViolation({"tests/sim/old.patch": patch("#!/bin/bash")}, "tests/sim/old.patch: does not apply: error: ")
        self.commit({**kClean, "tests/sim/old.patch": patch("#!/bin/sh")})
        self.assertEqual(self.run_(kPresubmit, "--all", "--without-build")[0], 0)

    def testRefusesForbiddenLayers(self):
        self.assertViolation({"kernels/lib/Conv.cpp": kHeader + '#include "avocet/sim/Device.h"\n',
                              "sim/include/avocet/sim/Device.h": kHeader + "int a;\n"},
                             "kernels must not use sim")

    def testRefusesLinksToNothing(self):
        self.assertViolation({"README.md": "[a](sim/A.md)\n"}, "README.md:1: sim/A.md: leads to no file")
        self.assertViolation({"README.md": "# The first\n\n[a](#the-second)\n"},
                             "README.md:3: #the-second: README.md has no such heading")

    def testRefusesPagesWithoutWayFromReadme(self):
        self.assertViolation({"sim/A.md": "[b](B.md)\n", "sim/B.md": "[a](A.md)\n", "README.md": "[c](sim/C.md)\n",
                              "sim/C.md": "[b](B.md)\n", "sim/D.md": "[a](A.md)\n"}, "sim/D.md: no links lead to it from README.md")

    def testRefusesVariablesThatNoFileReads(self):
        self.assertViolation({"README.md": "Set `AVOCET_OLD` or `AVOCET_NEW`; [changes](CHANGELOG.md).\n", "CHANGELOG.md": "AVOCET_OLDER [r](README.md)\n",
                              "scripts/run": f"#!/bin/sh\n# {kLicense}\n$AVOCET_NEW\n$AVOCET_OLD_ONE\n"},
                             "README.md:1: AVOCET_OLD: no file of the tree has it")

    def testRefusesLongFirstPages(self):
        self.assertViolation({"README.md": "a\n" * 111}, "README.md: 111 lines; move what few readers need")

    def testLinksInCodeAreNoWay(self):
        self.assertViolation({"README.md": "Write `[a](sim/A.md)`.\n", "sim/A.md": "\n"}, "sim/A.md: no links lead to it")

    def testAcceptsLinksToFoldersAndHeadings(self):
        code, output = self.check({"README.md": "# A `b`, c\n\n[a](#a-b-c) [sim](sim/) [d](sim/README.md#d)\n", "sim/README.md": "# d\n"})
        self.assertEqual(code, 0, output)

    def testRefusesOutputThatNoTestCompares(self):
        self.assertViolation({"README.md": "```\nhello\n```\n"}, "README.md:1: a block between ``` must begin with '$ COMMAND'")
        self.assertViolation({"README.md": "a\n\n    $ echo b\n    b\n"}, "README.md:3: write commands with their output between ```")
        code, output = self.check({"README.md": "```\n$ echo b\nb\n```\n\n```mermaid\na\n```\n"})
        self.assertEqual(code, 0, output)

    def testRefusesLongPagesOfDecisions(self):
        self.assertDecisions("# R\n" + "a\n" * 40, "sim/Rationale.md: 41 lines; keep what")
        self.setUp()
        pages = {f"sim/{i}/Rationale.md": "a\n" * 40 for i in range(23)}
        links = "".join(f"[a]({page})\n" for page in pages)
        self.assertViolation({**pages, "README.md": links}, "Rationale.md: 920 lines in all pages; drop what")

    def testRefusesDecisionsWithoutAlternativeOrTest(self):
        rejected, held = "Rejected: b.\n", "Held by: `MacTest.AddsTwoNumbers`, `tests/sim/`.\n"
        code, output = self.check({"README.md": "[r](sim/Rationale.md)\n", "sim/Rationale.md": f"# R\n\n## A\nc.\n{rejected}{held}"})
        self.assertEqual(code, 0, output)
        self.assertDecisions(f"# R\n\n## A\n{held}\n## B\n{rejected}{held}", "sim/Rationale.md:3: 'A' needs a line 'Rejected: ...'")
        self.assertDecisions(f"## A\n{rejected}{held}\n## B\n{rejected}", "sim/Rationale.md:5: 'B' needs a line 'Held by: ")
        self.assertDecisions(f"## A\n{rejected}Held by: a test.\n", "sim/Rationale.md:1: 'A' needs a line 'Held by: ")

    def testRefusesDecisionsInOtherForms(self):
        for line in ("- A. Rejected: b.", "**A.** Because.", "### A", "| a | b |"):
            with self.subTest(line):
                self.setUp()
                self.assertDecisions(f"# R\n\n{line}\n", "sim/Rationale.md:3: write a decision as '## DECISION'")

    def testRefusesDecisionsThatNoTestHolds(self):
        for name in ("MacTest.AddsThreeNumbers", "tests/sim/three-layers.mlir", "MacTest"):
            with self.subTest(name):
                self.setUp()
                self.assertDecisions(f"## A\nRejected: b.\nHeld by: `MacTest.AddsTwoNumbers`, `{name}`.\n",
                                     f"sim/Rationale.md:1: {name}: neither a test nor a path of the tree")

    def testFixFormatsFiles(self):
        self.commit({**kClean, "sim/lib/Mac.cpp": kHeader + "int  a;\n"})
        code, output = self.run_(kPresubmit, "--all", "--without-build", "--fix")
        self.assertEqual(code, 0, output)

    def testChecksChangedFilesOnly(self):
        self.commit({**kClean, "Old.txt": f"{kLicense} \n"})
        self.write("New.txt", f"{kLicense} \n")
        code, output = self.run_(kPresubmit, "--without-build")
        self.assertEqual(code, 1, output)
        self.assertIn("New.txt:1: trailing space", output)
        self.assertNotIn("Old.txt", output)


if __name__ == "__main__":
    unittest.main()

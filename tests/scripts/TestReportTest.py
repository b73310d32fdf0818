#===- TestReportTest.py - Skipped and failed tests of a report are printed
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Has ctest run small tests and scripts/testReport read its report.

  TestReportTest.py PATH_OF_SCRIPT PATH_OF_CTEST
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

kScript, kCtest = sys.argv.pop(1), sys.argv.pop(1)


class TestReportTest(unittest.TestCase):
    def printed(self, tests, properties=""):
        """Exit code and output for tests of {name: command}, which have these properties."""
        with tempfile.TemporaryDirectory() as folder:
            lines = [f"add_test({name} {command})\n" for name, command in tests.items()]
            if properties:
                lines.append(f"set_tests_properties({' '.join(tests)} PROPERTIES {properties})\n")
            pathlib.Path(folder, "CTestTestfile.cmake").write_text("".join(lines), encoding="utf-8")
            subprocess.run([kCtest, "--test-dir", folder, "--output-junit", "report.xml"], capture_output=True, check=False)
            return self.runScript(pathlib.Path(folder, "report.xml"))

    def runScript(self, report):
        run = subprocess.run([sys.executable, kScript, report], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def testPrintsEndOfOutputOfFailedTests(self):
        code, text = self.printed({"good": "echo fine", "bad": 'sh -c "seq 1000 1099; exit 3"'})
        self.assertEqual(code, 1)
        self.assertIn("== FAILED bad", text)
        self.assertIn("1099", text)
        self.assertIn("... 60 lines before these", text)
        self.assertNotIn("1059", text)
        self.assertNotIn("fine", text)

    def testNamesTestsWithoutProgram(self):
        code, text = self.printed({"gone": "/nonexistent/program"})
        self.assertEqual(code, 1)
        self.assertIn("== FAILED gone", text)
        self.assertIn("/nonexistent/program", text)

    def testCountsSkippedCasesByReason(self):
        google = r"/t/PageTest.cpp:8: Skipped\nno browser\n\n/t/PageTest.cpp:9: Skipped\nno browser\n"
        python = r"skipped: test_bash (CompletionTest.CompletionTest.test_bash): bash is not installed\n"
        code, text = self.printed({name: f"printf [==[{output}]==]" for name, output in
                                   (("pages", google), ("morePages", google), ("shells", python))})
        self.assertEqual(code, 0)
        self.assertIn("== 5 cases were skipped\n    4  no browser\n       in pages, morePages\n"
                      "    1  bash is not installed\n       in shells\n", text)

    def testGivesLastLineOfSkippedTest(self):
        code, text = self.printed({"kernel": 'sh -c "echo start; echo no kernel is here; exit 77"'}, "SKIP_RETURN_CODE 77")
        self.assertEqual(code, 0)
        self.assertIn("== 1 case was skipped\n    1  no kernel is here\n       in kernel\n", text)

    def testPrintsNothingWhenAllPass(self):
        self.assertEqual(self.printed({"good": "echo fine"}), (0, ""))

    def testNamesAnUnreadableReport(self):
        code, text = self.runScript("/nonexistent/report.xml")
        self.assertEqual(code, 2)
        self.assertIn("/nonexistent/report.xml", text)


if __name__ == "__main__":
    unittest.main()

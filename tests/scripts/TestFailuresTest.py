#===- TestFailuresTest.py - The failed tests of a report are printed
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Has ctest run small tests and scripts/testFailures read its report.

  TestFailuresTest.py PATH_OF_SCRIPT PATH_OF_CTEST
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

kScript, kCtest = sys.argv.pop(1), sys.argv.pop(1)


class TestFailuresTest(unittest.TestCase):
    def printed(self, tests):
        """Exit code and output for tests of {name: command}."""
        with tempfile.TemporaryDirectory() as folder:
            lines = [f"add_test({name} {command})\n" for name, command in tests.items()]
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

    def testPrintsNothingWhenAllPass(self):
        self.assertEqual(self.printed({"good": "echo fine"}), (0, ""))

    def testNamesAnUnreadableReport(self):
        code, text = self.runScript("/nonexistent/report.xml")
        self.assertEqual(code, 2)
        self.assertIn("/nonexistent/report.xml", text)


if __name__ == "__main__":
    unittest.main()

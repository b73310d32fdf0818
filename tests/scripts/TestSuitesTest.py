#===- TestSuitesTest.py - How ctest runs the tests of a GoogleTest program
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Has ctest read scripts/cmake/AvocetTestSuites.cmake for a script that answers as a GoogleTest program does.

  TestSuitesTest.py PATH_OF_AvocetTestSuites.cmake PATH_OF_CTEST
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

kScript, kCtest = sys.argv.pop(1), sys.argv.pop(1)

# Lists its tests, or fails, skips or passes by the names that it is to run.
kProgram = """#!/bin/sh
case $1 in
--gtest_list_tests) cat "$0.list" ;;
*) echo "$2"
   case $2 in
   *Fails*) exit 1 ;;
   *Absent*) echo "[  SKIPPED ] all 2 tests" ;;
   esac ;;
esac
"""

kList = """Running main() from gtest_main.cc
First.
  One
  Two
Typed/0.  # TypeParam = int [3];
  One
All/Values.
  Equal/0  # GetParam() = "a;b.c [d]"
  Equal/1  # GetParam() = 8-byte object <01-00>
"""


class TestSuitesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.program = self.folder / "program"
        self.program.write_text(kProgram, encoding="utf-8")
        self.program.chmod(0o755)

    def list(self, text, separate=""):
        pathlib.Path(f"{self.program}.list").write_text(text, encoding="utf-8")
        calls = f'include("{kScript}")\navocet_add_suites("{self.program}" program asan. "{self.folder}" "{separate}")\n'
        (self.folder / "CTestTestfile.cmake").write_text(calls, encoding="utf-8")

    def ctest(self, *arguments):
        command = [kCtest, "--test-dir", str(self.folder), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def filters(self):
        """The names of ctest's tests, each with the tests of the program that it runs."""
        tests = json.loads(self.ctest("--show-only=json-v1").stdout)["tests"]
        return {test["name"]: test["command"][-1].removeprefix("--gtest_filter=") for test in tests}

    def testSuiteIsOneTest(self):
        self.list(kList)
        self.assertEqual(self.filters(), {"asan.First": "First.One:First.Two", "asan.Typed/0": "Typed/0.One",
                                          "asan.All/Values": "All/Values.Equal/0:All/Values.Equal/1"})

    def testLargeSuiteIsSeveralTests(self):
        self.list("Large.\n" + "".join(f"  T{number}\n" for number in range(90)) + "Next.\n  One\n")
        filters = self.filters()
        self.assertEqual(list(filters), ["asan.Large", "asan.Large.part2", "asan.Large.part3", "asan.Next"])
        named = ":".join(filters.values()).split(":")
        self.assertEqual(named, [f"Large.T{number}" for number in range(90)] + ["Next.One"])

    def testSeparateTests(self):
        self.list(kList, "TRUE")
        names = ["First.One", "First.Two", "Typed/0.One", "All/Values.Equal/0", "All/Values.Equal/1"]
        self.assertEqual(self.filters(), {f"asan.{name}": name for name in names})

    def testListFollowsProgram(self):
        self.list("First.\n  One\n")
        self.assertEqual(list(self.filters()), ["asan.First"])
        self.list("Second.\n  One\n")
        self.program.touch()
        self.assertEqual(list(self.filters()), ["asan.Second"])

    def testOutcomes(self):
        self.list("Good.\n  One\nBad.\n  Fails\nAbsent.\n  One\n  Two\n")
        run = self.ctest()
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("1 tests failed out of 3", run.stdout)
        self.assertRegex(run.stdout, r"asan\.Bad \(Failed\)")
        self.assertRegex(run.stdout, r"asan\.Absent \(Skipped\)")

    def testMissingProgramFails(self):
        self.list("First.\n  One\n")
        self.program.unlink()
        run = self.ctest()
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("asan.program_NOT_BUILT", run.stdout)

    def testProgramThatDoesNotListFails(self):
        self.list("")
        self.program.write_text("#!/bin/sh\necho no library; exit 3\n", encoding="utf-8")
        run = self.ctest()
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("ended with 3", run.stderr)


if __name__ == "__main__":
    unittest.main()

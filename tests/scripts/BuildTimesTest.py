#===- BuildTimesTest.py - Times of a small build are summed and sorted
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Has scripts/buildTimes build a small Ninja project.

  BuildTimesTest.py PATH_OF_SCRIPT
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

kScript = sys.argv.pop(1)
# A compiler that computes for the time in its last argument and writes what it was called with.
kCompiler = """import pathlib, sys, time
if sys.argv[-1] == "broken": sys.exit(3)
while time.process_time() < float(sys.argv[-1]): pass
pathlib.Path(sys.argv[2]).write_text(sys.argv[-1])
"""
kNinja = """rule cc
  command = {python} compiler.py -o $out -c $seconds
rule link
  command = cat $in > $out && : -o bin/program
build a/CMakeFiles/a.dir/slow.cpp.o: cc
  seconds = 0.4
build a/CMakeFiles/a.dir/quick.cpp.o: cc
  seconds = 0.1
build b/CMakeFiles/b.dir/other.cpp.o: cc
  seconds = {other}
build bin/program: link a/CMakeFiles/a.dir/slow.cpp.o a/CMakeFiles/a.dir/quick.cpp.o b/CMakeFiles/b.dir/other.cpp.o
"""


class BuildTimesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        (self.build / "compiler.py").write_text(kCompiler, encoding="utf-8")

    def run_(self, *arguments, other="0"):
        text = kNinja.format(python=sys.executable, other=other)
        (self.build / "build.ninja").write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, kScript, "--build", self.build, *arguments, "bin/program"],
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def secondsOf(self, name, text):
        return float(re.search(rf"([\d.]+) s +\d* +{name}$", text, re.MULTILINE)[1])

    def testSumsFoldersAndSortsFiles(self):
        code, text = self.run_()
        self.assertEqual(code, 0, text)
        self.assertGreaterEqual(self.secondsOf("a", text), 0.5)
        self.assertLess(self.secondsOf("b", text), self.secondsOf("a", text))
        self.assertLess(text.index("slow.cpp.o"), text.index("quick.cpp.o"))
        self.assertTrue((self.build / "bin/program").exists())

    def testOnlyMeasuresMatchingObjects(self):
        code, text = self.run_("--only", "^b/")
        self.assertEqual(code, 0, text)
        self.assertIn("other.cpp.o", text)
        self.assertNotIn("slow.cpp.o", text)
        self.assertFalse((self.build / "bin/program").exists())

    def testTopLimitsFiles(self):
        self.assertNotIn("quick.cpp.o", self.run_("--top", "1")[1])

    def testFailedCommandFails(self):
        code, text = self.run_(other="broken")
        self.assertEqual(code, 1)
        self.assertIn("other.cpp.o failed with exit code 3", text)


if __name__ == "__main__":
    unittest.main()

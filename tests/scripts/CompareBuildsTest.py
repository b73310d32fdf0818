#===- CompareBuildsTest.py - Two builds are compared member by member
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Lets scripts/compareBuilds compare small programs that stand for avocet.

  CompareBuildsTest.py PATH_OF_SCRIPT
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

kScript = sys.argv.pop(1)

# Takes "compile MODEL -o DIR -t TARGET" and "run DIR --report json --output-dir DIR", as avocet does.
kProgram = """#!/bin/sh
case $1 in
compile) {compile}mkdir "$4" && cat "$2" >"$4/model.avom" && echo {artefact} >"$4/data.avod" ;;
run) mkdir "$6" && echo {output} >"$6/out0.bin" && echo '{{"cycles": {cycles}, "host_run_ms": '$$'}}' ;;
esac
"""


class CompareBuildsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder_ = pathlib.Path(folder.name)
        self.model_ = self.folder_ / "small.tflite"
        self.model_.write_text("model")

    def program(self, name, compile="", artefact=1, output=2, cycles=3):
        path = self.folder_ / name
        path.write_text(kProgram.format(compile=compile, artefact=artefact, output=output, cycles=cycles))
        path.chmod(0o755)
        return path

    def compare(self, *options, **changes):
        """Exit code and output for an old program, and a new one that differs from it in `changes`."""
        programs = [self.program("old"), self.program("new", **changes)]
        run = subprocess.run([sys.executable, kScript, *programs, self.model_, "-t", "e256", *options],
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def testIgnoresTimesOfTheHost(self):
        code, text = self.compare()
        self.assertEqual(code, 0, text)
        self.assertIn("1 cases, 0 differ", text)

    def testNamesWhatDiffers(self):
        for changes, member in (({"artefact": 7}, "/artefacts/data.avod"), ({"output": 7}, "/outputs/out0.bin"),
                                ({"cycles": 7}, "/report/cycles"), ({"compile": "echo no >&2; exit 1; "}, "/refused")):
            with self.subTest(member):
                code, text = self.compare(**changes)
                self.assertEqual(code, 1)
                self.assertIn(member, text)

    def testTableHasCyclesAndTheirGrowth(self):
        code, text = self.compare(cycles=4)
        self.assertEqual(code, 1)
        self.assertRegex(text, r"\ndiffers +e256 +small +3 +4 +\+33\.33 %\n")

    def testMaxGrowthJudgesOutputsRefusalsAndCycles(self):
        for limit, changes, expected in (("34%", {"cycles": 4, "artefact": 7}, 0), ("33", {"cycles": 4}, 1),
                                         ("1%", {"cycles": 2}, 0), ("50%", {"output": 7}, 1),
                                         ("50%", {"compile": "echo no >&2; exit 1; "}, 1)):
            with self.subTest(limit=limit, **changes):
                code, text = self.compare("--max-growth", limit, **changes)
                self.assertEqual(code, expected, text)
                self.assertIn(f"1 cases, 1 differ, {expected} worse", text)
        self.assertEqual(self.compare("--max-growth", "much")[0], 2)

    def testNamesAMissingProgram(self):
        old = self.program("old")
        run = subprocess.run([sys.executable, kScript, old, self.folder_ / "gone", self.model_], capture_output=True,
                             text=True, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn("gone", run.stderr)


if __name__ == "__main__":
    unittest.main()

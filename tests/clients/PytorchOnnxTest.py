# Networks that PyTorch exports to ONNX, compiled and run, against eager mode.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import array
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

from Harness import program
from PytorchTest import SCRIPTS, PytorchTest, pytorchEnvironment

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../compiler/docs/OnnxModels.md")
BOUND = 2e-5  # of the largest magnitude
CONVOLUTIONAL = {"mobilenet_v2", "mobilenet_v3", "resnet", "efficientnet"}
LIMIT = 1.5  # on cycles over the bound of convolutional networks, on e256


def floats(path):
    with open(path, "rb") as file:
        return array.array("f", file.read())


class PytorchOnnxTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PytorchTest.setUpClass.__func__(cls)
        cls.directory = tempfile.TemporaryDirectory(prefix="avocetPytorchOnnx")
        cls.addClassCleanup(cls.directory.cleanup)

    def python(self, *arguments):
        run = subprocess.run([sys.executable, "-W", "ignore", *arguments], env=pytorchEnvironment(self.folder),
                             capture_output=True, text=True, timeout=200, cwd=self.directory.name, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def runNetwork(self, name):
        """The report."""
        path = os.path.join(self.directory.name, name)
        command = [program("avocet"), "run", path + ".onnx", "-i", path + ".in", "-o", path, "--report", "json"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_networksMatchEagerMode(self):
        names = [line.split()[0] for line in self.python(os.path.join(SCRIPTS, "ExportNetworks.py"), ".").splitlines()
                 if "->" in line]
        self.assertGreaterEqual(len(names), 8)
        for name in names:
            with self.subTest(name):
                report = self.runNetwork(name)
                path = os.path.join(self.directory.name, name)
                found, expected = floats(os.path.join(path, "out0.bin")), floats(path + ".out")
                self.assertEqual(len(found), len(expected))
                scale = max(map(abs, expected))
                self.assertLessEqual(max(abs(a - b) for a, b in zip(found, expected)), BOUND * scale)
                kinds = [layer["operation"].upper() for layer in report["layers"]]
                if name in CONVOLUTIONAL:
                    self.assertNotIn("TRANSPOSE", kinds)
                    self.assertLessEqual(report["cycles"], LIMIT * report["roofline_cycles"])

    def test_pageShowsWhatRuns(self):
        """The Python and the commands of the page."""
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        script = "\n".join(re.findall(r"^    (.*)$", page, re.MULTILINE))
        commands = re.findall(r"^\$ (avocet .*)$", page, re.MULTILINE)
        self.assertTrue(script and commands)
        self.python("-c", script)
        for command in commands:
            words = command.split()
            run = subprocess.run([program(words[0]), *words[1:]], capture_output=True, text=True, timeout=100,
                                 cwd=self.directory.name, check=False)
            self.assertEqual(run.returncode, 0, command + "\n" + run.stderr)


if __name__ == "__main__":
    unittest.main()

# The examples, built and run as their comments say.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

from Harness import (PATIENCE, environment, library, needClient, needDelegate, needNode, needTflite,
                     program)
from PytorchTest import pytorchEnvironment

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "examples")
ROOT = os.path.join(HERE, "..", "..")
DIGITS = os.path.join(HERE, "..", "models", "digits")
MODEL = os.path.join(DIGITS, "digits_int8.tflite")
LONGEST = 60  # lines


class ExamplesTest(unittest.TestCase):
    """The classifiers get the first image of the digits' test set."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="avocetExamples")
        cls.image = os.path.join(cls.folder.name, "image")
        pixels = numpy.fromfile(os.path.join(DIGITS, "test-images.idx3-ubyte"), numpy.uint8, 28 * 28, offset=16)
        (pixels.astype(int) - 128).astype(numpy.int8).tofile(cls.image)
        label = numpy.fromfile(os.path.join(DIGITS, "test-labels.idx1-ubyte"), numpy.uint8, 1, offset=8)[0]
        cls.answer = f"class {label}\n"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_(self, command, env=None):
        run = subprocess.run(command, env=env or environment(), capture_output=True, text=True,
                             timeout=4 * PATIENCE, check=False)
        self.assertEqual(run.returncode, 0, f"{command}\n{run.stdout}{run.stderr}")
        return run.stdout

    def build(self, compiler, source, *options):
        target = os.path.join(self.folder.name, source + ".out")
        self.run_([compiler, os.path.join(EXAMPLES, source), "-Wall", "-Wextra", "-Werror", *options, "-o", target])
        return target

    def tfliteOptions(self, *libraries):
        folder = needTflite()
        include = os.path.join(os.path.dirname(folder), "include")
        return [f"-I{include}", f"-L{folder}", *libraries, f"-Wl,-rpath,{folder}"]

    def test_examplesAreShort(self):
        for name in os.listdir(EXAMPLES):
            with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
                self.assertLess(len(file.readlines()), LONGEST, name)

    def test_nnapiInC(self):
        folder = os.path.dirname(library("libneuralnetworks.so"))
        built = self.build("cc", "Nnapi.c", "-I" + os.path.join(ROOT, "hal", "nnapi", "include"), f"-L{folder}",
                           "-lneuralnetworks", f"-Wl,-rpath,{folder}")
        self.assertEqual(self.run_([built]), "edges: 4 4 0\n")

    def test_runtimeInCpp(self):
        self.assertEqual(self.run_([program("runtimeExample"), MODEL, self.image]), self.answer)

    def test_tfliteWithNnapi(self):
        built = self.build("cc", "TfliteNnapi.c", *self.tfliteOptions("-ltensorflowlite_c"))
        self.assertIn(self.answer, self.run_([built, MODEL, self.image]))

    def test_tfliteWithDelegate(self):
        delegate = needDelegate()
        built = self.build("c++", "TfliteDelegate.cpp",
                           *self.tfliteOptions("-ltensorflowlite_c", "-lexternal_delegate_obj"))
        self.assertIn(self.answer, self.run_([built, delegate, MODEL, self.image]))

    def test_pytorch(self):
        folder = needClient("pytorch", "PyTorch 1.13")
        script = os.path.join(EXAMPLES, "Pytorch.py")
        self.assertIn("largest difference", self.run_([sys.executable, script], pytorchEnvironment(folder)))

    def test_nodeWithDelegate(self):
        script = os.path.join(EXAMPLES, "Node.js")
        found = environment(NODE_PATH=os.path.join(needNode(), "node_modules"))
        self.assertIn(self.answer, self.run_(["node", script, needDelegate(), MODEL, self.image], found))

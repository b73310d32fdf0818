# The examples, built and run as their comments say.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

import Harness
from Harness import (PATIENCE, environment, library, needClient, needDelegate, needNode, needOnnxruntime, needProvider,
                     needTflite, program)
from PytorchTest import pytorchEnvironment

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "examples")
ROOT = os.path.join(HERE, "..", "..")
DIGITS = os.path.join(HERE, "..", "models", "digits")
MODEL = os.path.join(DIGITS, "digits_int8.tflite")
LONGEST = 60  # lines

sys.path[:0] = [os.path.join(HERE, "..", "support"), os.path.join(HERE, "..", "compiler", "onnx")]
import Proto  # pylint: disable=wrong-import-position
from FlatBuffer import Scalar, Table, TableVector, Vector, Writer  # pylint: disable=wrong-import-position


def scoresModel(elementType):
    """A .tflite file whose result is its input, ten scores: RELU of numbers that are not negative."""
    kUint8, kFloat32, kRelu = 3, 0, 19
    isByte = elementType == numpy.uint8
    quantization = Table({2: Vector(numpy.array([0.1], numpy.float32)), 3: Vector(numpy.array([0], numpy.int64))})
    tensors = [Table({0: Vector(numpy.array([1, 10], numpy.int32)), 1: Scalar("b", kUint8 if isByte else kFloat32),
                      3: name, 4: quantization if isByte else None}) for name in ("image", "scores")]
    indices = [Vector(numpy.array([i], numpy.int32)) for i in range(2)]
    graph = Table({0: TableVector(tensors), 1: indices[0], 2: indices[1],
                   3: TableVector([Table({1: indices[0], 2: indices[1]})]), 4: "scores"})
    code = Table({0: Scalar("b", kRelu), 2: Scalar("i", 2 if isByte else 1), 3: Scalar("i", kRelu)})
    return Writer("TFL3").finish(Table({0: Scalar("I", 3), 1: TableVector([code]), 2: TableVector([graph]),
                                        4: TableVector([Table({})])}))


def scoresOnnx():
    """The same as an .onnx file, of float32."""
    infos = [Proto.value_info(name, "f32", [1, 10]) for name in ("image", "scores")]
    return Proto.model(Proto.graph([Proto.node("Relu", ["image"], ["scores"], "relu", "", {})], [], infos[:1], infos[1:]), 17)


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

    def scores(self, elementType, isOnnx=False):
        """Files of a network and of its input. As int8 the greatest of the bytes is another one."""
        kinds = ("onnx" if isOnnx else "tflite", "input")
        files = [os.path.join(self.folder.name, f"{elementType.__name__}.{kind}") for kind in kinds]
        with open(files[0], "wb") as file:
            file.write(scoresOnnx() if isOnnx else scoresModel(elementType))
        numpy.array([3, 90, 127, 0, 200, 130, 1, 2, 199, 4], elementType).tofile(files[1])
        return files

    def checkScores(self, command, elementTypes, env=None):
        for elementType in elementTypes:
            self.assertIn("class 4\n", self.run_(command + self.scores(elementType), env))

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
        self.checkScores([program("runtimeExample")], [numpy.uint8])

    def test_tfliteWithNnapi(self):
        built = self.build("cc", "TfliteNnapi.c", *self.tfliteOptions("-ltensorflowlite_c"))
        self.assertIn(self.answer, self.run_([built, MODEL, self.image]))
        self.checkScores([built], [numpy.uint8, numpy.float32])

    def test_tfliteWithDelegate(self):
        delegate = needDelegate()
        built = self.build("c++", "TfliteDelegate.cpp",
                           *self.tfliteOptions("-ltensorflowlite_c", "-lexternal_delegate_obj"))
        self.assertIn(self.answer, self.run_([built, delegate, MODEL, self.image]))
        self.checkScores([built, delegate], [numpy.uint8, numpy.float32])

    def test_onnxRuntimeInCpp(self):
        folder = needOnnxruntime()
        shutil.copy(os.path.join(HERE, "onnxruntime", "OnnxRuntimeHeader.h"),
                    os.path.join(self.folder.name, "onnxruntime_c_api.h"))
        built = self.build("c++", "OnnxRuntime.cpp", "-std=c++17", "-I" + self.folder.name, f"-L{folder}",
                           "-l:libonnxruntime.so.1", f"-Wl,-rpath,{folder}")
        self.assertEqual(self.run_([built, needProvider(), *self.scores(numpy.float32, isOnnx=True)]), "class 4\n")

    def test_onnxRuntimeInPython(self):
        needOnnxruntime()
        found = environment(PYTHONPATH=os.path.join(HERE, "onnxruntime"), AVOCET_CLIENTS=Harness.CLIENTS)
        command = [sys.executable, "-B", os.path.join(EXAMPLES, "OnnxRuntime.py"), needProvider()]
        self.assertEqual(self.run_(command + self.scores(numpy.float32, isOnnx=True), found), "class 4\n")

    def test_pytorch(self):
        folder = needClient("pytorch", "PyTorch 1.13")
        script = os.path.join(EXAMPLES, "Pytorch.py")
        self.assertIn("largest difference", self.run_([sys.executable, script], pytorchEnvironment(folder)))

    def test_nodeWithDelegate(self):
        script = os.path.join(EXAMPLES, "Node.js")
        found = environment(NODE_PATH=os.path.join(needNode(), "node_modules"))
        self.assertIn(self.answer, self.run_(["node", script, needDelegate(), MODEL, self.image], found))
        self.checkScores(["node", script, needDelegate()], [numpy.uint8, numpy.float32], found)

# Why a network has other results through NNAPI than through the delegate: MEAN.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NNAPI's MEAN keeps the scale of its input. Where the file has another one, TensorFlow Lite appends an ADD of 0 that changes
the scale, so that the mean is rounded twice; its own kernels and the delegate round once (hal/Applications.md)."""

import os
import sys
import tempfile
import unittest
from types import SimpleNamespace

import numpy

from Goldens import allGoldens
from Harness import Application, needDelegate, needModels, needTflite
from TfliteFile import TfliteFile
from TfliteNnapiTest import STEPS

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "digits"))
from FixedPoint import quantizeMultiplier, rescale  # pylint: disable=wrong-import-position
from IntegerReference import add  # pylint: disable=wrong-import-position

MEAN = 40  # BuiltinOperator


def quantization(tensor):
    return SimpleNamespace(scale=[tensor.scale], zeroPoint=tensor.zeroPoint)


def meanOverPixels(stored, source, target):
    """Rounded once, to the scale of the target."""
    count = stored.shape[1] * stored.shape[2]
    significand, exponent = quantizeMultiplier(numpy.float64(source.scale) / target.scale)
    bits = count.bit_length() - 1
    sums = stored.sum(axis=(1, 2), keepdims=True) - count * source.zeroPoint
    return numpy.clip(rescale(sums, ((significand << bits) // count, exponent - bits)) + target.zeroPoint, -128, 127)


def meanThenAdd(stored, source, target):
    """Rounded to the scale of the source, then to that of the target."""
    mean = meanOverPixels(stored, source, source)
    zero = numpy.full_like(mean, source.zeroPoint)
    layer = SimpleNamespace(output=quantization(target), relu=False)
    return add(layer, mean, zero, quantization(source), quantization(source))


class NnapiMeanTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needTflite()
        cls.delegate = needDelegate()
        goldens = {golden.name: golden for golden in allGoldens(needModels())}
        cls.golden = goldens["mobilenet_v2_100_224_int8"]
        cls.file = TfliteFile(cls.golden.model)
        cls.mean = [operator.code for operator in cls.file.operators].index(MEAN)

    def results(self, model, case, *options, **variables):
        """The stored numbers of each operator's result, widened."""
        application = Application(model, *options, **variables)
        self.addCleanup(application.remove)
        self.assertTrue(application.isReady(), application.logText())
        code, outputs = application.infer(self.golden.inputs(case), len(self.file.operators))
        self.assertEqual(code, 0, application.logText())
        self.assertEqual(application.finish()[0], 0)
        tensors = [self.file.tensors[operator.outputs[0]] for operator in self.file.operators]
        return [numpy.frombuffer(output, tensor.elementType).reshape(tensor.shape).astype(numpy.int64)
                for output, tensor in zip(outputs, tensors)]

    def check(self, model, case):
        nnapi = self.results(model, case, "--nnapi", AVOCET_NNAPI_DEVICES="embedded")
        delegate = self.results(model, case, "--delegate", self.delegate)
        steps = [int(abs(mine - its).max()) for mine, its in zip(nnapi, delegate)]
        self.assertEqual(steps[:self.mean], [0] * self.mean, f"{case}: an operator before MEAN differs")
        self.assertEqual(steps[self.mean], 1, f"{case}: MEAN")
        self.assertLessEqual(steps[-1], STEPS[self.golden.name], f"{case}: the results")
        operator = self.file.operators[self.mean]
        source, target = self.file.tensors[operator.inputs[0]], self.file.tensors[operator.outputs[0]]
        for expected, found in ((meanOverPixels, delegate), (meanThenAdd, nnapi)):
            same = numpy.array_equal(found[self.mean], expected(found[self.mean - 1], source, target))
            self.assertTrue(same, f"{case}: MEAN is not {expected.__name__}")
        return steps

    def test_onlyMeanDiffersByItsTwoRoundings(self):
        with tempfile.TemporaryDirectory(prefix="avocetClients") as folder:
            model = os.path.join(folder, "model.tflite")
            self.file.writeWithOutputs(model, [operator.outputs[0] for operator in self.file.operators])
            print("\ncase  steps of MEAN  steps of the results")
            for case in self.golden.cases:
                steps = self.check(model, case)
                print(f"{case:4} {steps[self.mean]:14} {steps[-1]:21}")


# TensorFlow Lite with NNAPI: every model and every case, on the embedded device and on a service.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many operations run on the device is part of the contract: NnapiOperations.txt. An operation that moves
to the CPU gives right results there, so only the count shows it."""

import unittest

import numpy

from Goldens import REFUSED, allGoldens
from Harness import Application, Service, expectedCounts, needModels, needTflite

PARTLY_ON_CPU = ["mnist_lstm_int8"]  # TensorFlow Lite's own kernels, which may round differently
STEPS = {"mobilenet_v2_100_224_int8": 4}  # of MEAN: NnapiMeanTest.py


def allowedDifference(golden, tolerance):
    """Networks of integers give the bits of the reference kernels, but for those in the lists."""
    isExact = golden.name not in PARTLY_ON_CPU and numpy.float32 not in golden.outputTypes
    return STEPS.get(golden.name, 0) if isExact else tolerance


class TfliteNnapiTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needTflite()
        cls.goldens = allGoldens(needModels())

    def run_(self, golden, **variables):
        """Runs all cases of a model; returns (largest difference, allowed, counters)."""
        application = Application(golden.model, "--nnapi", **variables)
        self.addCleanup(application.remove)
        self.assertTrue(application.isReady(), f"{golden.name}: {application.start} {application.logText()}")
        worst = allowed = 0.0
        for case in golden.cases:
            self.assertEqual(application.ask("reset"), ["reset", "0"])
            result = application.infer(golden.inputs(case), len(golden.outputTypes))
            self.assertIsNotNone(result, f"{golden.name} {case}: the application ended: {application.logText()}")
            self.assertEqual(result[0], 0, f"{golden.name} {case}: {application.logText()}")
            difference, tolerance, isSame = golden.compare(case, result[1])
            tolerance = allowedDifference(golden, tolerance)
            self.assertLessEqual(difference, tolerance, f"{golden.name} {case}")
            self.assertTrue(isSame, f"{golden.name} {case}: another largest element")
            if difference - tolerance > worst - allowed or not allowed:
                worst, allowed = difference, tolerance
        code, counters = application.finish()
        self.assertEqual(code, 0, application.logText())
        return worst, allowed, counters

    def runAll(self, **variables):
        actual = {}
        print(f"\n{'model':28} cases operations on device   difference    allowed")
        for golden in self.goldens:
            if golden.name in REFUSED:
                print(f"{golden.name:28} {REFUSED[golden.name]}")
                continue
            worst, allowed, counters = self.run_(golden, **variables)
            actual[golden.name] = (counters["operations"], counters["operationsOnDevice"])
            print(f"{golden.name:28} {len(golden.cases):5} {actual[golden.name][0]:10} {actual[golden.name][1]:9} "
                  f"{worst:12.3g} {allowed:10.3g}")
            self.assertEqual(counters["executions"], len(golden.cases), golden.name)
            self.assertEqual((counters["cpuFallbacks"], counters["failedExecutions"]), (0, 0), golden.name)
        self.assertEqual(actual, expectedCounts("NnapiOperations.txt"))

    def test_embeddedDeviceMatchesGoldens(self):
        self.runAll(AVOCET_NNAPI_DEVICES="embedded")

    def test_serviceMatchesGoldens(self):
        service = Service()
        try:
            self.runAll(**service.environment())
        finally:
            self.assertEqual(service.stop(), 0)

    def test_refusedModelsStayRefused(self):
        for golden in self.goldens:
            if golden.name in REFUSED:
                application = Application(golden.model)
                self.addCleanup(application.remove)
                self.assertFalse(application.isReady(), golden.name)

# Applications and services that die, and processes that fork.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import tempfile
import time
import unittest

import numpy

from Harness import Application, Service, needTflite

DIGITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "digits", "digits_int8.tflite")
INPUT_BYTES = 28 * 28


class LifetimeTest(unittest.TestCase):
    """Each inference is compared with TensorFlow Lite's CPU kernels, which round one step differently at most."""

    @classmethod
    def setUpClass(cls):
        needTflite()
        cls.folder = tempfile.TemporaryDirectory(prefix="avocetLifetime")
        random = numpy.random.default_rng(13)
        cls.inputs = []
        for index in range(8):
            cls.inputs.append(os.path.join(cls.folder.name, f"input{index}"))
            random.integers(-128, 128, INPUT_BYTES, numpy.int8).tofile(cls.inputs[-1])
        reference = Application(DIGITS)
        cls.expected = [numpy.frombuffer(reference.infer([path], 1)[1][0], numpy.int8) for path in cls.inputs]
        reference.remove()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def startService(self):
        service = Service()
        self.addCleanup(service.stop)
        return service

    def startApplication(self, **variables):
        application = Application(DIGITS, "--nnapi", **variables)
        self.addCleanup(application.remove)
        self.assertTrue(application.isReady(), application.logText())
        return application

    def expectInferences(self, application, count):
        for number in range(count):
            index = number % len(self.inputs)
            result = application.infer([self.inputs[index]], 1)
            self.assertIsNotNone(result, f"inference {number}: the application ended: {application.logText()}")
            self.assertEqual(result[0], 0, f"inference {number}: {application.logText()}")
            actual = numpy.frombuffer(result[1][0], numpy.int8).astype(int)
            self.assertLessEqual(abs(actual - self.expected[index]).max(), 1, f"inference {number}")

    def expectRanOnDevice(self, application, least):
        code, counters = application.finish()
        self.assertEqual(code, 0, application.logText())
        self.assertGreaterEqual(counters["executions"], least)
        self.assertEqual((counters["cpuFallbacks"], counters["failedExecutions"]), (0, 0))

    def test_killedApplicationLeavesOtherRunning(self):
        service = self.startService()
        survivor = self.startApplication(**service.environment())
        for _ in range(3):
            victim = self.startApplication(**service.environment())
            victim.process.stdin.write("invoke 1000000\n")  # no answer before it is killed
            victim.process.stdin.flush()
            self.expectInferences(survivor, 100)
            victim.process.kill()
            self.expectInferences(survivor, 100)
        self.expectRanOnDevice(survivor, 600)
        self.assertEqual(service.stop(), 0)

    def checkFork(self, **variables):
        application = self.startApplication(**variables)
        self.expectInferences(application, 4)
        self.assertEqual(application.ask("fork"), ["forked", "0"], application.logText())
        self.expectInferences(application, 4)
        inherited = application.ask("forkUse")
        self.assertEqual(inherited[0], "forked")
        self.assertGreaterEqual(int(inherited[1]), 0, f"the child ended by a signal: {application.logText()}")
        self.expectInferences(application, 4)
        self.assertEqual(application.finish()[0], 0, application.logText())

    def test_forkedProcessUsesEmbeddedDevice(self):
        self.checkFork(AVOCET_NNAPI_DEVICES="embedded")

    def test_forkedProcessUsesService(self):
        self.checkFork(**self.startService().environment())

    def killDuringCall(self, service, application):
        application.process.stdin.write("invoke 1000000\n")
        application.process.stdin.flush()
        time.sleep(0.1)
        service.kill()
        start = time.monotonic()
        answer = application.answer()
        self.assertLess(time.monotonic() - start, 5, "the call did not end with the service")
        self.assertEqual(answer[:1], ["invoked"], application.logText())
        self.assertNotEqual(answer[1], "0")
        self.assertIn("ANEURALNETWORKS_DEAD_OBJECT", application.logText())

    def test_killedServiceFailsCallThenRecovers(self):
        service = self.startService()
        application = self.startApplication(**service.environment())
        for _ in range(3):
            self.expectInferences(application, 8)
            self.killDuringCall(service, application)
            service.start()
        self.expectInferences(application, 8)
        self.assertEqual(application.finish()[0], 0, application.logText())
        self.assertEqual(service.stop(), 0)

    def test_callsFailWhileServiceIsGone(self):
        service = self.startService()
        application = self.startApplication(**service.environment())
        self.killDuringCall(service, application)
        answer = application.ask("invoke 1")  # waits some seconds for the service to start again
        self.assertEqual(answer[0], "invoked", application.logText())
        self.assertNotEqual(answer[1], "0")
        service.start()
        self.assertEqual(application.ask("recreate")[0], "ready", application.logText())
        self.expectInferences(application, 8)

    def test_automaticChoiceTakesServiceElseEmbedded(self):
        service = self.startService()
        variables = {"AVOCET_SOCKET": service.path}
        connected = self.startApplication(**variables)
        self.expectInferences(connected, 8)
        self.assertEqual(service.preparedModels(), 1)
        connected.remove()
        service.kill()
        alone = self.startApplication(**variables)
        self.expectInferences(alone, 8)
        self.expectRanOnDevice(alone, 8)

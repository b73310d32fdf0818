# States and caches of the delegate, and services that end.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one process shows about libavocet_delegate.so: variables, services that end, and the cache. Operators and models are
in tests/hal/delegate."""

import array
import os
import shutil
import tempfile
import unittest

from Goldens import allGoldens
from Harness import Application, Service, needDelegate, needModels, needTflite

OK, ERROR = 0, 1  # kTfLiteOk, kTfLiteError
TOLERANCE = 1e-5


class DelegateLifeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needTflite()
        cls.delegate = needDelegate()
        cls.goldens = {golden.name: golden for golden in allGoldens(needModels())}

    def start(self, golden, *options):
        """An application with the delegate and its options."""
        arguments = [word for option in options for word in ("--option", option)]
        application = Application(golden.model, "--delegate", self.delegate, *arguments)
        self.addCleanup(application.remove)
        self.assertTrue(application.isReady(), application.logText())
        return application

    def service(self):
        service = Service()
        self.addCleanup(service.stop)
        return service

    def infer(self, application, golden, case):
        code, outputs = application.infer(golden.inputs(case), len(golden.outputTypes))
        self.assertEqual(code, OK, application.logText())
        return outputs

    def sequence(self, application, golden):
        """The outputs of all cases, one after the other without a reset."""
        return [self.infer(application, golden, case)[0] for case in golden.cases]

    def test_statesContinueAsInTensorFlowLite(self):
        golden = self.goldens["mnist_lstm_fp32"]
        plain = Application(golden.model)
        self.addCleanup(plain.remove)
        expected = self.sequence(plain, golden)
        found = self.sequence(self.start(golden), golden)
        for mine, its in zip(found, expected):
            for a, b in zip(array.array("f", mine), array.array("f", its)):
                self.assertAlmostEqual(a, b, delta=TOLERANCE)

    def test_statesOnServiceEqualEmbeddedOnes(self):
        service = self.service()
        for name in ("mnist_lstm_fp32", "mnist_lstm_int8"):
            golden = self.goldens[name]
            served = self.start(golden, "socket=" + service.path)
            self.assertEqual(self.sequence(served, golden), self.sequence(self.start(golden), golden), name)

    def test_resetRestoresInitialStates(self):
        for name in ("mnist_lstm_fp32", "mnist_lstm_int8"):
            golden = self.goldens[name]
            application = self.start(golden)
            for case in golden.cases:
                self.assertEqual(application.ask("reset"), ["reset", "0"])
                difference, tolerance, isSame = golden.compare(case, self.infer(application, golden, case))
                self.assertLessEqual(difference, tolerance, f"{name} {case}")
                self.assertTrue(isSame, f"{name} {case}")

    def test_callFailsWithoutServiceThenReconnects(self):
        service, golden = self.service(), self.goldens["mnist_lstm_fp32"]
        reference, application = self.start(golden), self.start(golden, "socket=" + service.path)
        self.assertEqual(self.infer(application, golden, "00"), self.infer(reference, golden, "00"))
        service.kill()
        code, _ = application.infer(golden.inputs("01"), 1)
        self.assertEqual(code, ERROR)
        self.assertIn("the next call connects again", application.logText())
        service.start()
        # The failed run has changed no state.
        self.assertEqual(self.infer(application, golden, "01"), self.infer(reference, golden, "01"))

    def test_callFailsDuringDeathThenReconnects(self):
        service, golden = self.service(), self.goldens["ic_resnet_large_fp32"]
        application = self.start(golden, "socket=" + service.path)
        expected = self.infer(application, golden, "00")
        application.process.stdin.write("invoke 1000000\n")
        application.process.stdin.flush()
        service.kill()
        self.assertEqual(application.answer()[:2], ["invoked", str(ERROR)])
        service.start()
        self.assertEqual(self.infer(application, golden, "00"), expected)

    def test_warmStartNeedsNoCompiler(self):
        golden = self.goldens["mobilenet_v2_100_224_int8"]
        folder = tempfile.mkdtemp(prefix="avocetClients")
        self.addCleanup(shutil.rmtree, folder)
        outputs, starts, compilers = [], [], []
        for _ in range(2):
            application = self.start(golden, "cache_dir=" + os.path.join(folder, "cache"))
            with open(f"/proc/{application.process.pid}/maps", encoding="utf-8") as maps:
                compilers.append("libavocetCompiler" in maps.read())
            starts.append(float(application.start[1]))
            outputs.append(self.infer(application, golden, "00"))
        self.assertEqual(compilers, [True, False])
        self.assertEqual(outputs[0], outputs[1])
        print(f"\ncold start {starts[0] / 1000:.1f} ms, warm {starts[1] / 1000:.1f} ms")

# TensorFlow Lite with the delegate: every model and every case gives the bits of `avocet run`.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many nodes run on the device is part of the contract: DelegateNodes.txt."""

import os
import re
import subprocess
import tempfile
import unittest

from Goldens import REFUSED, allGoldens
from Harness import PATIENCE, Application, Service, expectedCounts, needDelegate, needModels, needTflite, program


def command(*arguments):
    subprocess.run(arguments, check=True, capture_output=True, timeout=2 * PATIENCE)


def runAlone(golden):
    """{case: bytes of the outputs} of `avocet run`, which is held to the goldens by tests of its own."""
    results = {}
    with tempfile.TemporaryDirectory(prefix="avocetAlone") as folder:
        artefacts = os.path.join(folder, "artefacts")
        command(program("avocet"), "compile", golden.model, "-o", artefacts)
        for case in golden.cases:
            inputs = [option for path in golden.inputs(case) for option in ("--input", path)]
            command(program("avocet"), "run", artefacts, *inputs, "--output-dir", folder, "--report", "none", "--mode",
                    "functional")
            results[case] = []
            for index in range(len(golden.outputTypes)):
                with open(os.path.join(folder, f"out{index}.bin"), "rb") as file:
                    results[case].append(file.read())
    return results


class TfliteDelegateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        needTflite()
        cls.delegate = needDelegate()
        cls.goldens = [golden for golden in allGoldens(needModels()) if golden.name not in REFUSED]
        cls.alone = {golden.name: runAlone(golden) for golden in cls.goldens}

    def run_(self, golden, *options):
        """Runs all cases of a model; returns (nodes of the file, nodes on the device)."""
        with tempfile.TemporaryDirectory(prefix="avocetProfile") as folder:
            profile = os.path.join(folder, "profile")
            settings = [text for option in (f"profile={profile}", *options) for text in ("--option", option)]
            application = Application(golden.model, "--delegate", self.delegate, *settings)
            self.addCleanup(application.remove)
            self.assertTrue(application.isReady(), f"{golden.name}: {application.start} {application.logText()}")
            for case in golden.cases:
                self.assertEqual(application.ask("reset"), ["reset", "0"])
                result = application.infer(golden.inputs(case), len(golden.outputTypes))
                self.assertIsNotNone(result, f"{golden.name} {case}: the application ended: {application.logText()}")
                self.assertEqual(result[0], 0, f"{golden.name} {case}: {application.logText()}")
                self.assertEqual(result[1], self.alone[golden.name][case], f"{golden.name} {case}: other bits")
            self.assertEqual(application.finish()[0], 0, application.logText())
            with open(profile, encoding="utf-8") as file:
                onDevice, nodes = re.match(r"(\d+) of (\d+) nodes", file.read()).groups()
        return int(nodes), int(onDevice)

    def runAll(self, *options):
        actual = {}
        print(f"\n{'model':28} cases nodes on device")
        for golden in self.goldens:
            actual[golden.name] = self.run_(golden, *options)
            print(f"{golden.name:28} {len(golden.cases):5} {actual[golden.name][0]:5} {actual[golden.name][1]:9}")
        self.assertEqual(actual, expectedCounts("DelegateNodes.txt"))

    def test_embeddedDeviceGivesBitsOfCommand(self):
        self.runAll()

    def test_serviceGivesBitsOfCommand(self):
        service = Service()
        try:
            self.runAll(f"socket={service.path}")
        finally:
            self.assertEqual(service.stop(), 0)

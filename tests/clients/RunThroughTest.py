# avocet run --through: the command runs a network in TensorFlow Lite and says where the time goes.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import subprocess
import tempfile
import unittest

import Harness
from Harness import PATIENCE, Service, environment, needDelegate, needModels, needTflite, program

HERE = os.path.dirname(os.path.abspath(__file__))
DIGITS = os.path.join(HERE, "..", "models", "digits", "digits_int8.tflite")
DIGITS_OPERATORS = 13
WAYS = ("nnapi", "delegate")
PARTS = ("application", "library", "driver", "device", "cpu", "other")


class Command(unittest.TestCase):
    """Each test works in a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="avocetThrough")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def avocet(self, *arguments, clients=None, avocet=None, **variables):
        command = [avocet or program("avocet"), "run", *arguments]
        if "--through" in arguments:
            command += ["--clients", clients or Harness.CLIENTS]
        return subprocess.run(command, capture_output=True, text=True, timeout=2 * PATIENCE, cwd=self.folder, check=False,
                              env=environment(**variables))

    def report(self, *arguments, **variables):
        result = self.avocet(*arguments, "--report", "json", **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def outputs(self, folder):
        """{path below the folder: bytes}"""
        found = {}
        for place, _, names in os.walk(self.path(folder)):
            for name in names:
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.path(folder))] = file.read()
        return found

    def refused(self, code, words, *arguments, **settings):
        result = self.avocet(*arguments, **settings)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stdout}{result.stderr}")
        self.assertIn(words, result.stderr, arguments)
        self.assertEqual(result.stdout, "", arguments)


def checkSplit(test, report, parts):
    time = report["time_ms"]
    test.assertEqual(set(time), {"total", *parts})
    test.assertAlmostEqual(sum(time[part] for part in parts), time["total"], places=9)
    for part in ("application", "library", "driver", "device"):
        test.assertGreater(time[part], 0, part)
    test.assertEqual((time["cpu"], time["other"]), (0, 0))
    spread = report["invoke_ms"]
    test.assertLessEqual(spread["least"], time["total"])
    test.assertLessEqual(time["total"], spread["most"])


class ResultsTest(Command):
    """Same seed, same inputs: the results are those of the network without an application."""

    @classmethod
    def setUpClass(cls):
        needTflite()
        needDelegate()

    def compare(self, model, *arguments):
        self.report(model, "--output-dir", "alone", *arguments)
        self.report(model, "--through", "delegate", "--output-dir", "application", *arguments)
        alone = {name: value for name, value in self.outputs("alone").items() if not name.startswith("state")}
        self.assertGreater(len(alone), 0)
        self.assertEqual(self.outputs("application"), alone, "other bits")

    def test_delegateGivesBitsOfCommand(self):
        self.compare(DIGITS, "--seed", "7")

    def test_givenInputsReachTheApplication(self):
        with open(self.path("image"), "wb") as file:
            file.write(bytes(range(256)) * 3 + bytes(16))
        self.compare(DIGITS, "--input", "image")

    def test_statesAdvanceInTheApplication(self):
        model = os.path.join(needModels(), "mnist_lstm_fp32")
        self.compare(os.path.join(model, "model.tflite"), "--input", os.path.join(model, "00.in0.bin"), "--runs", "3")
        outputs = self.outputs("application")
        self.assertEqual(sorted(outputs), ["run0/out0.bin", "run1/out0.bin", "run2/out0.bin"])
        self.assertEqual(len(set(outputs.values())), 3)

    def test_repeatedRunsStartFromInitialStates(self):
        model = os.path.join(needModels(), "mnist_lstm_fp32", "model.tflite")
        self.assertEqual(self.report(model, "--through", "delegate", "--repeat", "3")["runs"], 3)

    def test_nnapiIsWithinOneStep(self):
        self.report(DIGITS, "--output-dir", "alone")
        self.report(DIGITS, "--through", "nnapi", "--output-dir", "application")
        expected, actual = self.outputs("alone")["out0.bin"], self.outputs("application")["out0.bin"]
        self.assertEqual(len(actual), len(expected))
        self.assertLessEqual(max(abs(a - b) for a, b in zip(actual, expected)), 1)


class TimesTest(Command):
    @classmethod
    def setUpClass(cls):
        needTflite()
        needDelegate()

    def checkOperations(self, report):
        self.assertEqual(report["operators"], DIGITS_OPERATORS)
        self.assertEqual(report["operations_on_device"], report["operations"])
        self.assertEqual((report["partitions"], report["operations_on_cpu"], report["cpu_fallbacks"]), (1, 0, 0))
        self.assertEqual(report["operators_in_application"], 0)

    def test_partsOfEmbeddedDeviceAddUp(self):
        for way in WAYS:
            with self.subTest(way):
                report = self.report(DIGITS, "--through", way, "--repeat", "5")
                checkSplit(self, report, PARTS)
                self.checkOperations(report)
                self.assertEqual((report["runs"], report["device"]), (5, "avocet-e256"))

    def test_partsOfServiceAddUp(self):
        service = Service()
        try:
            for way in WAYS:
                with self.subTest(way):
                    arguments = ("--through", way, "--device", "avocet-e256", "--socket", service.path)
                    report = self.report(DIGITS, *arguments, "--repeat", "5")
                    checkSplit(self, report, (*PARTS, "service"))
                    self.checkOperations(report)
                    self.assertGreater(report["time_ms"]["service"], 0)
                    self.assertEqual(report["socket"], service.path)
                    alone = self.report(DIGITS, "--through", way)
                    self.assertAlmostEqual(report["simulated_ms"], alone["simulated_ms"], places=5)
        finally:
            self.assertEqual(service.stop(), 0)

    def test_simulatedTimeIsThatOfCommand(self):
        alone = self.report(DIGITS)["simulated_ms"]
        for way in WAYS:
            with self.subTest(way):
                self.assertAlmostEqual(self.report(DIGITS, "--through", way, "--repeat", "3")["simulated_ms"], alone, places=4)

    def test_tableNamesAllParts(self):
        result = self.avocet(DIGITS, "--through", "nnapi", "--repeat", "2")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for words in ("application    TensorFlow Lite", "library        libneuralnetworks.so", "driver",
                      "device         the simulator", "CPU            nnapi-reference", "total", "simulated",
                      "operators  13: 13 in 1 partition of NNAPI, 0 computed by TensorFlow Lite itself",
                      "operations 13 of NNAPI: 13 on the device, 0 on the CPU, in 1 step"):
            self.assertIn(words, result.stdout)

    def test_targetIsUsed(self):
        fast = self.report(DIGITS, "--through", "delegate", "-t", "p4096")
        self.assertEqual(fast["device"], "avocet-p4096")
        self.assertLess(fast["simulated_ms"], self.report(DIGITS, "--through", "delegate")["simulated_ms"])

    def test_backEndIsUsed(self):
        report = self.report(DIGITS, "--through", "delegate", "--backend", "null")
        self.assertEqual(report["simulated_ms"], 0)
        self.assertEqual(report["operations_on_device"], DIGITS_OPERATORS)

    def test_operatorsOfTheApplicationAreCounted(self):
        model = os.path.join(needModels(), "mnist_lstm_int8", "model.tflite")  # NNAPI has no such LSTM
        report = self.report(model, "--through", "nnapi", "--repeat", "3")
        self.assertEqual((report["operators"], report["operators_in_application"], report["operations"]), (4, 1, 3))
        self.assertGreater(report["time_ms"]["application"], report["time_ms"]["library"])

    def test_traceHasSpansOfLibraryAndDevice(self):
        calls = {"nnapi": "[NN_LR_PE]ANeuralNetworksExecution_burstCompute", "delegate": "[NN_LR_PE]invoke"}
        for way in WAYS:
            with self.subTest(way):
                self.report(DIGITS, "--through", way, "--trace", "trace.json")
                with open(self.path("trace.json"), encoding="utf-8") as file:
                    events = json.load(file)["traceEvents"]
                names = {event["name"] for event in events if event["ph"] == "X"}
                tracks = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
                self.assertIn(calls[way], names)
                self.assertIn("[NN_LD_PCO]run", names)
                self.assertLessEqual({"1 MAC array", "2 DSP"}, tracks)


class RefusalTest(Command):
    def test_missingClientsNameTheCommand(self):
        for way in WAYS:
            self.refused(1, "scripts/setup --clients", DIGITS, "--through", way, clients=self.path("nothing"))

    def test_optionsWithoutMeaningAreRefused(self):
        for option in (("--mode", "timing"), ("--signature", "x"), ("--layout", "NCHW"), ("--state", "a=b"),
                       ("--device", "avocet-e256", "--burst")):
            self.refused(2, option[-2 if len(option) == 2 else 2], DIGITS, "--through", "nnapi", *option)
        self.refused(2, "--through", DIGITS, "--clients", "x")
        self.refused(2, "--through", DIGITS, "--through", "something")

    def test_contradictionsAreExplained(self):
        served = ("--device", "avocet-e256", "--socket", self.path("socket"))
        self.refused(1, "--priority with --through nnapi", DIGITS, "--through", "nnapi", *served, "--priority", "high")
        self.refused(1, "--deadline with --through delegate", DIGITS, "--through", "delegate", "--deadline", "5")
        self.refused(1, "--cache-dir with --through nnapi", DIGITS, "--through", "nnapi", "--cache-dir", "cache")
        self.refused(1, "--target with --device", DIGITS, "--through", "delegate", *served, "-t", "e256")
        self.refused(1, "e512", DIGITS, "--through", "nnapi", "-t", "e512")

    def test_filesOfOtherFormatsAreRefused(self):
        with open(self.path("text.tflite"), "w", encoding="utf-8") as file:
            file.write("module {}")
        with open(DIGITS, "rb") as file, open(self.path("short.tflite"), "wb") as short:
            short.write(file.read()[:1000])
        self.refused(1, "is no .tflite file", "text.tflite", "--through", "nnapi")
        self.refused(1, "is damaged", "short.tflite", "--through", "delegate")
        self.refused(1, "is a directory", ".", "--through", "delegate")
        self.refused(1, "missing.tflite", "missing.tflite", "--through", "delegate")

    def test_endOfTheApplicationIsExplained(self):
        machine = "arm64" if os.uname().machine == "aarch64" else "amd64"
        folder = self.path(f"clients/tfjs-tflite-node/cc_deps/linux_{machine}")
        os.makedirs(folder)
        with open(os.path.join(folder, "libtensorflowlite_c.so"), "w", encoding="utf-8") as file:
            file.write("no library")
        needDelegate()
        self.refused(1, "its process ended with exit code 1", DIGITS, "--through", "delegate", clients=self.path("clients"))

    def test_missingServiceIsExplained(self):
        needTflite()
        for way in WAYS:
            self.refused(1, "start avocetd", DIGITS, "--through", way, "--device", "avocet-e256", "--socket",
                         self.path("socket"))

    def test_unknownDeviceIsExplained(self):
        needTflite()
        service = Service()
        try:
            self.refused(1, "has no device 'avocet-mine'; it has avocet-e256", DIGITS, "--through", "nnapi", "--device",
                         "avocet-mine", "--socket", service.path)
        finally:
            self.assertEqual(service.stop(), 0)

    def test_reasonOfTheApplicationIsShown(self):
        needTflite()
        model = os.path.join(needModels(), "person_detect_int8", "model.tflite")
        for way in WAYS:
            self.refused(1, "TensorFlow Lite: it cannot", model, "--through", way)

    def test_wrongInputIsExplained(self):
        needTflite()
        needDelegate()
        with open(self.path("small"), "wb") as file:
            file.write(b"1234")
        self.refused(1, "has 4 bytes, but input 0", DIGITS, "--through", "delegate", "--input", "small")
        self.refused(1, "2 input files were given", DIGITS, "--through", "delegate", "--input", "small", "--input", "small")

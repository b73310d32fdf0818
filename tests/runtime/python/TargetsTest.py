#===- TargetsTest.py - Targets, devices and frames of the Python package
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Run by ctest: TargetsTest.py AVOCET DIGITS AVOCETD"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction

import numpy

import avocet

AVOCET, DIGITS, AVOCETD = sys.argv[1:4]

try:
    import pandas
except ImportError:
    pandas = None


class TargetTest(unittest.TestCase):
    def testHasTheFiguresOfItsFile(self):
        target = avocet.Target("m512")
        self.assertEqual((target.name, target.figures["sram.bytes"], target.figures["dram.bandwidth"]), ("m512", 384 << 10, Fraction(15, 4)))
        self.assertEqual(target.figures["clockHz"], target.main["clock_hz"])

    def testListsTheShippedTargets(self):
        printed = json.loads(subprocess.run([AVOCET, "targets", "--json"], check=True, capture_output=True, text=True).stdout)
        self.assertEqual([target.main for target in avocet.targets()], printed["targets"])

    def testChangesMakeOtherTargets(self):
        base = avocet.Target("e256")
        small = base.with_(sram_bytes="256K").with_(dram_bandwidth=Fraction(1, 2))
        self.assertEqual(small.changes, {"sram.bytes": 256 << 10, "dram.bandwidth": Fraction(1, 2)})
        self.assertEqual(base.figures["sram.bytes"], 2 << 20)
        self.assertNotEqual(small.fingerprint, base.fingerprint)
        self.assertEqual(base.with_(sram_bytes="256K"), base.with_(sram_bytes=262144))

    def testWrongChangesAreRefused(self):
        with self.assertRaisesRegex(KeyError, "'sram_size' is no figure of a target; there are sram_bytes, "):
            avocet.Target("e256").with_(sram_size=1)
        with self.assertRaises(avocet.Error) as caught:
            avocet.Target("e256").with_(sram_bytes=5)
        self.assertEqual(caught.exception.code, "invalid_argument")

    def testSweepsGiveTheCyclesOfEachTarget(self):
        targets = avocet.Target("e256").sweep(sram_bytes=["64K", "2M"], dram_bandwidth=["1", "1/8"])
        self.assertEqual([target.figures["sram.bytes"] for target in targets], [65536, 65536, 2 << 20, 2 << 20])
        cycles = [avocet.compile(DIGITS, target=target).predicted_cycles for target in targets]
        self.assertLess(cycles[2], cycles[3])
        self.assertLessEqual(cycles[2], cycles[0])
        changed = avocet.compile(DIGITS, target="e256", target_change=["sram.bytes=64K", "dram.bandwidth=1/8"])
        self.assertEqual(cycles[1], changed.predicted_cycles)

    def testFilesAreTargets(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(avocet.Target("e256").with_(sram_bytes="1M").text)
            file.flush()
            self.assertEqual(avocet.Target(file.name).figures["sram.bytes"], 1 << 20)


class DevicesTest(unittest.TestCase):
    def testListsDevicesAndSilentServices(self):
        found = {device.name: device for device in avocet.devices(socket="/nowhere/socket")}
        self.assertEqual((found["sim"].kind, found["cpu"].kind, found["sim"].problem), ("simulator", "cpu", ""))
        self.assertIn("no service listens at /nowhere/socket", found["service:/nowhere/socket"].problem)

    def testDevicesOfServicesCanBeOpened(self):
        with tempfile.TemporaryDirectory() as folder:
            socket = os.path.join(folder, "socket")
            service = subprocess.Popen([AVOCETD, "--socket", socket, "--target", "e256"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                end = time.monotonic() + 30
                while not os.path.exists(socket) and time.monotonic() < end:
                    time.sleep(0.02)
                device = next(each for each in avocet.devices(socket=socket) if each.kind == "service")
                self.assertEqual((device.name, device.target, device.problem), ("service:avocet-e256", "e256", ""))
                model, image = avocet.compile(DIGITS), numpy.zeros((1, 28, 28, 1), numpy.int8)
                served = model.session(device.name, socket=socket).run(image)
                numpy.testing.assert_array_equal(served["softmax"], model.run(image)["softmax"])
            finally:
                service.terminate()
                service.wait()


class FrameTest(unittest.TestCase):
    @unittest.skipIf(pandas is None, "Python has no module pandas; install python3-pandas")
    def testLayersAreRows(self):
        model = avocet.compile(DIGITS)
        model.run(numpy.zeros((1, 28, 28, 1), numpy.int8))
        report, layers = model.report(), model.layers()
        self.assertEqual(len(layers), len(report["layers"]))
        self.assertEqual(int(layers["cycles"].sum()), sum(layer["cycles"] for layer in report["layers"]))
        self.assertEqual(len(avocet.frame(report, "engines")), len(report["engines"]))
        self.assertLessEqual({"name", "cycles", "macs"}, set(layers.columns))

    @unittest.skipIf(pandas is not None, "pandas is installed")
    def testWithoutPandasItSaysWhatToInstall(self):
        with self.assertRaisesRegex(ImportError, "install python3-pandas"):
            avocet.frame({"layers": []})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

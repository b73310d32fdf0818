# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparisons of scheduleQuality, on rows made up here; copies of targets; failures of the programs that use them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import Figures
import Networks
import Summary
import Targets

KEY = ("net", "e256")


def row(**changes):
    figures = {"macs": 1000, "compute_cycles": 100, "least_dram_bytes": 1000, "roofline_cycles": 1000, "device_cycles": 1500, "cycles": 2000,
               "predicted_cycles": 2000, "executed_macs": 1000, "dram_bytes": 1500, "weights": 900,
               "refetched_weights": 100, "spills": 400, "inputs": 60, "outputs": 40}
    return {"network": "net", "target": "e256", **figures, **changes}


class DifferencesTest(unittest.TestCase):
    def differences(self, **changes):
        return Figures.differences({KEY: row()}, {KEY: row(**changes)})

    def testSmallChangesAreNone(self):
        self.assertEqual(self.differences(cycles=2020, dram_bytes=1485, predicted_cycles=1), [])

    def testWorseAndBetterFiguresAreNamed(self):
        self.assertEqual(self.differences(cycles=2021), ["net on e256: cycles is 2,021, 1.05% worse than the table's 2,000"])
        self.assertEqual(self.differences(dram_bytes=1400),
                         ["net on e256: dram_bytes is 1,400, 6.67% better than the table's 1,500"])

    def testBoundOfTheDeviceIsAProperty(self):
        self.assertEqual(self.differences(device_cycles=1501), ["net on e256: device_cycles is 1,501, the table has 1,500"])

    def testPropertiesMustBeExact(self):
        self.assertEqual(self.differences(macs=1001), ["net on e256: macs is 1,001, the table has 1,000"])

    def testNetworksThatAreNotHereAreNone(self):
        self.assertEqual(Figures.differences({KEY: row(), ("other", "e256"): row(network="other")}, {KEY: row()}), [])

    def testNewNetworksNeedRows(self):
        self.assertEqual(Figures.differences({}, {KEY: row()}), ["net on e256: is not in the table"])


class ContradictionsTest(unittest.TestCase):
    def testBoundMustNotDependOnMemory(self):
        lines = Figures.contradictions({KEY: row(), ("net", "e256s"): row(target="e256s", roofline_cycles=1001)}, {})
        self.assertEqual(lines, ["net: roofline_cycles is 1,001 on e256s, 1,000 on e256"])

    def testMacsMustNotDependOnTarget(self):
        lines = Figures.contradictions({KEY: row(), ("net", "m512"): row(target="m512", roofline_cycles=400, macs=1)}, {})
        self.assertEqual(lines, ["net: macs is 1 on m512, 1,000 on e256"])

    def testMacsAreThoseOfThePeer(self):
        lines = Figures.contradictions({KEY: row()}, {KEY: {"macs": "999"}})
        self.assertEqual(lines, ["net on e256: macs is 1,000, the peer's 999"])

    def testNothingIsBelowItsBound(self):
        for changes in ({"cycles": 1499}, {"device_cycles": 999}):
            self.assertEqual(Figures.contradictions({KEY: row(**changes)}, {}), ["net on e256: took less than its bound"])
        self.assertEqual(Figures.contradictions({KEY: row(least_dram_bytes=1501)}, {}),
                         ["net on e256: took less than its bound"])

    def testBranchesThatDoNotRunNeedNoCycles(self):
        self.assertEqual(Figures.contradictions({KEY: row(cycles=900, executed_macs=600)}, {}), [])

    def testPartsAddUp(self):
        self.assertEqual(Figures.contradictions({KEY: row()}, {}), [])
        self.assertEqual(Figures.contradictions({KEY: row(spills=0)}, {}),
                         ["net on e256: the parts do not add up to dram_bytes"])


class TableTest(unittest.TestCase):
    def testRowsSurviveWritingAndReading(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "table.tsv"
            Figures.writeTable(path, {KEY: row()})
            self.assertEqual(Figures.readTable(path), {KEY: row()})


class TargetsTest(unittest.TestCase):
    def testChangesAllNumbersAfterThePattern(self):
        text = "issueCycles = 4\n[dma]\nissueCycles = 1_000  # here too\nlanes = 4\n"
        self.assertEqual(Targets.multiplied(text, "issueCycles = ", 2),
                         "issueCycles = 8\n[dma]\nissueCycles = 2000  # here too\nlanes = 4\n")

    def testNamesAMissingLine(self):
        with self.assertRaisesRegex(Figures.Unmeasured, "'lanes = '"):
            Targets.replaced("lane = 4\n", "lanes = ", lambda _: 1)


class ProgramsTest(unittest.TestCase):
    """The program "false" in place of avocet."""

    def runOnDigits(self, name, *arguments):
        program = pathlib.Path(__file__).parent / name
        return subprocess.run([sys.executable, program, "--avocet", "false", "--shared", "", "--networks", "digits_int8", *arguments],
                              capture_output=True, text=True, check=False)

    def testBandwidthCheckNamesNetworksThatCannotBeMeasured(self):
        done = self.runOnDigits("bandwidthCheck")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("digits_int8 on m512: exit code 1", done.stdout)

    def testDeviceLimitsNamesNetworksThatCannotBeMeasured(self):
        done = self.runOnDigits("deviceLimits", "--targets", "m512")
        self.assertEqual((done.returncode, done.stderr), (1, "digits_int8 on m512: exit code 1\n"))


class WorstTest(unittest.TestCase):
    def testSmallNetworksAreJudgedByDevice(self):
        self.assertEqual(Summary.distance(row(cycles=3000)), 2)
        self.assertEqual(Summary.distance(row(roofline_cycles=20000, device_cycles=30000, cycles=60000)), 3)

    def testNamesTheLayerThatLosesMost(self):
        layers = [{"name": name, "operation": "ADD", "cycles": cycles, "roofline_cycles": 10} for name, cycles in (("a", 30), ("b", 1040))]
        self.assertEqual(Summary.worstLayer({"layers": layers}), "ADD b: 1,040, at least 10")


class FoldersTest(unittest.TestCase):
    def testFindsFilesBelow(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "inner" / "net.tflite"
            path.parent.mkdir()
            path.touch()
            self.assertEqual(Networks.findBelow([folder]), [("net", path)])


class PeerTest(unittest.TestCase):
    def testInvalidResultsCountWithoutValidOnes(self):
        self.assertEqual(Figures.peerCycles({"best_valid_cycles": "", "vela5_cycles": "7"}), (7, False))
        self.assertEqual(Figures.peerCycles({"best_valid_cycles": "9", "vela5_cycles": "7"}), (9, True))
        self.assertEqual(Figures.peerCycles(None), (None, False))

    def testAimIsPeerOrBound(self):
        peer = {"best_valid_cycles": "2000", "vela5_cycles": ""}
        self.assertFalse(Summary.meetsPeer(row(), peer))
        self.assertTrue(Summary.meetsPeer(row(cycles=1900), peer))
        self.assertTrue(Summary.meetsPeer(row(roofline_cycles=1905), peer))


if __name__ == "__main__":
    unittest.main()

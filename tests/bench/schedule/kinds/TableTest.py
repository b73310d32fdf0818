# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the benchmark, on rows made up here; the cases and their files."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import Schema  # pylint: disable=wrong-import-position
import Table  # pylint: disable=wrong-import-position
from families import allCases  # pylint: disable=wrong-import-position


def row(name, cycles, roofline=1000, device=2000):
    return {"network": name, "target": "e256", "roofline_cycles": roofline, "device_cycles": device, "cycles": cycles}


class SummaryTest(unittest.TestCase):
    def testHasTheWorstDecileAndItsCase(self):
        rows = [row(f"PAD {i}", 2000 + 100 * i) for i in range(11)]
        line = Table.summary("PAD", "e256", rows, 2)
        self.assertEqual((line["cases"], line["refused"], line["worst_case"]), (11, 2, "10"))
        self.assertEqual((line["median_roofline"], line["decile_roofline"], line["worst_roofline"]), ("2.50", "2.90", "3.00"))
        self.assertEqual((line["median_device"], line["decile_device"], line["worst_device"]), ("1.25", "1.45", "1.50"))

    def testCountsRefusalsOfFamiliesThatNeverRan(self):
        lines = Table.summaries({}, {("PAD 1", "e256"): "no"}, {"PAD 1": "PAD"})
        self.assertEqual((lines["PAD", "e256"]["cases"], lines["PAD", "e256"]["refused"]), (0, 1))

    def testLinesSurviveWritingAndReading(self):
        line = Table.summary("PAD", "e256", [row("PAD 1", 3000)], 0)
        with tempfile.TemporaryDirectory() as folder:
            Table.write(pathlib.Path(folder) / "table.tsv", {("PAD", "e256"): line})
            found = Table.read(pathlib.Path(folder) / "table.tsv")
        self.assertEqual(found, {("PAD", "e256"): {key: str(value) for key, value in line.items()}})


class ExplanationsTest(unittest.TestCase):
    def linesOf(self, cycles):
        return {("PAD", "e256"): Table.summary("PAD", "e256", [row("PAD 1", cycles)], 0)}

    def testFamiliesFarFromTheBoundNeedOne(self):
        self.assertEqual(Table.unexplained(self.linesOf(4000), {}), [])
        self.assertEqual(Table.unexplained(self.linesOf(4100), {"PAD": "thin pixels"}), [])
        self.assertEqual(len(Table.unexplained(self.linesOf(4100), {})), 1)

    def testOthersNeedNone(self):
        self.assertEqual(Table.unexplained(self.linesOf(4000), {"PAD": "thin pixels"}),
                         ["PAD: is explained, but no longer far from the bound"])


class BoundsTest(unittest.TestCase):
    def testMustAscend(self):
        self.assertEqual(Table.aboveBounds({("PAD 1", "e256"): row("PAD 1", 2000)}), [])
        for wrong in (row("PAD 1", 1999), row("PAD 1", 3000, roofline=2001)):
            self.assertEqual(len(Table.aboveBounds({("PAD 1", "e256"): wrong})), 1)


class CasesTest(unittest.TestCase):
    def testNamesAreUnique(self):
        names = [case.name for case in allCases()]
        self.assertEqual(len(names), len(set(names)))

    def testFilesAreTheSameEachTime(self):
        case = next(case for case in allCases() if case.family == "conv 3x3")
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder) / name for name in "ab"]
            for path in paths:
                case.write(path)
            self.assertEqual(*(path.read_bytes() for path in paths))
            self.assertEqual(paths[0].read_bytes()[4:8], b"TFL3")

    def testSchemaHasNumbersAndPlacesOfFields(self):
        schema = Schema.read()
        self.assertEqual(schema.enums["BuiltinOperator"]["TRANSPOSE_CONV"], 67)
        self.assertEqual(schema.unions["OperatorOptions"]["ReducerOptions"], 27)
        self.assertEqual(schema.unions["QuantizationDetails"]["BlockwiseQuantization"], 2)
        self.assertEqual(schema.tables["Operator"]["options_type"], (3, "ubyte"))
        self.assertEqual(schema.tables["Operator"]["intermediates"][0], 8)


if __name__ == "__main__":
    unittest.main()

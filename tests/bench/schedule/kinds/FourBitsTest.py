#!/usr/bin/env python3
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Off-chip bytes and cycles of layers of one row, which are bound by their weights: those of 4 bits over those of 8. The
decoder of p4096 takes 64 weights in a cycle, fewer than its port brings.

  FourBitsTest.py AVOCET
"""

import functools
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import Figures  # pylint: disable=wrong-import-position
from Model import Model  # pylint: disable=wrong-import-position

AVOCET = sys.argv.pop(1)
WIDTHS = (1024, 512, 1024)


@functools.cache
def measured(target, bits, block=0):
    """Bytes of weights and cycles. With blocks the rows are f32, otherwise int8."""
    model = Model("f32" if block else "i8")
    x = model.input(1, WIDTHS[0])
    for before, after in zip(WIDTHS, WIDTHS[1:]):
        x = model.op("FULLY_CONNECTED", [x, model.trained((after, before), bits, block)], (1, after),
                     options="FullyConnectedOptions", activation="NONE")
    model.output(x)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "layers.tflite"
        model.write(path)
        report = Figures.measure(AVOCET, path, target)
    return report["dram_bytes_by_kind"]["weights"], report["cycles"]


class FourBitsTest(unittest.TestCase):
    def check(self, target, most, **form):
        """At most so many of the bytes; cycles fall as the bytes do, within 10 %."""
        (eight, eightCycles), (four, fourCycles) = measured(target, 8), measured(target, 4, **form)
        self.assertLess(four / eight, most)
        self.assertGreater(four / eight, 0.25)
        self.assertAlmostEqual(fourCycles / eightCycles / (four / eight), 1, delta=0.1)

    def testScaleOfEachRow(self):
        for target in ("e256", "m512"):
            with self.subTest(target):
                self.check(target, 0.55)

    def testBlocksOfFloatRows(self):
        for target in ("e256", "m512"):
            for block, most in ((32, 0.58), (64, 0.55), (128, 0.55), (256, 0.55)):
                with self.subTest(f"{target} {block}"):
                    self.check(target, most, block=block)


if __name__ == "__main__":
    unittest.main()

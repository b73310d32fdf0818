#===- PluginTest.py - Models of the Python package on a plug-in
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Run by ctest with the package and the library of the build: PluginTest.py PLUGIN DIGITS"""

import os
import sys
import unittest

import numpy

import avocet

PLUGIN, DIGITS = sys.argv[1:3]


class PluginTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = avocet.compile(DIGITS, target="e256")
        cls.image = numpy.full(cls.model.inputs[0].shape, 20, numpy.int8)

    def tearDown(self):
        os.environ.pop("AVOCET_BACKENDS", None)

    def testRunsByPathAndByName(self):
        expected = self.model.run(self.image)["softmax"]
        with self.assertRaisesRegex(avocet.Error, "no back end 'mine'"):
            self.model.session("mine")
        os.environ["AVOCET_BACKENDS"] = PLUGIN
        for device in (PLUGIN, "mine"):
            run = self.model.session(device)
            numpy.testing.assert_array_equal(run.run(self.image)["softmax"], expected)
            self.assertGreater(run.cycles, 0)
            self.assertEqual(run.copied_bytes, 0)
            self.assertEqual(run.report()["backend"], "mine")

    def testPluginsAreDevices(self):
        os.environ["AVOCET_BACKENDS"] = PLUGIN + ":" + DIGITS
        found = {each.name: each for each in avocet.devices() if each.kind == "plug-in"}
        self.assertEqual(found["mine"].problem, "")
        self.assertIn("it is no ELF file", found[DIGITS].problem)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#===- PicturesTest.py - Pictures and classes of the Python package
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Run by ctest, with tests/outputs in the path: PicturesTest.py AVOCET DIGITS EXAMPLES"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy
from PngFile import grayPng

import avocet

AVOCET, DIGITS, EXAMPLES = sys.argv[1:4]


class PictureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.picture, self.labels = os.path.join(folder.name, "gray.png"), os.path.join(folder.name, "labels.txt")
        with open(self.picture, "wb") as file:
            file.write(grayPng(40, 28, 200))
        with open(self.labels, "w", encoding="utf-8") as file:
            file.write("".join(f"digit {number}\n" for number in range(10)))
        self.model = avocet.compile(DIGITS)

    def printed(self, *options):
        text = subprocess.run([AVOCET, "run", DIGITS, "--image", self.picture, "--report", "json", *options], check=True,
                              capture_output=True, text=True).stdout
        return [(each["label"], each["name"], each["score"]) for each in json.loads(text)["classes"]]

    def testPicturesAreArrays(self):
        image = self.model.image(self.picture)
        self.assertEqual((image.shape, image.dtype), ((1, 28, 28, 1), numpy.int8))
        self.assertTrue((image == 200 - 128).all())
        with open(self.picture, "rb") as file:
            padded = self.model.image(file.read(), "image", fit="pad")
        self.assertEqual((padded.min(), padded.max(), image.max()), (-128, 72, 72))

    def testClassesAreThoseOfTheCommand(self):
        options = {"top": 3, "labels": self.labels, "fit": "crop", "mean": [5, 5, 5], "scale": 0.003}
        found = [(each.label, each.name, each.score) for each in self.model.classify(self.picture, **options)]
        self.assertEqual(found, self.printed("--top", "3", "--labels", self.labels, "--fit", "crop", "--mean", "5,5,5", "--scale", "0.003"))
        self.assertEqual(self.model.classes("softmax", top=1)[0].name, str(found[0][0]))

    def testWhatCannotBeReadIsRefused(self):
        with self.assertRaises(avocet.Error) as caught:
            self.model.image(b"GIF89a")
        self.assertEqual(caught.exception.code, "invalid_argument")
        with self.assertRaisesRegex(KeyError, "no input 'picture'"):
            self.model.image(self.picture, "picture")

    def testTheExampleClassifies(self):
        done = subprocess.run([sys.executable, os.path.join(EXAMPLES, "classify.py"), DIGITS, self.picture, "--labels", self.labels],
                              check=True, capture_output=True, text=True)
        best = self.printed("--labels", self.labels)[0]
        self.assertEqual(done.stdout.splitlines()[0], f"{best[2]:.3f}  {best[1]}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

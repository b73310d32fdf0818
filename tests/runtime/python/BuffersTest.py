#===- BuffersTest.py - Runs on raw buffers, with and without numpy
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Run by ctest: BuffersTest.py AVOCET DIGITS"""

import array
import mmap
import subprocess
import sys
import unittest

import numpy

import avocet

DIGITS = sys.argv[2]
COUNT = 28 * 28

# For a process in which numpy cannot be imported.
WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
import avocet
model = avocet.compile(sys.argv[1])
softmax = model.run(bytes([20]) * 784)["softmax"]
assert isinstance(softmax, memoryview) and softmax.format == "b" and softmax.shape == (1, 10), softmax
print(softmax.tolist()[0])
"""


class BufferTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = avocet.compile(DIGITS)
        cls.expected = cls.model.run(numpy.full((1, 28, 28, 1), 20, numpy.int8))["softmax"].tolist()[0]

    def softmaxOf(self, value):
        run, answer = self.model.session(), bytearray(10)
        self.assertIs(run.run(value, {"softmax": answer})["softmax"], answer)
        self.assertEqual(run.copied_bytes, 0)
        return memoryview(answer).cast("b").tolist()

    def testWritableBuffersAreUsedInPlace(self):
        pages = mmap.mmap(-1, COUNT)
        pages[:] = bytes([20]) * COUNT
        for value in (bytearray([20]) * COUNT, [array.array("b", [20] * COUNT)], {"image": pages},
                      memoryview(bytearray([20]) * COUNT).cast("b", (1, 28, 28, 1))):
            self.assertEqual(self.softmaxOf(value), self.expected)

    def testReadOnlyBytesAreInputs(self):
        self.assertEqual(self.softmaxOf(bytes([20]) * COUNT), self.expected)

    def testWrongBuffersAreRefused(self):
        with self.assertRaisesRegex(ValueError, "the buffer has 3 bytes"):
            self.model.run(b"abc")
        with self.assertRaisesRegex(ValueError, "format 'f'"):
            self.model.run([array.array("f", [0] * (COUNT // 4))])
        with self.assertRaisesRegex(ValueError, "must be writable"):
            self.model.run(bytes(COUNT), [bytes(10)])

    def testRunsWithoutNumpy(self):
        done = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY, DIGITS], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.strip(), str(self.expected))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

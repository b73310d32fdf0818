#===- PythonTest.py - The Python package against the C library and the commands
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Run by ctest with the package and the library of the build: PythonTest.py AVOCET DIGITS ABI"""

import json
import re
import subprocess
import sys
import threading
import unittest

import numpy

import avocet
from avocet import _library

AVOCET, DIGITS, ABI = sys.argv[1:4]

TOTAL = b"""module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x4xf32> {nn.name = "x"}, %s: tensor<1x4xf32> {nn.initial_state = dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>, nn.name = "total"}) -> (tensor<1x4xf32> {nn.name = "y"}, tensor<1x4xf32> {nn.name = "total"}) {
    %0 = nn.add %x, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %1 = nn.add %0, %0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    return %1, %0 : tensor<1x4xf32>, tensor<1x4xf32>
  }
}"""

REFUSED = b"""module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32> {
    %0 = nn.local_response_normalize %x radius 2 bias 1.0 alpha 1.0 beta 1.0 axis 3 : (tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    return %0 : tensor<1x1x1x65536xf32>
  }
}"""


class RunTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = avocet.compile(DIGITS, target="e256")

    def image(self, value=20):
        return numpy.full(self.model.inputs[0].shape, value, numpy.int8)

    def testArraysAreNotCopied(self):
        run = self.model.session()
        result = numpy.empty((1, 10), numpy.int8)
        answer = run.run({"image": self.image()}, {"softmax": result})
        self.assertIs(answer["softmax"], result)
        self.assertEqual(int(result.argmax()), 1)
        for value in range(5):  # new arrays each time
            run.run(self.image(value))
        self.assertEqual(run.copied_bytes, 0)
        self.assertGreater(run.cycles, 0)

    def testRunsWithEachDevice(self):
        expected = self.model.run(self.image())["softmax"]
        numpy.testing.assert_array_equal(self.model.session("cpu").run(self.image())["softmax"], expected)

    def testStartedRunGivesItsOutputs(self):
        run = self.model.session()
        run.start([self.image()])
        numpy.testing.assert_array_equal(run.wait()["softmax"], self.model.run(self.image())["softmax"])

    def testThreadsRunTogether(self):
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.model.session().run(self.image())["softmax"]))
                   for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 3)

    def testQuantizedNumbersRoundAsArrays(self):
        tensor = self.model.inputs[0]
        stored = tensor.quantize(numpy.linspace(0, 1, 784).reshape(tensor.shape))
        self.assertEqual((stored.dtype, int(stored.min()), int(stored.max())), (numpy.int8, -128, 127))
        numpy.testing.assert_allclose(tensor.dequantize(stored), numpy.linspace(0, 1, 784).reshape(tensor.shape), atol=0.002)

    def testWrongArraysAreRefused(self):
        with self.assertRaisesRegex(ValueError, "the array is float32"):
            self.model.run(self.image().astype("float32"))
        with self.assertRaisesRegex(KeyError, "no input 'picture'"):
            self.model.run({"picture": self.image()})
        with self.assertRaisesRegex(ValueError, "2 arrays were given for 1 inputs"):
            self.model.run([self.image(), self.image()])

    def testStatesAreReadWrittenAndReset(self):
        run = avocet.compile(TOTAL, name="total.mlir").session()
        x = numpy.array([[10, 0, 0, 0]], "float32")
        self.assertEqual(run.run(x)["y"].tolist(), [[22, 4, 6, 8]])
        self.assertEqual(run.state("total").tolist(), [[11, 2, 3, 4]])
        run.set_state("total", [[0, 0, 0, 1]])
        self.assertEqual(run.run(x)["y"].tolist(), [[20, 0, 0, 2]])
        run.reset()
        self.assertEqual(run.state("total").tolist(), [[1, 2, 3, 4]])


class CompileTest(unittest.TestCase):
    def testRefusalIsAnExceptionWithReasons(self):
        with self.assertRaises(avocet.Unsupported) as caught:
            avocet.compile(REFUSED, name="lines.mlir", target="e256s")
        self.assertEqual(caught.exception.reasons, avocet.check(REFUSED, name="lines.mlir", target="e256s"))
        reason = caught.exception.reasons[0]
        self.assertEqual((reason.operator, reason.value, reason.limit), ("LOCAL_RESPONSE_NORMALIZE", "524288", "368640"))
        self.assertEqual(avocet.check(DIGITS), ())

    def testProgressNamesPhases(self):
        told = []
        avocet.compile(DIGITS, progress=lambda what, done, total: told.append((what, done, total)))
        self.assertIn((f"compiling {DIGITS}: schedule", 3, 7), told)

    def testExceptionInProgressEndsTheCompilation(self):
        def stop(what, done, total):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            avocet.compile(DIGITS, progress=stop)

    def testTargetsAreSwept(self):
        predicted = [avocet.compile(DIGITS, target_change=[f"dram.bandwidth=1/{cycles}"]).predicted_cycles for cycles in (1, 4, 16)]
        self.assertEqual(predicted, sorted(set(predicted)))

    def testUnknownOptionListsTheOptions(self):
        with self.assertRaisesRegex(avocet.Error, "there is no option 'tagret'; the options are target, ") as caught:
            avocet.compile(DIGITS, tagret="e256")
        self.assertEqual(caught.exception.code, "not_found")


class DocumentsTest(unittest.TestCase):
    def printed(self, *arguments):
        return json.loads(subprocess.run([AVOCET, *arguments], check=True, capture_output=True, text=True).stdout)

    def testExplainsAsTheCommand(self):
        self.assertEqual(avocet.explain(DIGITS, target="m512", layer="1", changes=False),
                         self.printed("explain", DIGITS, "-t", "m512", "--layer", "1", "--no-changes", "--json"))

    def testReportsRunsAsTheCommand(self):
        model = avocet.compile(DIGITS)
        model.run(numpy.zeros((1, 28, 28, 1), numpy.int8))
        expected = self.printed("run", DIGITS, "--report", "json")
        report = model.report()
        for document in (expected, report):
            del document["host_compile_ms"], document["host_run_ms"]
        self.assertEqual(report, expected)

    def testReportHasTheLayers(self):
        self.assertEqual(len(avocet.report(DIGITS, ir=False)["layers"]), 10)


class PrototypeTest(unittest.TestCase):
    """The functions of the package against the dump of the interface."""

    def testPrototypesAreThoseOfTheHeader(self):
        kinds = {"void": None, "int32_t": "c_int", "uint32_t": "c_uint", "size_t": "c_ulong", "uint64_t": "c_ulong", "int64_t": "c_long",
                 "const char*": "c_char_p", "const float*": "LP_c_float", "const int32_t*": "LP_c_int", "int*": "LP_c_int", "size_t*": "LP_c_ulong",
                 "AvocetCode": "c_int", "AvocetRole": "c_int", "AvocetType": "c_int", "AvocetReasonField": "c_int"}

        def expected(name, kind):
            if name == "avocetReportText" and kind == "const char*":
                return "c_void_p"  # the text may be long; its size is known
            if kind.endswith("**"):
                return "LP_c_void_p"
            callbacks = {"AvocetProgress": _library.Progress, "AvocetCancelled": _library.Cancelled, "AvocetCompleted": _library.Completed,
                         "AvocetOperator": _library.Operator}
            return callbacks[kind].__name__ if kind in callbacks else kinds.get(kind, "c_void_p")

        with open(ABI, encoding="utf-8") as file:
            functions = re.findall(r"^function (\w+)\((.*)\) -> (.*) since", file.read(), re.MULTILINE)
        header = {name: (expected(name, result), [expected(name, each) for each in parameters.split(", ") if each != "void"])
                  for name, parameters, result in functions}
        for name, (result, parameters) in _library._FUNCTIONS.items():
            self.assertEqual((result and result.__name__, [each.__name__ for each in parameters]), header[name], name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

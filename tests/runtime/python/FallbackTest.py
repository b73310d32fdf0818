#===- FallbackTest.py - Operators that Python and the CPU compute
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Run by ctest: FallbackTest.py AVOCET FLATC SCHEMA NETWORK ONNX: the JSON of a .tflite file with the custom operators Halve and
Scale, and a program that writes an .onnx file with com.example::Halve."""

import array
import json
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import numpy

import avocet

AVOCET, FLATC, SCHEMA, NETWORK, ONNX = sys.argv[1:6]


def binaryOf(network):
    """The bytes of a .tflite file."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([FLATC, "-b", "-o", folder, SCHEMA, network], check=True)
        with open(os.path.join(folder, "partition.tflite"), "rb") as file:
            return file.read()


CUSTOM = binaryOf(NETWORK)
SHAPE = "tensor<1x1x1x65536xf32>"
REFUSED = f"""module attributes {{avocet.phase = "import"}} {{
  func.func @main(%x: {SHAPE} {{nn.name = "x"}}) -> ({SHAPE} {{nn.name = "y"}}) {{
    %0 = nn.add %x, %x : ({SHAPE}, {SHAPE}) -> {SHAPE}
    %1 = nn.local_response_normalize %0 radius 2 bias 1.0 alpha 1.0 beta 0.5 axis 3 : ({SHAPE}) -> {SHAPE}
    return %1 : {SHAPE}
  }}
}}""".encode()
X = numpy.array([1, 2, 3, -4], "float32")


def halve(call):
    return call.inputs[0] / 2


def scale(call):
    numpy.multiply(call.inputs[0], call.inputs[1], out=call.outputs[0])


def compiled(**operators):
    return avocet.compile(CUSTOM, fallback="cpu", operators=operators)


class FallbackTest(unittest.TestCase):
    def testCpuGivesTheResultsOfTheWholeNetwork(self):
        x = numpy.arange(65536, dtype="float32").reshape(1, 1, 1, 65536)
        expected = avocet.compile(REFUSED, target="p4096").run([x])["y"]
        model = avocet.compile(REFUSED, target="e256s", fallback="cpu")
        self.assertTrue((model.run([x])["y"] == expected).all())
        self.assertEqual(model.session().copied_bytes, 0)
        with self.assertRaises(avocet.Unsupported):
            avocet.compile(REFUSED, target="e256s")

    def testReportIsThatOfTheCommand(self):
        model = avocet.compile(REFUSED, name="refused.mlir", target="e256s", fallback="cpu")
        model.run([numpy.zeros((1, 1, 1, 65536), "float32")])
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "refused.mlir"), "wb") as file:
                file.write(REFUSED)
            text = subprocess.run([os.path.abspath(AVOCET), "run", "refused.mlir", "-t", "e256s", "--fallback", "cpu", "--report", "json"],
                                  check=True, capture_output=True, text=True, cwd=folder).stdout
        ours, theirs = model.report()["host_operators"], json.loads(text)["host_operators"]
        for each in ours + theirs:
            del each["ms"]
        self.assertEqual(ours, theirs)

    def testFunctionsComputeCustomOperators(self):
        results = compiled(Halve=halve, Scale=scale).run([X])
        square = X * X
        self.assertTrue((results["y"] == (square / 2 + square) * 3 + X + 3).all())
        self.assertTrue((results["factor"] == [3]).all())

    def testFunctionsComputeNodesOfOnnxFiles(self):
        attributes = []

        def halve(call):
            attributes.append(call.attributes)
            return call.inputs[0] / 2

        typed, untyped = (subprocess.run([sys.executable, ONNX, form], check=True, capture_output=True).stdout for form in ("typed", "untyped"))
        functions = {"com.example::Halve": halve}
        model = avocet.compile(typed, fallback="cpu", operators=functions)
        self.assertTrue((model.run([X])["y"] == X * X / 2 + X).all())
        self.assertIn(b"factor", attributes[0])
        with self.assertRaisesRegex(avocet.Unsupported, "the file does not record the type and shape of 'halve'"):
            avocet.compile(untyped, fallback="cpu", operators=functions)

    def testCallDescribesItself(self):
        seen = []

        def look(call):
            seen.append((call.name, call.attributes, call.input_tensors[0].name, call.output_tensors[0].shape,
                         call.inputs[0].flags.writeable, call.outputs[0].flags.writeable))
            return [call.inputs[0] / 2]

        compiled(Halve=look, Scale=scale).run([X])
        self.assertEqual(seen, [("Halve", b"", "square", (4,), False, True)])

    def testFunctionsNeedNoNumpy(self):
        def halveEach(call):
            for index, value in enumerate(call.inputs[0]):
                call.outputs[0][index] = value / 2

        kept = []
        with unittest.mock.patch.dict(sys.modules, {"numpy": None}):
            results = compiled(Halve=halveEach, Scale=lambda call: array.array("f", [1, 2, 3, 4])).run([array.array("f", [1, 2, 3, 4])])
            self.assertEqual(list(results["y"]), [1 + 1 + 3, 2 + 2 + 3, 3 + 3 + 3, 4 + 4 + 3])
            compiled(Halve=lambda call: kept.append(call.inputs[0]), Scale=lambda call: None).run([array.array("f", [1, 2, 3, 4])])
        with self.assertRaisesRegex(ValueError, "released"):
            kept[0][0]

    def testDecoratorRegistersForAllCompilations(self):
        avocet.operator("Halve")(halve)
        avocet.operator("Scale")(scale)
        try:
            model = avocet.compile(CUSTOM, fallback="cpu")
            self.assertEqual(avocet.check(CUSTOM, fallback="cpu"), ())
        finally:
            avocet._operators._registered.clear()
        self.assertEqual(model.run([X])["y"][0], 8.5)

    def testMissingFunctionIsRefusedByName(self):
        with self.assertRaisesRegex(avocet.Unsupported, "operator 4 CUSTOM.Scale.*register a call-back for 'Scale'") as caught:
            compiled(Halve=halve)
        self.assertEqual([reason.operator for reason in caught.exception.reasons], ["CUSTOM(Halve)", "CUSTOM(Scale)"])
        self.assertEqual(len(avocet.check(CUSTOM)), 2)

    def testExceptionEndsTheRun(self):
        def fail(call):
            raise ArithmeticError("no halves today")

        model = compiled(Halve=fail, Scale=scale)
        with self.assertRaisesRegex(avocet.Error, "operator 1 CUSTOM.Halve.: ArithmeticError: no halves today") as caught:
            model.run([X])
        self.assertIsInstance(caught.exception.__cause__, ArithmeticError)

    def testResultsOfAnotherFormAreRefused(self):
        for result, message in ((X[:2], "the array is float32 .2,."), (X.astype("int32"), "the array is int32"),
                                ((X, X), "2 results for the 1 outputs")):
            with self.assertRaisesRegex(avocet.Error, message):
                compiled(Halve=lambda call, result=result: result, Scale=scale).run([X])

    def testInputsCannotBeWritten(self):
        def write(call):
            call.inputs[0][0] = 1

        with self.assertRaisesRegex(avocet.Error, "read-only"):
            compiled(Halve=write, Scale=scale).run([X])

    def testKeptArraysAreRefused(self):
        kept = []

        def keep(call):
            kept.append(call.inputs[0])
            return call.inputs[0] / 2

        with self.assertRaisesRegex(avocet.Error, "keeps an array of its call"):
            compiled(Halve=keep, Scale=scale).run([X])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

# Real models with their cases, and the tolerance of each.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os

import numpy

REFUSED = {"person_detect_int8": "TensorFlow Lite refuses the file: a quantized dimension is out of range"}
TYPES = {"int8": numpy.int8, "uint8": numpy.uint8, "float32": numpy.float32}


class Golden:
    """A model's folder."""

    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        self.model = os.path.join(folder, "model.tflite")
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            self.manifest = json.load(file)
        self.cases = [case["id"] for case in self.manifest["cases"]]
        self.outputTypes = [TYPES[output["dtype"]] for output in self.manifest["outputs"]]

    def inputs(self, case):
        return [os.path.join(self.folder, f"{case}.in{index}.bin") for index in range(len(self.manifest["inputs"]))]

    def outputs(self, case):
        return [numpy.fromfile(os.path.join(self.folder, f"{case}.out{index}.bin"), dtype)
                for index, dtype in enumerate(self.outputTypes)]

    def tolerance(self, expected):
        """By the rules of the models' README."""
        if self.name.endswith("_hybrid"):
            return 0.15
        if expected.dtype == numpy.float32:
            return 1e-5 * max(1.0, float(numpy.abs(expected).max()))
        if self.name == "mnist_lstm_int8":
            return 10
        return max(1, self.manifest["spread_max_abs"])

    def compare(self, case, outputs):
        """(largest difference, largest allowed one, whether the largest elements are where they must be)."""
        worst, allowed, isSame = 0.0, 0.0, True
        for expected, actual in zip(self.outputs(case), outputs):
            actual = numpy.frombuffer(actual, expected.dtype)
            difference = float(numpy.abs(actual.astype(numpy.float64) - expected.astype(numpy.float64)).max())
            tolerance = self.tolerance(expected)
            first, second = sorted(expected.astype(numpy.float64))[:-3:-1]
            isSame = isSame and (actual.argmax() == expected.argmax() or first - second < 2 * tolerance)
            if difference - tolerance > worst - allowed or not allowed:
                worst, allowed = difference, tolerance
        return worst, allowed, isSame


def allGoldens(models):
    return [Golden(os.path.join(models, name)) for name in sorted(os.listdir(models))
            if os.path.exists(os.path.join(models, name, "model.tflite"))]

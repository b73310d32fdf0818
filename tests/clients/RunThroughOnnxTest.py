# avocet run --through onnxruntime: the command runs a network in ONNX Runtime and says where the time goes.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import shutil
import subprocess
import sys

import numpy

from Harness import Service, needOnnxruntime, needProvider, program
from RunThroughTest import PARTS, Command, checkSplit

HERE = os.path.dirname(os.path.abspath(__file__))
DIGITS = os.path.join(HERE, "..", "models", "digits", "digits_int8.tflite")
THROUGH = ("--through", "onnxruntime")

sys.path.insert(0, os.path.join(HERE, "..", "compiler", "onnx"))
import Proto  # pylint: disable=wrong-import-position
from Proto import node, value_info  # pylint: disable=wrong-import-position


def reals(*shape):
    return Proto.Tensor("f32", numpy.random.default_rng(7).uniform(-1, 1, shape).astype(numpy.float32))


def model(nodes, constants, inputs, outputs):
    tensors = [Proto.tensor_proto(value, name) for name, value in constants.items()]
    infos = [[value_info(name, "f32", shape) for name, shape in each.items()] for each in (inputs, outputs)]
    return Proto.model(Proto.graph(nodes, tensors, *infos), 17)


def smallModel(size=16, channels=8):
    """A convolution, a pool and a fully connected layer: five nodes."""
    return model([node("Conv", ["x", "w", "b"], ["c"], "conv", "", {"pads": [1, 1, 1, 1]}), node("Relu", ["c"], ["r"], "relu", "", {}),
                  node("GlobalAveragePool", ["r"], ["p"], "pool", "", {}), node("Flatten", ["p"], ["f"], "flat", "", {}),
                  node("Gemm", ["f", "m", "n"], ["y"], "gemm", "", {})],
                 {"w": reals(channels, 3, 3, 3), "b": reals(channels), "m": reals(channels, 10), "n": reals(10)},
                 {"x": [1, 3, size, size]}, {"y": [1, 10]})


def dividedModel():
    """Two nodes before one that the device does not have, whose numbers are all 3, and two after it."""
    return model([node("Add", ["x", "x"], ["a"], "first", "", {}), node("Mul", ["a", "a"], ["b"], "second", "", {}),
                  node("RandomUniformLike", ["b"], ["d"], "apart", "", {"low": 3.0, "high": 3.0}),
                  node("Sub", ["d", "a"], ["e"], "third", "", {}), node("Relu", ["e"], ["y"], "fourth", "", {})],
                 {}, {"x": [3, 4]}, {"y": [3, 4]})


def openModel():
    return model([node("Relu", ["x"], ["y"], "relu", "", {})], {}, {"x": ["batch", 3]}, {"y": ["batch", 3]})


class OnnxCommand(Command):
    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name


class OnnxRunTest(OnnxCommand):
    @classmethod
    def setUpClass(cls):
        needOnnxruntime()
        needProvider()

    def test_bitsAreThoseOfTheCommand(self):
        name = self.write("small.onnx", smallModel())
        for arguments in (("--seed", "7"), ("--input", self.write("x", reals(1, 3, 16, 16).data()))):
            self.report(name, "--output-dir", "alone", *arguments)
            self.report(name, *THROUGH, "--output-dir", "application", *arguments)
            self.assertEqual(list(self.outputs("alone")), ["out0.bin"])
            self.assertEqual(self.outputs("application"), self.outputs("alone"), arguments)

    def test_partsAddUp(self):
        name = self.write("small.onnx", smallModel())
        report = self.report(name, *THROUGH, "--repeat", "5")
        checkSplit(self, report, PARTS)
        counts = ("runs", "operators", "operators_in_application", "partitions", "operations_on_cpu", "cpu_fallbacks")
        self.assertEqual([report[count] for count in counts], [5, 5, 0, 1, 0, 0])
        self.assertEqual((report["library"], report["device"], report["reasons"]),
                         ("libavocet_onnxruntime.so", "avocet-e256", []))
        self.assertEqual(report["copied_bytes"], 5 * 4 * (3 * 16 * 16 + 10))
        self.assertAlmostEqual(report["simulated_ms"], self.report(name)["simulated_ms"], places=4)

    def test_partsOfServiceAddUp(self):
        service = Service()
        try:
            report = self.report(self.write("small.onnx", smallModel()), *THROUGH, "--device", "avocet-e256", "--socket",
                                 service.path, "--priority", "high", "--deadline", "60000", "--repeat", "5")
        finally:
            self.assertEqual(service.stop(), 0)
        checkSplit(self, report, (*PARTS, "service"))
        self.assertEqual((report["operations_on_device"], report["socket"]), (5, service.path))

    def test_nodesThatStayHaveReasons(self):
        name = self.write("divided.onnx", dividedModel())
        report = self.report(name, *THROUGH, "--output-dir", "results", "--input", self.write("x", reals(3, 4).data()))
        self.assertEqual([report[count] for count in ("operators", "operators_in_application", "partitions")], [5, 1, 2])
        self.assertEqual([reason["node"] for reason in report["reasons"]], ["node 'apart' (RandomUniformLike)"])
        self.assertNotEqual(report["reasons"][0]["reason"], "")
        result = numpy.frombuffer(self.outputs("results")["out0.bin"], numpy.float32).reshape(3, 4)
        self.assertTrue(numpy.array_equal(result, numpy.maximum(3 - 2 * reals(3, 4).array, 0)))

    def test_tableNamesAllParts(self):
        result = self.avocet(self.write("divided.onnx", dividedModel()), *THROUGH, "--repeat", "2")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        text = " ".join(result.stdout.split())
        for words in ("divided.onnx in ONNX Runtime, through libavocet_onnxruntime.so on avocet-e256", "application ONNX Runtime",
                      "library libavocet_onnxruntime.so", "device the simulator", "OrtApi::Run", "simulated",
                      "operators 5: 4 in 2 partitions of the provider, on the device, 1 computed by ONNX Runtime itself",
                      "stays node 'apart' (RandomUniformLike): "):
            self.assertIn(words, text)

    def test_openExtentsAreSet(self):
        name = self.write("open.onnx", openModel())
        for arguments in (("--dim", "batch=5"), ("--shape", "x=5x3")):
            report = self.report(name, *THROUGH, "--output-dir", "results", *arguments)
            self.assertEqual((report["operations_on_device"], len(self.outputs("results")["out0.bin"])), (1, 60), arguments)
        self.refused(1, "input 'x' of -1x3 has open extents (-1); set them with --dim or --shape", name, *THROUGH)
        self.refused(1, "no input has an extent 'size'; the names are batch", name, *THROUGH, "--dim", "size=5")
        self.refused(1, "there is no input 'z'; the inputs are x", name, *THROUGH, "--shape", "z=5x3")
        self.refused(1, "the model has -1x3", name, *THROUGH, "--shape", "x=5x4")
        self.refused(1, "--dim batch: must be", name, *THROUGH, "--dim", "batch")

    def test_missedDeadlineIsAnError(self):
        name = self.write("large.onnx", smallModel(128, 64))
        self.refused(1, "MISSED_DEADLINE", name, *THROUGH, "--deadline", "1")
        self.refused(1, "must be whole milliseconds", name, *THROUGH, "--deadline", "1.5")

    def test_cacheHasNetworks(self):
        name = self.write("small.onnx", smallModel())
        for _ in range(2):
            report = self.report(name, *THROUGH, "--cache-dir", "cache")
            self.assertEqual(report["operations_on_device"], 5)
        self.assertGreater(len(self.outputs("cache")), 0)

    def test_traceHasSpansOfProviderAndDevice(self):
        self.report(self.write("small.onnx", smallModel()), *THROUGH, "--trace", "trace.json")
        with open(self.path("trace.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        names = {event["name"] for event in events if event["ph"] == "X"}
        self.assertLessEqual({"[NN_LR_PE]compute", "[NN_LD_PCO]run"}, names)

    def test_reasonOfTheRuntimeIsShown(self):
        self.refused(1, "ONNX Runtime: ", self.write("text.onnx", b"module {}"), *THROUGH)
        name = self.write("small.onnx", smallModel())
        self.refused(1, "has 4 bytes, but input 0", name, *THROUGH, "--input", self.write("few", b"1234"))
        self.refused(1, "start avocetd", name, *THROUGH, "--device", "avocet-e256", "--socket", self.path("socket"))
        self.refused(1, "e999", name, *THROUGH, "-t", "e999")


class OnnxRefusalTest(OnnxCommand):
    def test_otherFilesAreRefused(self):
        self.refused(1, "is a .tflite file", DIGITS, *THROUGH)
        self.refused(1, "is a directory", ".", *THROUGH)
        self.refused(1, "missing.onnx", "missing.onnx", *THROUGH)

    def test_optionsWithoutMeaningAreRefused(self):
        for option in ("--value", "--layout", "--hints", "--optimize", "--image"):
            self.refused(2, option, "model.onnx", *THROUGH, option, "x=1")
        for option in ("--shape", "--dim"):
            self.refused(1, f"{option} with --through delegate", DIGITS, "--through", "delegate", option, "x=1")

    def clients(self, source):
        """A folder of clients whose ONNX Runtime is made of this C file."""
        machine = "arm64" if os.uname().machine == "aarch64" else "x64"
        folder = self.path(f"clients/onnxruntime-node/bin/napi-v6/linux/{machine}")
        os.makedirs(folder)
        with open(self.path("runtime.c"), "w", encoding="utf-8") as file:
            file.write(source)
        subprocess.run(["cc", "-shared", "-fPIC", self.path("runtime.c"), "-o", os.path.join(folder, "libonnxruntime.so.1")],
                       check=True)
        return self.path("clients")

    def test_unusableRuntimesAreExplained(self):
        needProvider()
        name = self.write("small.onnx", smallModel())
        self.refused(1, "ONNX Runtime is not installed in", name, *THROUGH, clients=self.path("nothing"))
        old = """static const void *api(unsigned version) { return 0; }
                 static const char *version(void) { return "1.22.0"; }
                 static const void *const base[2] = {api, version};
                 const void *OrtGetApiBase(void) { return base; }"""
        self.refused(1, "needs ONNX Runtime 1.23 or later, this is 1.22.0", name, *THROUGH, clients=self.clients(old))
        shutil.rmtree(self.path("clients"))
        self.refused(1, "OrtGetApiBase", name, *THROUGH, clients=self.clients("int other;"))

    def test_missingLibrariesAreExplained(self):
        """Copies of the programs, in an installation that lacks them."""
        needOnnxruntime()
        name = self.write("small.onnx", smallModel())
        os.makedirs(self.path("bin"))
        os.makedirs(self.path("lib"))
        for each in ("avocet", "avocet-run", "avocetApplication"):
            shutil.copy(program(each), self.path("bin"))
        self.refused(1, "libavocet_onnxruntime.so is not in", name, *THROUGH, avocet=self.path("bin/avocet"))
        shutil.copy(needProvider(), self.path("lib"))
        self.refused(1, "libavocetCompiler.so is not in", name, *THROUGH, avocet=self.path("bin/avocet"))

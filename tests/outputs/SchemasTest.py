# Every JSON output against its published schema (runtime/tools/avocet/schemas), with no key that the schema lacks.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import unittest

import Harness
from Harness import DIGITS, SCHEMAS
from PngFile import grayPng
from Service import ServiceTest

try:
    import jsonschema
except ImportError:
    jsonschema = None

BROKEN = """module {
  func.func @main(%x: tensor<4xi8>) -> tensor<4xi8> {
    %y = "nn.no_such"(%x) : (tensor<4xi8>) -> tensor<4xi8>
    return %y : tensor<4xi8>
  }
}
"""

REFUSED = """module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x50xf32>) -> tensor<1x50xf32> {
    %y = nn.softmax %x beta 0x7F800000 : (tensor<1x50xf32>) -> tensor<1x50xf32>
    return %y : tensor<1x50xf32>
  }
}
"""


def closed(schema):
    """The schema without room for unknown keys: readers must accept them, but the programs must document theirs."""
    if isinstance(schema, list):
        return [closed(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if "properties" in schema and schema.get("type") == "object":
        result.setdefault("additionalProperties", False)
    return result


def read(name):
    with open(os.path.join(SCHEMAS, f"{name}.schema.json"), encoding="utf-8") as file:
        return json.load(file)


@unittest.skipIf(jsonschema is None, "Python has no module jsonschema; install python3-jsonschema")
class SchemasTest(ServiceTest):
    def check(self, name, text):
        document = json.loads(text)
        jsonschema.Draft202012Validator(closed(read(name))).validate(document)
        return document

    def refuse(self, name, document):
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(closed(read(name))).validate(document)

    def test_schemasAreValidThemselves(self):
        names = os.listdir(SCHEMAS)
        self.assertGreaterEqual(len(names), 12)
        for name in names:
            jsonschema.Draft202012Validator.check_schema(read(name.split(".")[0]))

    def test_run(self):
        document = self.check("run", self.avocet("run", DIGITS, "--report", "json").stdout)
        self.check("run", self.avocet("run", DIGITS, "--report", "json", "--mode", "functional").stdout)
        self.assertEqual(sum(layer["cycles"] for layer in document["layers"]), document["cycles"])
        self.assertEqual(sum(layer["macs"] for layer in document["layers"]), document["macs"])
        self.assertEqual(sum(document["dram_bytes_by_kind"].values()), document["dram_bytes"])
        self.refuse("run", {**document, "cycles": "many"})
        self.refuse("run", {**document, "undocumented": 1})
        del document["schemaVersion"]
        self.refuse("run", document)

    def test_runWithPictures(self):
        picture = self.path("gray.png")
        with open(picture, "wb") as file:
            file.write(grayPng(28, 28, 200))
        document = self.check("run", self.avocet("run", DIGITS, "--image", picture, "--report", "json").stdout)
        self.assertEqual(len(document["classes"]), 5)

    def test_inspect(self):
        self.avocet("compile", DIGITS, "-o", "out")
        plain = self.check("inspect", self.avocet("inspect", "out", "--json").stdout)
        full = self.check("inspect", self.avocet("inspect", "out", "--json", "--commands").stdout)
        for without, stream in zip(plain["streams"], full["streams"]):
            self.assertNotIn("commands", without)
            self.assertEqual(len(stream["commands"]), stream["num_commands"])

    def test_remarks(self):
        self.avocet("compile", DIGITS, "-o", "out", "--remarks", "why.json")
        with open(self.path("why.json"), encoding="utf-8") as file:
            document = self.check("remarks", file.read())
        kinds = {(remark["category"], remark["kind"]) for remark in document["remarks"]}
        self.assertLessEqual({("placement", "passed"), ("compression", "passed"), ("schedule", "passed"),
                              ("schedule", "missed")}, kinds)
        self.refuse("remarks", {**document, "remarks": [{**document["remarks"][0], "kind": "maybe"}]})

    def test_hints(self):
        document = self.check("hints", self.avocet("explain", DIGITS, "--print-hints").stdout)
        self.assertGreater(len(document["hints"]), 1)
        layer = json.loads(self.avocet("explain", DIGITS, "--json", "--layer", "add2", "--no-changes").stdout)
        hints = [decision["arguments"]["Hint"] for decision in layer["details"]["decisions"] if "Hint" in decision["arguments"]]
        self.check("hints", json.dumps({"hints": hints}))
        self.assertIn(hints[0], document["hints"], "the decision about the layer is one of those that fix the schedule")
        self.refuse("hints", {"hints": [{"cascade": []}]})
        self.refuse("hints", {"hints": [{"cut": "add2", "rows": 1}]})

    def test_explain(self):
        document = self.check("explain", self.avocet("explain", DIGITS, "--json").stdout)
        self.assertEqual(sum(layer["cycles"] for layer in document["layers"]), document["network"]["cycles"])
        self.assertEqual(document["sections"], [{"runs": 1, "cycles": document["network"]["cycles"]}])
        layer = self.check("explain", self.avocet("explain", DIGITS, "--json", "--layer", "add2", "--no-changes").stdout)
        self.assertNotIn("changes", layer)
        self.assertGreater(layer["details"]["waits"][0]["cycles"], 0)
        decisions = layer["details"]["decisions"]
        self.check("remarks", json.dumps({"schemaVersion": 1, "remarks": decisions}))
        self.assertIn("cascade", {decision["name"] for decision in decisions})
        self.refuse("explain", {**document, "undocumented": 1})
        del document["layers"][0]["lost_cycles"]
        self.refuse("explain", document)

    def test_doctor(self):
        document = self.check("doctor", self.avocet("doctor", "--json", "--socket", "none").stdout)
        self.assertIn("compiler", {finding["subject"] for finding in document["findings"]})
        self.refuse("doctor", {**document, "findings": [{**document["findings"][0], "state": "ill"}]})

    def test_explainRefusal(self):
        with open(self.path("refused.mlir"), "w", encoding="utf-8") as file:
            file.write(REFUSED)
        result = self.avocet("explain", "refused.mlir", "--json", code=1)
        document = self.check("explain", result.stdout)
        refused = document["unsupported"][0]
        self.assertEqual((refused["name"], refused["rule"]), ("SOFTMAX", "softmax: beta must be finite"))
        self.assertIn("change the model", refused["advice"])
        del refused["advice"]
        self.refuse("explain", document)

    def test_where(self):
        self.avocet("compile", DIGITS, "-g", "-o", "out")

        def where(*question):
            return self.check("where", self.avocet("where", "out", *question, "--json").stdout)
        document = where("--command", "mac:4")
        command = document["commands"][0]
        self.assertEqual(command["tile"], {"from": [8, 0, 0], "shape": [4, 14, 16]})
        self.assertEqual(command["layer"]["operators"][0]["kind"], "CONV_2D")
        end = command["cycles"][0]["end"]
        self.assertIn("mac:4", [each["name"] for each in where("--cycle", str(end - 1))["commands"]])
        byte = where("--address", f"sram:0x70a@{end}")
        self.assertEqual((byte["last_writer"]["name"], byte["element"]), ("mac:4", [8, 0, 10]))
        self.assertEqual(byte["buffers"][0]["holds"], "result")
        self.assertEqual(where("--constant", "0")["buffers"][0]["operation"]["tensor"], "stem")
        layer = where("--layer", "add2")["layers"][0]
        self.assertEqual([each["kind"] for each in layer["operators"]], ["CONV_2D", "ADD"])
        self.refuse("where", {**document, "undocumented": 1})
        del command["cycles"]
        self.refuse("where", document)

    def test_explore(self):
        self.avocet("explore", "--models", DIGITS, "--set", "sram.bytes=65568,64K", "--set", "sram.burstBytes=32,64", "-o", "out")
        with open(self.path("out/explore.json"), encoding="utf-8") as file:
            document = self.check("explore", file.read())
        self.assertEqual([point["state"] for point in document["points"]], ["ok", "refused", "ok", "ok"])
        del document["points"][0]["cycles"]
        self.refuse("explore", document)

    def test_report(self):
        self.avocet("compile", DIGITS, "-g", "-o", "out")
        for model in (DIGITS, "out"):
            self.avocet("report", model, "--data", "data.json")
            with open(self.path("data.json"), encoding="utf-8") as file:
                document = self.check("report", file.read())
            self.check("run", json.dumps(document["figures"]))
            self.assertEqual(len(document["layers"]), len(document["figures"]["layers"]))
        self.refuse("report", {**document, "version": 0})
        self.refuse("report", {**document, "undocumented": 1})
        del document["tracks"][0]["start"]
        self.refuse("report", document)

    def test_targets(self):
        document = self.check("targets", self.avocet("targets", "--json").stdout)
        self.assertEqual([target["name"] for target in document["targets"]], ["e256", "e256s", "m512", "p4096"])

    def test_diagnostics(self):
        with open(self.path("broken.mlir"), "w", encoding="utf-8") as file:
            file.write(BROKEN)
        result = self.avocet("compile", "broken.mlir", "-o", "out", "--diagnostics", "json", code=1)
        document = self.check("diagnostics", result.stdout)
        self.assertEqual(document["diagnostics"][0]["severity"], "error")

    def test_conformance(self):
        if not os.path.exists(Harness.VECTORS):
            self.skipTest("no vectors of NNAPI are built")
        self.avocet("conformance", Harness.VECTORS, "--kind", "general", "--every", "9", "--json", "result.json", "-q")
        with open(self.path("result.json"), encoding="utf-8") as file:
            document = self.check("conformance", file.read())
        self.assertGreater(document["cases"], 0)
        self.refuse("conformance", {**document, "by_kind": {"general": 1}})

    def test_random(self):
        self.avocet("random", "--graphs", "5", "--json", "result.json")
        with open(self.path("result.json"), encoding="utf-8") as file:
            document = self.check("random", file.read())
        self.assertEqual(document["graphs"], 5)
        self.assertEqual(document["failures"], [])
        self.assertEqual(sum(row["in_graphs"] for row in document["by_operation"].values()), document["operations"])
        self.refuse("random", {**document, "graphs": -1})

    def test_benchmark(self):
        images = [os.path.join(os.path.dirname(DIGITS), f"test-{name}-ubyte") for name in ("images.idx3", "labels.idx1")]
        self.avocet("benchmark", DIGITS, "absent.tflite", "--images", images[0], "--labels", images[1], "--limit", "20", "--require",
                    "top1=100.5", "--json", "result.json", code=1)
        with open(self.path("result.json"), encoding="utf-8") as file:
            document = self.check("benchmark", file.read())
        cpu, device = document["networks"][0]["devices"]
        self.assertEqual(sum(sum(row["answers"].values()) for row in device["labels"]["classes"]), 20)
        self.assertEqual((len(document["problems"]), len(document["broken_requirements"])), (1, 2))
        self.refuse("benchmark", {**document, "undocumented": 1})
        self.refuse("benchmark", {**document, "means": [{}]})
        del cpu["host_ms"]
        self.refuse("benchmark", document)

    def test_devices(self):
        self.startService("--target", "e256")
        document = self.check("devices", self.avocet("devices", "--socket", "socket", "--json").stdout)
        registry = self.check("devices", self.avocet("devices", "--socket", self.folder, "--json").stdout)
        self.check("run", self.avocet("run", DIGITS, "--socket", "socket", "--device", "avocet-e256", "--report",
                                      "json").stdout)
        self.endService()
        self.assertEqual(document["devices"][0]["device"], "avocet-e256")
        self.assertEqual(registry["devices"][0]["service"], "socket")
        self.refuse("devices", {**registry, "left_out": [{"service": "socket"}]})

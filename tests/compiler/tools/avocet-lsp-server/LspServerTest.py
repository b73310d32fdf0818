#===- LspServerTest.py - Tests of avocet-lsp-server
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Diagnostics, hover, go to definition and completion in modules of all three dialects.

  LspServerTest.py AVOCET_LSP_SERVER
"""

import sys
import unittest

from LspClient import LspClient

kServer = sys.argv.pop(1)
kUri = "file:///network.mlir"

kNn = """!x = !quant.uniform<i8:f32, 0.5:-3>
func.func @main(%image: tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x> {
  %pooled = nn.max_pool_2d %image kernel [2, 2] stride [2, 2] : (tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x>
  return %pooled : tensor<1x2x2x2x!x>
}
"""
kNpu = """npu.program @main attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %tile = npu.buffer sram 64 at 128
  npu.tile_pool %tile, %tile {kind = average, input = {4x2x8xi8}, output = {4x2x8xi8}} layer 0
}
"""
kCmd = """cmd.program @main attributes {
    header = {}, semaphores = 1 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
  cmd.stream dma 0 {
    cmd.signal
    cmd.end
  }
}
"""


class LspServerTest(unittest.TestCase):
    def setUp(self):
        self.client = self.enterContext(LspClient(kServer))
        self.text = None

    def open(self, text):
        """The diagnostics of a new document."""
        self.text = text
        self.client.notify("textDocument/didOpen", {
            "textDocument": {"uri": kUri, "languageId": "mlir", "version": 1, "text": text}})
        return self.client.notification("textDocument/publishDiagnostics")["diagnostics"]

    def change(self, text):
        self.text = text
        self.client.notify("textDocument/didChange", {
            "textDocument": {"uri": kUri, "version": 2}, "contentChanges": [{"text": text}]})
        return self.client.notification("textDocument/publishDiagnostics")["diagnostics"]

    def ask(self, kind, mark, after=0):
        """The answer for the last place of `mark` in the text, `after` characters after its start."""
        before = self.text[:self.text.rindex(mark) + after]
        return self.client.request(f"textDocument/{kind}", {
            "textDocument": {"uri": kUri},
            "position": {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}})

    def labels(self, mark):
        return {item["label"] for item in self.ask("completion", mark, len(mark))["items"]}

    def lineOf(self, mark):
        return self.text[:self.text.index(mark)].count("\n")

    def testServerOffersTheFourServices(self):
        for service in ("hoverProvider", "definitionProvider", "completionProvider"):
            self.assertTrue(self.client.capabilities[service], service)
        self.assertEqual(self.client.close(), 0)

    def testValidModulesHaveNoDiagnostics(self):
        for text in (kNn, kNpu, kCmd):
            self.assertEqual(self.open(text), [])

    def testVerifierErrorIsAtItsOperation(self):
        found = self.open(kNn.replace("stride [2, 2]", "stride [1, 1]"))
        self.assertEqual(found[0]["range"]["start"]["line"], self.lineOf("nn.max_pool_2d"))
        self.assertEqual(found[0]["severity"], 1)
        self.assertIn("nn.max_pool_2d", found[0]["message"])

    def testUnknownFieldIsReportedUntilCorrected(self):
        found = self.open(kNpu.replace("kind = average", "color = 1"))
        self.assertEqual([d["range"]["start"]["line"] for d in found], [self.lineOf("npu.tile_pool")])
        self.assertIn("command has no field 'color'", found[0]["message"])
        self.assertEqual(self.change(kNpu), [])

    def testSemaphoreWithoutSignalIsReported(self):
        found = self.open(kCmd.replace("cmd.signal", "cmd.wait {value = 1}"))
        self.assertEqual([d["range"]["start"]["line"] for d in found], [self.lineOf("cmd.wait")])
        self.assertIn("is never satisfied", found[0]["message"])

    def testHoverShowsTheGenericForm(self):
        self.open(kNn)
        hover = self.ask("hover", "nn.max_pool_2d", 3)["contents"]["value"]
        self.assertIn("kernel = array<i64: 2, 2>", hover)
        self.assertIn("activation = #nn<activation none>", hover)  # a default, which the text omits

    def testHoverShowsTypesOfValues(self):
        self.open(kNpu)
        self.assertIn("!npu.buffer", self.ask("hover", "%tile {", 1)["contents"]["value"])
        self.assertIn("\"npu.buffer\"", self.ask("hover", "%tile {", 1)["contents"]["value"])

    def testDefinitionOfAValueIsFound(self):
        self.open(kNpu)
        found = self.ask("definition", "%tile {", 1)
        self.assertEqual([(place["uri"], place["range"]["start"]["line"]) for place in found],
                         [(kUri, self.lineOf("%tile ="))])

    def testDefinitionOfATypeAliasIsFound(self):
        self.open(kNn)
        found = self.ask("definition", "!x>", 1)
        self.assertEqual([place["range"]["start"]["line"] for place in found], [0])

    def testReferencesToAValueAreFound(self):
        self.open(kNpu)
        before = {"includeDeclaration": False}
        found = self.client.request("textDocument/references", {
            "textDocument": {"uri": kUri}, "position": {"line": 1, "character": 3}, "context": before})
        self.assertIn(self.lineOf("npu.tile_pool"), {place["range"]["start"]["line"] for place in found})

    def testOperationsOfADialectAreCompleted(self):
        for dialect, operation in (("nn", "max_pool_2d"), ("npu", "tile_pool"), ("cmd", "stream")):
            self.open(kNn.replace("  return", f"  {dialect}.\n  return"))
            self.assertIn(operation, self.labels(f"  {dialect}."))

    def testValuesAreCompleted(self):
        self.open(kNn.replace("return %pooled", "return %"))
        self.assertEqual(self.labels("return %"), {"%image", "%pooled"})

    def testSpacesOfBuffersAreCompleted(self):
        self.open(kNpu.replace("npu.buffer sram 64 at 128", "npu.buffer "))
        self.assertEqual(self.labels("npu.buffer "), {"sram", "input", "output", "constants", "scratch"})


if __name__ == "__main__":
    unittest.main()

#===- OperationsTest.py - The tables of the graph dialect's operations
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Usage: OperationsTest.py RECORDS MLIR_INCLUDE [--update]"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import NnapiCodes

kRoot = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
kWriter = os.path.join(kRoot, "compiler/nnapi/WriteOperations.py")
kPage = os.path.join(kRoot, "compiler/docs/Operations.md")
kRow = re.compile(r'AVOCET_NN_OPERATION\("(.*?)", "(.*?)", (\w+), (\w+), "(.*?)", "(.*?)", "(.*?)", "(.*?)", "(.*?)"\)')


def read(path):
    with open(path) as file:
        return file.read()


def written(name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        subprocess.run([sys.executable, kWriter, gRecords, path], check=True)
        return read(path)


class OperationsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = kRow.findall(written("NnOperations.inc"))

    def namesIn(self, column):
        return {name for row in self.rows for name in row[column].split()}

    def testEachOperationHasOperandsAndTypes(self):
        self.assertGreater(len(self.rows), 100)
        for mnemonic, kind, least, most, types, *_ in self.rows:
            self.assertNotEqual(types, "", mnemonic)
            self.assertNotEqual(most, "0", mnemonic)

    def testTfliteNamesAreInItsSchema(self):
        operators = read(os.path.join(kRoot, "compiler/tflite/Tflite.fbs"))
        known = set(re.findall(r"\b([A-Z][A-Z0-9_]+) = \d+", operators))
        self.assertEqual(self.namesIn(5) - known, set())

    def testNnapiNamesAreInItsTable(self):
        self.assertEqual(self.namesIn(6) - set(NnapiCodes.kOperations), set())

    def testTosaNamesAreInItsDialect(self):
        operations = read(os.path.join(gMlirInclude, "mlir/Dialect/Tosa/IR/TosaOps.td"))
        known = set(re.findall(r'Tosa_\w+<\s*"(\w+)"', operations))
        self.assertIn("avg_pool2d", known)
        self.assertEqual(self.namesIn(8) - known, set())

    def testPageIsCurrent(self):
        self.assertEqual(read(kPage), written("Operations.md"), "update it with --update")


if __name__ == "__main__":
    gRecords, gMlirInclude = sys.argv[1:3]
    if "--update" in sys.argv:
        subprocess.run([sys.executable, kWriter, gRecords, kPage], check=True)
    unittest.main(argv=sys.argv[:1])

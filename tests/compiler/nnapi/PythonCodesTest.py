#===- PythonCodesTest.py - The Python client's codes against the tables
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""The client in tests/hal/python repeats codes of NNAPI, because it shares nothing with the C++ code."""

import os
import sys
import unittest

import NnapiCodes

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../hal/python"))
from avocetClient import Constants


class PythonCodesTest(unittest.TestCase):
    def testTablesHaveAllRows(self):
        self.assertEqual(sorted(NnapiCodes.kOperations.values()), list(range(106)))
        self.assertEqual(sorted(NnapiCodes.kOperandTypes.values()), list(range(16)))

    def testClientHasCodesOfTables(self):
        for member in Constants.Operation:
            self.assertEqual(member.value, NnapiCodes.kOperations.get(member.name), member.name)
        for member in Constants.Type:
            self.assertEqual(member.value, NnapiCodes.kOperandTypes.get(member.name), member.name)


if __name__ == "__main__":
    unittest.main()

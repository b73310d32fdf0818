#===- ChecklistTest.py - Wrong rows of the checklist are found
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Runs the checks of Checklist.py in a small tree with tests of every kind."""

import json
import pathlib
import tempfile
import unittest

import Checklist

kFiles = {
    "tests/hal/x/CMakeLists.txt": 'avocet_unit_test(xTests SOURCES XTest.cpp)\nadd_test(NAME ${AVOCET_TEST_PREFIX}x.tree COMMAND x)\n',
    "tests/hal/x/XTest.cpp": "TEST(X, One) {}\nTEST_F(X, Two) {}\nTEST_P(Kinds, Three) {}\n",
    "tests/hal/x/Asserts.cpp": "static_assert(true);\n",
    "tests/hal/x/Plain.cpp": "int x;\n",
    "tests/hal/x/guest/CMakeLists.txt": "add_executable(guest G.cpp)\n",
    "tests/hal/x/guest/G.cpp": "TEST(Guest, One) {}\n",
    "tests/hal/x/CallsTest.py": "class CallsTest(ServiceTest):\n    def test_one(self):\n        pass\n",
    "tests/compiler/add.mlir": "// RUN: true\n",
}
kTable = "| statement | tests | reason |\n|---|---|---|\n"


def listing(*names, program="xTests"):
    tests = [{"name": "X", "command": [f"/bin/{program}", "--gtest_filter=" + ":".join(names)]}, {"name": "X_NOT_BUILT"}]
    return Checklist.Build(json.dumps({"tests": tests}))


class ChecklistTest(unittest.TestCase):
    def check(self, *lines, build=None, readme="[X](X.md)"):
        """Rows and problems of a folder whose only table has these lines."""
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            folder = root / "list"
            for name, text in {**kFiles, "list/README.md": readme, "list/X.md": kTable + "\n".join(lines) + "\n"}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return Checklist.check(root, folder, build)

    def problems(self, *lines, **options):
        return self.check(*lines, **options)[1]

    def testAcceptsTestsOfEveryKind(self):
        names = ("X.One", "X.Two", "Kinds.Three", "Guest.One", "CallsTest.test_one", "x.tree", "tests/compiler/add.mlir",
                 "tests/hal/x/Asserts.cpp")
        lines = [f"| statement {i} | `{name}` | |" for i, name in enumerate(names)]
        rows, problems = self.check(*lines, "| last | `X.One`, `X.Two` | partly |", "| none | | out of scope |")
        self.assertEqual(problems, [])
        self.assertEqual(len(rows), len(names) + 2)
        self.assertIn("10 statements    9 with tests    1 with a reason only", Checklist.count(rows))
        self.assertIn(f"{len(names)} different tests", Checklist.count(rows))

    def testNamesTestsThatDoNotExist(self):
        for name in ("X.Four", "Y.One", "CallsTest.test_two", "x.check", "tests/compiler/sub.mlir", "tests/hal/x/Plain.cpp", "list/X.md"):
            self.assertEqual(self.problems(f"| a | `X.One`, `{name}` | |"), [f"X.md:3: the sources have no test {name}"])

    def testRequiresTestOrReason(self):
        self.assertEqual(self.problems("| a | | |"), ["X.md:3: neither a test nor a reason"])
        self.assertEqual(self.problems("| | `X.One` | |"), ["X.md:3: no statement"])
        self.assertEqual(self.problems("| a | `X.One`, `X.One` | |"), ["X.md:3: names a test twice"])

    def testFindsRepeatedStatements(self):
        self.assertEqual(self.problems("| A token, once | `X.One` | |", "| b | `X.One` | |", "| a *token* once. | | no |"),
                         ["X.md:5: repeats the statement of X.md:3"])

    def testRefusesOtherForms(self):
        for line in ("| a | X.One | |", "| a | `X.One` `X.Two` | |", "| a | `X.One` |", "| a | `X.One` | b | c |"):
            self.assertIn("X.md:3: not three cells", self.problems(line)[0])
        self.assertEqual(self.problems(), ["X.md: has no rows"])
        self.assertEqual(self.problems("| a | `X.One` | |", readme=""), ["README.md: does not name X.md"])

    def testComparesWithBuiltPrograms(self):
        lines = ["| a | `X.One`, `Kinds.Three` | |", "| b | `Guest.One` | |"]
        built = listing("X.One", "All/Kinds.Three/0")
        self.assertEqual(self.problems(*lines, build=built), [])
        self.assertEqual(self.problems("| a | `X.Two` | |", build=built), ["X.md:3: no built program has the test X.Two"])
        self.assertEqual(self.problems("| a | `X.Two` | |", build=listing("Y.One", program="yTests")), [], "xTests is not built")

    def testNamesOfInstancesAreReduced(self):
        for name, plain in (("X.One", "X.One"), ("All/X.One/0", "X.One"), ("X/0.One", "X.One"), ("X.One/name", "X.One")):
            self.assertEqual(Checklist.plainName(name), plain)


if __name__ == "__main__":
    unittest.main()

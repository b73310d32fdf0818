#===- MutantsTest.py - Mutations that cannot be judged are found
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Runs scripts/mutants --check in a small tree with one rule and three tests of it.

  MutantsTest.py PATH_OF_SCRIPT
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

kScript = sys.argv.pop(1)
kFiles = {
    "lib/Rules.cpp": "one\nrule\ntwo\n",
    "tests/hal/rules/CMakeLists.txt": "avocet_unit_test(ruleTests SOURCES RulesTest.cpp)\n",
    "tests/hal/rules/RulesTest.cpp": "TEST(Rules, Hold) {}\nTEST_F(Limits, Hold) {}\nTEST_P(Names, Hold) {}\n",
}
kPatch = "--- a/lib/Rules.cpp\n+++ b/lib/Rules.cpp\n@@ -1,3 +1,2 @@\n one\n-rule\n two\n"


class MutantsTest(unittest.TestCase):
    def check(self, tests, program="ruleTests", patch=kPatch):
        """Exit code and output for one mutation."""
        mutation = f"Rule: It holds.\nProgram: {program}\nTests: {tests}\n\n{patch}"
        with tempfile.TemporaryDirectory() as root:
            for name, text in {**kFiles, "tests/hal/mutations/rule.patch": mutation}.items():
                path = pathlib.Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            script = pathlib.Path(root, "scripts", "mutants")
            script.parent.mkdir()
            shutil.copy(kScript, script)
            run = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def testAcceptsFiltersThatMatch(self):
        for tests in ("Rules.*", "*Hold*", "Limits.Hold", "*/Names.Hold/*", "Rules.*:Limits.*", "Rules.Hol?", "Rules.*-Rules.Slow"):
            self.assertEqual(self.check(tests), (0, "mutants: 1 of 1 patches fit\n"), tests)

    def testNamesPartsThatMatchNoTest(self):
        for tests, idle in (("Rule.*", "Rule.*"), ("Rules.*:Renamed.*", "Renamed.*"), ("Names.Hold", "Names.Hold")):
            code, text = self.check(tests)
            self.assertEqual(code, 1, tests)
            self.assertIn(f"rule.patch names no test of ruleTests: {idle}\n", text)

    def testRefusesUnknownPrograms(self):
        code, text = self.check("Rules.*", program="ruleTest")
        self.assertEqual(code, 1)
        self.assertIn("names no test of ruleTest: Rules.*", text)

    def testNamesPatchesThatDoNotFit(self):
        code, text = self.check("Rules.*", patch=kPatch.replace("-rule", "-law"))
        self.assertEqual(code, 1)
        self.assertIn("rule.patch does not fit the sources any more", text)


if __name__ == "__main__":
    unittest.main()

# The completion scripts, run by the shells themselves, and the manual page.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import shutil
import subprocess
import unittest

from Harness import PATIENCE, ProgramTest, environment

# The words of the command line are the arguments; the last one is to be completed. bash divides words at "=".
ASK = """
source ./script
COMP_WORDS=(avocet "$@")
COMP_CWORD=$#
_avocet
printf '%s\\n' "${COMPREPLY[@]}"
"""


class BashTest(ProgramTest):
    def setUp(self):
        super().setUp()
        with open(self.path("script"), "w", encoding="utf-8") as file:
            file.write(self.avocet("completion", "bash").stdout)

    def complete(self, *words):
        result = subprocess.run(["/bin/bash", "--norc", "-c", ASK, "bash", *words], capture_output=True, text=True,
                                timeout=PATIENCE, cwd=self.folder, check=False, env=environment())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.split()

    def test_subcommandsBegin(self):
        self.assertEqual(self.complete("in"), ["inspect"])
        listed = self.complete("")
        for name in ("compile", "run", "targets", "completion"):
            self.assertIn(name, listed)

    def test_optionsOfTheSubcommand(self):
        self.assertEqual(self.complete("run", "--rep"), ["--report", "--repeat"])
        self.assertEqual(self.complete("targets", "--p"), ["--print"])
        self.assertEqual(self.complete("targets", "--rep"), [])

    def test_optionsOfOtherPrograms(self):
        self.assertEqual(self.complete("conformance", "--case"), ["--case-limit"])
        self.assertEqual(self.complete("random", "--kind", "dev"), ["deviceMemory"])

    def test_valuesOfChoices(self):
        self.assertEqual(self.complete("run", "--report", "j"), ["json"])
        self.assertEqual(self.complete("run", "--report", "=", "ta"), ["table"])
        self.assertEqual(self.complete("run", "--report", "="), ["table", "json", "csv", "none"])
        self.assertEqual(self.complete("compile", "--stop-after", "s"), ["schedule"])
        self.assertEqual(self.complete("completion", "z"), ["zsh"])

    def test_targetsByName(self):
        self.assertEqual(self.complete("run", "-t", "e256s"), ["e256s"])
        self.assertIn("m512", self.complete("compile", "--target", ""))

    def test_filesAreLeftToBash(self):
        self.assertEqual(self.complete("run", "mod"), [])
        self.assertEqual(self.complete("run", "--input", "x"), [])
        with open(self.path("script"), encoding="utf-8") as file:
            self.assertIn("complete -o default -F _avocet avocet", file.read())


class OtherShellsTest(ProgramTest):
    def parse(self, shell):
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed")
        with open(self.path("script"), "w", encoding="utf-8") as file:
            file.write(self.avocet("completion", shell).stdout)
        result = subprocess.run([shell, "-n", "script"], capture_output=True, text=True, timeout=PATIENCE,
                                cwd=self.folder, check=False, env=environment())
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_zshParsesItsScript(self):
        self.parse("zsh")

    def test_fishParsesItsScript(self):
        self.parse("fish")

    def test_scriptsNameEverySubcommand(self):
        commands = [line.split()[0] for line in self.avocet("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0]
                    .splitlines() if line.startswith("  ") and not line.startswith("   ")]
        self.assertIn("inspect", commands)
        for form in ("bash", "zsh", "fish", "man"):
            text = self.avocet("completion", form).stdout
            for command in commands:
                self.assertIn(command, text, form)

    def test_manualPageHasNoWarnings(self):
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        page = self.avocet("completion", "man").stdout
        result = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True,
                                timeout=PATIENCE, check=False, env=environment())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("--report", result.stdout)
        self.assertIn("case\\-limit", page)


if __name__ == "__main__":
    unittest.main()

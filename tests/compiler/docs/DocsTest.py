#===- DocsTest.py - Tests of the generated reference of the IR
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Checks that the reference covers all dialects and passes, and that the examples of passes are what avocet-opt prints.

  DocsTest.py FOLDER_OF_DOCS AVOCET_OPT LLVM_TBLGEN
"""

import pathlib
import re
import shlex
import subprocess
import sys
import unittest

import Records
from Records import kRoot

kDocs, kOpt, kTblgen = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1), sys.argv.pop(1)
# Passes of MLIR that avocet-opt registers; MLIR documents them.
kForeignPasses = {"canonicalize", "cse"}
# Values that change with each version and with the figures of a target.
kVolatile = re.compile(r'(compilerVersion = )"[^"]*"|(targetFingerprint = )-?\d+')
kDefinition = re.compile(r"^def (\w+) : (?:Dialect|(?:Optional|Required)Pass|OpInterface)\b", re.MULTILINE)
# Classes of records and the fields that must not be empty.
kFields = {"Dialect": ("summary", "description"), "Op": ("summary", "description"), "AttrDef": ("summary", "description"),
           "TypeDef": ("summary", "description"), "EnumInfo": ("summary", "description"), "Interface": ("description",),
           "PassBase": ("summary", "description"), "InterfaceMethod": ("description",), "Option": ("description",)}


def definitionFiles():
    """TableGen files that define a dialect, passes or interfaces."""
    return [file for file in Records.files() if kDefinition.search(file.read_text())]


def indexRows():
    """(page, source) of each row of the index."""
    return re.findall(r"^\| \[[^\]]+\]\(([^)]+)\) \| `([^`]+)` \|$", (kDocs / "README.md").read_text(), re.MULTILINE)


def undescribed(records):
    """Records of the project's files that lack a field."""
    for kind, fields in kFields.items():
        for name in records["!instanceof"].get(kind, []):
            record = records[name]
            if Records.isOwn(record):
                yield from (f"{name} ({record['!locs'][0]}): {field}" for field in fields if not (record[field] or "").strip())


def passSections():
    """Flag of each documented pass -> its text."""
    sections = {}
    for page in (kDocs / "Passes").glob("*.md"):
        parts = re.split(r"^### `-([\w-]+)`$", page.read_text(), flags=re.MULTILINE)
        sections.update(zip(parts[1::2], parts[2::2]))
    return sections


def blocks(section):
    """Label of each code block of an example -> its text."""
    found = re.findall(r"^([A-Z][\w ]*):\n\n```\w+\n(.*?)\n```$", section, re.MULTILINE | re.DOTALL)
    return {label: normalized(text) for label, text in found}


def normalized(text):
    text = re.sub(r"} \]", "}]", text.strip())
    return kVolatile.sub(lambda match: (match.group(1) or match.group(2)) + "*", text)


def run(section, source):
    """Exit code, output and first error of the command of a section."""
    command = shlex.split(re.search(r"^Command: `(avocet-opt [^`]+)`$", section, re.MULTILINE).group(1))
    done = subprocess.run([kOpt] + command[1:], input=source, capture_output=True, text=True, check=False)
    error = re.search(r"error: .*", done.stderr)
    return done.returncode, normalized(done.stdout), error.group(0) if error else ""


class DocsTest(unittest.TestCase):
    maxDiff = None

    def testEveryDefinitionFileHasAPage(self):
        sources = {source for _, source in indexRows()}
        dialects = set()
        for file in definitionFiles():
            dialects |= set(re.findall(r'^def \w+ : Dialect \{\n  let name = "(\w+)"', file.read_text(), re.MULTILINE))
            if ": Dialect" not in file.read_text():
                self.assertIn(str(file.relative_to(kRoot)), sources)
        self.assertTrue(dialects)
        for dialect in dialects:
            self.assertIn(f"# '{dialect}' Dialect", (kDocs / "Dialects" / f"{dialect}.md").read_text())

    def testEveryPageOfTheIndexExists(self):
        self.assertEqual(sorted(page for page, _ in indexRows()),
                         sorted(str(f.relative_to(kDocs)) for f in kDocs.glob("*/*.md")))

    def testEveryRecordIsDescribed(self):
        for _, source in indexRows():
            self.assertEqual(sorted(set(undescribed(Records.dump(kTblgen, kRoot / source)))), [], source)

    def testEveryPassIsDocumented(self):
        text = subprocess.run([kOpt, "--list-passes"], capture_output=True, text=True, check=True).stdout
        flags = set(re.findall(r"^  --([\w-]+) +-", text, re.MULTILINE)) - kForeignPasses
        self.assertEqual(flags, set(passSections()))

    def testEveryPassIsOptionalOrRequired(self):
        for file in Records.files():
            if "Pass<" not in file.read_text():
                continue
            records = Records.dump(kTblgen, file)["!instanceof"]
            passes = records.get("PassBase", [])
            self.assertEqual(sorted(passes), sorted(records.get("OptionalPass", []) + records.get("RequiredPass", [])), file)

    def testHelpHasEveryPassInItsGroup(self):
        text = subprocess.run([kOpt, "--help"], capture_output=True, text=True, check=True).stdout
        groups = dict(re.findall(r"^(P(?:asses|hases) .*):\n\n((?:  .*\n)+)", text, re.MULTILINE))
        flags = {title: set(re.findall(r"^  --([\w-]+) ", lines, re.MULTILINE)) for title, lines in groups.items()}
        self.assertEqual(flags.pop("Passes of MLIR"), kForeignPasses)
        self.assertEqual(set().union(*flags.values()), set(passSections()))
        for title, prefix in (("Phases of the compiler", "avocet-"), ("Passes on the dialect nn", "nn-"),
                              ("Passes on the dialect npu", "npu-")):
            self.assertEqual(flags[title], {flag for flag in passSections() if flag.startswith(prefix)})

    def testExamplesAreTheOutputOfTheirCommand(self):
        for flag, section in passSections().items():
            with self.subTest(flag):
                example = blocks(section)
                if "Before" in example:
                    self.assertEqual(run(section, example["Before"]), (0, example["After"], ""))
                    self.assertNotEqual(example["Before"], example["After"])
                else:
                    same = example["Before and after"]
                    self.assertEqual(run(section, same), (0, same, ""))
                    self.assertEqual(run(section, example["Refused"]), (1, "", example["Error"]))

    def testEveryPassHasItsOwnLitTest(self):
        tests = {f.stem: f.read_text() for f in (kRoot / "tests" / "compiler").rglob("*.mlir")}
        for flag in passSections():
            name = re.sub(r"^(nn|npu|avocet)-", "", flag)
            self.assertIn(name, tests)
            self.assertRegex(tests[name], rf"RUN:.*[-(]{flag}\b")


if __name__ == "__main__":
    unittest.main()

#===- Checklist.py - Statements about the HAL and the tests that guard them
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Checks and counts the rows of the tables in this folder; see README.md.

  Checklist.py                              only against the sources
  Checklist.py --ctest CTEST --build FOLDER... also against the tests of builds

Ends with 1 if a row names a test that does not exist, has neither test nor reason, or repeats a statement.
"""

import argparse
import dataclasses
import json
import pathlib
import re
import subprocess
import sys

kHeader = ["statement", "tests", "reason"]
kGoogleTest = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
kPythonTest = re.compile(r"^class (\w+)\b|^    def (test\w+)\(", re.MULTILINE)
kCtest = re.compile(r"\badd_test\(\s*NAME\s+\"?([^\s\")]+)")
kUnitTest = re.compile(r"\bavocet_unit_test\(\s*([^\s)]+)")
kPrefix = "${AVOCET_TEST_PREFIX}"


@dataclasses.dataclass
class Row:
    file: str
    line: int
    statement: str
    tests: list  # names
    reason: str

    def place(self):
        return f"{self.file}:{self.line}"


def cellsOf(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def namesIn(cell):
    """The names of a cell, each in backticks, with commas between them; None: the cell has another form."""
    if not cell:
        return []
    parts = [part.strip() for part in cell.split(",")]
    if not all(re.fullmatch(r"`[^`]+`", part) for part in parts):
        return None
    return [part.strip("`") for part in parts]


def readTable(path, problems):
    """The rows of one file. Its only table has the columns of kHeader."""
    rows, header = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.startswith("|"):
            continue
        cells = cellsOf(line)
        if header is None:
            header = cells
            if header != kHeader:
                problems.append(f"{path.name}:{number}: the columns are {header}, must be {kHeader}")
        elif not set("".join(cells)) <= set("-: "):
            tests = namesIn(cells[1]) if len(cells) == len(kHeader) else None
            if tests is None:
                problems.append(f"{path.name}:{number}: not three cells, of which the second has names in backticks")
            else:
                rows.append(Row(path.name, number, cells[0], tests, cells[2]))
    if not rows:
        problems.append(f"{path.name}: has no rows")
    return rows


class Sources:
    """The tests that the sources contain."""

    def __init__(self, root):
        self.root, self.tests = root, root / "tests"
        self.google = {}  # Suite.Test -> file
        self.others = set()  # Class.test of Python, names of ctest
        for path in self.tests.rglob("*.cpp"):
            for suite, test in kGoogleTest.findall(path.read_text(encoding="utf-8", errors="replace")):
                self.google[f"{suite}.{test}"] = path
        for path in self.tests.rglob("*.py"):
            owner = ""
            for name, test in kPythonTest.findall(path.read_text(encoding="utf-8", errors="replace")):
                owner = name or owner
                if test:
                    self.others.add(f"{owner}.{test}")
        for path in self.tests.rglob("CMakeLists.txt"):
            self.others.update(name.replace(kPrefix, "") for name in kCtest.findall(path.read_text(encoding="utf-8")))

    def has(self, name):
        """A path from the root names a lit test, or a source whose static_asserts are the test."""
        if "/" not in name:
            return name in self.google or name in self.others
        path = self.root / name
        if not name.startswith("tests/") or not path.is_file():
            return False
        return path.suffix in (".mlir", ".test") or "static_assert(" in path.read_text(encoding="utf-8")

    def programsOf(self, name):
        """Patterns of the programs that may contain a GoogleTest test; none if ctest does not list them by test."""
        folder = self.google[name].parent
        while not (folder / "CMakeLists.txt").is_file() and folder != self.tests:
            folder = folder.parent
        declared = kUnitTest.findall((folder / "CMakeLists.txt").read_text(encoding="utf-8"))
        return [re.sub(r"\\\$\\\{\w+\\\}", r"\\w+", re.escape(program)) for program in declared]


def plainName(name):
    """Suite.Test of Instance/Suite.Test/Parameter or Suite/Type.Test."""
    found = re.search(r"(?:^|/)(\w+)(?:/\d+)?\.(\w+)", name)
    return ".".join(found.groups()) if found else name


class Build:
    """The GoogleTest tests of the programs that ctest lists in its builds."""

    def __init__(self, *listings):
        self.names, self.programs = set(), set()
        for test in (test for listing in listings for test in json.loads(listing)["tests"]):
            command = test.get("command", [])
            filters = [text.split("=", 1)[1] for text in command if text.startswith("--gtest_filter=")]
            if filters:
                self.programs.add(pathlib.Path(command[0]).name)
                self.names.update(plainName(name) for name in filters[0].split(":"))

    def lacks(self, name, programs):
        """Whether one of these programs is built and no program has the test."""
        isBuilt = any(re.fullmatch(pattern, program) for pattern in programs for program in self.programs)
        return isBuilt and name not in self.names


def problemsOf(row, sources, build):
    if not row.statement:
        yield "no statement"
    if not row.tests and not row.reason:
        yield "neither a test nor a reason"
    if len(set(row.tests)) != len(row.tests):
        yield "names a test twice"
    for name in row.tests:
        if not sources.has(name):
            yield f"the sources have no test {name}"
        elif build is not None and name in sources.google and build.lacks(name, sources.programsOf(name)):
            yield f"no built program has the test {name}"


def repeatedStatements(rows):
    first = {}
    for row in rows:
        text = " ".join(re.findall(r"\w+", row.statement.lower()))
        if text in first:
            yield f"{row.place()}: repeats the statement of {first[text]}"
        first.setdefault(text, row.place())


def check(root, folder, build=None):
    """All rows, and the problems as lines."""
    problems = []
    contents = (folder / "README.md").read_text(encoding="utf-8")
    files = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    problems += [f"README.md: does not name {path.name}" for path in files if f"({path.name})" not in contents]
    rows = [row for path in files for row in readTable(path, problems)]
    sources = Sources(root)
    problems += [f"{row.place()}: {problem}" for row in rows for problem in problemsOf(row, sources, build)]
    problems += repeatedStatements(rows)
    return rows, problems


def count(rows):
    """One line for each file, and the totals."""
    def line(name, part):
        guarded = sum(bool(row.tests) for row in part)
        return f"{name:24} {len(part):4} statements {guarded:4} with tests {len(part) - guarded:4} with a reason only"

    files = sorted({row.file for row in rows})
    tests = {name for row in rows for name in row.tests}
    return "\n".join([line(name, [row for row in rows if row.file == name]) for name in files] +
                     [line("all", rows), f"{len(tests)} different tests"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ctest")
    parser.add_argument("--build", nargs="+")
    arguments = parser.parse_args()
    build = None
    if arguments.ctest:
        command = [arguments.ctest, "--show-only=json-v1", "--test-dir"]
        build = Build(*(subprocess.run([*command, folder], capture_output=True, text=True, check=True).stdout
                        for folder in arguments.build))
    folder = pathlib.Path(__file__).resolve().parent
    rows, problems = check(folder.parents[2], folder, build)
    print("\n".join(problems + [count(rows)]))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()

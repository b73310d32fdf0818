#===- DocumentsTest.py - The documents show what the programs print
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Runs the commands in all Markdown files, page by page in their order, and compares what they print.

A block between ``` that begins with "$ " is a session: commands, each followed by its output; "> " continues a command. A
line "..." stands for any lines, "..." in a line for any text: what is left out, and what differs between machines. Before a
block may stand

  <!-- needs: shared -->     it needs the shared data (AVOCET_SHARED_DATA), and is skipped without it
  <!-- needs: clients -->    it needs TensorFlow Lite (scripts/setup --clients)
  <!-- not run: REASON -->   no test can run it

Figures in tables are those of DocumentFigures.py. Options of programs must exist wherever a document writes them
(DocumentOptions.py).

  DocumentsTest.py PROGRAMS [PAGE]...             run and compare; without pages, all of the tree
  DocumentsTest.py PROGRAMS --update [PAGE]...    write the outputs and figures of today; "..." stays, but in
                                                  lines whose other text has changed
"""

import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import DocumentFigures
import DocumentOptions

kRoot = pathlib.Path(__file__).resolve().parents[2]
kBlock = re.compile(r"(?P<marks>(?:<!-- (?:needs|not run): .*? -->\n+)*)```\n(?P<text>\$ .*?)^```\n", re.DOTALL | re.MULTILINE)
kLeftOut = "...\n"


def steps(text):
    """(command, expected output) of each command of a block."""
    result = []
    for line in text.splitlines():
        if line.startswith("$ "):
            result.append([line[2:], ""])
        elif line.startswith("> ") and not result[-1][1]:
            result[-1][0] += "\n" + line[2:]
        else:
            result[-1][1] += line + "\n"
    return result


def pattern(line):
    """The regular expression of an expected line."""
    return r"(?:.*\n)*?" if line == kLeftOut else ".*?".join(map(re.escape, line.split("...")))


def matches(expected, output):
    return re.fullmatch("".join(map(pattern, expected.splitlines(True))), output) is not None


class Session:
    """A shell in a folder of its own that looks like the tree's root after the build, with the programs in its path."""

    def __init__(self, programs, directory):
        self.directory = pathlib.Path(directory)
        for entry in kRoot.iterdir():
            if entry.name not in ("build", "scripts") and not entry.name.startswith("."):
                (self.directory / entry.name).symlink_to(entry)
        for folder in ("scripts", "build/release", "done"):
            (self.directory / folder).mkdir(parents=True)
        for entry in (kRoot / "scripts").iterdir():
            if entry.name != "setup":
                (self.directory / "scripts" / entry.name).symlink_to(entry)
        for name in ("bin", "lib"):
            (self.directory / "build" / "release" / name).symlink_to(pathlib.Path(programs).resolve().parent / name)
        # The packages are there and the programs are built: scripts/run must not build within a test.
        for name in ("scripts/setup", "done/cmake"):
            (self.directory / name).write_text("#!/bin/sh\nexit 0\n")
            (self.directory / name).chmod(0o755)
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith("AVOCET_") or name in ("AVOCET_SHARED_DATA", "AVOCET_CLIENTS")}
        self.environment = {**kept, "PATH": f"{self.directory}/done:{os.path.abspath(programs)}:/usr/bin:/bin",
                            "AVOCET": str(kRoot), "COLUMNS": "100", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.directory, env=self.environment, text=True, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
        return done.stdout


def hasClients():
    return (pathlib.Path(os.environ.get("AVOCET_CLIENTS") or kRoot / "build" / "clients") / "tfjs-tflite-node").is_dir()


def missing(block):
    """Why the block cannot run here, or an empty text."""
    if "<!-- not run:" in block["marks"]:
        return "cannot run in a test"
    if "<!-- needs: shared" in block["marks"] and not os.environ.get("AVOCET_SHARED_DATA"):
        return "needs the shared data"
    return "needs TensorFlow Lite" if "<!-- needs: clients" in block["marks"] and not hasClients() else ""


def check(programs, page):
    """The commands of a page whose output differs, with both outputs; the number of commands that ran; skipped blocks."""
    differences, count, skipped = [], 0, []
    with tempfile.TemporaryDirectory(prefix="avocetDocuments") as directory:
        session = Session(programs, directory)
        for block in kBlock.finditer(page.read_text()):
            if missing(block):
                skipped.append(missing(block))
                continue
            for command, expected in steps(block["text"]):
                output = session.run(command)
                count += 1
                if not matches(expected, output):
                    differences.append(f"{page.relative_to(kRoot)}: $ {command}\nprints\n{output}and not\n{expected}")
    return differences, count, skipped


def kept(lines, segment, start):
    """The lines of an output that take the place of `segment`, lines between two that are left out."""
    if not segment:
        return []
    best = max(range(start, len(lines)), key=lambda at: difflib.SequenceMatcher(None, lines[at], segment[0]).ratio(), default=start)
    return lines[best:best + len(segment)]


def updated(expected, output):
    """The new output, with "..." where the old one has it."""
    if matches(expected, output):
        return expected
    masked = [line for line in expected.splitlines(True) if "..." in line and line != kLeftOut]
    lines = [next((mask for mask in masked if re.fullmatch(pattern(mask), line)), line) for line in output.splitlines(True)]
    first, *rest = [part.splitlines(True) for part in re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE)]
    if not rest:
        return "".join(lines)
    *middle, last = rest
    parts = [lines[:len(first)], *(kept(lines, segment, len(first)) for segment in middle), lines[len(lines) - len(last):] if last else []]
    return kLeftOut.join(map("".join, parts))


def update(programs, page):
    with tempfile.TemporaryDirectory(prefix="avocetDocuments") as directory:
        session = Session(programs, directory)

        def rewrite(block):
            if missing(block):
                return block[0]
            text = ""
            for command, expected in steps(block["text"]):
                first, *rest = command.splitlines()
                text += f"$ {first}\n" + "".join(f"> {line}\n" for line in rest) + updated(expected, session.run(command))
            return block["marks"] + "```\n" + text + "```\n"

        page.write_text(kBlock.sub(rewrite, page.read_text()))


def allPages():
    return [page for page in sorted(kRoot.rglob("*.md")) if kRoot / "build" not in page.parents]


def withSessions(pages):
    return [page for page in pages if kBlock.search(page.read_text())]


def main(programs, *arguments):
    pages = [pathlib.Path(name).resolve() for name in arguments if name != "--update"] or allPages()
    figures = DocumentFigures.Figures(programs)
    if "--update" in arguments:
        for page in withSessions(pages):
            update(programs, page)
        for page in pages:
            page.write_text(figures.updated(page.read_text()))
        return 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda page: check(programs, page), withSessions(pages)))
    differences = [difference for result in results for difference in result[0]]
    options = DocumentOptions.Options(programs)
    for page in pages:
        text = page.read_text()
        differences += [f"{page.relative_to(kRoot)}: {found}" for found in (*figures.differences(text), *options.differences(text))]
    print("\n".join(differences))
    count, skipped = sum(result[1] for result in results), [reason for result in results for reason in result[2]]
    print(f"{count} commands in {len(results)} pages, {figures.count} tables of figures, {options.count} options: "
          f"{len(differences)} differences")
    for reason in sorted(set(skipped)):
        print(f"{skipped.count(reason)} blocks not compared: {reason}")
    return 1 if differences or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

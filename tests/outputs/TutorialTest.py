#===- TutorialTest.py - The tutorial does what it says
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Runs the commands of compiler/docs/Tutorial.md in order and compares what they print.

A block that begins with "$ " is a session: commands, each followed by its output. A line "..." stands for any lines. A block
after "<!-- needs: shared -->" needs the shared data (AVOCET_SHARED_DATA) and is skipped without it.

  TutorialTest.py PROGRAMS            (by RunTests.py) run and compare
  TutorialTest.py PROGRAMS --update   write the outputs of today; lines "..." stay
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

kRoot = pathlib.Path(__file__).resolve().parents[2]
kPage = kRoot / "compiler" / "docs" / "Tutorial.md"
kBlock = re.compile(r"(?P<need><!-- needs: shared -->\n+)?```\n(?P<text>\$ .*?)```\n", re.DOTALL)


def steps(text):
    """(command, expected output) of each command of a block; "> " continues a command."""
    result = []
    for line in text.splitlines():
        if line.startswith("$ "):
            result.append([line[2:], ""])
        elif line.startswith("> ") and not result[-1][1]:
            result[-1][0] += "\n" + line[2:]
        else:
            result[-1][1] += line + "\n"
    return result


def matches(expected, output):
    parts = re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, output) is not None


class Session:
    """A shell in an empty directory, with the programs in its path and the sources as $AVOCET."""

    def __init__(self, programs, directory):
        self.directory = directory
        self.environment = {**os.environ, "PATH": f"{programs}:/usr/bin:/bin", "AVOCET": str(kRoot), "COLUMNS": "100",
                            "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.directory, env=self.environment, text=True, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        return done.stdout


def isRunnable(block):
    return not block["need"] or bool(os.environ.get("AVOCET_SHARED_DATA"))


def check(programs):
    """The commands whose output differs, with both outputs; the number of commands that ran; the number of skipped blocks."""
    differences, count, skipped = [], 0, 0
    with tempfile.TemporaryDirectory() as directory:
        session = Session(programs, directory)
        for block in kBlock.finditer(kPage.read_text()):
            if not isRunnable(block):
                skipped += 1
                continue
            for command, expected in steps(block["text"]):
                output = session.run(command)
                count += 1
                if not matches(expected, output):
                    differences.append(f"$ {command}\nprints\n{output}and not\n{expected}")
    return differences, count, skipped


def updated(expected, output):
    """The new output; if the old one left lines out, the new one keeps as many lines at its start and end."""
    if "...\n" not in expected:
        return output
    before, after = expected.split("...\n", 1)
    lines, numBefore, numAfter = output.splitlines(True), before.count("\n"), after.count("\n")
    return "".join(lines[:numBefore]) + "...\n" + "".join(lines[len(lines) - numAfter:] if numAfter else [])


def update(programs):
    with tempfile.TemporaryDirectory() as directory:
        session = Session(programs, directory)

        def rewrite(block):
            if not isRunnable(block):
                return block[0]
            text = ""
            for command, expected in steps(block["text"]):
                first, *rest = command.splitlines()
                text += f"$ {first}\n" + "".join(f"> {line}\n" for line in rest) + updated(expected, session.run(command))
            return (block["need"] or "") + "```\n" + text + "```\n"

        kPage.write_text(kBlock.sub(rewrite, kPage.read_text()))


def main(programs, mode=""):
    if mode == "--update":
        return update(programs)
    differences, count, skipped = check(programs)
    for difference in differences:
        print(difference)
    print(f"{count} commands, {len(differences)} differ" + (f", {skipped} blocks need the shared data" if skipped else ""))
    return 1 if differences or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

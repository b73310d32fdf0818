# Tables, pictures and the progress line on terminals of several widths, in pipes and without colors.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

from Harness import DIGITS, PATIENCE, ProgramTest, environment, program

ESCAPE = "\x1b"
DATA = os.path.dirname(DIGITS)
CLASSIFY = ["classify", DIGITS, "--images", os.path.join(DATA, "test-images.idx3-ubyte"), "--labels",
            os.path.join(DATA, "test-labels.idx1-ubyte"), "--limit", "3", "--show", "1"]
# Lines of files and help texts that are no tables have their own widths.
TABLES = {
    "run": ["run", DIGITS],
    "knobs": ["knobs"],
    "targets": ["targets"],
    "inspect": ["inspect", "out", "--summary"],
    "memory plan": ["inspect", "out", "--memory-plan"],
    "layers": ["inspect", "out", "--layers"],
    "classify": CLASSIFY,
}


class TerminalTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.avocet("compile", DIGITS, "-o", "out")

    def onTerminal(self, columns, *arguments, **variables):
        """What the program writes to both streams of a terminal of this width."""
        controller, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([program("avocet"), *arguments], stdin=subprocess.DEVNULL, stdout=terminal,
                              stderr=terminal, cwd=self.folder, env=environment(**variables)) as process:
            os.close(terminal)
            written = b""
            while True:
                try:
                    block = os.read(controller, 65536)
                except OSError:  # the terminal's last writer is gone
                    break
                if not block:
                    break
                written += block
            self.assertEqual(process.wait(PATIENCE), 0, written)
        os.close(controller)
        return written.decode()

    def assertFits(self, text, columns, what):
        for line in text.splitlines():
            self.assertLessEqual(len(line), columns, f"{what} at {columns} columns: {line}")

    def test_tablesFitIntoPipes(self):
        for what, arguments in TABLES.items():
            self.assertFits(self.avocet(*arguments).stdout, 80, what)

    def test_tablesFitTheTerminal(self):
        for columns in (80, 100, 132):
            text = self.onTerminal(columns, "run", DIGITS, AVOCET_PROGRESS="off").replace("\r", "")
            self.assertFits(text, columns, "run")

    def test_helpFitsTheOutput(self):
        names = [line.split()[0] for line in self.avocet("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0]
                 .splitlines() if not line.startswith("   ")]
        for name in names:
            for line in self.avocet(name, "--help").stdout.splitlines():
                if len(line) > 80:
                    self.assertRegex(line, r"^  \S", name)  # a command or an option that cannot be divided

    def test_narrowTablesNameMissingColumns(self):
        text = self.avocet("run", DIGITS).stdout
        missing = re.search(r"^not shown for lack of width: (.*) \(--wide\)$", text, re.MULTILINE)
        self.assertIsNotNone(missing, text)
        for title in missing.group(1).split(", "):
            self.assertIn(title, self.avocet("run", DIGITS, "--wide").stdout.splitlines()[2])

    def test_columnsVariableSetsTheWidth(self):
        text = self.avocet("run", DIGITS, COLUMNS="200").stdout
        self.assertNotIn("not shown", text)
        self.assertIn("SRAM r+w", text)

    def test_cyclesOfLayersAddUp(self):
        rows = self.avocet("run", DIGITS, "--wide").stdout.split("\n\n")[1].splitlines()
        title, cells, total = rows[0], [row for row in rows[2:-2] if "(no layer)" not in row], rows[-1]
        self.assertIn("total", total)
        end = title.index("cycles") + len("cycles")
        cycles = [int(line[:end].split()[-1].replace(",", "")) for line in cells + [total]]
        self.assertEqual(sum(cycles[:-1]), cycles[-1])

    def test_pipesHaveNoColors(self):
        for what, arguments in TABLES.items():
            self.assertNotIn(ESCAPE, self.avocet(*arguments).stdout, what)

    def test_noColorAlsoOnTerminals(self):
        colored = self.onTerminal(80, *CLASSIFY, AVOCET_PROGRESS="off")
        self.assertIn(ESCAPE, colored)
        for what, arguments in TABLES.items():
            self.assertNotIn(ESCAPE, self.onTerminal(80, *arguments, AVOCET_PROGRESS="off", NO_COLOR="1"), what)

    def test_progressLineIsCut(self):
        text = self.onTerminal(40, "run", DIGITS, "--report", "none", AVOCET_PROGRESS="on")
        steps = re.split(r"\r\x1b\[2K", text)
        self.assertGreater(len(steps), 3)
        for step in steps:
            self.assertLess(len(step.strip("\r\n")), 40, step)

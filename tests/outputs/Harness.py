# Runs the built programs in a folder of their own.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
DIGITS = os.path.join(ROOT, "tests", "models", "digits", "digits_int8.tflite")
SCHEMAS = os.path.join(ROOT, "runtime", "tools", "avocet", "schemas")
PATIENCE = 120
PROGRAMS = VECTORS = ""  # set by RunTests.py


def program(name):
    return os.path.join(PROGRAMS, name)


def environment(**variables):
    """Without the variables that change outputs, but for those given."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("COLUMNS", "NO_COLOR") and not name.startswith("AVOCET_")}
    return {**kept, **variables}


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="avocetOutputs")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, name, *arguments, **variables):
        return subprocess.run([program(name), *arguments], capture_output=True, text=True, timeout=PATIENCE,
                              cwd=self.folder, check=False, env=environment(**variables), stdin=subprocess.DEVNULL)

    def avocet(self, *arguments, code=0, **variables):
        result = self.start("avocet", *arguments, **variables)
        self.assertEqual(result.returncode, code, f"{arguments}: {result.stdout}{result.stderr}")
        return result

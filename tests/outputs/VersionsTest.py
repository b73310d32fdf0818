# Every shipped program and library names its build, and all of one build name the same.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.machinery
import importlib.util
import os
import re
import sys

import Harness
from Harness import ProgramTest

SCRIPTS = os.path.join(Harness.ROOT, "scripts")
VERSION = re.compile(r"\d+\.\d+\.\d+ \((?:[0-9a-f]{12,40}(?:-dirty)?|unknown)\)")


def shipped():
    """Paths of programs and libraries in a build."""
    sys.path.insert(0, SCRIPTS)
    loader = importlib.machinery.SourceFileLoader("deadCode", os.path.join(SCRIPTS, "deadCode"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("deadCode", loader))
    loader.exec_module(module)
    return module.shippedPrograms(Harness.ROOT)


class VersionsTest(ProgramTest):
    def built(self, folder):
        build = os.path.dirname(Harness.PROGRAMS)
        return [name for name in shipped() if name.startswith(folder) and os.path.exists(os.path.join(build, name))]

    def embedded(self, name):
        """The version that a file contains as text."""
        with open(os.path.join(os.path.dirname(Harness.PROGRAMS), name), "rb") as file:
            found = re.findall(rb"avocet (" + VERSION.pattern.encode() + rb")\0", file.read())
        self.assertEqual(len(found), 1, name)
        return found[0].decode()

    def printed(self, name):
        result = self.start(name, "--version")
        self.assertEqual((result.returncode, result.stderr), (0, ""), name)
        self.assertRegex(result.stdout, rf"\A{re.escape(name)} {VERSION.pattern}\n\Z")
        return result.stdout.split(" ", 1)[1].strip()

    def test_programsPrintTheVersionThatTheyContain(self):
        programs = self.built("bin/")
        self.assertIn("bin/avocet", programs)
        for name in programs:
            self.assertEqual(self.printed(os.path.basename(name)), self.embedded(name), name)

    def test_allFilesOfOneBuildAgree(self):
        versions = {name: self.embedded(name) for name in self.built("bin/") + self.built("lib/")}
        self.assertIn("lib/libavocetCompiler.so", versions)
        self.assertEqual(len(set(versions.values())), 1, f"built from several commits (build all of them): {versions}")

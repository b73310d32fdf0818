#===- SourceTree.py - A small git tree for the tests of the checks
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""A git repository in a temporary folder, and runs of a check on it."""

import os
import subprocess
import sys
import tempfile
import unittest

kLicense = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"


class SourceTree(unittest.TestCase):
    """Each test has an empty repository."""

    def setUp(self):
        self.folder_ = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder_.cleanup)
        self.root = os.path.realpath(self.folder_.name)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments):
        identity = ("-c", "user.name=test", "-c", "user.email=test@localhost")
        subprocess.run(["git", *identity, *arguments], cwd=self.root, check=True, capture_output=True)

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self, files, message="change"):
        for path, text in files.items():
            self.write(path, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)

    def run_(self, script, *options):
        """Exit code and output of a script on the tree."""
        run = subprocess.run([sys.executable, script, "--root", self.root, *options], capture_output=True, text=True, check=False)
        if os.environ.get("AVOCET_SHOW_OUTPUT"):
            print(f"\n{self.id().split('.')[-1]}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
        return run.returncode, run.stdout + run.stderr

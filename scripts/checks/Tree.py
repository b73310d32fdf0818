#===- Tree.py - The files that a check looks at
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Which files of a tree are checked, and their texts."""

import os
import re
import subprocess

# Data, whose form a program dictates.
kData = re.compile(r"(^|/)corpus/|\.(patch|tflite|input\d|output\d|bin|json|idx\d-ubyte)$|^LICENSE$")
# Files in which a text of the project stands.
kText = re.compile(r"\.(h|c|cpp|td|py|md|txt|cmake|toml|fbs|mlir|test|sh|json|in|suppressions|service|socket)$")

# The kernel driver and its C interface keep the kernel's style.
kKernelStyle = ("firmware_iface/uapi/", "firmware_iface/kmod/")


class Tree:
    """A work tree; `checked` are the files that the check is asked for, `files` are all, both relative to `root`."""

    def __init__(self, root, base=None):
        self.root = os.path.abspath(root)
        self.files = self.existing_(self.git("ls-files"))
        self.checked = self.files if base is None else self.changedSince_(base)
        self.texts_ = {}

    def git(self, *arguments):
        run = subprocess.run(["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"presubmit: git {' '.join(arguments)}: {run.stderr.strip()}")
        return run.stdout.splitlines()

    def existing_(self, names):
        return sorted({name for name in names if os.path.isfile(os.path.join(self.root, name))})

    def changedSince_(self, base):
        return self.existing_(self.git("diff", "--name-only", "--relative", base) +
                              self.git("ls-files", "--others", "--exclude-standard"))

    def text(self, path):
        if path not in self.texts_:
            with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as file:
                self.texts_[path] = file.read()
        return self.texts_[path]

    def isScript(self, path):
        """A program without an extension in its name."""
        return "." not in os.path.basename(path) and not kData.search(path) and self.text(path).startswith("#!")

    def textFiles(self):
        return [path for path in self.checked if (kText.search(path) or self.isScript(path)) and "/corpus/" not in path]

    def cppFiles(self):
        return [path for path in self.checked if path.endswith((".h", ".c", ".cpp")) and not path.startswith(kKernelStyle)]

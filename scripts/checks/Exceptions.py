#===- Exceptions.py - Lists of exceptions, each with a reason
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Reads files with one exception per line: `pattern -- reason`. Empty lines and lines with # are comments."""

import fnmatch
import os


class Exceptions:
    """The entries of one list. Collects which were used, so that those that no longer apply are errors."""

    def __init__(self, root, path):
        self.path_ = path
        self.patterns_ = {}  # pattern -> number of its line
        self.used_ = set()
        self.problems_ = []
        if os.path.exists(os.path.join(root, path)):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    self.add_(number, line.strip())

    def add_(self, number, line):
        if not line or line.startswith("#"):
            return
        pattern, _, reason = (part.strip() for part in line.partition(" -- "))
        self.patterns_[pattern] = number
        if not reason:
            self.problems_.append(f"{self.path_}:{number}: {pattern}: no reason; write: {pattern} -- reason")

    def contain(self, name):
        matching = {pattern for pattern in self.patterns_ if fnmatch.fnmatchcase(name, pattern)}
        self.used_ |= matching
        return bool(matching)

    def problems(self):
        """Entries without a reason, and entries that matched nothing."""
        return self.problems_ + [f"{self.path_}:{number}: {pattern}: applies to nothing any more; remove the entry"
                                 for pattern, number in self.patterns_.items() if pattern not in self.used_]

#===- DisabledTests.py - No disabled test without a listed reason
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Finds tests that do not run, or that may skip themselves. scripts/lists/disabledTests.txt lists them with reasons."""

import re

from checks.Exceptions import Exceptions

kList = "scripts/lists/disabledTests.txt"
# (which files, what disables a test in them)
kMarkers = (
    (re.compile(r"^tests/.*\.(cpp|h)$"), re.compile(r"\b(DISABLED" r"_\w+|GTEST" r"_SKIP)\b")),
    (re.compile(r"^tests/.*\.(mlir|test)$"), re.compile(r"\b(UNSUPPORTED|XFAIL):")),
    (re.compile(r"^tests/.*\.py$"), re.compile(r"\b(skip" r"Test|unittest\.(?:skip\w*|expected" r"Failure)|config\.unsupported)\b")),
    (re.compile(r"(^|/)CMakeLists\.txt$|\.cmake$"), re.compile(r"\b(DISABLED|WILL_FAIL)\b")),
)
kReason = re.compile(r"GTEST" r"_SKIP\(\)\s*<<")


def markersOf(tree, path):
    """(line, what disables a test) in a file."""
    for which, marker in kMarkers:
        if which.search(path):
            for number, line in enumerate(tree.text(path).splitlines(), 1):
                for match in marker.finditer(line):
                    yield number, line, match.group(1)


def disabledTests(tree):
    # The whole tree, so that an entry of the list that no longer applies is found.
    exceptions = Exceptions(tree.root, kList)
    for path in tree.files:
        for number, line, marker in markersOf(tree, path):
            if not exceptions.contain(f"{path}: {marker}"):
                yield f"{path}:{number}: {marker}: not in {kList}; add: {path}: {marker} -- reason"
            if marker.startswith("GTEST") and not kReason.search(line):
                yield f"{path}:{number}: {marker}: the test must print why it is skipped (<< \"...\")"
    yield from exceptions.problems()

#===- Rationales.py - Rules for the pages of design decisions
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Each Rationale.md is short, and each of its decisions names what was rejected and an existing test that holds it.

Always of the whole tree: a test that is renamed or removed leaves a decision that nothing holds.
"""

import os
import re

from checks.NameRules import testsOf

kMostLines = 40
kMostLinesOfAll = 900
kDecision = re.compile(r"^## +(.*)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
kHeldBy = re.compile(r"^Held by: (.+)", re.MULTILINE | re.DOTALL)
kName = re.compile(r"`([^`]+)`")


def unknownTests(tree, names):
    """Those that are neither a path of the tree nor the full name of a test."""
    left = [name for name in names if not ("/" in name and os.path.exists(os.path.join(tree.root, name)))]
    if not left:
        return []
    known = {full for path in tree.files if path.startswith("tests/") for full, _ in testsOf(tree, path)}
    return [name for name in left if name not in known]


def decisions(tree, page):
    text = tree.text(page)
    for decision in kDecision.finditer(text):
        place = f"{page}:{text.count(chr(10), 0, decision.start()) + 1}"
        if not re.search(r"^Rejected: ", decision[2], re.MULTILINE):
            yield f"{place}: '{decision[1]}' needs a line 'Rejected: ...'"
        held = kHeldBy.search(decision[2])
        names = kName.findall(held[1]) if held else []
        if not names:
            yield f"{place}: '{decision[1]}' needs a line 'Held by: `Suite.Test`' or 'Held by: `path`'"
        for name in unknownTests(tree, names):
            yield f"{place}: {name}: neither a test nor a path of the tree"


def rationales(tree):
    lines = 0
    for page in (path for path in tree.files if os.path.basename(path) == "Rationale.md"):
        length = tree.text(page).count("\n")
        lines += length
        if length > kMostLines:
            yield f"{page}: {length} lines; keep what a maintainer would undo by mistake (limit {kMostLines})"
        yield from decisions(tree, page)
    if lines > kMostLinesOfAll:
        yield f"Rationale.md: {lines} lines in all pages; drop what the code or its tests say (limit {kMostLinesOfAll})"

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


def testsOfTree(tree):
    return {full for path in tree.files if path.startswith("tests/") for full, _ in testsOf(tree, path)}


def otherForms(tree, page):
    """Text that is no decision in the form of CONTRIBUTING.md, so that no rule below sees it."""
    for number, line in enumerate(tree.text(page).splitlines(), 1):
        if re.match(r"[-*] |\*\*|#{3,} |\|", line):
            yield f"{page}:{number}: write a decision as '## DECISION' with its lines (CONTRIBUTING.md, Documents)"


def decisions(tree, page, tests):
    text = tree.text(page)
    for decision in kDecision.finditer(text):
        place = f"{page}:{text.count(chr(10), 0, decision.start()) + 1}"
        if not re.search(r"^Rejected: ", decision[2], re.MULTILINE):
            yield f"{place}: '{decision[1]}' needs a line 'Rejected: ...'"
        held = kHeldBy.search(decision[2])
        names = kName.findall(held[1]) if held else []
        if not names:
            yield f"{place}: '{decision[1]}' needs a line 'Held by: `Suite.Test`' or 'Held by: `path`'"
        for name in names:
            isPath = "/" in name and os.path.exists(os.path.join(tree.root, name))
            if not isPath and name not in tests:
                yield f"{place}: {name}: neither a test nor a path of the tree"


def rationales(tree):
    pages = [path for path in tree.files if os.path.basename(path) == "Rationale.md"]
    tests, lines = testsOfTree(tree) if pages else set(), 0
    for page in pages:
        length = tree.text(page).count("\n")
        lines += length
        if length > kMostLines:
            yield f"{page}: {length} lines; keep what a maintainer would undo by mistake (limit {kMostLines})"
        yield from otherForms(tree, page)
        yield from decisions(tree, page, tests)
    if lines > kMostLinesOfAll:
        yield f"Rationale.md: {lines} lines in all pages; drop what the code or its tests say (limit {kMostLinesOfAll})"

#===- Documents.py - Rules for the Markdown files
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Links lead somewhere, every page is reachable from the first one, and output stands where a test compares it.

Always of the whole tree: a change of one file can break the links of others.
"""

import os
import re

kFirst = "README.md"
kMostLinesOfFirst = 110
kLink = re.compile(r"\]\(([^()\s]+)\)")
kHeading = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
kFence = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
kCode = re.compile(r"^```.*?^```$|^    [^\n]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
kVariable = re.compile(r"\bAVOCET_[A-Z0-9_]*[A-Z0-9]\b")
kHistory = "CHANGELOG.md"  # names what is no more
# What GitHub draws instead of showing it.
kPictures = {"mermaid"}


def pages(tree):
    return [path for path in tree.files if path.endswith(".md")]


def prose(text):
    """The text with code blanked out; line numbers stay."""
    return kCode.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)


def anchors(text):
    """The anchors that GitHub gives to the headings."""
    found = []
    for heading in kHeading.findall(kFence.sub("", text)):
        shown = kLink.sub("]", heading).replace("[", "").replace("]", "")
        slug = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        found.append(slug if slug not in found else f"{slug}-{found.count(slug)}")
    return found


def links(tree, page):
    """(line, target as written, path, anchor) of each link to a file of the tree; a folder stands for its README."""
    for number, line in enumerate(prose(tree.text(page)).splitlines(), 1):
        for target in kLink.findall(line):
            if re.match(r"\w+:", target):
                continue
            file, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
            readme = os.path.join(path, "README.md")
            yield number, target, readme if readme in tree.files else path, anchor


def brokenLinks(tree, page):
    for number, target, path, anchor in links(tree, page):
        if not os.path.exists(os.path.join(tree.root, path)):
            yield f"{page}:{number}: {target}: leads to no file"
        elif anchor and anchor not in anchors(tree.text(path)):
            yield f"{page}:{number}: {target}: {path} has no such heading"


def unreachable(tree):
    seen, left = {kFirst}, [kFirst]
    while left:
        for _, _, path, _ in links(tree, left.pop()):
            if path in tree.files and path.endswith(".md") and path not in seen:
                seen.add(path)
                left.append(path)
    for page in pages(tree):
        if page not in seen:
            yield f"{page}: no links lead to it from {kFirst}"


def samples(tree, page):
    """Output that no test sees (tests/outputs/DocumentsTest.py runs blocks that begin with "$ ")."""
    text = tree.text(page)
    for block in kFence.finditer(text):
        if block[1] not in kPictures and (block[1] or not block[2].startswith("$ ")):
            number = text.count("\n", 0, block.start()) + 1
            yield f"{page}:{number}: a block between ``` must begin with '$ COMMAND'; indent what is no output"
    for number, line in enumerate(kFence.sub(lambda block: "\n" * block[0].count("\n"), text).splitlines(), 1):
        if re.match(r" +\$ ", line):
            yield f"{page}:{number}: write commands with their output between ```, where a test compares it"


def unknownVariables(tree):
    """Environment variables and CMake options that no file but documents has."""
    named = [(page, number, name) for page in pages(tree) if page != kHistory
             for number, line in enumerate(tree.text(page).splitlines(), 1) for name in kVariable.findall(line)]
    if named:
        known = set(tree.git("grep", "-ohE", kVariable.pattern, "--", ".", ":!*.md"))
        yield from (f"{page}:{number}: {name}: no file of the tree has it" for page, number, name in named if name not in known)


def documents(tree):
    if kFirst not in tree.files:
        return
    for page in pages(tree):
        yield from brokenLinks(tree, page)
        yield from samples(tree, page)
    yield from unreachable(tree)
    yield from unknownVariables(tree)
    length = tree.text(kFirst).count("\n")
    if length > kMostLinesOfFirst:
        yield f"{kFirst}: {length} lines; move what few readers need to a page of its own (limit {kMostLinesOfFirst})"

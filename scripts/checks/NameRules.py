#===- NameRules.py - Rules for names of files and tests
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Names that need no compiler: of files and of tests. clang-tidy checks identifiers (.clang-tidy)."""

import os
import re

kMostWords = 8
# (which files, allowed names, what they are called). Names with -inl are those of Highway's convention.
kFileNames = (
    (re.compile(r"^(?!firmware_iface/(uapi|kmod)/|runtime/capi/include/).*\.(h|c|cpp|td)$"), re.compile(r"[A-Z][A-Za-z0-9]*(-inl)?\.\w+"), "CamelCase"),
    (re.compile(r"\.(mlir|test)$"), re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\.\w+"), "kebab-case"),
    (re.compile(r"(?<!lit\.cfg)(?<!/__init__)\.py$"), re.compile(r"_?[A-Za-z][A-Za-z0-9]*\.py"), "CamelCase or camelBack"),
)
kScriptName = re.compile(r"[a-z][A-Za-z0-9]*(-[a-z]+)*")
kCppTest = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
kPythonTest = re.compile(r"^    def (test\w+)\(", re.MULTILINE)
kWord = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")


def fileNames(tree):
    for path in tree.checked:
        name = os.path.basename(path)
        if "/corpus/" in path:
            continue
        for which, allowed, form in kFileNames:
            if which.search(path) and not allowed.fullmatch(name):
                yield f"{path}: the name must be {form}"
        if path.startswith("scripts/") and tree.isScript(path) and not kScriptName.fullmatch(name):
            yield f"{path}: the name must be camelBack"


def testFileNames(tree):
    for path in tree.checked:
        if not path.startswith("tests/") or not path.endswith(".cpp"):
            continue
        hasTests = kCppTest.search(tree.text(path)) is not None
        if hasTests and not path.endswith("Test.cpp"):
            yield f"{path}: defines tests, so its name must be SubjectTest.cpp"
        if not hasTests and path.endswith("Test.cpp"):
            yield f"{path}: is named like a test but defines none"


def testsOf(tree, path):
    """(full name, the part that describes the test) of each test in a file."""
    if path.endswith(".cpp"):
        for suite, name in kCppTest.findall(tree.text(path)):
            yield f"{suite}.{name}", re.sub("^DISABLED_", "", name)
    elif path.endswith(".py"):
        for name in kPythonTest.findall(tree.text(path)):
            described = re.sub("^test_?", "", name)
            yield name, described[:1].upper() + described[1:]


def testNames(tree):
    for path in tree.checked:
        if not path.startswith("tests/"):
            continue
        for full, name in testsOf(tree, path):
            if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name):
                yield f"{path}: {full}: the name must be CamelCase"
            elif len(kWord.findall(name)) > kMostWords:
                yield f"{path}: {full}: {len(kWord.findall(name))} words; at most {kMostWords}: situation and outcome"


def names(tree):
    yield from fileNames(tree)
    yield from testFileNames(tree)
    yield from testNames(tree)

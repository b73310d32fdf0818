#===- TextRules.py - Rules for the text of all files
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""White space, words that must not be committed, license headers and the length of files."""

import os
import re

from checks.Tree import kData, kKernelStyle

kLongestFile = 500
# Linux accepts modules under the GPL only.
kDriverLicense = "SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 WITH LLVM-exception"
kLicense = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
# Markdown shows comments to readers of the source only; the license is in LICENSE.
kWithoutLicense = re.compile(r"\.md$|^\.gitignore$|^\.clang-format$")
# Notes to oneself and paths of one machine. The words are split so that this file passes.
kNotes = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|DO" r" NOT SUBMIT)\b|(?:^|[^\w.])/(?:ho" r"me|ro" r"ot|wo" r"rk|Us" r"ers)/")
# Code does not act like a person, and each thing has one name. (The user "nobody" is the system's.)
kWords = re.compile(r"\b(who" r"ever|some" r"body|Clock" r"work|Look" r"out|Turn" r"Gate|Begun" r"Job)\b"
                    r"|(?<![\"'`])\b(no" r"body)\b(?![\"'`])", re.IGNORECASE)
# British spelling, except of former names of options and keys, which are quoted. "Artefact" and "cancelled" stay.
kBritish = re.compile(r"(?<![\"'`-])(?:(?:quant|optim|initial|normal|special|serial|synchron|util|recogn|minim|maxim|vector|summar|general|"
                      r"canonical|organ|material|parametr)is(?:e|ed|es|er|ers|ing|ation|ations)(?!(?-i:[a-z]))"
                      r"|col" r"our|neighb" r"our|behavi" r"our|hon" r"our|fav" r"our|cent" r"red|cent" r"res?\b|label" r"led|model" r"led|signal" r"led"
                      r"|lic" r"ence|judge" r"ment|\bgr" r"ey\b)", re.IGNORECASE)
# An attribute of sysfs has its former name as an alias.
kMayBeBritish = ("firmware_iface/kmod/avocet_sysfs.c",)
# The first line of a file without what the file is for.
kTitle = re.compile(r"//===-+ *\S+ *-+(\*- C\+\+ -\*-)?===//\n")
# An exception that leaves main() ends the program without a message (avocet/base/GuardedMain.h).
kMain = re.compile(r"^(?:int|auto) +main *\(")


def lines(tree, path):
    return enumerate(tree.text(path).splitlines(), 1)


def whitespace(tree):
    for path in tree.textFiles():
        for number, line in lines(tree, path):
            if "\t" in line and not path.startswith(kKernelStyle):
                yield f"{path}:{number}: tab"
            if line.endswith(" "):
                yield f"{path}:{number}: trailing space"


def forbiddenWords(tree):
    for path in tree.textFiles():
        for number, line in lines(tree, path):
            note, word = kNotes.search(line), kWords.search(line)
            if note:
                yield f"{path}:{number}: '{note.group().strip()}' must not be committed"
            if word:
                yield f"{path}:{number}: '{word.group()}': write the standard term (CONTRIBUTING.md, Language)"


def britishWords(tree):
    for path in tree.textFiles():
        if "/corpus/" in path or path in kMayBeBritish:
            continue
        for number, line in lines(tree, path):
            if word := kBritish.search(line):
                yield f"{path}:{number}: '{word.group()}': write American spelling"


def licenseHeaders(tree):
    for path in tree.checked:
        if kData.search(path) or kWithoutLicense.search(path) or os.path.getsize(os.path.join(tree.root, path)) == 0:
            continue
        license = kDriverLicense if path.startswith("firmware_iface/kmod/") else kLicense
        if license not in "\n".join(tree.text(path).splitlines()[:6]):
            yield f"{path}: no license header ({license})"


def titles(tree):
    for path in tree.textFiles():
        if not path.startswith("tests/") and path.endswith((".h", ".cpp", ".td")) and kTitle.match(tree.text(path)):
            yield f"{path}:1: the title says no purpose; write '{os.path.basename(path)} - PURPOSE'"


def fileLengths(tree):
    for path in tree.textFiles():
        length = tree.text(path).count("\n")
        if length > kLongestFile:
            yield f"{path}: {length} lines; split it by subject (limit {kLongestFile})"


def guardedMains(tree):
    # Programs of users: they have the installed headers only, or those of others.
    users = ("tests/install/", "tests/clients/examples/", "tests/runtime/capi/programs/")
    for path in tree.textFiles():
        isOurs = path.endswith((".c", ".cpp")) and not path.startswith(users)
        for number, line in lines(tree, path) if isOurs else ():
            if kMain.match(line) and "guardedMain(argc, argv, " not in line:
                yield f"{path}:{number}: must be: int main(int argc, char **argv) {{ return avocet::guardedMain(argc, argv, runMain); }}"

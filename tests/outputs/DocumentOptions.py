#===- DocumentOptions.py - The options of avocet in the documents
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Finds subcommands and options of `avocet` in the code of a document that the program does not have."""

import functools
import pathlib
import re
import subprocess

kFence = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
kCode = re.compile(r"`([^`\n]+)`|^    (.*)$", re.MULTILINE)
kSession = re.compile(r"^\$ (.*)$", re.MULTILINE)
kCommand = re.compile(r"(?:^|[ /(&|])avocet ([a-z]+)\b([^;|]*)")
kOption = re.compile(r"--[a-z][\w-]*")
# Explanations follow a command after several spaces.
kExplanation = re.compile(r" {3,}|  #")


class Options:
    def __init__(self, programs):
        self.avocet = pathlib.Path(programs) / "avocet"
        self.count = 0

    @functools.cache
    def of(self, subcommand):
        """The options of a subcommand; None if there is none of this name."""
        done = subprocess.run([self.avocet, subcommand, "--help"], capture_output=True, text=True, check=False)
        return set(kOption.findall(done.stdout)) if f"Usage: avocet {subcommand} " in done.stdout else None

    def differences(self, text):
        prose = kFence.sub("", text)
        for code in ["".join(found) for found in kCode.findall(prose)] + kSession.findall(text):
            for subcommand, rest in kCommand.findall(code):
                known = self.of(subcommand)
                if known is None:
                    yield f"'{code}': avocet has no subcommand '{subcommand}'"
                    continue
                options = kOption.findall(kExplanation.split(rest)[0])
                self.count += len(options)
                yield from (f"'{code}': avocet {subcommand} has no option {name}" for name in options if name not in known)

#===- DocumentOptions.py - The options of programs in the documents
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Finds subcommands and options in the code of a document that the program does not have."""

import functools
import pathlib
import re
import subprocess

kFence = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
kCode = re.compile(r"`([^`\n]+)`|^    (.*)$", re.MULTILINE)
kSession = re.compile(r"^\$ (.*)$", re.MULTILINE)
# avocet with a subcommand, or another program for people, where a command begins.
kCommand = re.compile(r"(?:^|[;&|(] *| -- |=\S+ )(?:[\w/.]*/)?"
                      r"(avocet [a-z]+|avocetd|avocet-device|avocetStress|avocetPairStress|avocetDifferential)\b([^;|&]*)")
kOption = re.compile(r"--[a-z][\w-]*")
# Explanations follow a command after several spaces.
kExplanation = re.compile(r" {3,}|  #")


class Options:
    def __init__(self, programs):
        self.programs = pathlib.Path(programs)
        self.count = 0

    @functools.cache
    def of(self, command):
        """The options of a program or subcommand; None if there is none of this name."""
        program, *subcommand = command.split()
        done = subprocess.run([self.programs / program, *subcommand, "--help"], capture_output=True, text=True, check=False)
        return set(kOption.findall(done.stdout)) if f"Usage: {command} " in done.stdout else None

    def differences(self, text):
        prose = kFence.sub("", text)
        for code in ["".join(found) for found in kCode.findall(prose)] + kSession.findall(text):
            for command, rest in kCommand.findall(code):
                if not (self.programs / command.split()[0]).exists():  # a build of some targets
                    continue
                known = self.of(command)
                if known is None:
                    yield f"'{code}': there is no command '{command}'"
                    continue
                options = kOption.findall(kExplanation.split(rest)[0])
                self.count += len(options)
                yield from (f"'{code}': {command} has no option {name}" for name in options if name not in known)

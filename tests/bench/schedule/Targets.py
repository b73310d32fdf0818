# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies of shipped targets with other figures."""

import pathlib
import re

import Figures
import Networks

FOLDER = Networks.ROOT / "firmware_iface" / "targets"
SHIPPED = ["e256", "e256s", "m512", "p4096"]


def replaced(text, pattern, replace):
    """The text with `replace(number)` for the number that each match of the pattern ends with."""
    text, count = re.subn(f"^({pattern})([0-9_]+)", lambda match: f"{match[1]}{replace(int(match[2]))}", text,
                          flags=re.MULTILINE)
    if count == 0:
        raise Figures.Unmeasured(f"no line of the target begins with '{pattern}'")
    return text


def multiplied(text, pattern, factor):
    return replaced(text, pattern, lambda number: number * factor)


def changed(name, change, folder):
    """The path of a copy of a shipped target; `change` gets its text."""
    path = pathlib.Path(folder) / (name + ".toml")
    path.write_text(change((FOLDER / (name + ".toml")).read_text(encoding="utf-8")), encoding="utf-8")
    return path

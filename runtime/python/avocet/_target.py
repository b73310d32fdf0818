#===- _target.py - Targets to look at, to change and to sweep
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import itertools
import json
import os
import re
from fractions import Fraction

from ._library import library, made, takeText
from ._options import Options


def _name(key):
    """The keyword of a figure: "sram.portBytesPerCycle" is sram_port_bytes_per_cycle."""
    return re.sub("([A-Z])", r"_\1", key.replace(".", "_")).lower()


def _number(text):
    for kind in (int, Fraction, float):
        try:
            return kind(text) if kind is not Fraction or "/" in text else float(text)
        except ValueError:
            pass
    return text


class Target:
    """A target: a shipped one by its name, or a target file by its path. It does not change; with_() makes others.

    name, description, text (the target file) and fingerprint, which equal targets share. figures has all by their keys in
    the file ("sram.bytes", "mac.slowdown.f32"), as int, float, or fractions.Fraction for rates; main has those of
    `avocet targets --json`. Bytes are bytes, times are cycles, energies are picojoules, clock_hz is Hz.
    """

    def __init__(self, target="e256", changes=()):
        self._base = target if isinstance(target, str) else os.fspath(target)
        self._changes = dict(changes)
        with Options({"target": self._base, "target_change": self._settings()}) as options:
            self.main = json.loads(takeText(made(library.avocetTargetDescribe, options.handle)))["targets"][0]
        self.name, self.description, self.fingerprint = (self.main[key] for key in ("name", "description", "fingerprint"))
        self.text = self.main.pop("text")
        self.figures = {key: _number(value) for key, value in self.main.pop("figures").items()}

    def _settings(self):
        return [f"{key}={value}" for key, value in self._changes.items()]

    def options(self):
        """This target as options of the C library, which compile() and others do for you: target="m512" or target=Target(...)."""
        return {"target_text": self.text} if self._changes else {"target": self._base}

    def with_(self, **changes):
        """A target with other figures: with_(sram_bytes="1M", dram_bandwidth="1/4"). The keyword of a figure is its key in small
        letters with underscores (sram.portBytesPerCycle: sram_port_bytes_per_cycle). Raises Error "invalid_argument" for
        figures and values that a target cannot have, and KeyError for what is no figure."""
        keys = {_name(key): key for key in self.figures}
        for name in changes:
            if name not in keys:
                near = [key for key in keys if key.split("_")[0] == name.split("_")[0]]
                raise KeyError(f"'{name}' is no figure of a target; there are {', '.join(near or keys)}")
        return Target(self._base, {**self._changes, **{keys[name]: value for name, value in changes.items()}})

    def sweep(self, **values):
        """The targets with each combination of values: sweep(sram_bytes=["256K", "1M"], dram_bandwidth=[1, 2]) are four. The
        last figure changes fastest."""
        return [self.with_(**dict(zip(values, each))) for each in itertools.product(*values.values())]

    @property
    def changes(self):
        """The changed figures, by their keys."""
        return {key: self.figures[key] for key in self._changes}

    def __eq__(self, other):
        return isinstance(other, Target) and self.text == other.text

    def __hash__(self):
        return hash(self.text)

    def __repr__(self):
        changes = "".join(f", {key}={value}" for key, value in self.changes.items())
        return f"<avocet.Target {self._base}{changes}>"


def targets():
    """The shipped targets."""
    return [Target(each["name"]) for each in json.loads(takeText(made(library.avocetTargetList)))["targets"]]

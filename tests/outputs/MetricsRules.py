# Reads metrics in Prometheus' text format, strictly.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""parse(text): {(name, labels): value} of metrics in version 0.0.4 of the text format.

Raises ValueError for what breaks the format, or the naming rules of Prometheus: a metric has HELP, then TYPE, then all
its samples; a counter, and nothing else, ends with _total; units are base units and come last.
"""

import re

NAME = r"[a-zA-Z_][a-zA-Z0-9_]*"
HELP = re.compile(rf"# HELP ({NAME}) (\S.*)")
TYPE = re.compile(rf"# TYPE ({NAME}) (counter|gauge)")
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? ([0-9]+(?:\.[0-9]+)?)")
LABEL = re.compile(rf'({NAME})="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)')
ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}
OTHER_UNITS = re.compile(r"_(nanoseconds|microseconds|milliseconds|minutes|hours|kilobytes|megabytes|bits|percent)")
UNITS_BEFORE_END = re.compile(r"_(seconds|bytes)_(?!total$)")


def labelsOf(text):
    labels, position = {}, 0
    while position < len(text):
        found = LABEL.match(text, position)
        if not found or found[1] in labels or (found[3] == "," and found.end() == len(text)):
            raise ValueError(f"labels {text}")
        labels[found[1]] = re.sub(r'\\[\\"n]', lambda escape: ESCAPES[escape[0]], found[2])
        position = found.end()
    return tuple(sorted(labels.items()))


def checkName(name, kind):
    if name.endswith("_total") != (kind == "counter"):
        raise ValueError(f"{name} is a {kind}")
    if OTHER_UNITS.search(name) or UNITS_BEFORE_END.search(name):
        raise ValueError(f"{name}: units are base units at the end")


class Reader:
    def __init__(self):
        self.samples, self.done = {}, set()
        self.name = self.kind = None
        self.count = 0

    def begin(self, name):
        self.finish()
        if name in self.done:
            raise ValueError(f"{name} has two parts")
        self.name, self.kind, self.count = name, None, 0
        self.done.add(name)

    def setKind(self, name, kind):
        if name != self.name or self.kind:
            raise ValueError(f"TYPE of {name} does not follow its HELP")
        checkName(name, kind)
        self.kind = kind

    def add(self, name, labels, value):
        if name != self.name or not self.kind:
            raise ValueError(f"a sample of {name} does not follow its TYPE")
        key = (name, labelsOf(labels or ""))
        if key in self.samples:
            raise ValueError(f"{key} has two values")
        self.samples[key] = float(value)
        self.count += 1

    def finish(self):
        if self.name and self.count == 0:
            raise ValueError(f"{self.name} has no sample")


def parse(text):
    if not text.endswith("\n"):
        raise ValueError("the last line does not end")
    reader = Reader()
    for line in text[:-1].split("\n"):
        if found := HELP.fullmatch(line):
            reader.begin(found[1])
        elif found := TYPE.fullmatch(line):
            reader.setKind(found[1], found[2])
        elif found := SAMPLE.fullmatch(line):
            reader.add(found[1], found[2], found[3])
        else:
            raise ValueError(f"line {line}")
    reader.finish()
    return reader.samples

#===- DocumentFigures.py - The tables of figures in the documents
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Writes the tables that follow `<!-- figures: NAME -->`, and compares them with those in a document.

Simulated cycles are the same on every machine. Networks and the peer's figures are in the shared data; without it a table
that needs them is not compared. Means are those of tests/bench/schedule, whose tables a test compares with the simulator.
"""

import csv
import functools
import os
import pathlib
import re
import sys

kSchedules = pathlib.Path(__file__).resolve().parents[1] / "bench" / "schedule"
sys.path.append(str(kSchedules))
from Figures import geomean, measure, peerCycles, readTable  # pylint: disable=wrong-import-position
from Networks import readPeer  # pylint: disable=wrong-import-position
from Summary import PREDICTION_AIM, deviceOverBound, overBound, overDevice, overLeast, overPredicted  # pylint: disable=wrong-import-position

kKinds = kSchedules / "kinds"
sys.path.append(str(kKinds))
import Table as kinds  # pylint: disable=wrong-import-position

kTable = re.compile(r"(<!-- figures: (\w+) -->\n\n)((?:\|.*\n)+)")
# What the front page shows: a network that many know on three targets, and small ones of MLPerf Tiny.
kShown = (("mobilenet_v2_100_224_int8", "e256"), ("mobilenet_v2_100_224_int8", "e256s"), ("mobilenet_v1_050_160_uint8", "m512"),
          ("ic_resnet8_int8", "e256"), ("ad_toycar_int8", "e256"))
kTargets = ("e256", "e256s", "m512", "p4096")


def table(names, alignments, rows):
    return "".join(f"| {' | '.join(row)} |\n" for row in (names, *rows)).replace("\n", f"\n|{'|'.join(alignments)}|\n", 1)


class Figures:
    def __init__(self, programs):
        self.avocet = pathlib.Path(programs) / "avocet"
        self.shared = os.environ.get("AVOCET_SHARED_DATA")
        self.count = 0

    @functools.cached_property
    def rows(self):
        return readTable(kSchedules / "cycles.tsv")

    @functools.cached_property
    def peer(self):
        return readPeer(pathlib.Path(self.shared))

    def networkRow(self, name, target):
        model = pathlib.Path(self.shared) / "models" / name / "model.tflite"
        cycles, (peer, _) = measure(self.avocet, model, target)["cycles"], peerCycles(self.peer[name, target])
        bound = self.rows[name, target]["roofline_cycles"]
        return name, target, f"{cycles:,}", f"{cycles / bound:.2f}", f"{peer:,}", f"{cycles / peer:.2f}"

    def meanRow(self, target):
        own = [row for row in self.rows.values() if row["target"] == target]
        ratios = [row["cycles"] / peer for row in own
                  for peer, isValid in [peerCycles(self.peer.get((row["network"], target)))] if isValid]
        over = f"{geomean(ratios):.2f} ({len(ratios)} networks)" if ratios else ""
        return "geometric mean", target, "", f"{geomean(map(overBound, own)):.2f} ({len(own)} networks)", "", over

    def networks(self):
        """Networks beside the bound and the public compiler; None without the shared data."""
        if not self.shared:
            return None
        return table(("network", "target", "cycles", "over the bound", "Vela's estimate", "over Vela's"),
                     ("---", "---", "--:", "--:", "--:", "--:"),
                     [*(self.networkRow(*shown) for shown in kShown), *map(self.meanRow, kTargets)])

    def targets(self):
        """Schedules of all networks: over the bound, over the least traffic, and how well they are predicted."""
        def row(target):
            own = [row for row in self.rows.values() if row["target"] == target]
            close = sum(abs(overPredicted(row) - 1) <= PREDICTION_AIM for row in own)
            return (target, f"{geomean(map(overBound, own)):.3f}", f"{geomean(map(overDevice, own)):.3f}",
                    f"{geomean(map(deviceOverBound, own)):.3f}", f"{geomean(map(overLeast, own)):.3f}", f"{close} of {len(own)}")

        return table(("target", "cycles over the bound", "over that of the device", "that over the bound", "off-chip bytes over the least", f"predicted within {PREDICTION_AIM:.0%}"),
                     ("---", *["--:"] * 5), map(row, kTargets))

    def kinds(self):
        """Worst deciles of kinds of operators, over the bound of the device; those above 2 with their explanation."""
        lines, explanations = kinds.read(kKinds / "families.tsv"), kinds.readExplanations(kKinds / "explanations.tsv")

        def row(family):
            return (family, *(f"{float(lines[family, target]['decile_device']):.1f}" for target in kTargets), explanations.get(family, ""))

        families = sorted({family for family, _ in lines}, key=lambda family: (family.startswith("file "), family.casefold()))
        return table(("family", *kTargets, "why"), ("---", *["--:"] * 4, "---"), map(row, families))

    def levels(self):
        """Cycles over the bound by level of effort."""
        with open(kSchedules / "levels.tsv", encoding="utf-8") as text:
            rows = list(csv.DictReader((line for line in text if not line.startswith("#")), delimiter="\t"))

        def mean(target, level):
            return geomean(int(row[f"cycles{level}"]) / int(row["roofline_cycles"]) for row in rows if row["target"] == target)

        return table(("target", *map(str, range(4))), ("---", *["--:"] * 4),
                     [(target, *(f"{mean(target, level):.3f}" for level in range(4))) for target in kTargets])

    def updated(self, text):
        return kTable.sub(lambda found: found[1] + (getattr(self, found[2])() or found[3]), text)

    def differences(self, text):
        for _, name, shown in kTable.findall(text):
            expected = getattr(self, name)()
            self.count += expected is not None
            if expected not in (None, shown):
                yield f"the figures '{name}' are\n{expected}and not\n{shown}"

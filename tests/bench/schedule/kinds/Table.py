# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ratios by family and target, their table, and the explanations of families that are far from the bound."""

import collections
import csv

import Figures

BOUNDS = ("roofline", "device")
COLUMNS = ("family", "target", "cases", "refused", *(f"{figure}_{bound}" for bound in BOUNDS for figure in ("median", "decile", "worst")),
           "worst_case")
ROW_COLUMNS = ("network", "target", *Figures.BOUNDED)
FAR = 2  # a family whose worst decile is above this, over the bound of the device, needs an explanation


def ratio(row, bound):
    return row["cycles"] / max(1, row[bound + "_cycles"])


def quantile(values, part):
    values = sorted(values)
    return values[round(part * (len(values) - 1))]


def summary(family, target, rows, refused):
    """A line of the table; the worst case is that of the bound of the device."""
    line = {"family": family, "target": target, "cases": len(rows), "refused": refused, "worst_case": ""}
    for bound in BOUNDS:
        ratios = [ratio(row, bound) for row in rows] or [0]
        for name, part in (("median", 0.5), ("decile", 0.9), ("worst", 1)):
            line[f"{name}_{bound}"] = f"{quantile(ratios, part):.2f}"
    if rows:
        worst = max(rows, key=lambda row: ratio(row, "device"))
        line["worst_case"] = worst["network"].removeprefix(family + " ")
    return line


def summaries(rows, refusals, familyOf):
    """Lines by (family, target) of rows and refusals by (case, target)."""
    found, refused = collections.defaultdict(list), collections.Counter()
    for (name, target), row in rows.items():
        found[familyOf[name], target].append(row)
    for name, target in refusals:
        refused[familyOf[name], target] += 1
    return {key: summary(*key, found[key], refused[key]) for key in sorted({*found, *refused})}


def read(path):
    with open(path, encoding="utf-8") as text:
        lines = csv.DictReader((line for line in text if not line.startswith("#")), delimiter="\t")
        return {(line["family"], line["target"]): line for line in lines}


def write(path, lines):
    with open(path, "w", encoding="utf-8", newline="") as text:
        text.write("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n")
        writer = csv.DictWriter(text, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines[key] for key in sorted(lines))


def readExplanations(path):
    with open(path, encoding="utf-8") as text:
        lines = csv.DictReader((line for line in text if not line.startswith("#")), delimiter="\t")
        return {line["family"]: line["explanation"] for line in lines}


def isFar(line):
    return float(line["decile_device"]) > FAR


def unexplained(lines, explanations):
    """Families that need an explanation and have none, and those that have one and need none."""
    far = {family for (family, _), line in lines.items() if isFar(line)}
    return [f"{family}: the worst decile is above {FAR} times the bound of the device, and is not explained"
            for family in sorted(far - set(explanations))] + \
           [f"{family}: is explained, but no longer far from the bound" for family in sorted(set(explanations) - far)]


def show(lines):
    print(f"{'family':30} {'target':6} {'cases':>5} {'median':>7} {'decile':>7} {'worst':>7}   {'median':>7} {'decile':>7} {'worst':>7}  worst case")
    print(f"{'':42} {'over the bound':>23}   {'over that of the device':>23}")
    for line in sorted(lines.values(), key=lambda line: -float(line["decile_device"])):
        ratios = "   ".join(" ".join(f"{line[f'{name}_{bound}']:>7}" for name in ("median", "decile", "worst")) for bound in BOUNDS)
        refused = f", {line['refused']} refused" if line["refused"] else ""
        print(f"{line['family']:30} {line['target']:6} {line['cases']:5} {ratios}  {line['worst_case']}{refused}")


def aboveBounds(rows):
    """Lines for rows of which a bound is none."""
    return [f"{name} on {target}: roofline {row['roofline_cycles']:,}, device {row['device_cycles']:,}, cycles {row['cycles']:,} "
            "do not ascend" for (name, target), row in sorted(rows.items())
            if not row["roofline_cycles"] <= row["device_cycles"] <= row["cycles"]]


def rowOf(name, target, report):
    return {"network": name, "target": target, **{column: report[column] for column in Figures.BOUNDED}}

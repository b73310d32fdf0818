# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of one network on one target, the table of them, and the comparison of two tables."""

import csv
import json
import math
import subprocess
import tempfile
import time

# Properties of network and target, and figures of the schedule. All are deterministic.
PROPERTIES = ("macs", "compute_cycles", "least_dram_bytes", "roofline_cycles", "device_cycles")
BOUNDED = ("roofline_cycles", "device_cycles", "cycles")  # ascending
ARRAY_PROPERTIES = tuple(name for name in PROPERTIES if name != "device_cycles")  # do not depend on memory
PARTS = ("weights", "refetched_weights", "spills", "inputs", "outputs")
COLUMNS = ("network", "target", *PROPERTIES, "cycles", "predicted_cycles", "executed_macs", "dram_bytes", *PARTS)
GUARDED = ("cycles", "dram_bytes")  # a schedule that changes one of them by more than the tolerance is reported
TOLERANCE_PERCENT = 1


class Unmeasured(Exception):
    """The network did not run; the text says why."""


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unmeasured((done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1])
    return done.stdout


def measure(avocet, path, target):
    """The report of one run without values. Cycles do not depend on the data."""
    return json.loads(run([avocet, "run", path, "--target", target, "--mode", "timing", "--report", "json"]))


def compileSeconds(avocet, path, target, times=3):
    """Shortest of several compilations, each in a process of its own."""
    def once():
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            run([avocet, "compile", path, "--target", target, "-o", folder + "/out"])
            return time.monotonic() - start
    return min(once() for _ in range(times))


def rowOf(name, target, report):
    row = {"network": name, "target": target, **report["dram_bytes_by_kind"]}
    row.update({column: report[column] for column in COLUMNS if column not in row})
    return row


def readTable(path):
    """Rows by (network, target)."""
    with open(path, encoding="utf-8") as text:
        rows = [{key: value if key in ("network", "target") else int(value) for key, value in row.items()}
                for row in csv.DictReader((line for line in text if not line.startswith("#")), delimiter="\t")]
    return {(row["network"], row["target"]): row for row in rows}


def writeTable(path, rows, columns=COLUMNS):
    with open(path, "w", encoding="utf-8", newline="") as text:
        text.write("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n")
        writer = csv.DictWriter(text, columns, delimiter="\t", lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


def differences(table, measured, properties=PROPERTIES, guarded=GUARDED):
    """One line for each figure that the table does not have any more: properties exactly, guarded figures nearly. Better figures count too: a table that lags behind
    would let a later change lose them unseen."""
    lines = []
    for key in sorted(measured):
        name, row, known = "%s on %s" % key, measured[key], table.get(key)
        if known is None:
            lines.append(f"{name}: is not in the table")
            continue
        lines += [f"{name}: {column} is {row[column]:,}, the table has {known[column]:,}"
                  for column in properties if row[column] != known[column]]
        for column in guarded:
            change = row[column] - known[column]
            if abs(change) * 100 > TOLERANCE_PERCENT * known[column]:
                lines.append(f"{name}: {column} is {row[column]:,}, {abs(change) / max(1, known[column]):.2%} "
                             f"{'worse' if change > 0 else 'better'} than the table's {known[column]:,}")
    return lines


def differs(column, one, other):
    """Compressed weights have an entry for each granule, whose width depends on the array."""
    return abs(one - other) * 100 > one if column == "least_dram_bytes" else one != other


def contradictions(measured, peer):
    """Figures that are properties of the network, or of network and array, and differ between targets or from the peer's,
    and bounds that are none."""
    lines, first = [], {}
    for (name, target), row in sorted(measured.items()):
        other = first.setdefault(name, row)
        shared = ARRAY_PROPERTIES if {target, other["target"]} <= {"e256", "e256s"} else ("macs", "least_dram_bytes")
        lines += [f"{name}: {column} is {row[column]:,} on {target}, {other[column]:,} on {other['target']}"
                  for column in shared if differs(column, row[column], other[column])]
        if (name, target) in peer and row["macs"] != int(peer[name, target]["macs"]):
            lines.append(f"{name} on {target}: macs is {row['macs']:,}, the peer's {peer[name, target]['macs']}")
        figures = [row[column] for column in BOUNDED]
        isWhole = row["executed_macs"] >= row["macs"]  # bounds are those of all branches
        if isWhole and (figures != sorted(figures) or row["dram_bytes"] < row["least_dram_bytes"]):
            lines.append(f"{name} on {target}: took less than its bound")
        if row["dram_bytes"] != sum(row[part] for part in PARTS):
            lines.append(f"{name} on {target}: the parts do not add up to dram_bytes")
    return lines


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def peerCycles(row):
    """The peer's best valid cycles, or version 5's invalid ones; and whether they are valid."""
    if not row:
        return None, False
    if row["best_valid_cycles"]:
        return int(row["best_valid_cycles"]), True
    return (int(row["vela5_cycles"]) if row["vela5_cycles"] else None), False

# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles and compile times by level of `avocet compile --optimize`, and the table of them."""

import concurrent.futures
import csv
import sys
import tempfile
import time

import Figures

LEVELS = ("0", "1", "2", "3")
CYCLES = tuple("cycles" + level for level in LEVELS)
COLUMNS = ("network", "target", "roofline_cycles", *CYCLES)


def measureLevel(avocet, path, target, level):
    """Report of a run, and seconds of the compilation in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        Figures.run([avocet, "compile", path, "--target", target, "--optimize", level, "-o", folder + "/out"])
        return Figures.measure(avocet, folder + "/out", target), time.monotonic() - start


def measureRow(avocet, name, path, target, levels):
    row, seconds = {"network": name, "target": target}, {}
    for level in levels:
        report, seconds[level] = measureLevel(avocet, path, target, level)
        row["cycles" + level], row["roofline_cycles"] = report["cycles"], report["roofline_cycles"]
        print(f"{name} on {target}: level {level}, {report['cycles']:,} cycles, {seconds[level]:.1f} s", file=sys.stderr, flush=True)
    return row, seconds


def measureAll(options, networks, levels=LEVELS):
    """Rows and compile times by (network, target), and a line for each that failed."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pending = {(name, target): pool.submit(measureRow, options.avocet, name, path, target, levels)
                   for name, path in networks for target in options.targets}
    rows, seconds, failures = {}, {}, []
    for key, result in pending.items():
        try:
            rows[key], seconds[key] = result.result()
        except Figures.Unmeasured as error:
            failures.append("%s on %s: %s" % (*key, error))
    return rows, seconds, failures


def printAll(options, rows, seconds, levels=LEVELS):
    head = " ".join(f"{'cycles at ' + level:>13} {'over bound':>10} {'s':>7}" for level in levels)
    print(f"{'network':28} {'target':6} {head}")
    for (name, target), row in sorted(rows.items()):
        figures = " ".join(f"{row['cycles' + level]:13,} {row['cycles' + level] / row['roofline_cycles']:10.3f} "
                           f"{seconds[name, target][level]:7.2f}" for level in levels)
        print(f"{name:28} {target:6} {figures}")
    print("\ngeometric means: cycles over the bound, and seconds of a compilation")
    for target in options.targets:
        keys = [key for key in rows if key[1] == target]
        figures = " ".join(f"{Figures.geomean(rows[key]['cycles' + level] / rows[key]['roofline_cycles'] for key in keys):24.3f} "
                           f"{Figures.geomean(seconds[key][level] for key in keys):7.2f}" for level in levels)
        print(f"{len(keys):2} networks {'':16} {target:6} {figures}")


def updateTable(path, rows):
    """Rows of networks that were not measured stay. Compile times depend on the computer and are left out."""
    table = {}
    if path.exists():
        with open(path, encoding="utf-8") as text:
            for row in csv.DictReader((line for line in text if not line.startswith("#")), delimiter="\t"):
                table[row["network"], row["target"]] = row
    table.update(rows)
    with open(path, "w", encoding="utf-8", newline="") as text:
        text.write("# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n")
        writer = csv.DictWriter(text, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(table[key] for key in sorted(table))

#!/usr/bin/env python3
# RandomTest.py - Random TOSA operations against MLIR's lowering
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs random cases of each operator and type, and compares the results with those of MLIR's own lowering:
integers bit for bit, floats within the bounds below.

  RandomTest.py BIN [--cases N] [--seed N] [--only TEXT] [--type TYPE] [--target NAME]

Exit code 1: a result is wrong, or a case failed in another way than by a refusal."""
import argparse
import math
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import Oracle
from Cells import CELLS
from Network import Network, is_float, unpack

# Largest difference from the lowering, which computes in its own order: relative, and absolute near 0.
BOUNDS = {"f32": 2e-5, "f16": 4e-3, "bf16": 3e-2}


def differs(element, ours, theirs):
    if not is_float(element):
        return ours != theirs
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) != math.isnan(theirs)
    return ours != theirs and not abs(ours - theirs) <= BOUNDS[element] * max(1, abs(theirs))


def compare(net, ours, theirs):
    """The first difference, or None."""
    for name, mine, other in zip(net.results, ours, theirs):
        tensor = net.tensors[name]
        pairs = zip(unpack(tensor, mine), unpack(tensor, other))
        for index, (a, b) in enumerate(pairs):
            if differs(tensor.element, a, b):
                return f"{name} [{index}] of {tensor.text} is {a}, must be {b}"
    return None


def first_line(text):
    lines = text.strip().splitlines()
    return next((line for line in lines if "error" in line), lines[0] if lines else "no message")


class Runner:
    def __init__(self, binary, target, folder):
        self.binary, self.target, self.folder = binary, target, folder

    def ours(self, net, source, folder):
        inputs = []
        for index, data in enumerate(net.data):
            path = folder / f"in{index}.bin"
            path.write_bytes(data)
            inputs += ["-i", path]
        done = subprocess.run([self.binary, "run", source, "-t", self.target, "-o", folder, "--report", "none", "--mode",
                               "functional", *inputs], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return first_line(done.stderr), None
        return None, [(folder / f"out{index}.bin").read_bytes() for index in range(len(net.results))]

    def judge(self, net, name):
        """"right", or what is wrong: "refused: ..", "wrong: ..", "failed: ..", "no oracle: .."."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        source = folder / "case.mlir"
        source.write_text(net.text())
        refusal, ours = self.ours(net, source, folder)
        if refusal:
            return ("refused: " if "not supported" in refusal else "failed: ") + refusal
        try:
            Oracle.build(source, folder / "oracle.so")
        except Oracle.Failure as failure:
            return f"no oracle: {failure}"
        theirs = Oracle.run(folder / "oracle.so", net.data, Oracle.signature(net.text()))
        difference = compare(net, ours, theirs)
        return f"wrong: {difference}; {source}" if difference else "right"


def network(cell, element, seed, cases):
    net = Network()
    for number in cases:
        cell(net, random.Random(f"{seed} {number}"), element)
    return net


def run_cell(runner, row, element, seed, count):
    """The verdict on each case: all in one network, or one by one if that is not right."""
    name, _, cell = row
    seed = f"{seed} {name} {element}"
    together = runner.judge(network(cell, element, seed, range(count)), name)
    if together == "right":
        return [together] * count
    return [runner.judge(network(cell, element, seed, [number]), name) for number in range(count)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, metavar="BIN", help="folder of the program avocet")
    parser.add_argument("--cases", type=int, default=20, help="of each operator and type; default: 20")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="operators whose name has this text")
    parser.add_argument("--type", help="only the cells of this element type")
    parser.add_argument("--target", default="e256")
    arguments = parser.parse_args()
    work = [(row, element) for row in CELLS if arguments.only in row[0] for element in row[1]
            if arguments.type in (None, element)]
    bad = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        runner = Runner(arguments.binary / "avocet", arguments.target, folder)
        verdicts = pool.map(lambda each: run_cell(runner, *each, arguments.seed, arguments.cases), work)
        for (row, element), answers in zip(work, verdicts):
            right = answers.count("right")
            others = sorted({answer for answer in answers if answer != "right"})
            print(f"{row[0]} {element}: {right} of {len(answers)} right", *others[:2], sep="\n    ", flush=True)
            bad += sum(not answer.startswith(("right", "refused", "no oracle")) for answer in answers)
    print(f"{len(work)} cells, {bad} cases wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

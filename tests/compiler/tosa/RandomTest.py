#!/usr/bin/env python3
# RandomTest.py - Random TOSA operations against MLIR's lowering
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs random cases of each operator and type, and compares the results with those of MLIR's own lowering:
integers bit for bit, floats within the bounds below.

  RandomTest.py BIN                                  20 cases of each cell
  RandomTest.py BIN --cases 200 --seed 7             more, and others
  RandomTest.py BIN --only conv2d --type i16         some cells
  RandomTest.py BIN --page FILE [--update]           compares the page of operators, or writes it

Exit code 1: a result is wrong, a case failed in another way than by a refusal, or the page is another one."""
import argparse
import collections
import math
import re
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
        pairs = zip(unpack(tensor, mine), net.expected.get(name) or unpack(tensor, other))
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

    def judge(self, net):
        """"right", or what is wrong: "refused: ..", "wrong: ..", "failed: ..", "no oracle: .."."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        source = folder / "case.mlir"
        source.write_text(net.text())
        refusal, ours = self.ours(net, source, folder)
        if refusal:
            return ("refused: " if "not supported" in refusal else "failed: ") + refusal
        theirs = [None] * len(ours)
        if not net.expected.keys() >= set(net.results):
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


# Cases of one network: the lowering of a large one takes minutes.
BATCH = 20


def run_cell(runner, row, element, seed, count):
    """The verdict on each case: those of a batch in one network, or one by one if that is not right."""
    name, _, cell = row
    seed = f"{seed} {name} {element}"
    answers = []
    for first in range(0, count, BATCH):
        numbers = range(first, min(first + BATCH, count))
        if runner.judge(network(cell, element, seed, numbers)) == "right":
            answers += ["right"] * len(numbers)
        else:
            answers += [runner.judge(network(cell, element, seed, [number])) for number in numbers]
    return answers


PAGE = """# TOSA operators

What the compiler takes of TOSA, with types as in the dialect of MLIR: *right* is equal to MLIR's own lowering in all random cases
(integers bit for bit), or to the specification where the lowering differs. Operators that are not listed are refused by name.

Written by `tests/compiler/tosa/RandomTest.py --page FILE --update`; a test compares it.

| operator | right | refused |
|---|---|---|
"""


def reason_of(answers):
    """Why cases were refused, without the place."""
    texts = {re.sub(r"^.*?not supported: ", "", each).split("; run this")[0].split(", found")[0] for each in answers if "refused" in each}
    return min(texts).replace("|", "or") if texts else "a failure"


def page_of(answers):
    """`answers`: for each operator and type the verdicts."""
    rows = collections.OrderedDict()
    for (name, element), verdicts in answers:
        right, refused = rows.setdefault(name, ([], []))
        if all(verdict == "right" for verdict in verdicts):
            right.append(element)
        else:
            refused.append(f"{element}: {reason_of(verdicts)}")
    return PAGE + "".join(f"| {name} | {' '.join(right)} | {'; '.join(refused)} |\n"
                          for name, (right, refused) in rows.items())


def check_page(path, text, isUpdate):
    if isUpdate:
        path.write_text(text)
        return True
    if path.read_text() == text:
        return True
    print(f"{path.name} is not the page of these results; write it with --update")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, metavar="BIN", help="folder of the program avocet")
    parser.add_argument("--cases", type=int, default=20, help="of each operator and type; default: 20")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="operators whose name has this text")
    parser.add_argument("--type", default="", help="only this element type")
    parser.add_argument("--target", default="e256")
    parser.add_argument("--page", type=Path, help="the page of operators")
    parser.add_argument("--update", action="store_true", help="write the page")
    arguments = parser.parse_args()
    if not (Oracle.LLVM / "bin/mlir-opt").exists():
        print("skipped: mlir-opt of LLVM 22 is not installed (scripts/setup)")
        return 77
    work = [(row, element) for row in CELLS if arguments.only in row[0] for element in row[1]
            if arguments.type in ("", element)]
    bad, rows = 0, []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        runner = Runner(arguments.binary / "avocet", arguments.target, folder)
        verdicts = pool.map(lambda each: run_cell(runner, *each, arguments.seed, arguments.cases), work)
        for (row, element), answers in zip(work, verdicts):
            rows.append(((row[0], element), answers))
            wrong = [answer for answer in answers if not answer.startswith(("right", "refused"))]
            bad += len(wrong)
            for answer in sorted(set(wrong))[:3]:
                print(f"{row[0]} {element}: {answer}", flush=True)
    print(f"{len(work)} operators and types, {sum(len(answers) for _, answers in rows)} cases, {bad} wrong")
    isPage = not arguments.page or check_page(arguments.page, page_of(rows), arguments.update)
    return 1 if bad or not isPage else 0


if __name__ == "__main__":
    sys.exit(main())

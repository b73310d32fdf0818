#!/usr/bin/env python3
# RoundTripTest.py - Networks exported to TOSA and read back
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports random networks of the graph dialect with avocet-translate, and compares the results of network, exported
network and MLIR's own lowering of the latter bit for bit. Exports the int8 networks of the shared data too, and compares
goldens and simulated cycles.

  RoundTripTest.py BIN                              4 cases of each cell, and the networks
  RoundTripTest.py BIN --cases 100 --seed 7         more, and others
  RoundTripTest.py BIN --only conv --type i8        some cells
  RoundTripTest.py BIN --networks resnet --target m512    some networks on one target

Exit code 1: a result is wrong, an export was refused, or a network is more than 3 % slower."""
import argparse
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import Oracle
from RoundTripCells import CELLS, network

GROWTH = 0.03
# What TOSA cannot express: recurrent layers, and layers that quantize at run time.
NETWORKS = ["ad_toycar_int8", "ic_resnet8_int8", "kws_dscnn_int8", "micro_speech_int8", "mobilenet_v2_100_224_int8",
            "person_detect_int8", "streaming_wakeword_int8", "vww_mobilenet_int8", "mobilenet_v1_050_160_uint8",
            "ic_resnet_large_int8"]


def message(done):
    lines = done.stderr.strip().splitlines()
    return next((line for line in lines if "error" in line), lines[0] if lines else "no message")


# MLIR pads with a number of another type, and divides negative positions towards zero.
NO_LOWERING = {("transpose_conv_2d", "i16"), ("resize bilinear of centers", "i8")}


class Failure(Exception):
    """A program failed; the text is its first error."""


def run(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(message(done))
    return done.stdout


def are_equal(net, ours, theirs):
    """Integers have the same bits; floats may differ in the last ones."""
    for (_, type_), mine, other in zip(net.results, ours, theirs):
        if type_.endswith("xf32>"):
            numbers = zip(*(struct.unpack(f"<{len(data) // 4}f", data) for data in (mine, other)))
            if any(abs(a - b) > 1e-5 * max(1, abs(b)) for a, b in numbers):
                return False
        elif mine != other:
            return False
    return True


class Runner:
    def __init__(self, binaries, target, folder):
        self.binaries, self.target, self.folder = binaries, target, folder

    def exported(self, source, folder):
        path = folder / "exported.mlir"
        run(self.binaries / "avocet-translate", "--nn-to-tosa", source, "-o", path)
        return path

    def outputs(self, source, inputs, folder, results):
        folder.mkdir(exist_ok=True)
        given = [argument for path in inputs for argument in ("-i", path)]
        run(self.binaries / "avocet", "run", source, "-t", self.target, "-o", folder, "--report", "none", "--mode",
            "functional", *given)
        return [(folder / f"out{index}.bin").read_bytes() for index in range(results)]

    def judge(self, net, is_lowered):
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        source = folder / "network.mlir"
        source.write_text(net.text())
        inputs = []
        for index, data in enumerate(net.data):
            inputs.append(folder / f"in{index}.bin")
            inputs[-1].write_bytes(data)
        try:
            tosa = self.exported(source, folder)
            own = self.outputs(source, inputs, folder / "own", len(net.results))
            back = self.outputs(tosa, inputs, folder / "back", len(net.results))
            if not is_lowered:
                return "right" if are_equal(net, back, own) else f"wrong: read back it has other results; {source}"
            plain = folder / "plain.mlir"  # mlir-translate has no dialect for the version
            plain.write_text(re.sub("module attributes .*", "module {", tosa.read_text()))
            Oracle.build(plain, folder / "oracle.so")
            lowered = Oracle.run(folder / "oracle.so", net.data, Oracle.signature(plain.read_text()))
        except (Failure, Oracle.Failure) as failure:
            return f"failed: {failure}; {source}"
        if not are_equal(net, back, own):
            return f"wrong: read back it has other results; {source}"
        return "right" if are_equal(net, lowered, own) else f"wrong: MLIR's lowering has other results; {source}"


def is_lowered(name, element):
    """RandomTest.py compares functions of floats."""
    return element != "f32" and (name, element) not in NO_LOWERING


def run_cells(runner, row, elements, seed, count):
    """The cases that are not right: all types in one network, or one by one if that is not right."""
    name, _, cell = row
    cases = [(element, f"{seed} {name} {element} {number}") for element in elements for number in range(count)]
    lowered = [case for case in cases if is_lowered(name, case[0])]
    others = [case for case in cases if case not in lowered]
    if all(runner.judge(network(cell, group), group is lowered) == "right" for group in (lowered, others) if group):
        return []
    answers = [(element, runner.judge(network(cell, [(element, each)]), is_lowered(name, element)))
               for element, each in cases]
    return [(element, answer) for element, answer in answers if answer != "right"]


def cycles(binary, source, target):
    return json.loads(run(binary / "avocet", "run", source, "-t", target, "--report", "json", "--mode", "timing"))["cycles"]


def check_goldens(runner, model, tosa, folder, every):
    """Compares the first case of the network, or all."""
    for case in sorted({path.name[:2] for path in model.glob("*.out0.bin")})[:None if every else 1]:
        inputs, golden = sorted(model.glob(f"{case}.in*.bin")), sorted(model.glob(f"{case}.out*.bin"))
        if runner.outputs(tosa, inputs, folder / case, len(golden)) != [path.read_bytes() for path in golden]:
            raise Failure(f"case {case} has not the bits of its golden")


def check_network(binaries, model, target, folder, every):
    """The problem of a network, or None."""
    folder = Path(tempfile.mkdtemp(dir=folder))
    imported = folder / "imported.mlir"
    runner = Runner(binaries, target, folder)
    try:
        run(binaries / "avocet-translate", "--import-tflite", model / "model.tflite", "-o", imported)
        tosa = runner.exported(imported, folder)
        check_goldens(runner, model, tosa, folder, every)
        own, back = cycles(binaries, model / "model.tflite", target), cycles(binaries, tosa, target)
    except Failure as failure:
        return f"failed: {failure}"
    print(f"{model.name} {target}: {own} cycles, {back} as TOSA ({100 * (back / own - 1):+.2f} %)", flush=True)
    return f"takes {back} cycles instead of {own}" if back > own * (1 + GROWTH) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, metavar="BIN", help="folder of the programs")
    parser.add_argument("--cases", type=int, default=4, help="of each operation and type; default: 4")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="operations whose name has this text")
    parser.add_argument("--type", default="", help="only this storage type")
    parser.add_argument("--target", default="e256")
    parser.add_argument("--networks", help="only networks whose name has this text, and no operations")
    parser.add_argument("--every-golden", action="store_true", help="of each network; default: the first")
    arguments = parser.parse_args()
    if not (Oracle.LLVM / "bin/mlir-opt").exists():
        print("skipped: mlir-opt of LLVM 22 is not installed (scripts/setup)")
        return 77
    work = [(row, [element for element in row[1] if arguments.type in ("", element)]) for row in CELLS
            if arguments.only in row[0] and not arguments.networks]
    bad = 0
    shared = Path(os.environ.get("AVOCET_SHARED_DATA", "")) / "models"
    names = [name for name in NETWORKS if (arguments.networks or "") in name and (shared / name).exists()]
    if arguments.only or arguments.type:
        names = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        runner = Runner(arguments.binary, arguments.target, folder)
        answers = pool.map(lambda each: run_cells(runner, *each, arguments.seed, arguments.cases), work)
        for (row, _), wrong in zip(work, answers):
            bad += len(wrong)
            for element, answer in wrong[:3]:
                print(f"{row[0]} {element}: {answer}", flush=True)
        problems = pool.map(lambda name: check_network(arguments.binary, shared / name, arguments.target, folder,
                                                       arguments.every_golden), names)
        for name, problem in zip(names, problems):
            if problem:
                bad += 1
                print(f"{name}: {problem}", flush=True)
    print(f"{sum(len(elements) for _, elements in work)} operations and types, {len(names)} networks, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

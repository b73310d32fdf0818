#!/usr/bin/env python3
# PairsTest.py - One network in two formats
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs networks that exist as .onnx and as .tflite file: those of Networks.py, and installed ones
(`scripts/setup --networks`). Outputs must agree within 1e-5 of the largest magnitude. Where the operators agree after the
phase nn, cycles must agree within 3 %.

  PairsTest.py BIN [--clients DIR] [--target NAME] [--filter REGEX]
  PairsTest.py --write DIR NAME     writes a pair, also of `mobilenet_v2`, whose compile times can be compared"""
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import Arguments
import Networks

BOUND = 1e-5
CYCLES = 0.03
VIEWS = {"nn.constant", "nn.reshape"}  # which the device does not compute
# Of files whose shapes are open.
SHAPES = {"embedding_model.onnx": "input_1=1x76x32x1", "melspectrogram.onnx": "input=1x1280",
          "melspectrogram.tflite": "serving_default_input:0=1x1280"}
OTHERS = {"hey_rhasspy_v0.1": "its .onnx file has 32 units where the .tflite file has 64"}  # files of two networks


def run(binary, model, folder, target, options):
    """The outputs and the report."""
    command = [binary / "avocet", "run", model, "-t", target, "-o", folder, "--report", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{model.name}: {done.stderr.strip()[-500:]}")
    outputs = [np.fromfile(folder / f"out{index}.bin", np.float32) for index in range(len(list(folder.glob("out*.bin"))))]
    return outputs, json.loads(done.stdout)


def operations(binary, model, folder, target, options):
    """How many operations of each kind there are after the phase nn."""
    text = folder / "nn.mlir"
    subprocess.run([binary / "avocet", "compile", model, "-t", target, "--stop-after", "nn", "-o", text, *options], check=True,
                   capture_output=True)
    found = collections.Counter(re.findall(r"^\s*%\S+ = \"?(nn\.\w+)", text.read_text(encoding="utf-8"), re.MULTILINE))
    return {kind: count for kind, count in found.items() if kind not in VIEWS}


def difference(ours, others):
    """The largest one, over the largest magnitude."""
    if [each.shape for each in ours] != [each.shape for each in others]:
        raise AssertionError(f"outputs have {[each.size for each in ours]} and {[each.size for each in others]} elements")
    return max(float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)) for a, b in zip(ours, others))


def compare(binary, stem, target):
    """A line of figures, and whether they are right."""
    results, kinds = {}, {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suffix in (".onnx", ".tflite"):
            shape = SHAPES.get(stem.name + suffix)
            options = ["--shape", shape] if shape else []
            (folder / suffix).mkdir()
            results[suffix] = run(binary, stem.with_name(stem.name + suffix), folder / suffix, target, options)
            kinds[suffix] = operations(binary, stem.with_name(stem.name + suffix), folder, target, options)
    (ours, report), (others, other) = results[".onnx"], results[".tflite"]
    found, growth = difference(ours, others), report["cycles"] / other["cycles"] - 1
    isSame = kinds[".onnx"] == kinds[".tflite"]
    line = f"{stem.name:18} {found:8.1e}  {report['cycles']:11,} {other['cycles']:11,} {100 * growth:+7.2f} %"
    if not isSame:
        line += "  other operators: " + ", ".join(f"{kind} {kinds['.onnx'].get(kind, 0)}/{kinds['.tflite'].get(kind, 0)}"
                                                  for kind in sorted({*kinds[".onnx"], *kinds[".tflite"]})
                                                  if kinds[".onnx"].get(kind) != kinds[".tflite"].get(kind))
    return line, found <= BOUND and (not isSame or abs(growth) <= CYCLES)


def main():
    parser = Arguments.parser(__doc__, count="?")
    parser.add_argument("names", nargs="*", metavar="NAME", help="with --write")
    Arguments.add_choice(parser, "a network")
    parser.add_argument("--write", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    known = {**Networks.PAIRS, "mobilenet_v2": Networks.mobilenet}
    if arguments.write:
        for name in [str(arguments.binary), *arguments.names]:
            known[name]().write(arguments.write / name)
        return 0
    installed = arguments.clients / "networks"
    status = 0
    with tempfile.TemporaryDirectory() as name:
        for network, make in Networks.PAIRS.items():
            make().write(Path(name) / network)
        stems = [Path(name) / network for network in Networks.PAIRS]
        stems += [path.with_suffix("") for path in sorted(installed.glob("*.onnx")) if path.with_suffix(".tflite").exists()]
        for stem in stems:
            if stem.name in OTHERS:
                print(f"{stem.name}: skipped, {OTHERS[stem.name]}")
            elif re.search(arguments.filter, stem.name):
                line, isRight = compare(arguments.binary, stem, arguments.target)
                print(line + ("" if isRight else "  WRONG"), flush=True)
                status |= not isRight
    return status


if __name__ == "__main__":
    sys.exit(main())

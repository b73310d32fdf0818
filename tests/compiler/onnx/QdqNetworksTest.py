#!/usr/bin/env python3
# QdqNetworksTest.py - Quantized networks against ONNX Runtime
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantizes networks (Quantizer.py), those of QdqNetworks.py and of `scripts/setup --networks`, and compares them with ONNX
Runtime at its optimization level `extended`: the same largest output of each row, and 35 dB between the outputs and the
difference. A step in the middle of a network may grow through the layers after it, also between two levels of the runtime. Where
the network of floats and the quantized one differ by more than that, the difference from the runtime must be smaller than theirs.

A line has the operations on integers and on floats, three ratios in decibels (the network of floats to the quantized one, the
runtime without optimizations to `extended`, and this program to it), the cycles, and those of the network of floats over them.
Which operations stay on floats is in FLOATS.

  QdqNetworksTest.py BIN [--clients DIR] [--target NAME] [--filter REGEX] [--keep DIR]

Exit code 77: the runtime is not installed."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import Arguments
import NetworksTest
import QdqNetworks
from Quantizer import Quantizer

DECIBELS = 35
# Those that have files of others, and for each type the kinds of operations that compute floats.
FILES = ("face_detection_front_128x128_barracuda", "embedding_model", "timer_v0.1", "weather_v0.1")
FLOATS = {"encoder": {"nn.div"}}
CONVERSIONS = {"nn.quantize", "nn.dequantize", "nn.constant", "nn.reshape", "nn.bitcast"}


def networks(clients):
    """(name, file, inputs)."""
    for name, build in QdqNetworks.NETWORKS.items():
        yield name, *build()
    for network in NetworksTest.NETWORKS:
        path = clients / "networks" / (network.name + ".onnx")
        if network.name in FILES and path.exists():
            model = path.read_bytes()
            yield network.name, model, NetworksTest.data_of(network, model)[0]


def kindsIn(text):
    """The kinds of operations with results of integers and of floats."""
    lines = re.findall(r"^\s*%\S+ = \"?(nn\.\w+).*-> \(?tensor<([^>]*)>", text, re.MULTILINE)
    made = [(kind, type_.endswith("f32")) for kind, type_ in lines if kind not in CONVERSIONS]
    return [kind for kind, isFloat in made if not isFloat], [kind for kind, isFloat in made if isFloat]


def decibels(theirs, ours):
    """The least of all outputs."""
    ratios = [np.square(a).sum() / max(np.square(a - b).sum(), 1e-30) for a, b in zip(theirs, ours)]
    return min(10 * np.log10(max(each, 1e-30)) for each in ratios)


def reals(tensors):
    return [each.array.astype(float) for each in tensors]


class Binary:
    def __init__(self, path, target):
        self.path, self.target = path, target

    def run(self, model, inputs, folder, *options):
        """The cycles."""
        for index, tensor in enumerate(inputs.values()):
            (folder / f"in{index}.bin").write_bytes(tensor.data())
            options += ("-i", folder / f"in{index}.bin")
        for name, tensor in inputs.items():
            options += ("--shape", f"{name}={'x'.join(map(str, tensor.shape))}")
        done = subprocess.run([self.path / "avocet", "run", model, "-t", self.target, "-o", folder, "--report", "json", *options],
                              check=False, capture_output=True, text=True, timeout=400)
        if done.returncode:
            raise AssertionError(done.stderr.strip()[-400:])
        return json.loads(done.stdout)["cycles"]

    def lowered(self, model, inputs, folder):
        shapes = [part for name, tensor in inputs.items() for part in ("--shape", f"{name}={'x'.join(map(str, tensor.shape))}")]
        subprocess.run([self.path / "avocet", "compile", model, "-t", self.target, "--stop-after", "nn", "-o", folder / "nn.mlir", *shapes],
                       check=True, capture_output=True)
        return (folder / "nn.mlir").read_text(encoding="utf-8")


def compare(binary, runtimes, name, model, inputs, type_, folder):
    """A line of figures, and whether they are right."""
    quantized, outputs = Quantizer(model, inputs, runtimes[0], type_).model()
    (folder / "quantized.onnx").write_bytes(quantized)
    (folder / "floats.onnx").write_bytes(model)
    theirs, defined = (reals(runtime.run(quantized, inputs, outputs)) for runtime in (runtimes[1], runtimes[0]))
    cycles = binary.run(folder / "quantized.onnx", inputs, folder)
    ours = [np.fromfile(folder / f"out{index}.bin", np.float32).reshape(each.shape).astype(float) for index, each in enumerate(theirs)]
    before = binary.run(folder / "floats.onnx", inputs, folder, "--mode", "timing")
    integers, floats = kindsIn(binary.lowered(folder / "quantized.onnx", inputs, folder))
    real = reals(runtimes[0].run(model, inputs, NetworksTest.outputs_of(model)))
    loss, levels, found = (decibels(theirs, each) for each in (real, defined, ours))
    areSame = all(bool((a.argmax(-1) == b.argmax(-1)).all()) for a, b in zip(theirs, ours) if a.ndim == 2)
    line = (f"{name:40} {type_:4} {len(integers):4} {len(floats):5} {loss:6.1f} {min(levels, 200):6.1f} {min(found, 200):6.1f} {cycles:10,} "
            f"{before / cycles:6.2f}  {', '.join(sorted(set(floats))) or '-'}")
    isRight = areSame and found >= min(DECIBELS, loss) and set(floats) <= FLOATS.get(name, set())
    return line, isRight


def main():
    arguments, runtimes = Arguments.quantization(__doc__, "a network and its type")
    binary, status = Binary(arguments.binary, arguments.target), 0
    print(f"{'network':40} type ints reals   loss levels     dB     cycles   gain  on floats")
    with tempfile.TemporaryDirectory() as temporary:
        for name, model, inputs in networks(arguments.clients):
            for type_ in ("i8", "u8"):
                if not re.search(arguments.filter, f"{name} {type_}"):
                    continue
                folder = (arguments.keep or Path(temporary)) / name / type_
                folder.mkdir(parents=True, exist_ok=True)
                try:
                    line, isRight = compare(binary, runtimes, name, model, inputs, type_, folder)
                except AssertionError as failure:
                    line, isRight = f"{name} {type_}: {failure}", False
                print(line + ("" if isRight else "  WRONG"), flush=True)
                status |= not isRight
    return status


if __name__ == "__main__":
    sys.exit(main())

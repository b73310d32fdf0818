#!/usr/bin/env python3
# MemoryTest.py - Memory that a large ONNX network takes
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a network of 107 MB, with its constants in the file and beside it: peak memory must be below 2.5 times their
size, and lower for constants beside the file. The artefacts must be equal.

  MemoryTest.py BIN"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import Arguments
import Proto

LIMIT = 2.5


class Network:
    """Convolutions whose filters are moved to channels last, and products as exporters write them. `data`: the name of a
    file for the constants; empty: they are in the model."""

    def __init__(self, data):
        self.data, self.bytes_ = data, b""
        self.nodes, self.initializers, self.random = [], [], np.random.default_rng(5)

    def constant(self, *shape):
        name = f"w{len(self.initializers)}"
        tensor = Proto.Tensor("f32", self.random.standard_normal(shape, np.float32))
        self.initializers.append(self.external(name, tensor) if self.data else Proto.tensor_proto(tensor, name))
        return name

    def external(self, name, tensor):
        entries = {"location": self.data, "offset": str(len(self.bytes_)), "length": str(tensor.array.nbytes)}
        self.bytes_ += tensor.data()
        return (b"".join(Proto.number(1, extent) for extent in tensor.shape) + Proto.number(2, Proto.TYPES["f32"][0]) +
                Proto.message(8, name) + Proto.number(14, 1) +
                b"".join(Proto.message(13, Proto.message(1, key) + Proto.message(2, value)) for key, value in entries.items()))

    def node(self, operator, value, *shape, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(Proto.node(operator, [value, self.constant(*shape)], [name], name, "", attributes))
        return name

    def write(self, path):
        """The bytes of all files."""
        value = "x"
        for _ in range(6):
            value = self.node("Conv", value, 512, 512, 3, 3, pads=[1] * 4)
        self.nodes.append(Proto.node("GlobalAveragePool", [value], ["mean"], "mean", "", {}))
        self.nodes.append(Proto.node("Flatten", ["mean"], ["flat"], "flat", "", {}))
        value = self.node("Gemm", "flat", 2048, 512, transB=1)
        for _ in range(3):
            value = self.node("MatMul", value, 2048, 2048)
        body = Proto.graph(self.nodes, self.initializers, [Proto.value_info("x", "f32", [1, 512, 7, 7])],
                           [Proto.value_info(value, "f32", [1, 2048])])
        path.write_bytes(Proto.model(body, 13))
        if self.data:
            (path.parent / self.data).write_bytes(self.bytes_)
        return path.stat().st_size + len(self.bytes_)


def peak(binary, model, folder):
    """The largest resident memory that the program prints (what wait4() says also counts this program before it becomes that
    one), on a target whose programs are short."""
    command = [binary / "avocet", "compile", model, "-t", "p4096", "-v", "-o", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"avocet compile {model.name}: {done.stderr}")
    sizes = re.findall(r"^(?:import|nn|place|schedule|allocate|cmd|emit) .* ([\d.]+) MiB$", done.stderr, re.MULTILINE)
    return max(map(float, sizes)) * (1 << 20)


def main():
    parser = Arguments.parser(__doc__)
    binary, ratios, artefacts = parser.parse_args().binary, [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, data in (("inside", ""), ("beside", "constants.data")):
            size = Network(data).write(folder / f"{kind}.onnx")
            ratios.append(peak(binary, folder / f"{kind}.onnx", folder / kind) / size)
            artefacts.append((folder / kind / "data.avod").read_bytes())
            print(f"constants {kind} the file, {size / 1e6:.0f} MB: peak memory is {ratios[-1]:.2f} times as much")
    return 0 if max(ratios) < LIMIT and ratios[1] < ratios[0] and artefacts[0] == artefacts[1] else 1


if __name__ == "__main__":
    sys.exit(main())

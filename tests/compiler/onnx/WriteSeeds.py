#!/usr/bin/env python3
# WriteSeeds.py - Seeds of the fuzz target for ONNX
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a model of one random case for each operator, at its newest opset.

  WriteSeeds.py tests/fuzz/onnx/corpus"""
import sys
from pathlib import Path

from Case import Network
from Cells import CELLS

MOST_BYTES = 3000  # a larger case of an operator is no seed: mutations of it seldom change what counts
TRIES = 8


def seed(cell):
    """The bytes of the smallest of a few cases. Inputs that determine the program are constants of it."""
    models = []
    for number in range(TRIES):
        case = cell.case("c", "seed", number)
        for name in case.known:
            case.constants[name] = case.inputs.pop(name)
        models.append(Network([case]).model())
    return min(models, key=len)


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder, newest = Path(sys.argv[1]), {}
    for cell in CELLS:
        name = cell.row.name + ("Microsoft" if cell.row.domain else "")
        if name not in newest or cell.version > newest[name].version:
            newest[name] = cell
    for name, cell in newest.items():
        model = seed(cell)
        if len(model) <= MOST_BYTES:
            (folder / (name[0].lower() + name[1:])).write_bytes(model)


if __name__ == "__main__":
    main()

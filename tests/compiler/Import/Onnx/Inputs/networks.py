# networks.py - Writes networks of ONNX operators
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs beside this one have a function for each network, which adds its nodes to a case."""
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[3] / "onnx"))
import Proto  # noqa: E402
from Case import Case, Network  # noqa: E402


def zeros(case, type_, *shape):
    """An input of the network."""
    return case.input(Proto.tensor(type_, np.zeros(shape)))


def numbers(case, type_, values, shape=None):
    return case.constant(Proto.tensor(type_, values, shape))


def write(functions, opset):
    """Writes the network of the function that the first argument names; a second one is another opset."""
    name, opset = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else opset
    case = Case("n", opset)
    functions[name](case)
    sys.stdout.buffer.write(Network([case]).model())

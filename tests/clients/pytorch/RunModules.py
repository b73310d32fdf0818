#!/usr/bin/python3
# Traces, converts and runs modules with PyTorch's NNAPI backend, and compares with eager mode.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a line for each module: name, largest and allowed difference, or its error. Exit code 1: one failed."""

import sys

import torch
from torch.backends._nnapi.prepare import convert_model_to_nnapi

from Modules import FLOAT, allCases


def worstOf(case):
    """(largest difference of any run, what is allowed there)."""
    module = case.module.eval()
    example = case.inputs if case.runs is None else case.runs[0]
    traced = torch.jit.trace(module, example)
    converted = convert_model_to_nnapi(traced, case.inputs, return_shapes=case.returnShapes)
    worst = allowed = 0.0
    for inputs in case.runs or [case.inputs]:
        expected, actual = (output.dequantize() for output in (module(*inputs), converted(*inputs)))
        if expected.shape != actual.shape:
            raise RuntimeError(f"shape {list(actual.shape)} instead of {list(expected.shape)}")
        worst = max(worst, float((expected - actual).abs().max()))
        magnitude = max(1.0, float(expected.abs().max())) if case.tolerance == FLOAT else 1.0
        allowed = max(allowed, case.tolerance * magnitude)
    return worst, allowed


def main():
    failed = 0
    with torch.no_grad():
        for name, case in allCases().items():
            try:
                worst, allowed = worstOf(case)
                print(f"{name:20} {worst:10.3g} {allowed:10.3g}" + ("" if worst <= allowed else "  FAILED"))
                failed += worst > allowed
            except Exception as error:  # pylint: disable=broad-except; each module is reported
                print(f"{name:20} FAILED: {type(error).__name__}: {str(error).strip()[-300:]}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

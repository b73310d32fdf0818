#!/usr/bin/python3
# One inference of a converted module for each line of the standard input.
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers "same" or "other" (against eager mode), or "error" with the message."""

import sys

import torch
from torch.backends._nnapi.prepare import convert_model_to_nnapi

from Modules import FLOAT, allCases


def main():
    case = allCases()["residual"]
    module, inputs = case.module.eval(), case.inputs
    with torch.no_grad():
        expected = module(*inputs)
        converted = convert_model_to_nnapi(torch.jit.trace(module, inputs), inputs)
        for _ in sys.stdin:
            try:
                difference = (converted(*inputs) - expected).abs().max().item()
                print("same" if difference <= FLOAT * expected.abs().max().item() else "other", flush=True)
            except RuntimeError as error:
                print("error", " ".join(str(error).split()), flush=True)


if __name__ == "__main__":
    main()

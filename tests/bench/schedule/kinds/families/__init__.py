# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of the benchmark, a module for each kind of operator."""

from families import Convolutions, Elements, Matrices, Moves, Pairs, Recurrent, Spectra, Transformers, Windows

MODULES = (Convolutions, Matrices, Windows, Moves, Elements, Recurrent, Pairs, Spectra, Transformers)


def allCases():
    """In a fixed order."""
    return [case for module in MODULES for case in module.cases()]

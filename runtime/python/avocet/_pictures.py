#===- _pictures.py - Pictures as inputs, classes as answers
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
import ctypes
import json
import os
from dataclasses import dataclass

from ._library import check, library, made, takeText
from ._options import Options


@dataclass(frozen=True)
class Class:
    """One of the best classes of an output: its element, its name or number, and its score as a real number."""

    label: int
    name: str
    score: float


def withNumbers(options):
    """Lists of numbers, one for each color, as text."""
    return {name: ",".join(str(each) for each in value) if isinstance(value, (list, tuple)) else value
            for name, value in options.items()}


def fill(tensor, picture, options):
    """Fills an input from a PNG or JPEG file: its path, or its bytes."""
    with Options(options) as chosen:
        if isinstance(picture, (bytes, bytearray, memoryview)):
            content = bytes(picture)
            pointer = ctypes.cast(ctypes.c_char_p(content), ctypes.c_void_p)
            check(library.avocetTensorDecodeImage(tensor, pointer, len(content), chosen.handle))
        else:
            check(library.avocetTensorReadImage(tensor, os.fsencode(picture), chosen.handle))


def classesOf(tensor, options):
    with Options(options) as chosen:
        document = json.loads(takeText(made(library.avocetTensorClasses, tensor, chosen.handle)))
    return [Class(**each) for each in document["classes"]]

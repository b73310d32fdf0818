#===- generate.py - Writes the tree's own conformance vectors
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Writes one JSON file for each family, in the form of hal/conformance/nnapiTest.fbs; flatc converts them to .nntv files.
Families of extensions are the files of extensions/; the family of a file X.py there has the name x.

  generate.py FOLDER
"""

import glob
import importlib
import json
import os
import sys

import numpy as np

import ControlFlow
import Detection
import Elementwise
import Ranks
import Recurrent
import Reductions
import Refusals
import Shapes
import Windows


def extensionFamilies():
    """The modules of extensions/, so that a new extension needs no line here."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "extensions")
    sys.path.append(folder)
    for path in sorted(glob.glob(os.path.join(folder, "*.py"))):
        yield importlib.import_module(os.path.splitext(os.path.basename(path))[0])


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    np.seterr(all="raise", under="ignore")  # an answer that is no number is an error in these files
    standard = (ControlFlow, Detection, Elementwise, Ranks, Recurrent, Reductions, Refusals, Shapes, Windows)
    for module in (*standard, *extensionFamilies()):
        family = module.make()
        with open(os.path.join(folder, family.spec + ".json"), "w", encoding="utf-8") as file:
            json.dump(family.table_(), file)


if __name__ == "__main__":
    main()

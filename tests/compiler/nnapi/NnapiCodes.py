#===- NnapiCodes.py - The codes of NNAPI by name
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Reads the tables of avocet/nnapi/Codes.h: kOperations["CONV_2D"] is 3, kOperandTypes["TENSOR_FLOAT32"] is 3."""

import os
import re

kFolder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../compiler/nnapi/include/avocet/nnapi")
kRow = re.compile(r'^AVOCET_NNAPI_\w+\((\d+), \w+, "(\w+)"', re.MULTILINE)


def read(name):
    with open(os.path.join(kFolder, name), encoding="utf-8") as file:
        return {name: int(code) for code, name in kRow.findall(file.read())}


kOperations = read("Operations.inc")
kOperandTypes = read("OperandTypes.inc")

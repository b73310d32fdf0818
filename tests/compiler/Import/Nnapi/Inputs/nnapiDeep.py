# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes an NNAPI model in which each of N subgraphs uses the next one twice.
import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../nnapi"))
from NnapiCodes import kOperandTypes, kOperations

DEPTH = int(sys.argv[1])


def subgraph(number):
    operands = [
        {"type": kOperandTypes["TENSOR_BOOL8"], "dimensions": [1], "lifetime": "SubgraphInput"},
        {"type": kOperandTypes["TENSOR_FLOAT32"], "dimensions": [4], "lifetime": "SubgraphInput"},
        {"type": kOperandTypes["TENSOR_FLOAT32"], "dimensions": [4], "lifetime": "SubgraphOutput"},
    ]
    if number == DEPTH:
        operands.append({"type": kOperandTypes["INT32"], "lifetime": "ConstantCopy", "data": [0, 0, 0, 0]})
        operation = {"type": kOperations["ADD"], "inputs": [1, 1, 3], "outputs": [2]}
    else:
        operands.append({"type": kOperandTypes["SUBGRAPH"], "lifetime": "Subgraph", "subgraph": number})
        operation = {"type": kOperations["IF"], "inputs": [0, 3, 3, 0, 1], "outputs": [2]}
    return {"operands": operands, "operations": [operation], "inputs": [0, 1], "outputs": [2]}


json.dump({"main": subgraph(0), "referenced": [subgraph(n + 1) for n in range(DEPTH)]}, sys.stdout)

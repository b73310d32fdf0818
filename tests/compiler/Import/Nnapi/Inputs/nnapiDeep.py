# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes an NNAPI model in which each of N subgraphs uses the next one twice.
import json
import sys

DEPTH = int(sys.argv[1])


def subgraph(number):
    operands = [
        {"type": 9, "dimensions": [1], "lifetime": "SubgraphInput"},
        {"type": 3, "dimensions": [4], "lifetime": "SubgraphInput"},
        {"type": 3, "dimensions": [4], "lifetime": "SubgraphOutput"},
    ]
    if number == DEPTH:
        operands.append({"type": 1, "lifetime": "ConstantCopy", "data": [0, 0, 0, 0]})
        operation = {"type": 0, "inputs": [1, 1, 3], "outputs": [2]}
    else:
        operands.append({"type": 15, "lifetime": "Subgraph", "subgraph": number})
        operation = {"type": 96, "inputs": [0, 3, 3, 0, 1], "outputs": [2]}
    return {"operands": operands, "operations": [operation], "inputs": [0, 1], "outputs": [2]}


json.dump({"main": subgraph(0), "referenced": [subgraph(n + 1) for n in range(DEPTH)]}, sys.stdout)

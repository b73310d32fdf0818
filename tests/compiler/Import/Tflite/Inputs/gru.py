# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gru.py write INPUT | check OUTPUTS LAST BATCH: the loop of loop-shapes.json, computed here."""
import math
import struct
import sys

X = [[0.5, -1.0], [0.25, 2.0], [-0.75, 1.5]]
WEIGHTS = {
    "z": ([[0.5, -0.25], [0.75, 0.125]], [[0.25, 0.5], [-0.5, 0.25]]),
    "r": ([[1, 0.5], [-0.25, 0.5]], [[0.5, -1], [0.25, 0.75]]),
    "c": ([[0.5, 1], [-1, 0.25]], [[0.75, -0.5], [0.5, 1]]),
}


def layer(gate, x, h):
    ofX, ofH = WEIGHTS[gate]
    return [sum(a * b for a, b in zip(u, x)) + sum(a * b for a, b in zip(v, h)) for u, v in zip(ofX, ofH)]


def step(x, h):
    z, r = ([1 / (1 + math.exp(-value)) for value in layer(gate, x, h)] for gate in "zr")
    c = [math.tanh(value) for value in layer("c", x, [a * b for a, b in zip(r, h)])]
    return [a * b + (1 - a) * d for a, b, d in zip(z, h, c)]


def states():
    h, steps = [0.0, 0.0], []
    for x in X:
        h = step(x, h)
        steps.append(h)
    return steps


def check(path, expected):
    data = open(path, "rb").read()
    found = struct.unpack(f"<{len(data) // 4}f", data)
    worst = max(abs(a - b) for a, b in zip(found, expected))
    return "equal" if len(found) == len(expected) and worst < 1e-5 else f"{found} instead of {expected}"


if sys.argv[1] == "write":
    batch = int(sys.argv[3])
    open(sys.argv[2], "wb").write(b"".join(struct.pack("<2f", *x) * batch for x in X))
else:
    batch, steps = int(sys.argv[4]), states()
    print(check(sys.argv[2], [value for h in steps for value in h * batch]), check(sys.argv[3], steps[-1] * batch))

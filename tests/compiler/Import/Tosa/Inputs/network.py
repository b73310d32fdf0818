# network.py - Input and results of network.json
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""network.py write X; network.py check X SUMS BEST: prints `equal` for each output that is the one computed here."""
import random
import struct
import sys


def results(x):
    """`x` is [4][4][2], flat: rows of two pixels with two channels each form a pooled pixel."""
    at = lambda row, column, channel: x[(row * 4 + column) * 2 + channel]
    sums = [0, 0, 0, 0]
    for row in range(3):
        for column in range(2):
            for channel, factor in enumerate((3, -2)):
                window = [at(2 * row + i, 2 * column + j, channel) for i in (0, 1) for j in (0, 1)] if row < 2 else []
                value = min(max(max(window), -3), 99) if window else 5  # the last row is padding
                sums[channel] += value * factor + value
                sums[2 + channel] += value
    return sums, [int(x[i + 1] > x[i]) for i in range(0, 32, 2)]


command, path, *outputs = sys.argv[1:]
if command == "write":
    generator = random.Random(1)
    with open(path, "wb") as file:
        file.write(struct.pack("32b", *(generator.randrange(-128, 128) for _ in range(32))))
else:
    expected = results(struct.unpack("32b", open(path, "rb").read()))
    found = [[number for number, in struct.iter_unpack("<i", open(output, "rb").read())] for output in outputs]
    print(*("equal" if a == b else f"{a} instead of {b}" for a, b in zip(found, expected)))

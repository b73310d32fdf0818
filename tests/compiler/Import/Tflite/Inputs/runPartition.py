# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the steps of a partition: networks with avocet, the two custom operators here. Prints the outputs (FLOAT32)."""

import json
import os
import struct
import subprocess
import sys


def unpack(data):
    return struct.unpack(f"<{len(data) // 4}f", data)


def pack(values):
    return struct.pack(f"<{len(values)}f", *values)


OPERATORS = {
    "CUSTOM(Halve)": lambda values: [value / 2 for value in values],
    "CUSTOM(Scale)": lambda values, factor: [value * factor[0] for value in values],
}


class Runner:
    def __init__(self, avocet, folder, inputs):
        self.avocet, self.folder, self.inputs, self.results = avocet, folder, inputs, []
        with open(os.path.join(folder, "partition.json"), encoding="utf-8") as file:
            self.plan = json.load(file)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def value(self, source):
        if "input" in source:
            return self.inputs[source["input"]]
        if "constant" in source:
            return self.read(source["constant"])
        return self.results[source["step"]][source["output"]]

    def network(self, step, values):
        command = [self.avocet, "run", self.path(step["network"]), "-o", self.path("out"), "--report", "none"]
        for index, value in enumerate(values):
            with open(self.path(f"in{index}"), "wb") as file:
                file.write(value)
            command += ["-i", self.path(f"in{index}")]
        subprocess.run(command, check=True)
        return [self.read(f"out/out{index}.bin") for index in range(len(step["outputs"]))]

    def run(self):
        for step in self.plan["steps"]:
            values = [self.value(tensor["source"]) for tensor in step["inputs"]]
            if "network" in step:
                self.results.append(self.network(step, values))
            else:
                self.results.append([pack(OPERATORS[step["operator"]](*map(unpack, values)))])
        for output in self.plan["outputs"]:
            print(output["name"], unpack(self.value(output["source"])))


Runner(sys.argv[1], sys.argv[2], [pack(list(map(float, argument.split(",")))) for argument in sys.argv[3:]]).run()

#!/usr/bin/env python3
# QdqTest.py - Quantized networks against ONNX Runtime
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators and networks between QuantizeLinear and DequantizeLinear run on integers. ONNX Runtime does the same at its
optimization level `extended`:

- Of each operator 99.9 % of the elements (of 16 bits 99 %) are equal, and none is more than one step off.
- A remark names numbers of 16 bits that stay on floats.
- Networks have the same largest output and 35 dB between the runtime's outputs and the difference from them. Nothing
  computes with floats but what EXPECTED lists. Without such operations cycles are at most 5 % above those of the same
  network as an int8 .tflite file, but for GROWTH.

  QdqTest.py BIN [--clients DIR] [--target NAME] [--filter REGEX] [--keep DIR]

Exit code 77: the runtime is not installed."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import Arguments
import Networks
import QdqCells
from Case import Case, Draw, Network
from Program import Program
from QuantizedPair import Recorded, maker
import Proto

CASES, EXTENT = 20, 24  # of each operator
SHARE, DECIBELS, CYCLES = 0.999, 35, 0.05
# The .tflite file has one scale for all weights of a layer, and not one for each channel.
GROWTH = {"multilayer": 0.06}
# The runtime computes numbers of 16 bits in floats, whose 24 bits leave it an error of a hundredth of a step and more.
WIDE_SHARE = 0.99
# The integers of the runtime have another scale than that of the file; its floats are what ONNX defines.
DEFINED = ("Softmax",)
# The kinds of operations on floats in a network; all others have none.
EXPECTED = {"encoder_decoder": {"nn.resize"}}


def saturates():
    """Whether the runtime's products of u8 and i8 saturate on this processor."""
    return "vnni" not in Path("/proc/cpuinfo").read_text(encoding="utf-8")


def compareOperator(program, runtime, name, opset, build, type_):
    cases = []
    for number in range(CASES):
        case = Case(f"c{number}", opset)
        QdqCells.between(build, case, Draw(f"{name} {type_} {number}"), type_, EXTENT)
        cases.append(case)
    network = Network(cases)
    expected = runtime.run(network.model(), network.inputs, list(network.outputs))
    found = program.run(network, dict(zip(network.outputs, expected)))
    steps = np.concatenate([np.abs(np.frombuffer(ours, theirs.array.dtype).astype(int) - theirs.array.reshape(-1))
                            for ours, theirs in zip(found, expected)])
    share = float((steps == 0).mean())
    print(f"{name:14} {opset} {type_}  {steps.size:9,} elements, {100 * share:8.4f} % equal, {steps.max()} steps at most", flush=True)
    return share >= (WIDE_SHARE if type_ == "i16" else SHARE) and steps.max() <= 1


def namesUnsigned(binary, folder):
    """Whether a remark names what dequantizes 16-bit numbers that have no type, and none the other one."""
    case = Case("c0", 21)
    for type_, zero in (("u16", 7), ("i16", 0)):
        pair = [case.constant(Proto.tensor("f32", 0.5)), case.constant(Proto.tensor(type_, zero))]
        case.result(case.node("DequantizeLinear", [case.input(Proto.tensor(type_, [1, 2])), *pair]))
    (folder / "wide.onnx").write_bytes(Network([case]).model())
    subprocess.run([binary / "avocet", "compile", folder / "wide.onnx", "-o", folder / "wide.avocet", "--remarks", folder / "remarks.txt"],
                   check=True, capture_output=True)
    found = (folder / "remarks.txt").read_text(encoding="utf-8").count("numbers of 16 bits are unsigned")
    print(f"16-bit numbers without a type: {found} remarks")
    return found == 1


def floatsIn(text):
    """The kinds of operations with results of floats."""
    lines = re.findall(r'^\s*%\S+ = "?(nn\.\w+).*-> tensor<[^>]*f32>', text, re.MULTILINE)
    return set(lines) - {"nn.dequantize", "nn.constant", "nn.reshape"}


def cyclesOf(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout)["cycles"]


def decibels(theirs, ours):
    noise = np.square(theirs - ours).sum()
    return 10 * np.log10(np.square(theirs).sum() / noise) if noise else np.inf


def compareNetwork(binary, runtimes, name, target, folder):
    random = np.random.default_rng(11)
    recorded = Networks.PAIRS[name](Recorded)
    data = random.uniform(-1, 1, recorded.input.shape)
    quantized = Networks.PAIRS[name](maker(recorded.ranges(runtimes[0], data)))
    model = quantized.model()
    (folder / "model.onnx").write_bytes(model)
    quantized.tflite.write(folder / "model.tflite")
    image = Proto.tensor("i8", np.clip(np.round(data * 127.5), -128, 127))
    (folder / "in.bin").write_bytes(image.data())
    names = [Proto.first(each, 1).decode() for each in quantized.outputs]
    expected = runtimes[1].run(model, {"input": image}, names)
    run = [binary / "avocet", "run", "-t", target, "--report", "json"]
    cycles = cyclesOf([*run, folder / "model.onnx", "-i", folder / "in.bin", "-o", folder])
    others = cyclesOf([*run, folder / "model.tflite", "-o", folder / "other"])
    subprocess.run([binary / "avocet", "compile", folder / "model.onnx", "-t", target, "--stop-after", "nn", "-o", folder / "nn.mlir"],
                   check=True, capture_output=True)
    floats = floatsIn((folder / "nn.mlir").read_text(encoding="utf-8"))
    isRight, worst = floats == EXPECTED.get(name, set()), np.inf
    for index, theirs in enumerate(expected):
        ours = np.fromfile(folder / f"out{index}.bin", np.int8).reshape(theirs.shape).astype(float)
        zero = quantized.scales[next(real for real, stored in quantized.stored.items() if stored == names[index])][1]
        worst = min(worst, decibels(theirs.array.astype(float) - zero, ours - zero))
        isRight &= theirs.array.ndim != 2 or bool((ours.argmax(1) == theirs.array.argmax(1)).all())
    growth = cycles / others - 1
    print(f"{name:16} {worst:6.1f} dB  {cycles:11,} {others:11,} {100 * growth:+7.2f} %  floats: {', '.join(sorted(floats)) or 'none'}",
          flush=True)
    return isRight and worst >= DECIBELS and (bool(floats) or growth <= GROWTH.get(name, CYCLES))


def main():
    arguments, runtimes = Arguments.quantization(__doc__, "an operator or network")
    isRight = True
    with tempfile.TemporaryDirectory() as name:
        program = Program(arguments.binary / "avocet", arguments.target, name)
        bytes_ = ("i8",) if saturates() else ("i8", "u8")
        cells = [(operator, opset, build, bytes_) for operator, opsets, build in QdqCells.OPERATORS for opset in opsets]
        cells += [(operator, 21, build, ("i16",)) for operator, build in QdqCells.WIDE]
        for operator, opset, build, types in cells:
            for type_ in types if re.search(arguments.filter, operator) else ():
                runtime = runtimes[operator not in DEFINED]
                isRight &= compareOperator(program, runtime, operator, opset, build, type_)
        if re.search(arguments.filter, "remarks"):
            isRight &= namesUnsigned(arguments.binary, Path(name))
        for network in Networks.PAIRS:
            folder = (arguments.keep or Path(name)) / network
            if re.search(arguments.filter, network):
                (folder / "other").mkdir(parents=True, exist_ok=True)
                isRight &= compareNetwork(arguments.binary, runtimes, network, arguments.target, folder)
    return 0 if isRight else 1


if __name__ == "__main__":
    sys.exit(main())

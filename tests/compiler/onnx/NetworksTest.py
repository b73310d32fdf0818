#!/usr/bin/env python3
# NetworksTest.py - Networks of others against ONNX Runtime
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the .onnx files that `scripts/setup --networks` installs and compares their outputs with those of ONNX Runtime, within
the tolerance of the type over the largest magnitude. Cycles must be at most
1.5 times the bound on e256.

  NetworksTest.py BIN [--clients DIR] [--target NAME] [--filter REGEX]

Exit code 77: the networks or the runtime are not installed."""
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import Arguments
import Proto
import Runtime

TOLERANCE = 5e-5  # of f32, over the largest magnitude of an output
LIMIT = 1.5  # on cycles over the bound, on e256


@dataclass
class Network:
    """`inputs`: {name: shape of f32 numbers, or a Tensor for which the network is made}; `range`: of the numbers."""
    name: str
    inputs: dict
    range: tuple = (-1, 1)
    jumps: float = 0  # the share of elements that the last bit of another decides: maxima that are kept, others are 0


RATE = Proto.tensor("i64", 16000)
WORDS = ["alexa_v0.1", "hey_jarvis_v0.1", "hey_mycroft_v0.1", "hey_rhasspy_v0.1", "timer_v0.1", "weather_v0.1"]
NETWORKS = [
    Network("ch_PP-OCRv4_det_infer", {"x": (1, 3, 320, 320)}),
    Network("ch_PP-OCRv4_rec_infer", {"x": (1, 3, 48, 320)}),
    Network("ch_ppocr_mobile_v2.0_cls_infer", {"x": (1, 3, 48, 192)}),
    Network("face_detection_back_256x256_barracuda", {"input:0": (1, 256, 256, 3)}),
    Network("face_detection_front_128x128_barracuda", {"input:0": (1, 128, 128, 3)}),
    *(Network(f"mlsd_{size}x{size}_{kind}", {"input_image_with_alpha:0": (1, size, size, 4)}, (0, 255), 2e-3)
      for size in (320, 512) for kind in ("large", "tiny")),
    *(Network(f"silero_vad_v{version}", {"input": (1, 512), "state": (2, 1, 128), "sr": RATE}) for version in (5, 6)),
    *(Network(name, {"input": (1, 1536), "sr": RATE, "h": (2, 1, 64), "c": (2, 1, 64)})
      for name in ("silero_vad_legacy", "silero_vad")),
    Network("embedding_model", {"input_1": (1, 76, 32, 1)}),
    Network("melspectrogram", {"input": (1, 1280)}, (-1000, 1000)),
    *(Network(name, {}) for name in WORDS),
]


def outputs_of(model):
    """The names of a model's outputs."""
    return [Proto.first(each, 1).decode() for number, each in Proto.fields(Proto.first(model, 7)) if number == 12]


def declared(model):
    """{name: shape} of a model whose input shapes are known."""
    inputs = [value for number, value in Proto.fields(Proto.first(model, 7)) if number == 11]
    return {Proto.first(each, 1).decode(): [Proto.first(extent, 1) for _, extent in Proto.fields(Proto.first(each, 2, 1, 2))]
            for each in inputs}


def data_of(network, model):
    """(tensors by name, options of the program)."""
    random, tensors, options = np.random.default_rng(11), {}, []
    for name, given in (network.inputs or declared(model)).items():
        if isinstance(given, Proto.Tensor):
            tensors[name] = given
            continue
        tensors[name] = Proto.Tensor("f32", random.uniform(*network.range, given).astype(np.float32))
        options += ["--shape", f"{name}={'x'.join(map(str, given))}"]
    return tensors, options


def run(binary, target, network, path, folder):
    """(the inputs, the outputs' bytes, the report)."""
    tensors, options = data_of(network, path.read_bytes())
    for index, (name, tensor) in enumerate(tensors.items()):
        file = folder / f"in{index}.bin"
        file.write_bytes(tensor.data())
        options += ["-i", file, *(["--value", f"{name}={file}"] if isinstance(network.inputs.get(name), Proto.Tensor) else [])]
    command = [binary / "avocet", "run", path, "-t", target, "-o", folder, "--report", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr.strip()[-500:])
    count = len(list(folder.glob("out*.bin")))
    return tensors, [(folder / f"out{index}.bin").read_bytes() for index in range(count)], json.loads(done.stdout)


def difference(data, expected, jumps):
    """Over the largest magnitude."""
    ours = np.frombuffer(data, Proto.TYPES[expected.type][1]).reshape(expected.array.shape)
    if not ours.size:
        return 0.0
    found = np.sort(np.abs(ours - expected.array), axis=None)
    return float(found[-1 - int(jumps * found.size)] / max(np.abs(expected.array).max(), 1e-30))


def check(binary, target, runtime, network, path):
    """A line of figures, and whether they are right."""
    with tempfile.TemporaryDirectory() as folder:
        tensors, outputs, report = run(binary, target, network, path, Path(folder))
    model = path.read_bytes()
    expected = runtime.run(model, tensors, outputs_of(model))
    if len(expected) != len(outputs):
        raise AssertionError(f"{len(outputs)} outputs instead of {len(expected)}")
    worst = max(difference(ours, theirs, network.jumps) for ours, theirs in zip(outputs, expected))
    ratio = report["cycles"] / report["roofline_cycles"]
    line = f"{network.name:40} {worst:8.1e} {report['cycles']:12,} {ratio:6.2f}"
    return line, worst <= TOLERANCE and (target != "e256" or ratio <= LIMIT)


def main():
    parser = Arguments.parser(__doc__)
    Arguments.add_choice(parser, "a network")
    arguments = parser.parse_args()
    library = Arguments.runtime_library(arguments.clients)
    runtime, found, status = Runtime.Runtime(library), 0, 0
    for network in NETWORKS:
        path = arguments.clients / "networks" / (network.name + ".onnx")
        if not path.exists() or not re.search(arguments.filter, network.name):
            continue
        found += 1
        try:
            line, isRight = check(arguments.binary, arguments.target, runtime, network, path)
        except (AssertionError, Runtime.Failure) as failure:
            line, isRight = f"{network.name}: {failure}", False
        print(line + ("" if isRight else "  WRONG"), flush=True)
        status |= not isRight
    if not found:
        Arguments.skip(f"no networks in {arguments.clients}; install them with scripts/setup --networks")
    return status


if __name__ == "__main__":
    sys.exit(main())

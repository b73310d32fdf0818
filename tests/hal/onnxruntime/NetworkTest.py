#!/usr/bin/env python3
# NetworkTest.py - Networks of others through the execution provider
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the .onnx files that `scripts/setup --networks` installs, and networks that PyTorch exports, on ONNX Runtime with the
provider, as applications do: with all optimizations and open extents. Compares the results with those of the runtime alone,
and the nodes that stay with the runtime with processorNodes.tsv, which has a reason for each.

  NetworkTest.py LIB [--clients DIR] [--target NAME] [--filter REGEX]

Exit code 77: neither networks nor PyTorch are installed, or the runtime is not."""
import collections
import itertools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "compiler" / "onnx"), str(HERE.parents[1] / "clients")]
import Arguments  # noqa: E402
import Harness  # noqa: E402
import Proto  # noqa: E402
import Provider  # noqa: E402
from NetworksTest import NETWORKS, TOLERANCE, data_of, difference, outputs_of  # noqa: E402
from PytorchTest import SCRIPTS, pytorchEnvironment  # noqa: E402
from Runtime import Failure  # noqa: E402

LIST = HERE / "processorNodes.tsv"
ALL = 99  # optimizations


def listed():
    """{network: {operator: count}}"""
    found = collections.defaultdict(dict)
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            network, operator, count, _ = line.split("\t")
            found[network][operator] = int(count)
    return found


def is_listed(left, known):
    return dict(left) == known or {"*": sum(left.values())} == known


def exported(clients, folder):
    """(name, file, tensors) of networks with random weights; none without PyTorch."""
    pytorch = clients / "pytorch"
    if not pytorch.exists():
        print(f"PyTorch is not in {pytorch}; install it with scripts/setup --clients", flush=True)
        return
    made = subprocess.run([sys.executable, "-W", "ignore", os.path.join(SCRIPTS, "ExportNetworks.py"), folder],
                          env=pytorchEnvironment(str(pytorch)), capture_output=True, text=True, timeout=200, check=False)
    if made.returncode != 0:
        raise AssertionError(made.stderr.strip()[-500:])
    for name, extents in re.findall(r"^(\w+) \[([\d, ]+)\] ->", made.stdout, re.MULTILINE):
        data = np.fromfile(folder / f"{name}.in", np.float32).reshape([int(each) for each in extents.split(",")])
        yield name, folder / f"{name}.onnx", {"input": Proto.Tensor("f32", data)}, 0


def installed(clients):
    for network in NETWORKS:
        path = clients / "networks" / (network.name + ".onnx")
        if path.exists():
            yield network.name, path, data_of(network, path.read_bytes())[0], network.jumps


def check(runtime, target, path, tensors, jumps):
    """({operator: nodes that stay with the runtime}, nodes on the device, the greatest difference of results)."""
    model = path.read_bytes()
    outputs = outputs_of(model)
    runtime.options = runtime.plain
    expected = runtime.run(model, tensors, outputs)
    runtime.use(level=ALL, only=False, device=target)
    session = runtime.session(model)
    try:
        taken, left = runtime.assigned(session)
        results = runtime.run_session(session, tensors, outputs)
    finally:
        runtime.functions["ReleaseSession"](session)
    worst = max(difference(ours.data(), theirs, jumps) for ours, theirs in zip(results, expected))
    return collections.Counter(left), len(taken), worst


def main():
    parser = Arguments.parser(__doc__, "libavocet_onnxruntime.so")
    Arguments.add_choice(parser, "a network")
    options = parser.parse_args()
    library = Arguments.runtime_library(options.clients)
    Harness.BUILD, Harness.CLIENTS = str(options.binary.resolve().parent), str(options.clients)
    runtime = Provider.ProviderRuntime(library, options.binary / "libavocet_onnxruntime.so")
    known, found, status = listed(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path, tensors, jumps in itertools.chain(installed(options.clients), exported(options.clients, Path(folder))):
            if not re.search(options.filter, name):
                continue
            found += 1
            try:
                left, taken, worst = check(runtime, options.target, path, tensors, jumps)
            except Failure as failure:
                print(f"{name}: {failure}  WRONG", flush=True)
                status = 1
                continue
            is_known = is_listed(left, known[name])
            is_right = is_known and worst <= TOLERANCE
            text = "" if is_known else f", stay: {dict(left)}"
            print(f"{name:40} {taken:4} on the device, {sum(left.values()):4} not, {worst:8.1e}{text}"
                  f"{'' if is_right else '  WRONG'}", flush=True)
            status |= not is_right
    runtime.close()
    if not found:
        Arguments.skip(f"no networks in {options.clients}; install them with scripts/setup --networks")
    return status


if __name__ == "__main__":
    sys.exit(main())

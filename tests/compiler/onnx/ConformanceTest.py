#!/usr/bin/env python3
# ConformanceTest.py - ONNX's own tests on a target
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `avocet conformance --onnx` on models with known answers, which this program writes, and on those of ONNX.

  ConformanceTest.py BIN [--clients DIR] [--target NAME] [--update]

Exit code 77: ONNX's tests are not installed (the models of this program have run)."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import Proto

HERE = Path(__file__).resolve().parent
LIST = HERE / "onnxTestdata.tsv"
SYSTEM = Path("/usr/share/libonnx-testdata/data")  # of Debian's package


def conformance(binary, folder, *options):
    return subprocess.run([binary / "avocet", "conformance", "--onnx", folder, "-q", *options], capture_output=True, text=True,
                          check=False)


def write_case(folder, nodes, inputs, outputs, shape=None):
    """`inputs`, `outputs`: {name: Tensor}; `shape`: that of inputs in the file, if it is another one."""
    body = Proto.graph(nodes, [], [Proto.value_info(name, each.type, each.shape if shape is None else shape)
                                   for name, each in inputs.items()],
                       [Proto.value_info(name, each.type) for name, each in outputs.items()])
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(Proto.model(body, 13))
    for kind, tensors in (("input", inputs), ("output", outputs)):
        for index, (name, each) in enumerate(tensors.items()):
            (data / f"{kind}_{index}.pb").write_bytes(Proto.tensor_proto(each, name))


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def own_models(binary, target):
    """One that passes with an open extent, one that is wrong, one whose input gives a shape, one that is unsupported."""
    x, y = Proto.tensor("f32", [[1, 2, 3]]), Proto.tensor("f32", [[2, 4, 6]])
    add = [Proto.node("Add", ["x", "x"], ["y"], "", "", {})]
    reshape = [Proto.node("Reshape", ["x", "to"], ["y"], "", "", {})]
    with tempfile.TemporaryDirectory() as name:
        root, results = Path(name), Path(name) / "result.json"
        write_case(root / "test_open", add, {"x": x}, {"y": y}, ["batch", 3])
        write_case(root / "test_wrong", add, {"x": x}, {"y": x})
        write_case(root / "test_shaped", reshape, {"x": x, "to": Proto.tensor("i64", [3, -1])},
                   {"y": Proto.tensor("f32", [[1], [2], [3]])})
        write_case(root / "test_refused", [Proto.node("StringNormalizer", ["x"], ["y"], "", "", {})], {"x": x}, {"y": x})
        done = conformance(binary, root, "-t", target, "--json", results)
        found = json.loads(results.read_text())
        check(done.returncode == 1, done.stdout + done.stderr)
        counts = [found[key] for key in ("cases", "passed", "failed", "unsupported")]
        check(counts == [4, 2, 1, 1], f"counts are {counts}: {done.stdout}{found['failures']}")
        failure = found["failures"][0]
        check(failure["case"] == "test_wrong" and "[0] is 2, must be 1 (3 of 3" in failure["detail"], str(failure))
        listed = root / "list.tsv"
        listed.write_text("test_wrong\tfailed\tthe answer is wrong on purpose\ntest_open\tunsupported\tx\n")
        done = conformance(binary, root, "-t", target, "--check", listed)
        check(done.returncode == 1 and "test_open is listed as unsupported" in done.stderr and
              "test_refused is not listed" in done.stderr, done.stderr)
        check(conformance(binary, root, "-t", target, "--check", listed, "--update").returncode == 0, "--update")
        check(conformance(binary, root, "-t", target, "--check", listed).returncode == 0, listed.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, metavar="BIN", help="folder of the program avocet")
    parser.add_argument("--clients", type=Path, default=os.environ.get("AVOCET_CLIENTS", "build/clients"),
                        help="folder of 'scripts/setup --clients'; default: $AVOCET_CLIENTS, or build/clients")
    parser.add_argument("--target", default="e256")
    parser.add_argument("--update", action="store_true", help="write the list of models that do not pass")
    arguments = parser.parse_args()
    own_models(arguments.binary, arguments.target)
    unpacked = arguments.clients / "onnx-testdata" / "data"
    folder = unpacked if unpacked.exists() else SYSTEM
    if not folder.exists():
        print(f"skipped: ONNX's tests are not in {arguments.clients}; install them with scripts/setup --clients")
        return 77
    done = conformance(arguments.binary, folder, "-t", arguments.target, "--check", LIST,
                       *(["--update"] if arguments.update else []))
    print(done.stdout[-3000:], done.stderr, sep="\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# ConformanceTest.py - ONNX's own tests on a target
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `avocet conformance --onnx` on models with known answers, which this program writes, and on those of ONNX.

  ConformanceTest.py BIN [--clients DIR] [--target NAME] [--update]
  ConformanceTest.py BIN --folder DIR --list onnx1.21.tsv     models of another release of ONNX

Exit code 77: ONNX's tests are not installed (the models of this program have run)."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import Arguments
import Proto

HERE = Path(__file__).resolve().parent
LIST = HERE / "onnxTestdata.tsv"


def conformance(binary, folder, *options):
    return subprocess.run([binary / "avocet", "conformance", "--onnx", folder, "-q", *options], capture_output=True, text=True,
                          check=False)


def write_case(folder, nodes, inputs, outputs, shape=None, opset=13):
    """`inputs`, `outputs`: {name: Tensor}; `shape`: that of inputs in the file, if it is another one."""
    body = Proto.graph(nodes, [], [Proto.value_info(name, each.type, each.shape if shape is None else shape)
                                   for name, each in inputs.items()],
                       [Proto.value_info(name, each.type) for name, each in outputs.items()])
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(Proto.model(body, opset))
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


def write_pair(root, operator, type_, first, second, result, result_type=None, **attributes):
    write_case(root / f"test_{operator}_{type_}_{len(attributes)}", [Proto.node(operator, ["x", "y"], ["z"], "", "", attributes)],
               {"x": Proto.tensor(type_, first), "y": Proto.tensor(type_, second)},
               {"z": Proto.tensor(result_type or type_, result)})


def write_unsigned(root):
    """Numbers of all sizes, also those that a signed type of the same width lacks."""
    for type_, bits in (("u16", 16), ("u32", 32), ("u64", 64)):
        top = 1 << (bits - 1)
        first = [2 * top - 1, 2 * top - 1, top, top - 1, 5, 2 * top - 1, top + 7, 0, 2 * top - 2]
        second = [1, 2, top + 1, top, 3, 2 * top - 1, 7, top, 2 * top - 1]
        pairs = list(zip(first, second))
        for operator, function in (("Div", lambda a, b: a // b), ("Mod", lambda a, b: a % b), ("Max", max), ("Min", min),
                                   ("Sub", lambda a, b: (a - b) % (2 * top))):
            write_pair(root, operator, type_, first, second, [function(*pair) for pair in pairs])
        for operator, function in (("Less", lambda a, b: a < b), ("GreaterOrEqual", lambda a, b: a >= b)):
            write_pair(root, operator, type_, first, second, [function(*pair) for pair in pairs], "bool")
        numbers = [*first, top + 2**40 + 1 if bits == 64 else top + 1]
        for to in ("f32", "u8", "i64", "u32", "u64"):
            if to == type_:
                continue
            x = Proto.tensor(type_, numbers)
            write_case(root / f"test_cast_{type_}_{to}", [Proto.node("Cast", ["x"], ["y"], "", "", {"to": Proto.TYPES[to][0]})],
                       {"x": x}, {"y": Proto.Tensor(to, x.array.astype(Proto.TYPES[to][1]))})
        real = Proto.tensor("f32", [0.0, 1.9, 1000.5, float(top), 1.5 * top])
        write_case(root / f"test_cast_f32_{type_}", [Proto.node("Cast", ["x"], ["y"], "", "", {"to": Proto.TYPES[type_][0]})],
                   {"x": real}, {"y": Proto.Tensor(type_, real.array.astype(Proto.TYPES[type_][1]))})


def write_empty(root):
    """Reductions of no elements, and a sum with an infinity, which stays one."""
    infinity = float("inf")
    for operator, result in (("ReduceSum", 0), ("ReduceProd", 1), ("ReduceMax", -infinity), ("ReduceMin", infinity),
                             ("ReduceLogSumExp", -infinity), ("ReduceL2", 0)):
        write_case(root / f"test_{operator}", [Proto.node(operator, ["x", "axes"], ["y"], "", "", {"keepdims": 0})],
                   {"x": Proto.tensor("f32", [], [2, 0]), "axes": Proto.tensor("i64", [1])},
                   {"y": Proto.tensor("f32", [result, result])}, opset=18)
    write_case(root / "test_concat", [Proto.node("Concat", ["x", "y"], ["z"], "", "", {"axis": 0})],
               {"x": Proto.tensor("f32", [], [0, 2]), "y": Proto.tensor("f32", [[1, 2]])}, {"z": Proto.tensor("f32", [[1, 2]])})
    write_pair(root, "Add", "f32", [1, 2], [-infinity, infinity], [-infinity, infinity])


def write_channels(root):
    """Each channel of a filter has a zero point."""
    x, w = Proto.tensor("u8", [[[[1, 2], [3, 4]]]]), Proto.tensor("u8", [[[[2, 0], [0, 2]]], [[[1, 1], [1, 1]]]])
    write_case(root / "test_channels", [Proto.node("ConvInteger", ["x", "w", "a", "b"], ["y"], "", "", {})],
               {"x": x, "w": w, "a": Proto.tensor("u8", 1), "b": Proto.tensor("u8", [0, 1])},
               {"y": Proto.tensor("i32", [[[[6]], [[0]]]])})


def rare_types(binary, target):
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for write in (write_unsigned, write_empty, write_channels):
            write(root)
        results = root / "result.json"
        done = conformance(binary, root, "-t", target, "--json", results)
        found = json.loads(results.read_text())
        check(found["passed"] == found["cases"] > 40, f"{done.stdout}{done.stderr}{found['failures']}")
        refused = root / "refused"  # releases of ONNX differ
        write_case(refused / "test_mode", [Proto.node("Attention", ["q", "q", "q", "m"], ["y", "", "", "p"], "", "",
                                                      {"qk_matmul_output_mode": 1})],
                   {"q": Proto.tensor("f32", [[[[1, 2]]]]), "m": Proto.tensor("f32", [[1]])},
                   {"y": Proto.tensor("f32", [[[[1, 2]]]]), "p": Proto.tensor("f32", [[[[1]]]])}, opset=23)
        done = conformance(binary, refused, "-t", target)
        check("means the same in all releases" in " ".join(done.stdout.split()), done.stdout + done.stderr)


def main():
    parser = Arguments.parser(__doc__)
    parser.add_argument("--target", default="e256")
    parser.add_argument("--folder", type=Path, help="folder of the models; default: Debian's")
    parser.add_argument("--list", type=Path, default=LIST, help="of the models that do not pass")
    parser.add_argument("--update", action="store_true", help="write the list of models that do not pass")
    arguments = parser.parse_args()
    own_models(arguments.binary, arguments.target)
    rare_types(arguments.binary, arguments.target)
    folder = arguments.folder or Arguments.testdata(arguments.clients)
    if not folder.exists():
        Arguments.skip(f"ONNX's tests are not in {arguments.clients}; install them with scripts/setup --clients")
    done = conformance(arguments.binary, folder, "-t", arguments.target, "--check", arguments.list,
                       *(["--update"] if arguments.update else []))
    print(done.stdout[-3000:], done.stderr, sep="\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

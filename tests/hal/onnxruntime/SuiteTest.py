#!/usr/bin/env python3
# SuiteTest.py - ONNX's own tests through the execution provider
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the models of ONNX's own tests on ONNX Runtime with the provider, and compares the results of those of which the device
has a node with the known ones.

  SuiteTest.py LIB [--clients DIR] [--target NAME] [--filter REGEX] [-v]

Exit code 77: ONNX Runtime or the tests are not installed."""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "compiler" / "onnx")]
import Arguments  # noqa: E402
import Compare  # noqa: E402
import Proto  # noqa: E402
import Provider  # noqa: E402
from Runtime import Failure  # noqa: E402

LEAST = 855  # models with nodes on the device
LIST = HERE.parents[1] / "compiler" / "onnx" / "onnxTestdata.tsv"
BOUND = 1e-3  # of the suite's own runner, relative
RANDOM = ("Bernoulli", "RandomUniformLike")  # operators of random results


def tensors(folder, kind, declared):
    """Those of the files of a kind, in order; None if one is none of the tests' types. `declared`: (name, type) in the model,
    which counts where files say uint16 for bfloat16."""
    read = []
    for index, (_, type_) in zip(range(len(list(folder.glob(f"{kind}_*.pb")))), declared):
        try:
            _, tensor = Proto.read_tensor((folder / f"{kind}_{index}.pb").read_bytes())
        except (StopIteration, ValueError, IndexError, TypeError):  # a sequence or an optional
            return None
        if tensor is None:
            return None
        read.append(Proto.Tensor("bf16", tensor.array) if (tensor.type, type_) == ("u16", "bf16") else tensor)
    return read


def declared_type(value):
    """The type of a ValueInfoProto; None: it is no tensor, or none of the tests' types."""
    try:
        return Proto.NAMES.get(Proto.first(value, 2, 1, 1))
    except (StopIteration, TypeError):
        return None


def declared(model):
    """(name, type) of the inputs that are no initializers, and of the outputs."""
    graph = Proto.first(model, 7)
    values = {number: [(Proto.first(each, 1).decode(), declared_type(each))
                       for found, each in Proto.fields(graph) if found == number] for number in (11, 12)}
    constants = {Proto.first(each, 8).decode() for found, each in Proto.fields(graph) if found == 5}
    return [each for each in values[11] if each[0] not in constants], values[12]


class Suite:
    def __init__(self, runtime):
        self.runtime = runtime
        self.taken, self.wrong, self.skipped, self.left = 0, [], [], {}

    def run(self, folder, name):
        model = (folder / "model.onnx").read_bytes()
        inputs, outputs = declared(model)
        data = folder / "test_data_set_0"
        given, expected = tensors(data, "input", inputs), tensors(data, "output", outputs)
        if given is None or expected is None:
            self.skipped.append(f"{name}: a type of its data")
            return
        given = {name: tensor for (name, _), tensor in zip(inputs, given)}
        outputs = [name for name, _ in outputs[:len(expected)]]
        try:
            session = self.runtime.session(model)
        except Failure as failure:
            return self.note_failure(name, model, given, outputs, failure)
        try:
            taken, left = self.runtime.assigned(session)
            for operator in left:
                self.left.setdefault(operator, []).append(name)
            if not taken or set(RANDOM) & set(taken + left):
                return
            self.taken += 1
            self.compare(name, self.runtime.run_session(session, given, outputs), expected)
        except Failure as failure:
            self.note_failure(name, model, given, outputs, failure)
        finally:
            self.runtime.functions["ReleaseSession"](session)

    def note_failure(self, name, model, given, outputs, failure):
        """What the runtime refuses without the provider too is no failure of ours."""
        self.runtime.options, options = self.runtime.plain, self.runtime.options
        try:
            self.runtime.run(model, given, outputs)
            self.wrong.append(f"{name}: {failure}")
        except Failure as plain:
            self.skipped.append(f"{name}: {plain}")
        finally:
            self.runtime.options = options

    def compare(self, name, results, expected):
        for result, wanted in zip(results, expected):
            if result.type != wanted.type or result.shape != wanted.shape:
                self.wrong.append(f"{name}: {result.type} {result.shape}, must be {wanted.type} {wanted.shape}")
            else:
                data, bound = Compare.device_data(result), BOUND if wanted.type in Compare.BOUNDS or wanted.type == "f64" else 0
                if text := Compare.difference(data, wanted, bound):
                    self.wrong.append(f"{name}: {text}")


def main():
    parser = Arguments.parser(__doc__, "libavocet_onnxruntime.so")
    Arguments.add_choice(parser, "models")
    parser.add_argument("-v", "--verbose", action="store_true", help="print the operators that stay with the runtime")
    options = parser.parse_args()
    library = Arguments.runtime_library(options.clients)
    root = Arguments.testdata(options.clients)
    if not root.exists():
        Arguments.skip(f"ONNX's tests are not in {root}; install them with scripts/setup --clients")
    runtime = Provider.ProviderRuntime(library, options.binary / "libavocet_onnxruntime.so")
    runtime.use(only=False, device=options.target, allow_fp32="true")
    suite = Suite(runtime)
    listed = {line.split("\t")[0] for line in LIST.read_text().splitlines() if "\tfailed\t" in line}  # with other answers
    folders = [each.parent for each in sorted(root.rglob("model.onnx"))]
    for folder in folders:
        name = str(folder.relative_to(root))
        if re.search(options.filter, name) and name not in listed:
            if options.verbose:
                print(name, flush=True)
            suite.run(folder, name)
    for text in suite.wrong:
        print(f"wrong: {text}")
    if options.verbose:
        print(*(f"skipped: {text}" for text in suite.skipped), sep="\n")
        for operator, names in sorted(suite.left.items(), key=lambda each: -len(each[1])):
            print(f"{len(names)} {operator}: {names[0]}")
    print(f"{suite.taken} models with nodes on the device, {len(suite.wrong)} wrong, {len(suite.skipped)} skipped")
    return 1 if suite.wrong or (not options.filter and suite.taken < LEAST) else 0


if __name__ == "__main__":
    sys.exit(main())

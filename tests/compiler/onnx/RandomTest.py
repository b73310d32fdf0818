#!/usr/bin/env python3
# RandomTest.py - Random ONNX operators against ONNX Runtime
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs random cases of each operator, at each opset that changed it, with each type, and compares the results
with those of ONNX Runtime's CPU provider: integers bit for bit, floats within the bounds of Compare.py.

  RandomTest.py BIN                                  20 cases of each cell
  RandomTest.py BIN --cases 200 --seed 7             more, and others
  RandomTest.py BIN --filter '^Conv 11 f32'          cells whose name "operator opset type" matches
  RandomTest.py BIN --keep DIR                       writes the models of wrong cases, with their data
  RandomTest.py BIN --page FILE [--update]           compares the page of operators, or writes it

Exit code 1: a result is wrong, a case failed in another way than by a refusal, or the page is another one; 77: the
runtime is not installed."""
import collections
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import Arguments
import Page
import Runtime
from Cells import CELLS
from Case import Network
from Program import Program

CASES_IN_NETWORK = 400
state = {}  # of a worker process


def start_worker(library, binary, target, folder):
    state.update(runtime=Runtime.Runtime(library), program=Program(binary, target, folder))


def expected(cell, cases):
    """The runtime's results by name, and {prefix: why} of cases that it cannot run."""
    def run(some):
        network = Network(some)
        model = network.model(version=min(cell.version, cell.row.oracle))
        return dict(zip(network.outputs, state["runtime"].run(model, network.inputs, list(network.outputs))))
    try:
        return run(cases), {}
    except Runtime.Failure:
        results, failures = {}, {}
    for case in cases:
        try:
            results |= run([case])
        except Runtime.Failure as failure:
            failures[case.prefix] = f"no oracle: {failure}"
    return results, failures


def keep(folder, cell, case, results):
    """A model with its inputs and expected outputs as raw tensors."""
    folder = Path(folder) / re.sub(r"\W+", "_", cell.name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{case.prefix}.onnx").write_bytes(Network([case]).model(results))
    for index, tensor in enumerate(case.inputs.values()):
        (folder / f"{case.prefix}.in{index}.bin").write_bytes(tensor.data())
    for index, name in enumerate(case.outputs):
        (folder / f"{case.prefix}.out{index}.bin").write_bytes(results[name].data())


def run_cells(numbers, seed, count, kept):
    """The verdicts on the cases of some cells, which have one opset, by the cell's number."""
    drawn, results, verdicts = {}, {}, {}
    for number in numbers:
        cell = CELLS[number]
        drawn[number] = [cell.case(f"c{number * count + index}", seed, index) for index in range(count)]
        some, failures = expected(cell, drawn[number])
        results |= some
        verdicts |= failures
    cases = [case for each in drawn.values() for case in each if case.prefix not in verdicts]
    verdicts |= state["program"].judge(cases, results) if cases else {}
    for number in numbers if kept else ():
        for case in drawn[number]:
            if not verdicts[case.prefix].startswith(("right", "refused", "no oracle")):
                keep(kept, CELLS[number], case, results)
    return {number: [verdicts[case.prefix] for case in each] for number, each in drawn.items()}


def chunks(numbers, count):
    """Cells of one opset with about CASES_IN_NETWORK cases."""
    by_version = collections.defaultdict(list)
    for number in numbers:
        by_version[CELLS[number].version].append(number)
    size = max(1, CASES_IN_NETWORK // count)
    return [some[i:i + size] for some in by_version.values() for i in range(0, len(some), size)]


def report(cell, verdicts):
    """Prints what is bad; the number of bad cases."""
    bad = [(index, verdict) for index, verdict in enumerate(verdicts) if not verdict.startswith(("right", "refused"))]
    shown = {}
    for index, verdict in bad:
        shown.setdefault(verdict.split(":")[0], (index, verdict))
    for index, verdict in shown.values():
        print(f"{cell.name}: {len(bad)} of {len(verdicts)}, case {index}: {verdict}", flush=True)
    return len(bad)


def main():
    parser = Arguments.parser(__doc__)
    parser.add_argument("--cases", type=int, default=20, help="of each cell; default: 20")
    parser.add_argument("--seed", default="1")
    Arguments.add_choice(parser, "a cell")
    parser.add_argument("--keep", default="", metavar="DIR", help="write the models of bad cases")
    parser.add_argument("--page", type=Path, help="the page of operators")
    parser.add_argument("--update", action="store_true", help="write the page")
    arguments = parser.parse_args()
    library = Arguments.runtime_library(arguments.clients)
    numbers = [number for number, cell in enumerate(CELLS) if re.search(arguments.filter, cell.name)]
    if not numbers:
        parser.error(f"no cell matches --filter '{arguments.filter}'")
    bad, verdicts = 0, {}
    with tempfile.TemporaryDirectory() as folder, \
            ProcessPoolExecutor(2, initializer=start_worker,
                                initargs=(library, arguments.binary / "avocet", arguments.target, folder)) as pool:
        tasks = [pool.submit(run_cells, some, arguments.seed, arguments.cases, arguments.keep)
                 for some in chunks(numbers, arguments.cases)]
        for task in tasks:
            for number, answers in task.result().items():
                verdicts[number] = answers
                bad += report(CELLS[number], answers)
    total = collections.Counter(verdict.split(":")[0].split(" (")[0] for answers in verdicts.values() for verdict in answers)
    print(f"{len(numbers)} cells, {sum(total.values())} cases: " + ", ".join(f"{count} {word}" for word, count in total.most_common()))
    if bad:
        return 1  # no page of wrong results
    answers = [(CELLS[number], verdicts[number]) for number in numbers]
    return 0 if not arguments.page or Page.check(arguments.page, answers, arguments.update) else 1


if __name__ == "__main__":
    sys.exit(main())

# Program.py - Runs networks with the program avocet
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from Case import Network
from Compare import device_data, difference

PATIENCE = 300  # seconds


class Rejected(Exception):
    """What the program says instead of results: its status, and (place, text) of each error."""

    def __init__(self, status, errors):
        super().__init__(status)
        self.status, self.errors = status, errors

    def about(self, prefix):
        """The errors about a case."""
        name = re.compile(rf"\b{prefix}_\d+")
        return [text for place, text in self.errors if name.search(place)]


def refusal_text(entry):
    """Without the name of the node."""
    subject = [re.sub(r"^node '.*' ", "", entry["operation"]), entry["operand"]]
    rule = [entry["rule"], entry["value"] and f"found {entry['value']}", entry["limit"] and f"accepted {entry['limit']}"]
    return " ".join(filter(None, subject)) + ": " + ", ".join(filter(None, rule))


def errors_of(done):
    """Of a run that failed."""
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return Rejected("crash" if done.returncode < 0 else "failed", [(lines[-1], lines[-1])])
    errors = [(each["location"], refusal_text(each)) for each in answer["unsupported"]]
    if not errors:
        errors = [(each["location"] + " " + each["message"], each["message"]) for each in answer["diagnostics"]
                  if each["severity"] == "error"]
    return Rejected(answer["status"], errors or [("", answer["message"])])


class Program:
    def __init__(self, binary, target, folder):
        self.binary, self.target, self.folder = binary, target, folder

    def run(self, network, results):
        """The bytes of the results."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            (folder / "model.onnx").write_bytes(network.model(results))
            command = [self.binary, "run", folder / "model.onnx", "-t", self.target, "-o", folder, "--report", "none", "--mode",
                       "functional", "--diagnostics", "json"]
            for index, (name, tensor) in enumerate(network.inputs.items()):
                path = folder / f"in{index}.bin"
                path.write_bytes(device_data(tensor))
                command += ["-i", path, *(["--value", f"{name}={path}"] if name in network.known else [])]
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False)
            if done.returncode != 0:
                raise errors_of(done)
            return [(folder / f"out{index}.bin").read_bytes() for index in range(len(network.outputs))]
        except subprocess.TimeoutExpired:
            raise Rejected("hang", [("", f"no answer within {PATIENCE} s")]) from None
        finally:
            shutil.rmtree(folder)

    def judge(self, cases, results):
        """The verdict on each case by its prefix: "right", "wrong: ..", "refused: ..", "failed: ..". All are in one network;
        what it refuses is left out, and what fails without a place is found by division. `results`: {name: Tensor} of
        the oracle."""
        verdicts, left = {}, list(cases)
        while left:
            try:
                network = Network(left)
                data = dict(zip(network.outputs, self.run(network, results)))
            except Rejected as rejected:
                self.note(left, rejected, verdicts)
                remaining = [case for case in left if case.prefix not in verdicts]
                if len(remaining) == len(left):
                    break
                left = remaining
                continue
            return verdicts | {case.prefix: compare(case, data, results) for case in left}
        if not left:
            return verdicts
        middle = (len(left) + 1) // 2
        return verdicts | self.judge(left[:middle], results) | self.judge(left[middle:], results)

    @staticmethod
    def note(cases, rejected, verdicts):
        # An input whose value is needed, and not given, is refused with another status.
        word = "refused" if rejected.status in ("unsupported", "failed_precondition") else f"failed ({rejected.status})"
        for case in cases:
            texts = rejected.about(case.prefix) or (len(cases) == 1 and [text for _, text in rejected.errors])
            if texts:
                verdicts[case.prefix] = f"{word}: {texts[0]}"


def compare(case, data, results):
    for name, bound in case.outputs.items():
        found = difference(data[name], results[name], bound)
        if found:
            return f"wrong: {found}"
    return "right"

# Page.py - The page of ONNX operators
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import re

HEAD = """# ONNX operators

What the compiler takes of ONNX, by operator, the opset that changed it, and element type. *Right*: equal to ONNX Runtime's CPU
provider in all random cases (integers bit for bit, floats within the bounds of `tests/compiler/onnx/Compare.py`). *In part*: some
cases are refused, for the reason given. 64-bit floats are computed as 32-bit ones. Operators of the domain `com.microsoft`
begin with its name. `between QDQ`: the operator between DequantizeLinear and QuantizeLinear.

Written by `tests/compiler/onnx/RandomTest.py --page FILE --update`; a test compares it.

| operator | opsets | right | in part | refused |
|---|---|---|---|---|
"""


def reason_of(verdicts):
    """Why cases are refused: one reason, without names of this run."""
    texts = sorted({re.sub(r"\bc\d+_\d+\S*", "a tensor", verdict.split(": ", 1)[1]) for verdict in verdicts if verdict.startswith("refused")})
    return texts[0].replace("|", "or")


def columns(answers):
    """Types that are right, in part, and refused, with reasons, at one opset; `answers`: cells with their verdicts."""
    right, part, refused = [], collections.defaultdict(list), collections.defaultdict(list)
    for cell, verdicts in answers:
        verdicts = [each for each in verdicts if not each.startswith("no oracle")]
        count = sum(each == "right" for each in verdicts)
        if count == len(verdicts):
            right.append(cell.type)
        else:
            (part if count else refused)[reason_of(verdicts)].append(cell.type)
    def text(column):
        return "; ".join(f"{' '.join(types)}: {reason}" for reason, types in column.items())
    return " ".join(right), text(part), text(refused)


def page(answers):
    groups = collections.OrderedDict()
    for cell, verdicts in answers:
        versions = groups.setdefault((cell.row.domain, cell.row.name), collections.OrderedDict())
        versions.setdefault(cell.version, []).append((cell, verdicts))
    lines = []
    for (domain, name), versions in sorted(groups.items()):
        same = collections.OrderedDict()
        for version, some in versions.items():
            same.setdefault(columns(some), []).append(version)
        title = (f"{domain}." if domain else "") + name.replace("_", " ")
        lines += [f"| {title} | {' '.join(map(str, found))} | {' | '.join(columns_)} |\n" for columns_, found in same.items()]
    return HEAD + "".join(lines)


def check(path, answers, is_update):
    """Compares or writes the page; `answers`: cells with their verdicts."""
    text = page(answers)
    if is_update:
        path.write_text(text)
        return True
    if path.exists() and path.read_text() == text:
        return True
    print(f"{path.name} is not the page of these results; write it with --update")
    return False

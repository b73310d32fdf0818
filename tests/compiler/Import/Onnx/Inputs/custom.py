# custom.py - A network with custom operators
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""custom.py FORM > FILE: y = Halve(x * x) + x, with Halve of domain com.example.

Forms: typed, whose file records the type of Halve's result; untyped, without; tensor, with a tensor among the attributes; body, inside of
an If.
"""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "onnx"))
import Proto  # noqa: E402


def halve(source, result, **attributes):
    return Proto.node("Halve", [source], [result], "halve", "com.example", {"factor": 2, "name": "half", **attributes})


def node(kind, inputs, output, **attributes):
    return Proto.node(kind, inputs, [output], output, "", attributes)


def network(form):
    attributes = {"table": Proto.tensor("f32", [1, 2])} if form == "tensor" else {}
    inputs = [Proto.value_info("x", "f32", [4])]
    custom = halve("square", "half", **attributes)
    if form == "body":
        inputs.append(Proto.value_info("c", "bool", [1]))
        taken = Proto.graph([halve("square", "one")], [], [], [Proto.value_info("one", "f32", [4])])
        other = Proto.graph([node("Neg", ["square"], "two")], [], [], [Proto.value_info("two", "f32", [4])])
        custom = node("If", ["c"], "half", then_branch=taken, else_branch=other)
    nodes = [node("Mul", ["x", "x"], "square"), custom, node("Add", ["half", "x"], "y")]
    body = Proto.graph(nodes, [], inputs, [Proto.value_info("y", "f32", [4])])
    if form in ("typed", "tensor"):
        body += Proto.message(13, Proto.value_info("half", "f32", [4]))
    return Proto.model(body, 21) + Proto.message(8, Proto.message(1, "com.example") + Proto.number(2, 1))


sys.stdout.buffer.write(network(sys.argv[1]))

# SequenceCells.py - Random recurrent networks and control flow
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import Proto
from Row import named, rows

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
ACTIVATIONS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
OTHERS = ("Relu", "Sigmoid", "Tanh", "HardSigmoid", "Softsign", "LeakyRelu", "Elu")
DEFAULTS = {"HardSigmoid": (0.2, 0.5), "LeakyRelu": (0.01, 0.0), "Elu": (1.0, 0.0)}


def activations(draw, operator, directions):
    """Attributes that name other functions."""
    names = ACTIVATIONS[operator] * directions
    if draw.chance(0.6):
        return {}
    names = [draw.choice(OTHERS) if draw.chance(0.5) else name for name in names]
    return {"activations": names}


def recurrent(operator):
    def case(case, draw, type_):
        gates, (length, batch, width, hidden) = GATES[operator], draw.extents(4, 4)
        direction = draw.choice([None, "forward", "reverse", "bidirectional"])
        directions = 2 if direction == "bidirectional" else 1
        layout = draw.integer(0, 1) if case.version >= 14 and draw.chance(0.2) else None
        def constant(*shape):
            return case.constant(draw.tensor(type_, shape, -1, 1))
        shape = [length, batch, width]
        inputs = [case.input(draw.tensor(type_, shape)), constant(directions, gates * hidden, width),
                  constant(directions, gates * hidden, hidden),
                  constant(directions, 2 * gates * hidden) if draw.chance(0.6) else None,
                  case.constant(draw.tensor("i32", [batch], 1, length)) if draw.chance(0.4) else None]
        state = [directions, batch, hidden]
        inputs.append(case.input(draw.tensor(type_, state, -1, 1)) if draw.chance(0.5) else None)
        if operator == "LSTM":
            inputs.append(case.input(draw.tensor(type_, state, -1, 1)) if draw.chance(0.5) else None)
            inputs.append(constant(directions, 3 * hidden) if draw.chance(0.4) else None)
        while inputs[-1] is None:
            inputs.pop()
        attributes = {"hidden_size": hidden, "direction": direction, "clip": draw.choice([None, None, 1.5]),
                      **activations(draw, operator, directions)}
        if operator == "GRU":
            attributes["linear_before_reset"] = draw.choice([None, 0, 1])
        if operator == "LSTM":
            attributes["input_forget"] = draw.choice([None, 0, 0, 1])
        if layout == 0:
            attributes["layout"] = 0
        case.result(case.node(operator, inputs, 3 if operator == "LSTM" else 2, **attributes), 1e-4)
    return case


def branch(case, draw, type_):
    """Each branch reads values of the outer graph."""
    shape = draw.extents(draw.integer(1, 3))
    x, y = (case.input(draw.tensor(type_, shape)) for _ in range(2))
    condition = draw.tensor("bool", [])
    condition = case.constant(condition) if draw.chance(0.3) else case.input(condition)
    def build(operator, operands):
        def body(inner):
            return {inner.node(operator, operands): (type_, shape)}
        return case.subgraph({}, body)
    case.result(case.node("If", [condition], then_branch=build(*draw.choice([("Add", [x, y]), ("Identity", [x])])),
                          else_branch=build(*draw.choice([("Sub", [x, y]), ("Mul", [y, y])]))))


def loop(case, draw, type_):
    """Counts to a constant or an input; some also scan."""
    shape, trips = draw.extents(draw.integer(1, 2)), draw.integer(1, 4)
    step, start = (case.input(draw.tensor(type_, shape)) for _ in range(2))
    scans = draw.chance(0.5)
    counter, running, state = case.name(), case.name(), case.name()
    def body(inner):
        next_ = inner.node("Add", [state, step])
        results = {inner.node("Identity", [running]): ("bool", []), next_: (type_, shape)}
        if scans:
            results[inner.node("Mul", [next_, step])] = (type_, shape)
        return results
    graph = case.subgraph({counter: ("i64", []), running: ("bool", []), state: (type_, shape)}, body)
    case.result(case.node("Loop", [case.constant(Proto.tensor("i64", trips)), case.constant(Proto.tensor("bool", True)) if
                                   draw.chance(0.5) else None, start], 2 if scans else 1, body=graph))


def scan(case, draw, type_):
    length, shape = draw.integer(1, 4), draw.extents(draw.integer(1, 2))
    state, element = case.name(), case.name()
    def body(inner):
        next_ = inner.node("Add", [state, element])
        return {next_: (type_, shape), inner.node("Neg", [next_]): (type_, shape)}
    graph = case.subgraph({state: (type_, shape), element: (type_, shape)}, body)
    start, sequence = case.input(draw.tensor(type_, shape)), case.input(draw.tensor(type_, [length, *shape]))
    case.result(case.node("Scan", [start, sequence], 2, body=graph, num_scan_inputs=1,
                          scan_input_directions=draw.choice([None, [0], [1]]), scan_output_directions=draw.choice([None, [0], [1]])))


ROWS = [
    *rows("RNN GRU LSTM", "7 14 22", ("f32",), named(recurrent)),
    *rows("If", "7 11 13 16 19 21 23 24 25", ("f32", "i32"), branch),
    *rows("Loop", "7 11 13 16 19 21 23 24 25", ("f32", "i32"), loop),
    *rows("Scan", "9 11 16 19 21 23 24 25", ("f32",), scan),
]

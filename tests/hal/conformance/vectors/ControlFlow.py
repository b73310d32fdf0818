#===- ControlFlow.py - Cases with subgraphs, refusals and endless loops
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Branches and loops by the HAL's definitions, and cases that must be refused or time out."""

import numpy as np

from Cases import Family, Graph, kRuns, ramp


def branch(name, operation, value):
    """x + value or x * value."""
    graph = Graph(name)
    x = graph.graphInput("f", [2])
    graph.operation(operation, [x, graph.constant("f", [value, value]), graph.int(0)], [graph.graphOutput("f", [2])])
    return graph


def loopCondition(limit):
    """x < limit, for one number."""
    graph = Graph("condition")
    x = graph.graphInput("f", [1])
    graph.operation("LESS", [x, graph.constant("f", [limit])], [graph.graphOutput("b", [1])])
    return graph


def loopBody(step):
    graph = Graph("body")
    x = graph.graphInput("f", [1])
    graph.operation("ADD", [x, graph.constant("f", [step]), graph.int(0)], [graph.graphOutput("f", [1])])
    return graph


def branches(family):
    for condition, expected in ((1, [11.0, 12.0]), (0, [3.0, 6.0])):
        case = family.case("if%d" % condition)
        case.referenced = [branch("then", "ADD", 10.0), branch("else", "MUL", 3.0)]
        inputs = [case.input("b", [condition]), case.subgraph(0), case.subgraph(1), case.input("f", [1.0, 2.0])]
        case.operation("IF", inputs, [case.output("f", expected)])


def loop(case, start, limit, step):
    case.referenced = [loopCondition(limit), loopBody(step)]
    return [case.subgraph(0), case.subgraph(1), case.input("f", [start])]


def loops(family):
    case = family.case("while")
    case.operation("WHILE", loop(case, 1.0, 5.0, 1.5), [case.output("f", [5.5])])
    case = family.case("whileNever")
    case.operation("WHILE", loop(case, 7.0, 5.0, 1.5), [case.output("f", [7.0])])
    case = family.case("whileEndless", runs="LoopTimeout")
    case.expectsFailure = True
    case.operation("WHILE", loop(case, 1.0, 5.0, -1.0), [case.output("f", [0.0], tolerance="None")])


def stepCondition():
    """i < n, for the values (x, i, n)."""
    graph = Graph("condition")
    graph.graphInput("f", [1, 0])
    i, n = graph.graphInput("i", [1]), graph.graphInput("i", [1])
    graph.operation("LESS", [i, n], [graph.graphOutput("b", [1])])
    return graph


def growingBody():
    """Appends the sum of the two elements before element i to x. The slice begins at i - 2."""
    graph = Graph("body")
    x, i = graph.graphInput("f", [1, 0]), graph.graphInput("i", [1])
    graph.graphInput("i", [1])
    longer, next_ = graph.graphOutput("f", [1, 0]), graph.graphOutput("i", [1])
    first, bounded, scaled = (graph.temporary("i", [1]) for _ in range(3))
    begin, last, added = graph.temporary("i", [2]), graph.temporary("f", [1, 2]), graph.temporary("f", [1, 1])
    graph.operation("SUB", [i, graph.constant("i", [2]), graph.int(0)], [first])
    graph.operation("MAXIMUM", [first, graph.constant("i", [0])], [bounded])
    graph.operation("MINIMUM", [bounded, graph.constant("i", [100])], [scaled])
    graph.operation("MUL", [scaled, graph.constant("i", [0, 1]), graph.int(0)], [begin])
    graph.operation("SLICE", [x, begin, graph.constant("i", [1, 2])], [last])
    graph.operation("REDUCE_SUM", [last, graph.constant("i", [1]), graph.bool(1)], [added])
    graph.operation("CONCATENATION", [x, added, graph.int(1)], [longer])
    graph.operation("ADD", [i, graph.constant("i", [1]), graph.int(0)], [next_])
    return graph


def unrolledLoops(family):
    """Loops whose shapes depend on a counter: the program depends on the value of an input, directly or through a sum."""
    runs = "General DeviceMemory Fenced"  # the number of iterations determines the result's shape, which is declared
    for name, limit in (("Never", 2), ("Once", 3), ("Often", 7)):
        expected = [1.0, 2.0]
        while len(expected) < limit:
            expected.append(expected[-1] + expected[-2])
        case = family.case("whileGrows" + name, runs=runs)
        case.referenced = [stepCondition(), growingBody()]
        n = case.input("i", [limit])
        inputs = [case.subgraph(0), case.subgraph(1), case.constant("f", [[1.0, 2.0]]), case.constant("i", [2]), n]
        case.operation("WHILE", inputs, [case.output("f", [expected])] + [case.temporary("i", [1])])
        case = family.case("whileGrowsByComputedLimit" + name, runs=runs)
        case.referenced = [stepCondition(), growingBody()]
        sum_ = case.temporary("i", [1])
        case.operation("ADD", [case.input("i", [limit - 5]), case.constant("i", [5]), case.int(0)], [sum_])
        inputs = [case.subgraph(0), case.subgraph(1), case.constant("f", [[1.0, 2.0]]), case.constant("i", [2]), sum_]
        case.operation("WHILE", inputs, [case.output("f", [expected])] + [case.temporary("i", [1])])


def searchingLoop(family):
    """Adds the elements of x one by one until the sum exceeds a limit, so that the device computes each position."""
    condition, body = Graph("condition"), Graph("body")
    condition.graphInput("f", [4])
    condition.graphInput("i", [1])
    sum_ = condition.graphInput("f", [1])
    condition.operation("LESS", [sum_, condition.constant("f", [5.0])], [condition.graphOutput("b", [1])])
    x, i, sum_ = body.graphInput("f", [4]), body.graphInput("i", [1]), body.graphInput("f", [1])
    same, next_, larger = body.graphOutput("f", [4]), body.graphOutput("i", [1]), body.graphOutput("f", [1])
    element = body.temporary("f", [1])
    body.operation("SLICE", [x, i, body.constant("i", [1])], [element])
    body.operation("RELU", [x], [same])
    body.operation("ADD", [i, body.constant("i", [1]), body.int(0)], [next_])
    body.operation("ADD", [sum_, element, body.int(0)], [larger])
    case = family.case("whileSlicesAtComputedPosition")
    case.referenced = [condition, body]
    inputs = [case.subgraph(0), case.subgraph(1), case.input("f", [1.0, 2.0, 4.0, 8.0]), case.constant("i", [0]),
              case.input("f", [0.0])]
    case.operation("WHILE", inputs, [case.output("f", [1.0, 2.0, 4.0, 8.0]), case.output("i", [3]), case.output("f", [7.0])])


def make():
    family = Family("controlFlow")
    branches(family)
    loops(family)
    unrolledLoops(family)
    searchingLoop(family)
    return family

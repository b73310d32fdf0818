#===- Recurrent.py - Cases of cells and sequences
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""RNN, SVDF and LSTM cells, step by step. Integer LSTM cells have zero weights, so that the answer is simple."""

import numpy as np

from Cases import Family, Type, flag, integer, none, number, ramp, tensor

kTanh = 4


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def rnn(x, weights, recurrent, bias, state):
    """Outputs of all steps of [time, batch, input], and the last state."""
    outputs = []
    for step in x:
        state = np.tanh(step @ weights.T + state @ recurrent.T + bias)
        outputs.append(state)
    return np.array(outputs), state


class LstmWeights:
    """Four gates in the order input, forget, cell, output."""

    def __init__(self, inputs, units, start=-0.25):
        self.units = units
        self.input = [ramp(units, inputs, start=start + 0.125 * gate, step=0.0625) for gate in range(4)]
        self.recurrent = [ramp(units, units, start=0.125 - 0.0625 * gate, step=0.03125) for gate in range(4)]
        self.bias = [ramp(units, start=0.125 * gate, step=-0.0625) for gate in range(4)]

    def run(self, x, output, cell):
        """All steps of [time, batch, input]."""
        outputs = []
        for step in x:
            i, f, g, o = (step @ w.T + output @ r.T + b for w, r, b in zip(self.input, self.recurrent, self.bias))
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            output = sigmoid(o) * np.tanh(cell)
            outputs.append(output)
        return np.array(outputs), output, cell

    def operands(self):
        """Inputs 1 to 17 of an LSTM: no peepholes, no projection."""
        peepholes, projection = [none()] * 3, [none()] * 2
        return ([tensor("f", w) for w in self.input + self.recurrent] + peepholes +
                [tensor("f", b) for b in self.bias] + projection)


kClips = [number(0.0), number(0.0)]


def rnns(family):
    x, state = ramp(3, 2, 2, step=0.125), ramp(2, 3, start=-0.25, step=0.125)
    weights, recurrent, bias = ramp(3, 2, start=-0.5), ramp(3, 3, start=-0.5, step=0.125), ramp(3, start=0, step=0.125)
    operands = [tensor("f", weights), tensor("f", recurrent), tensor("f", bias), ("f", state), integer(kTanh)]
    outputs, last = rnn(x[:1], weights, recurrent, bias, state)
    family.simple("rnn", "RNN", [("f", x[0])] + operands, [("f", last), ("f", outputs[0])])
    outputs, _ = rnn(x, weights, recurrent, bias, state)
    family.simple("sequenceRnn", "UNIDIRECTIONAL_SEQUENCE_RNN", [("f", x)] + operands + [integer(1)], [("f", outputs)])
    back, _ = rnn(x[::-1], -weights, recurrent, bias, state)
    backward = [tensor("f", -weights), tensor("f", recurrent), tensor("f", bias), ("f", state)]
    family.simple("bidirectionalRnn", "BIDIRECTIONAL_SEQUENCE_RNN", [("f", x)] + operands[:4] + backward + [none()] * 3 +
                  [integer(kTanh), flag(1), flag(0)], [("f", outputs), ("f", back[::-1])])


def svdf(family):
    rank, units, memory = 2, 2, 3
    x, state = ramp(2, 3), ramp(2, memory * units * rank, start=-0.5, step=0.0625)
    feature, time, bias = ramp(4, 3, start=-0.5, step=0.125), ramp(4, memory, start=0.25, step=-0.125), np.array([0.5, -1])
    # The last element of each filter's memory holds the newest activation. The next state is shifted by one element.
    history = np.concatenate([state.reshape(2, 4, memory)[:, :, :-1], (x @ feature.T)[:, :, None]], 2)
    filters = np.sum(history * time, 2)
    shifted = np.concatenate([history[:, :, 1:], np.zeros((2, 4, 1))], 2)
    family.simple("svdf", "SVDF", [("f", x), tensor("f", feature), tensor("f", time), tensor("f", bias), ("f", state),
                               integer(rank), integer(0)],
                  [("f", shifted.reshape(2, -1)), ("f", filters.reshape(2, units, rank).sum(2) + bias)])


def lstms(family):
    cell, x = LstmWeights(2, 3), ramp(2, 2, 2, step=0.125)
    output, state = ramp(2, 3, start=-0.25, step=0.125), ramp(2, 3, start=0.5, step=-0.125)
    states = [("f", output), ("f", state), integer(kTanh)] + kClips
    _, lastOutput, lastState = cell.run(x[:1], output, state)
    case = family.simple("lstm", "LSTM", [("f", x[0])] + cell.operands() + states,
                         [("f", np.zeros((2, 12))), ("f", lastOutput), ("f", lastState), ("f", lastOutput)])
    case.outputs[0]["tolerance"] = "Ignored"  # scratch memory
    family.simple("sequenceLstm", "UNIDIRECTIONAL_SEQUENCE_LSTM",
                  [("f", x)] + cell.operands() + states + [flag(1)] + [none()] * 4,
                  [("f", cell.run(x, output, state)[0])])
    other = LstmWeights(2, 3, start=0.25)
    back = other.run(x[::-1], output, state)[0][::-1]
    family.simple("bidirectionalLstm", "BIDIRECTIONAL_SEQUENCE_LSTM",
                  [("f", x)] + cell.operands() + other.operands() + [("f", output), ("f", state)] * 2 + [none()] * 9 +
                  [integer(kTanh)] + kClips + [flag(0), flag(1)] + [none()] * 8,
                  [("f", cell.run(x, output, state)[0]), ("f", back)])


def integerLstms(family):
    """Zero weights: every gate is sigmoid(0) = 1/2, the candidate is tanh(0) = 0."""
    i, w, c = Type("u", 1 / 128, 128), Type("u", 1 / 256, 100), Type("q", 1 / 2048)
    state = np.array([[2048, -4096]])
    cell = state / 2
    real = 0.5 * np.tanh(cell / 2048)
    zero = [tensor(w, np.full((2, 2), 100))] * 8
    family.simple("quantized16BitLstm", "QUANTIZED_16BIT_LSTM",
                  [(i, [[130, 120]])] + zero + [tensor(Type("i", 1 / 32768), [0, 0])] * 4 +
                  [(c, state), (i, [[128, 128]])], [(c, cell), (i, i.store(real))])
    s, y, q, hidden = Type("s", 1 / 128, 0), Type("y", 1 / 128), Type("q", 1 / 2048), Type("s", 1 / 128, 0)
    gates = [tensor(y, np.zeros((2, 2)))] * 8
    # Without a projection the reference copies the hidden state's bytes to the output, whatever the output's type.
    for name, inner in (("quantizedLstm", hidden), ("quantizedLstmOtherHidden", Type("s", 1 / 64, 3))):
        output = (hidden, inner.store(real))
        family.simple(name, "QUANTIZED_LSTM", [(s, [[2, -8]])] + gates + [none(q)] * 3 +
                      [tensor(Type("i", 2.0**-14), [0, 0])] * 4 + [none(y), none(Type("i", 2.0**-14))] +
                      [(hidden, [[0, 0]]), (q, state)] + [none(q)] * 4 + [number(0.0)] * 2 + [number(2.0**-12)] * 4 +
                      [integer(inner.zeroPoint), number(inner.scale)], [output, (q, cell), output])


def make():
    family = Family("recurrent")
    for part in (rnns, svdf, lstms, integerLstms):
        part(family)
    return family

# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers of few and many steps."""

import Layers
from Case import Case, byX


def lstms():
    for steps, inputs, cells in ((1, 64, 64), (10, 28, 20), (28, 28, 128), (100, 40, 64), (200, 64, 64), (200, 16, 256)):
        for form in ("i8", "f32", "hybrid") if steps in (28, 200) and cells != 256 else ("i8",):
            def build(model, steps=steps, inputs=inputs, cells=cells, form=form):
                model.output(Layers.lstm(model, model.input(steps, 1, inputs), cells, form == "hybrid"))
            yield Case("LSTM", f"{steps} steps {byX(inputs, cells)} {form}", "i8" if form == "i8" else "f32", build)


def grus():
    for steps, inputs, cells in ((4, 64, 64), (16, 40, 64), (50, 32, 128)):
        for typeName in ("i8", "f32") if steps == 16 else ("i8",):
            def build(model, steps=steps, inputs=inputs, cells=cells):
                model.output(Layers.gru(model, model.input(steps, inputs), cells))
            yield Case("GRU unrolled", f"{steps} steps {byX(inputs, cells)} {typeName}", typeName, build)


def cases():
    yield from lstms()
    yield from grus()

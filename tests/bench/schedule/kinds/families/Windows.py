# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools, reductions and functions of whole lines."""

import Layers
from Case import Case, byX


def pools():
    small = ((2, 2), 2), ((3, 3), 1), ((3, 3), 2), ((5, 5), 3)
    large = ((13, 13), 1), ((17, 17), 4), ((64, 64), 16)
    maps = ((14, 14, 256), (28, 28, 64), (56, 56, 64), (112, 112, 16), (224, 224, 3), (1, 2048, 8), (2048, 1, 8))
    for code in ("MAX_POOL_2D", "AVERAGE_POOL_2D"):
        for kernel, stride in small + large:
            for h, w, c in maps[:5]:
                if kernel[0] > h:
                    continue
                def build(model, code=code, kernel=kernel, stride=stride, h=h, w=w, c=c):
                    model.output(Layers.pool(model, model.input(1, h, w, c), code, kernel, stride))
                size = "small" if kernel[0] < 10 else "large"
                yield Case(f"{code} {size}", f"{byX(*kernel)} {byX(h, w, c)} stride {stride} i8", "i8", build)
        for h, w, c in ((7, 7, 1280), (8, 8, 2048), (28, 28, 192), (56, 56, 64), (200, 200, 16), (1, 1024, 64), (512, 512, 3)):
            for typeName in ("i8", "f32") if c == 192 or c == 16 else ("i8",):
                def build(model, code=code, h=h, w=w, c=c):
                    model.output(Layers.pool(model, model.input(1, h, w, c), code, (h, w), 1))
                yield Case(f"{code} global", f"{byX(h, w, c)} {typeName}", typeName, build)
        for typeName in ("i16", "f32", "u8"):
            def build(model, code=code):
                model.output(Layers.pool(model, model.input(1, 56, 56, 64), code, (3, 3), 2))
            yield Case(f"{code} small", f"3x3 56x56x64 stride 2 {typeName}", typeName, build)
        for h, w, c in maps[5:]:
            def build(model, code=code, h=h, w=w, c=c):
                model.output(Layers.pool(model, model.input(1, h, w, c), code, (min(h, 4), min(w, 4)), 4))
            yield Case(f"{code} small", f"4 {byX(h, w, c)} stride 4 i8", "i8", build)


def reductions():
    maps = ((7, 7, 512), (56, 56, 64), (128, 128, 32), (224, 224, 3), (512, 512, 4), (1, 2048, 64), (65, 65, 21))
    axes = ((1, 2), (3,), (1,), (2,), (2, 3))
    for code, types in (("MEAN", ("i8", "f32", "i16")), ("SUM", ("i8", "f32")), ("REDUCE_MAX", ("i8", "f32"))):
        for typeName in types:
            for h, w, c in maps if typeName == "i8" else maps[:3]:
                for over in axes if typeName == "i8" else axes[:2]:
                    def build(model, code=code, h=h, w=w, c=c, over=over):
                        model.output(Layers.reduce(model, model.input(1, h, w, c), code, over))
                    yield Case(code, f"{byX(1, h, w, c)} axes {','.join(map(str, over))} {typeName}", typeName, build)


def largest():
    for typeName, maps in (("i8", ((7, 7, 512), (65, 65, 21), (128, 128, 32), (513, 513, 2), (1, 1, 2048), (1, 2048, 64))),
                           ("f32", ((65, 65, 21), (128, 128, 32)))):
        for h, w, c in maps:
            for axis in (1, 2, 3):
                def build(model, h=h, w=w, c=c, axis=axis):
                    model.output(Layers.argMax(model, model.input(1, h, w, c), axis))
                yield Case("ARG_MAX", f"{byX(1, h, w, c)} axis {axis} {typeName}", typeName, build)


def lines():
    shapes = ((1, 10), (1, 1000), (1, 2048), (64, 64), (12, 197, 197), (1, 65, 65, 21), (1, 128, 128, 2), (1, 257, 257, 21), (2048, 4))
    for code in ("SOFTMAX", "LOG_SOFTMAX"):
        for typeName in ("i8", "f32") + (("i16",) if code == "SOFTMAX" else ()):
            for shape in shapes if typeName == "i8" else shapes[1:7]:
                def build(model, code=code, shape=shape):
                    x = model.input(*shape)
                    model.output(Layers.softmax(model, x) if code == "SOFTMAX" else Layers.unary(model, code, x))
                yield Case(code, f"{byX(*shape)} {typeName}", typeName, build)
    for typeName in ("i8", "f32"):
        for shape in ((1, 512), (64, 128), (1, 28, 28, 128), (1, 2048, 8)):
            def build(model, shape=shape):
                model.output(Layers.unary(model, "L2_NORMALIZATION", model.input(*shape), "L2NormOptions", activation="NONE"))
            yield Case("normalizations", f"L2 {byX(*shape)} {typeName}", typeName, build)
    for shape in ((1, 28, 28, 64), (1, 56, 56, 16)):
        def build(model, shape=shape):
            model.output(Layers.unary(model, "LOCAL_RESPONSE_NORMALIZATION", model.input(*shape),
                                      "LocalResponseNormalizationOptions", radius=2, bias=1.0, alpha=1e-4, beta=0.75))
        yield Case("normalizations", f"local response {byX(*shape)} f32", "f32", build)
    for rows, columns in ((64, 256), (197, 768), (512, 64), (2048, 16)):
        def build(model, rows=rows, columns=columns):
            x = model.input(1, rows, columns)
            centered = Layers.pair(model, "SUB", x, Layers.reduce(model, x, "MEAN", (2,), True))
            variance = Layers.reduce(model, Layers.pair(model, "MUL", centered, centered), "MEAN", (2,), True)
            deviation = Layers.unary(model, "SQRT", Layers.pair(model, "ADD", variance, model.constant((1,))))
            scaled = Layers.pair(model, "MUL", Layers.pair(model, "DIV", centered, deviation), model.constant((columns,)))
            model.output(Layers.pair(model, "ADD", scaled, model.constant((columns,))))
        yield Case("normalizations", f"layer norm {byX(rows, columns)} f32", "f32", build)


def cases():
    for part in (pools, reductions, largest, lines):
        yield from part()

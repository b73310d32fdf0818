# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that only move elements, alone, at the inputs and outputs of a network, and between two layers."""

import itertools

import Layers
from Case import Case, byX


def transposes():
    shapes = ((1, 56, 56, 64), (1, 224, 224, 3), (1, 33, 17, 5), (1, 512, 512, 4), (2, 64, 128, 24))
    for order in itertools.permutations(range(4)):
        if order == (0, 1, 2, 3):
            continue
        for typeName, at in (("i8", shapes), ("f32", shapes[:1]), ("i16", shapes[1:2])):
            for shape in at[:3] if order[0] != 0 else at:
                def build(model, shape=shape, order=order):
                    model.output(Layers.transpose(model, model.input(*shape), order))
                yield Case("TRANSPOSE", f"{byX(*shape)} to {''.join(map(str, order))} {typeName}", typeName, build)
    for rows, columns in ((2048, 2048), (2048, 16), (3, 2048), (197, 768)):
        for typeName in ("i8", "f32"):
            def build(model, rows=rows, columns=columns):
                model.output(Layers.transpose(model, model.input(rows, columns), (1, 0)))
            yield Case("TRANSPOSE", f"{byX(rows, columns)} to 10 {typeName}", typeName, build)


def shuffles():
    for h, w, c, groups in ((28, 28, 48, 2), (28, 28, 240, 3), (56, 56, 24, 2), (14, 14, 464, 2), (112, 112, 16, 4), (7, 7, 512, 8)):
        for typeName in ("i8", "f32") if h == 28 else ("i8",):
            for isInside in (False, True):
                def build(model, h=h, w=w, c=c, groups=groups, isInside=isInside):
                    x = model.input(1, h, w, c)
                    x = Layers.conv(model, x, c, (1, 1)) if isInside else x
                    x = Layers.reshape(model, x, 1, h, w, groups, c // groups)
                    x = Layers.reshape(model, Layers.transpose(model, x, (0, 1, 2, 4, 3)), 1, h, w, c)
                    model.output(Layers.conv(model, x, c, (1, 1)) if isInside else x)
                place = " between convolutions" if isInside else ""
                yield Case("channel shuffle", f"{byX(h, w, c)} groups {groups}{place} {typeName}", typeName, build)


THIN = ((320, 320), (112, 112), (33, 65), (1, 2048))


def thinJoins():
    for h, w in THIN:
        for c, count in ((1, 2), (1, 3), (2, 2), (3, 4), (8, 2), (16, 2)):
            for typeName in ("i8", "f32") if (h, c) == (112, 1) else ("i8",):
                def build(model, h=h, w=w, c=c, count=count):
                    model.output(Layers.concatenation(model, [model.input(1, h, w, c) for _ in range(count)]))
                yield Case("CONCATENATION of thin pixels", f"{count} of {byX(h, w, c)} {typeName}", typeName, build)
                def build(model, h=h, w=w, c=c, count=count):
                    model.output(*Layers.split(model, model.input(1, h, w, c * count), count))
                yield Case("SPLIT of thin pixels", f"{byX(h, w, c * count)} in {count} {typeName}", typeName, build)


def thinInside():
    for h, w in THIN[1:3]:
        for c in (1, 2, 4, 8, 12):
            def build(model, h=h, w=w, c=c):
                x = model.input(1, h, w, 8)
                parts = [Layers.conv(model, x, c, (3, 3)), Layers.conv(model, x, c, (1, 1))]
                model.output(Layers.conv(model, Layers.concatenation(model, parts), 16, (3, 3)))
            yield Case("CONCATENATION of thin pixels", f"2 of {byX(h, w, c)} between convolutions i8", "i8", build)
            def build(model, h=h, w=w, c=c):
                x = Layers.conv(model, model.input(1, h, w, 8), 2 * c, (3, 3))
                parts = [Layers.conv(model, part, 8, (3, 3)) for part in Layers.split(model, x, 2)]
                model.output(Layers.pair(model, "ADD", *parts))
            yield Case("SPLIT of thin pixels", f"{byX(h, w, 2 * c)} in 2 between convolutions i8", "i8", build)


def packs():
    for shape, count, axis in (((1, 112, 112), 3, 3), ((1, 512, 256), 2, 3), ((64, 64), 4, 2), ((1, 56, 56, 16), 2, 4), ((2048,), 2, 1)):
        def build(model, shape=shape, count=count, axis=axis):
            result = shape[:axis] + (count,) + shape[axis:]
            model.output(model.op("PACK", [model.input(*shape) for _ in range(count)], result, options="PackOptions",
                                  values_count=count, axis=axis))
        yield Case("PACK", f"{count} of {byX(*shape)} axis {axis} i8", "i8", build)


def pads():
    grid = (((1, 112, 112, 3), ((0, 0), (1, 1), (1, 1), (0, 0))), ((1, 112, 112, 3), ((0, 0), (0, 0), (0, 0), (0, 1))),
            ((1, 112, 112, 1), ((0, 0), (0, 0), (0, 0), (1, 2))), ((1, 320, 320, 3), ((0, 0), (0, 0), (0, 0), (0, 13))),
            ((1, 56, 56, 64), ((0, 0), (2, 2), (2, 2), (0, 0))), ((1, 28, 28, 12), ((0, 0), (0, 0), (0, 0), (6, 6))),
            ((1, 1, 2048, 4), ((0, 0), (0, 0), (8, 8), (0, 0))))
    for shape, pairs in grid:
        for typeName in ("i8", "f32") if shape[1] == 112 else ("i8",):
            def build(model, shape=shape, pairs=pairs):
                model.output(Layers.pad(model, model.input(*shape), pairs))
            text = " ".join(f"{low}+{high}" for low, high in pairs)
            yield Case("PAD", f"{byX(*shape)} by {text} {typeName}", typeName, build)


def spaces():
    for code in ("SPACE_TO_DEPTH", "DEPTH_TO_SPACE", "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"):
        for h, w, c, block in ((64, 64, 16, 2), (128, 128, 4, 2), (32, 32, 64, 4), (224, 224, 4, 2), (8, 8, 256, 2)):
            for typeName in ("i8", "f32") if (h, code[-2:]) == (64, "TH") else ("i8",):
                def build(model, code=code, h=h, w=w, c=c, block=block):
                    batch = block * block if code == "BATCH_TO_SPACE_ND" else 1
                    move = Layers.moveBatch if "BATCH" in code else Layers.moveSpace
                    model.output(move(model, model.input(batch, h, w, c), code, block))
                yield Case("space, depth and batch", f"{code} {byX(h, w, c)} block {block} {typeName}", typeName, build)


def gathers():
    for shape, count, axis in (((2048, 64), 128, 0), ((2048, 1), 2048, 0), ((1, 56, 56, 64), 32, 3), ((1, 56, 56, 64), 28, 1), ((1, 512, 16), 256, 1)):
        for typeName in ("i8", "f32"):
            def build(model, shape=shape, count=count, axis=axis):
                model.output(Layers.gather(model, model.input(*shape), count, axis))
            yield Case("GATHER", f"{count} of {byX(*shape)} axis {axis} {typeName}", typeName, build)


def cases():
    for part in (transposes, shuffles, thinJoins, thinInside, packs, pads, spaces, gathers):
        yield from part()

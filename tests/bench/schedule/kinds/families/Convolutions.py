# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of all kinds on maps from one pixel to 2,048 pixels in a row."""

import Layers
from Case import Case, byX

# height, width, input channels, output channels
MAPS = ((1, 1, 2048, 512), (7, 7, 512, 512), (14, 14, 96, 96), (28, 28, 64, 128), (56, 56, 64, 64), (112, 112, 32, 16),
        (224, 224, 3, 32), (512, 512, 4, 8), (1, 2048, 16, 64), (2048, 1, 16, 64), (33, 65, 1, 21), (5, 3, 7, 13))
TALL = {"f32": MAPS[2:6] + MAPS[10:], "i16": MAPS[2:6] + MAPS[10:], "u8": MAPS[3:4]}


def windows(family, typeName, kernel, stride=1, dilation=1, maps=None):
    for h, w, c, n in maps or TALL.get(typeName, MAPS):
        def build(model, h=h, w=w, c=c, n=n):
            model.output(Layers.conv(model, model.input(1, h, w, c), n, kernel, stride, dilation))
        extra = f" stride {stride}" * (stride > 1) + f" dilation {dilation}" * (dilation > 1)
        yield Case(family, f"{byX(*kernel)} {byX(h, w, c)}>{n}{extra} {typeName}", typeName, build)


def plain():
    for typeName in ("i8", "i16", "f32", "u8"):
        yield from windows("conv 1x1", typeName, (1, 1))
        yield from windows("conv 3x3", typeName, (3, 3))
    for kernel in ((5, 5), (7, 7), (1, 7), (9, 1)):
        yield from windows("conv other kernels", "i8", kernel, maps=MAPS[2:7] + MAPS[8:10])
    for stride in (2, 3, 4):
        for kernel in ((1, 1), (3, 3), (7, 7)):
            yield from windows("conv strided", "i8", kernel, stride, maps=MAPS[3:7])
    yield from windows("conv strided", "i16", (3, 3), 2, maps=MAPS[4:6])
    yield from windows("conv strided", "f32", (3, 3), 2, maps=MAPS[4:6])


def dilated():
    for dilation in (2, 3, 4, 6, 8, 12, 18):
        maps = ((33, 33, 64, 64), (65, 65, 256, 64), (28, 28, 32, 32), (1, 512, 64, 64))
        yield from windows("conv dilated", "i8", (3, 3), dilation=dilation, maps=maps)
    for typeName in ("i16", "f32"):
        yield from windows("conv dilated", typeName, (3, 3), dilation=4, maps=((33, 33, 64, 64), (28, 28, 32, 32)))


def depthwise():
    maps = ((7, 7, 512), (14, 14, 512), (28, 28, 192), (56, 56, 128), (112, 112, 64), (224, 224, 8), (1, 1024, 64), (1024, 1, 64),
            (33, 33, 13))
    grid = [("i8", (3, 3), 1, 1, 1, maps), ("i8", (3, 3), 2, 1, 1, maps), ("i8", (5, 5), 1, 1, 1, maps[:5]),
            ("i8", (7, 7), 2, 1, 1, maps[2:4]), ("i8", (3, 3), 1, 2, 1, maps[1:4]), ("i8", (3, 3), 1, 12, 1, maps[2:4]),
            ("i8", (3, 3), 1, 1, 2, maps[2:4]), ("i8", (3, 3), 1, 1, 8, maps[2:3]), ("i8", (31, 1), 1, 1, 1, maps[7:8]),
            ("i16", (3, 3), 1, 1, 1, maps[1:5]), ("f32", (3, 3), 1, 1, 1, maps[1:5]), ("f32", (3, 3), 2, 1, 1, maps[3:5]),
            ("u8", (3, 3), 1, 1, 1, maps[2:4])]
    for typeName, kernel, stride, dilation, multiplier, at in grid:
        for h, w, c in at:
            def build(model, h=h, w=w, c=c, kernel=kernel, stride=stride, dilation=dilation, multiplier=multiplier):
                x = model.input(1, h, w, c)
                model.output(Layers.depthwise(model, x, kernel, stride, dilation, multiplier=multiplier))
            extra = (f" stride {stride}" * (stride > 1) + f" dilation {dilation}" * (dilation > 1) +
                     f" multiplier {multiplier}" * (multiplier > 1))
            yield Case("depthwise", f"{byX(*kernel)} {byX(h, w, c)}{extra} {typeName}", typeName, build)


GROUPED = ((28, 28, 64, 4), (28, 28, 64, 16), (56, 56, 32, 2), (14, 14, 240, 3), (7, 7, 512, 32), (112, 112, 16, 4), (28, 28, 96, 24))


def grouped():
    for typeName, maps in (("i8", GROUPED), ("f32", GROUPED[:2])):
        for h, w, c, groups in maps:
            for kernel in ((1, 1), (3, 3)):
                def build(model, h=h, w=w, c=c, groups=groups, kernel=kernel):
                    model.output(Layers.conv(model, model.input(1, h, w, c), c, kernel, groups=groups))
                yield Case("conv grouped", f"{byX(*kernel)} {byX(h, w, c)} groups {groups} {typeName}", typeName, build)


def groupedBySplit():
    for typeName, maps in (("i8", GROUPED[:6]), ("f32", GROUPED[:1])):
        for h, w, c, groups in maps:
            def build(model, h=h, w=w, c=c, groups=groups):
                x = Layers.conv(model, model.input(1, h, w, c), c, (1, 1))
                parts = [Layers.conv(model, part, c // groups) for part in Layers.split(model, x, groups)]
                model.output(Layers.concatenation(model, parts))
            yield Case("conv grouped by SPLIT", f"1x1, 3x3 {byX(h, w, c)} groups {groups} {typeName}", typeName, build)


def transposed():
    for stride in (2, 3, 4):
        for kernel in (2, 3, 4, 5):
            for h, w, c, n in ((16, 16, 64, 32), (64, 64, 64, 16)):
                for padding in ("SAME", "VALID") if kernel == 3 else ("SAME" if kernel > stride else "VALID",):
                    def build(model, h=h, w=w, c=c, n=n, kernel=kernel, stride=stride, padding=padding):
                        model.output(Layers.transposeConv(model, model.input(1, h, w, c), n, kernel, stride, padding))
                    yield Case("TRANSPOSE_CONV", f"{byX(kernel, kernel)} {byX(h, w, c)}>{n} stride {stride} {padding} i8", "i8", build)
    for typeName in ("i16", "f32", "u8"):
        def build(model):
            model.output(Layers.transposeConv(model, model.input(1, 32, 32, 32), 16, 4, 2, "SAME"))
        yield Case("TRANSPOSE_CONV", f"4x4 32x32x32>16 stride 2 SAME {typeName}", typeName, build)
    for h, w, c, n in ((4, 4, 512, 256), (128, 128, 64, 2), (1, 256, 64, 64), (7, 5, 3, 3)):
        def build(model, h=h, w=w, c=c, n=n):
            model.output(Layers.transposeConv(model, model.input(1, h, w, c), n, 4, 2, "SAME"))
        yield Case("TRANSPOSE_CONV", f"4x4 {byX(h, w, c)}>{n} stride 2 SAME i8", "i8", build)


def cases():
    for part in (plain, dilated, depthwise, grouped, groupedBySplit, transposed):
        yield from part()

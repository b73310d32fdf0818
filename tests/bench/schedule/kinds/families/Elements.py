# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of each element, with and without broadcast, and resizes."""

import Layers
from Case import Case, byX


def pairs():
    shapes = (((1, 56, 56, 64), (1, 56, 56, 64)), ((1, 56, 56, 64), (64,)), ((1, 56, 56, 64), (1,)), ((1, 56, 56, 64), (1, 1, 1, 64)),
              ((1, 56, 56, 64), (1, 56, 56, 1)), ((1, 56, 56, 64), (1, 56, 1, 64)), ((1, 56, 56, 1), (1, 1, 1, 64)), ((1, 224, 224, 3), (1, 224, 224, 3)),
              ((197, 768), (768,)), ((2048, 3), (2048, 1)), ((1, 2048), (1, 2048)), ((1, 512, 512, 4), (1, 512, 512, 4)))
    codes = (("ADD", ("i8", "i16", "f32", "u8")), ("MUL", ("i8", "i16", "f32")), ("SUB", ("i8",)), ("MAXIMUM", ("i8", "f32")),
             ("DIV", ("f32",)), ("SQUARED_DIFFERENCE", ("i8", "f32")))
    for code, types in codes:
        for typeName in types:
            at = shapes if (code, typeName) in (("ADD", "i8"), ("MUL", "i8")) else shapes[:1] + shapes[3:6]
            for x, y in at:
                def build(model, code=code, x=x, y=y):
                    model.output(Layers.pair(model, code, model.input(*x), model.input(*y)))
                family = "pairs of elements" if x == y else "pairs with broadcast"
                yield Case(family, f"{code} {byX(*x)} and {byX(*y)} {typeName}", typeName, build)


def functions():
    codes = (("LOGISTIC", ("i8", "i16", "f32")), ("TANH", ("i8", "i16", "f32")), ("RELU", ("i8", "f32")), ("HARD_SWISH", ("i8", "f32")),
             ("EXP", ("f32",)), ("SQRT", ("f32", "i16")), ("ABS", ("i8", "f32")), ("LEAKY_RELU", ("i8", "i16", "f32")), ("ELU", ("i8", "f32")),
             ("GELU", ("i8", "f32")))
    options = {"LEAKY_RELU": ("LeakyReluOptions", {"alpha": 0.1}), "GELU": ("GeluOptions", {"approximate": True})}
    for code, types in codes:
        table, fields = options.get(code, (None, {}))
        for typeName in types:
            for shape in ((1, 56, 56, 64), (1, 224, 224, 3), (1, 16)):
                def build(model, code=code, shape=shape, table=table, fields=fields):
                    model.output(Layers.unary(model, code, model.input(*shape), table, **fields))
                yield Case("functions of an element", f"{code} {byX(*shape)} {typeName}", typeName, build)
    for typeName in ("i8", "f32"):
        def build(model):
            model.output(model.op("PRELU", [model.input(1, 56, 56, 64), model.constant((1, 1, 64))], (1, 56, 56, 64)))
        yield Case("functions of an element", f"PRELU 1x56x56x64 {typeName}", typeName, build)
        for source in ("i8", "f32", "i32"):
            if source == typeName:
                continue
            def build(model, source=source):
                code = "QUANTIZE" if (model.type, source) == ("i8", "f32") else \
                    "DEQUANTIZE" if (model.type, source) == ("f32", "i8") else "CAST"
                x = model.input(1, 56, 56, 64, typeName=source)
                model.output(model.op(code, [x], x.shape))
            if (typeName, source) != ("i8", "i32"):
                yield Case("functions of an element", f"1x56x56x64 {source} to {typeName}", typeName, build)


def resizes():
    for code in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
        for h, w, c, oh, ow in ((28, 28, 64, 56, 56), (33, 33, 21, 257, 257), (65, 65, 32, 129, 129), (224, 224, 3, 112, 112), (1, 1, 256, 33, 33),
                                (56, 56, 16, 75, 75), (16, 16, 128, 64, 64)):
            for typeName in ("i8", "f32") if h in (28, 33) else ("i8",):
                for form in ("", " half pixel") if h == 28 else ("",):
                    def build(model, code=code, h=h, w=w, c=c, oh=oh, ow=ow, form=form):
                        model.output(Layers.resize(model, model.input(1, h, w, c), code, oh, ow, bool(form)))
                    yield Case("resizes", f"{code} {byX(h, w, c)} to {byX(oh, ow)}{form} {typeName}", typeName, build)


def cases():
    for part in (pairs, functions, resizes):
        yield from part()

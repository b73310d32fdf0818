# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fully connected layers and products of matrices."""

import Layers
from Case import Case, byX


def fully():
    sizes = ((1, 1, 1), (1, 16, 2048), (1, 2048, 16), (1, 1024, 1000), (1, 2048, 2048), (2, 512, 512), (7, 640, 128), (49, 768, 256),
             (64, 64, 64), (256, 256, 1024), (512, 512, 33), (2048, 32, 32), (2048, 3, 5))
    for typeName, at in (("i8", sizes), ("i16", sizes[1:8]), ("f32", sizes[1:4] + sizes[6:9]), ("u8", sizes[3:4])):
        for rows, inputs, outputs in at:
            def build(model, rows=rows, inputs=inputs, outputs=outputs):
                model.output(Layers.fullyConnected(model, model.input(rows, inputs), outputs))
            yield Case("fully connected", f"{byX(rows, inputs)}>{outputs} {typeName}", typeName, build)


def products():
    sizes = ((1, 64, 64, 64), (8, 128, 64, 128), (4, 197, 64, 197), (12, 49, 32, 49), (1, 512, 512, 256), (64, 16, 16, 16), (16, 1, 64, 256),
             (2, 2048, 8, 8), (1, 1, 2048, 1024), (3, 7, 5, 9))
    for typeName, at in (("i8", sizes), ("i16", sizes[:5]), ("f32", sizes[:4])):
        for batch, rows, terms, columns in at:
            for isTransposed in (False, True):
                def build(model, batch=batch, rows=rows, terms=terms, columns=columns, isTransposed=isTransposed):
                    other = (columns, terms) if isTransposed else (terms, columns)
                    model.output(Layers.batchMatmul(model, model.input(batch, rows, terms), model.input(batch, *other),
                                                    isTransposed))
                form = " transposed" if isTransposed else ""
                yield Case("batch matmul", f"{byX(batch, rows, terms)} by {columns}{form} {typeName}", typeName, build)


def cases():
    yield from fully()
    yield from products()

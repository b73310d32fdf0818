# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of transformers, and blocks of them."""

import Blocks
import Layers
from Case import Case, byX

# Left and right operand: the type of the network, and that of the other matrix.
PRODUCTS = (("i8", "i8"), ("i16", "i8"), ("i16", "i16"), ("f16", "f16"), ("f32", "f32"))


def products():
    """Rows of 512 products for 512 columns."""
    for typeName, other in PRODUCTS:
        for rows in (1, 64, 512):
            for form in ("constant", "computed", "computed transposed", "constant of 4 heads", "computed of 4 heads"):
                def build(model, other=other, rows=rows, form=form):
                    matrices = (4,) if "heads" in form else ()
                    operand = model.constant if form.startswith("constant") else model.operand
                    scale = (0.02, 0) if other == "i8" else None
                    factors = operand((*matrices, 512, 512), typeName=other, quantization=scale)
                    model.output(Layers.batchMatmul(model, model.input(*matrices, rows, 512), factors, "transposed" in form))
                yield Case("matrix products", f"{rows}x512 by 512 {form} {typeName} by {other}", typeName, build)


def attentions():
    for typeName in ("i8", "i16", "f16", "f32"):
        for count in (1, 4, 8):
            for tokens in (64, 197, 512):
                if typeName == "f32" and tokens == 512:
                    continue
                def build(model, count=count, tokens=tokens):
                    shape = (1, count, tokens, 64)
                    model.output(Blocks.attention(model, *(model.input(*shape) for _ in range(3))))
                yield Case("attention", f"{count} heads {tokens} tokens {typeName}", typeName, build)


ROWS = {"layer norm": Blocks.layerNorm, "RMS norm": Blocks.rmsNorm}


def rows():
    for name, part in ROWS.items():
        for typeName in ("i8", "i16", "f16", "f32"):
            for tokens, width in ((1, 1024), (64, 256), (512, 512)):
                def build(model, part=part, tokens=tokens, width=width):
                    model.output(part(model, model.input(1, tokens, width)))
                yield Case(name, f"{byX(tokens, width)} {typeName}", typeName, build)
    for typeName in ("i8", "i16", "f16", "f32"):
        for count, tokens in ((8, 1), (4, 64), (8, 512)):
            def build(model, count=count, tokens=tokens):
                model.output(Blocks.rotary(model, model.input(1, count, tokens, 64)))
            yield Case("rotary embedding", f"{count} heads {tokens} tokens {typeName}", typeName, build)


BLOCKS = {"encoder": Blocks.encoder, "decoder": Blocks.decoder, "conformer": Blocks.conformer}


def blocks():
    for name, block in BLOCKS.items():
        for typeName in ("i8", "i16", "f32"):
            for tokens, width in ((64, 128), (197, 256)):
                def build(model, block=block, tokens=tokens, width=width):
                    model.output(block(model, model.input(1, tokens, width), 4))
                yield Case("transformer blocks", f"{name} {byX(tokens, width)} {typeName}", typeName, build)
    for typeName in ("i8", "i16", "f32"):
        def build(model):
            model.output(Blocks.vision(model, model.input(1, 224, 224, 3), 192, 3))
        yield Case("transformer blocks", f"vision 224x224 by 192 {typeName}", typeName, build)


def cases():
    for part in (products, attentions, rows, blocks):
        yield from part()

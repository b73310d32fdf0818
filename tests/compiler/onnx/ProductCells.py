# ProductCells.py - Random matrix products, normalizations and attention
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

import Proto
from Row import FLOATS, rows

PLAIN = ("f32", "f16")
MICROSOFT = "com.microsoft"


def product_shapes(draw):
    """Of matrices, with broadcast batches, or of vectors."""
    m, k, n = draw.extents(3, 6)
    if draw.chance(0.2):
        return draw.choice([([k], [k, n]), ([m, k], [k]), ([k], [k])])
    batch = draw.extents(draw.integer(0, 2), 3)
    left, right = draw.broadcast(batch), batch
    if draw.chance(0.5):
        left, right = right, left
    return [*left, m, k], [*right, k, n]


def weights(case, draw, value, chance=0.5):
    return case.constant(value) if draw.chance(chance) else case.input(value)


def matmul(case, draw, type_):
    left, right = product_shapes(draw)
    case.result(case.node("MatMul", [case.input(draw.tensor(type_, left)), weights(case, draw, draw.tensor(type_, right))]))


def fused_matmul(case, draw, type_):
    left, right = product_shapes(draw)
    attributes = {"alpha": draw.choice([None, 0.5])}
    for name, shape in (("transA", left), ("transB", right)):
        if min(len(left), len(right)) > 1 and draw.chance(0.5):  # ONNX Runtime reads vectors in another way then
            shape[-2:] = shape[:-3:-1]
            attributes[name] = 1
    case.result(case.node("FusedMatMul", [case.input(draw.tensor(type_, left)), weights(case, draw, draw.tensor(type_, right))],
                          domain=MICROSOFT, **attributes))


def gemm(case, draw, type_):
    m, k, n = draw.extents(3, 6)
    attributes, a, b = {}, [m, k], [k, n]
    if draw.chance(0.5):
        attributes["transA"], a = 1, [k, m]
    if draw.chance(0.5):
        attributes["transB"], b = 1, [n, k]
    if type_ in FLOATS:
        attributes |= {"alpha": draw.choice([None, 0.5]), "beta": draw.choice([None, 2.0])}
    inputs = [case.input(draw.tensor(type_, a)), weights(case, draw, draw.tensor(type_, b))]
    if case.version < 11 or draw.chance(0.7):
        inputs.append(weights(case, draw, draw.tensor(type_, draw.choice([[m, n], [n], [1, n], [m, 1], [1]]))))
    case.result(case.node("Gemm", inputs, **attributes))


EQUATIONS = ("ij,jk->ik", "bij,bjk->bik", "ij->ji", "ij,ij->", "ij,jk", "...ij,...jk->...ik", "i,j->ij", "ij->i", "bhij,bhkj->bhik",
             "ii->i", "ijk->k", "ij,ij->ij", "bij,jk->bik", "ibh,jbh->bij", "ij,jk,kl->il")


def einsum(case, draw, type_):
    equation = draw.choice(EQUATIONS)
    extents = {letter: draw.integer(1, 4) for letter in "bhijkl"}
    batch = draw.extents(2, 3)
    shapes = [[*(batch if "..." in term else []), *(extents[letter] for letter in term.replace("...", ""))]
              for term in equation.split("->")[0].split(",")]
    case.result(case.node("Einsum", [case.input(draw.tensor(type_, shape)) for shape in shapes], equation=equation))


def channels(case, draw, type_, count, low=None, high=None):
    return case.constant(draw.tensor(type_, [count], low, high))


def batch_normalization(case, draw, type_):
    shape = draw.extents(draw.integer(2, 5))
    inputs = [case.input(draw.tensor(type_, shape)),
              *(channels(case, draw, type_, shape[1], *bounds) for bounds in ((-2, 2), (-2, 2), (-2, 2), (0.1, 3)))]
    if case.version >= 14 and type_ == "f32" and draw.chance(0.3):
        return case.result(case.node("BatchNormalization", inputs, 3, training_mode=1, momentum=draw.choice([None, 0.8])), 1e-4)
    return case.result(case.node("BatchNormalization", inputs, epsilon=draw.choice([None, 1e-3]), momentum=draw.choice([None, 0.8])))


def instance_normalization(case, draw, type_):
    shape = [*draw.extents(2), *(each + 1 for each in draw.extents(draw.integer(1, 3)))]
    case.result(case.node("InstanceNormalization", [case.input(draw.tensor(type_, shape)), channels(case, draw, type_, shape[1]),
                                                    channels(case, draw, type_, shape[1])], epsilon=draw.choice([None, 1e-2])))


def group_normalization(case, draw, type_):
    groups, each = draw.integer(1, 3), draw.integer(1, 3)
    count = groups if case.version < 21 else groups * each
    x = case.input(draw.tensor(type_, [draw.integer(1, 2), groups * each, *(e + 1 for e in draw.extents(draw.integer(1, 2)))]))
    case.result(case.node("GroupNormalization", [x, channels(case, draw, type_, count), channels(case, draw, type_, count)],
                          num_groups=groups, epsilon=draw.choice([None, 1e-3])))


def layer_normalization(operator):
    def case(case, draw, type_):
        shape = [each + 1 for each in draw.extents(draw.integer(1, 4))]
        axis = draw.integer(0, len(shape) - 1)
        inputs = [case.input(draw.tensor(type_, shape)), case.constant(draw.tensor(type_, shape[axis:]))]
        if operator == "LayerNormalization" and draw.chance(0.7):
            inputs.append(case.constant(draw.tensor(type_, shape[axis:])))
        given = draw.signed(axis, len(shape), 17)
        case.result(case.node(operator, inputs, axis=None if axis == len(shape) - 1 and draw.chance(0.5) else given,
                              epsilon=draw.choice([None, 1e-3])))
    return case


def lrn(case, draw, type_):
    attributes = {"size": draw.choice([1, 3, 5]), "alpha": draw.choice([None, 0.1]), "beta": draw.choice([None, 0.5]),
                  "bias": draw.choice([None, 2.0])}
    case.result(case.node("LRN", [case.input(draw.tensor(type_, [1, draw.integer(1, 8), *draw.extents(2)]))], **attributes))


def attention(case, draw, type_):
    batch, kv_heads, length, total, width = draw.integer(1, 2), draw.integer(1, 2), *draw.extents(2, 5), 2 * draw.integer(1, 3)
    heads, flat = kv_heads * draw.integer(1, 2), draw.chance(0.4)
    value_width = width if draw.chance(0.6) else 2 * draw.integer(1, 3)
    attributes = {"is_causal": draw.choice([None, 0, 1]), "scale": draw.choice([None, 0.3])}
    if flat:
        attributes |= {"q_num_heads": heads, "kv_num_heads": kv_heads}
    def operand(count, rows_, columns):
        shape = [batch, rows_, count * columns] if flat else [batch, count, rows_, columns]
        return case.input(draw.tensor(type_, shape, -1, 1))
    past = draw.integer(1, 3) if draw.chance(0.3) else 0
    inputs = [operand(heads, length, width), operand(kv_heads, total, width), operand(kv_heads, total, value_width), None, None, None]
    if draw.chance(0.5):
        shape = draw.choice([[length, total + past], [batch, heads, length, total + past], [batch, 1, length, total + past]])
        inputs[3] = case.input(draw.tensor(draw.choice(["bool", type_]), shape))
        if case.inputs[inputs[3]].type == "bool":
            case.inputs[inputs[3]].array[..., 0] = True  # no row without a key
    if past:
        inputs[4] = case.input(draw.tensor(type_, [batch, kv_heads, past, width], -1, 1))
        inputs[5] = case.input(draw.tensor(type_, [batch, kv_heads, past, value_width], -1, 1))
    if draw.chance(0.3):
        attributes["softcap"] = 2.0
    while inputs[-1] is None:
        inputs.pop()
    case.result(case.node("Attention", inputs, 3 if past else 1, **attributes), 1e-4 if type_ == "f32" else None)


def rotary_embedding(case, draw, type_):
    batch, heads, length, width = draw.integer(1, 2), draw.integer(1, 3), draw.integer(1, 4), 4 * draw.integer(1, 3)
    rotated = draw.choice([0, width // 2])
    half, positions, flat = (rotated or width) // 2, draw.chance(0.6), draw.chance(0.4)
    shape = [batch, length, heads * width] if flat else [batch, heads, length, width]
    tables = [length + 3, half] if positions else [batch, length, half]
    inputs = [case.input(draw.tensor(type_, shape)), *(case.constant(draw.tensor(type_, tables, -1, 1)) for _ in range(2))]
    if positions:
        inputs.append(case.input(draw.tensor("i64", [batch, length], 0, length + 2)))
    case.result(case.node("RotaryEmbedding", inputs, interleaved=draw.choice([None, 0, 1]), num_heads=heads if flat else None,
                          rotary_embedding_dim=rotated or None))


def skip_normalization(operator):
    def case(case, draw, type_):
        shape, width = draw.extents(2, 3), draw.integer(2, 8)
        inputs = [case.input(draw.tensor(type_, [*shape, width])), case.input(draw.tensor(type_, [*shape, width])),
                  channels(case, draw, type_, width)]
        if operator == "SkipLayerNormalization":
            inputs.append(channels(case, draw, type_, width) if draw.chance(0.7) else None)
        if draw.chance(0.5):
            inputs.append(channels(case, draw, type_, width))
        while inputs[-1] is None:
            inputs.pop()
        case.result(case.node(operator, inputs, domain=MICROSOFT, epsilon=draw.choice([None, 1e-3])))
    return case


def simplified_normalization(case, draw, type_):
    shape = [each + 1 for each in draw.extents(draw.integer(1, 3))]
    case.result(case.node("SimplifiedLayerNormalization", [case.input(draw.tensor(type_, shape)), channels(case, draw, type_, shape[-1])],
                          axis=-1, epsilon=draw.choice([None, 1e-3])))


def biased(operator):
    def case(case, draw, type_):
        shape = draw.extents(draw.integer(1, 3))
        inputs = [case.input(draw.tensor(type_, shape))]
        if operator == "BiasGelu" or draw.chance(0.5):
            inputs.append(channels(case, draw, type_, shape[-1]))
        case.result(case.node(operator, inputs, domain=MICROSOFT))
    return case


def simple(operator, **attributes):
    def case(case, draw, type_):
        drawn = {name: draw.choice([None, value]) for name, value in attributes.items()}
        case.result(case.node(operator, [case.input(draw.tensor(type_, draw.extents(draw.integer(1, 3))))], domain=MICROSOFT, **drawn))
    return case


def matmul_bits(case, draw, type_):
    k, n, block = 16 * draw.integer(1, 3), draw.integer(1, 6), draw.choice([16, 32])
    blocks = -(-k // block)
    inputs = [case.input(draw.tensor(type_, [*draw.extents(draw.integer(0, 1), 2), draw.integer(1, 4), k], -1, 1)),
              case.constant(draw.tensor("u8", [n, blocks, block // 2])),
              case.constant(draw.tensor(type_, [n * blocks], 0.01, 0.2))]
    if draw.chance(0.5):
        inputs.append(case.constant(draw.tensor("u8", [n * -(-blocks // 2)])))
    case.result(case.node("MatMulNBits", inputs, domain=MICROSOFT, K=k, N=n, bits=4, block_size=block), 1e-4)


def grouped_query(case, draw, type_):
    batch, kv_heads, length, width = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 4), 16
    heads, past = kv_heads * draw.integer(1, 3), draw.integer(0, 4)
    length = 1 if past else length
    total = past + length
    cache = [batch, kv_heads, past, width]
    inputs = [case.input(draw.tensor(type_, [batch, length, heads * width], -1, 1)),
              *(case.input(draw.tensor(type_, [batch, length, kv_heads * width], -1, 1)) for _ in range(2)),
              *((case.input(draw.tensor(type_, cache, -1, 1)) for _ in range(2)) if past else (None, None)),
              case.constant(Proto.tensor("i32", np.full([batch], total - 1))), case.constant(Proto.tensor("i32", total))]
    attributes = {"num_heads": heads, "kv_num_heads": kv_heads, "scale": draw.choice([None, 0.4])}
    if draw.chance(0.5):
        attributes |= {"do_rotary": 1, "rotary_interleaved": draw.choice([None, 1])}
        inputs += [case.constant(draw.tensor(type_, [total + 2, width // 2], -1, 1)) for _ in range(2)]
    case.result(case.node("GroupQueryAttention", inputs, 3, domain=MICROSOFT, **attributes), 1e-4)


def microsoft_rotary(case, draw, type_):
    batch, heads, length, width = draw.integer(1, 2), draw.integer(1, 3), draw.integer(1, 4), 4 * draw.integer(1, 3)
    flat, one = draw.chance(0.5), draw.chance(0.4)
    shape = [batch, length, heads * width] if flat else [batch, heads, length, width]
    positions = draw.tensor("i64", [1], 0, 2) if one else draw.tensor("i64", [batch, length], 0, length + 2)
    inputs = [case.input(draw.tensor(type_, shape)), case.input(positions),
              *(case.constant(draw.tensor(type_, [length + 3, width // 2], -1, 1)) for _ in range(2))]
    case.result(case.node("RotaryEmbedding", inputs, domain=MICROSOFT, interleaved=draw.choice([None, 0, 1]),
                          num_heads=heads if flat and draw.chance(0.3) else None))


def multi_head(case, draw, type_):
    batch, heads, length, total, width = draw.integer(1, 2), draw.integer(1, 3), *draw.extents(2, 5), 4 * draw.integer(1, 2)
    hidden = heads * width
    inputs = [case.input(draw.tensor(type_, [batch, length, hidden], -1, 1)),
              *(case.input(draw.tensor(type_, [batch, total, hidden], -1, 1)) for _ in range(2))]
    if draw.chance(0.5):
        inputs.append(case.constant(draw.tensor(type_, [3 * hidden], -1, 1)))
    if draw.chance(0.4):
        inputs += [None] * (5 - len(inputs)) + [case.input(draw.tensor(type_, [1, 1, length, total], -2, 2))]
    case.result(case.node("MultiHeadAttention", inputs, domain=MICROSOFT, num_heads=heads, scale=draw.choice([None, 0.3])), 1e-4)


ROWS = [
    *rows("MatMul", "7 9 13", {7: PLAIN, 9: (*PLAIN, "f64", "i32", "i64")}, matmul),
    *rows("Gemm", "7 9 11 13", PLAIN, gemm),
    *rows("Einsum", "12", ("f32", "i32"), einsum),
    *rows("BatchNormalization", "7 9 14 15", PLAIN, batch_normalization),
    *rows("InstanceNormalization", "7 22", ("f32",), instance_normalization),
    *rows("GroupNormalization", "21", PLAIN, group_normalization),
    *rows("LayerNormalization", "17", PLAIN, layer_normalization("LayerNormalization")),
    *rows("RMSNormalization", "23", PLAIN, layer_normalization("RMSNormalization")),
    *rows("LRN", "7 13", ("f32",), lrn),
    *rows("Attention", "23 24", PLAIN, attention),
    *rows("RotaryEmbedding", "23", PLAIN, rotary_embedding),
    *rows("FusedMatMul", "13", ("f32",), fused_matmul, MICROSOFT),
    *rows("SkipLayerNormalization", "13", ("f32",), skip_normalization("SkipLayerNormalization"), MICROSOFT),
    *rows("SkipSimplifiedLayerNormalization", "13", ("f32",), skip_normalization("SkipSimplifiedLayerNormalization"), MICROSOFT),
    *rows("SimplifiedLayerNormalization", "13", ("f32",), simplified_normalization),
    *rows("BiasGelu", "13", ("f32",), biased("BiasGelu"), MICROSOFT),
    *rows("FastGelu", "13", ("f32",), biased("FastGelu"), MICROSOFT),
    *rows("Gelu", "13", ("f32",), simple("Gelu"), MICROSOFT),
    *rows("QuickGelu", "13", ("f32",), simple("QuickGelu", alpha=1.5), MICROSOFT),
    *rows("MatMulNBits", "13", ("f32",), matmul_bits, MICROSOFT),
    *rows("RotaryEmbedding", "13", ("f32",), microsoft_rotary, MICROSOFT),
    *rows("MultiHeadAttention", "13", ("f32",), multi_head, MICROSOFT),
    *rows("GroupQueryAttention", "13", ("f32",), grouped_query, MICROSOFT),
]

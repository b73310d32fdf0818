# Cells.py - The operators and types that are compared at random
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cell is an operator with element types. Its function adds one random case to a network. Numbers keep to what the
specification defines: sums do not overflow, indices are inside, operands of a rescale are in range."""
from Draw import FLOATS
from ElementCells import (binary, cast, clamp, intdiv, mul, nan_mode, negate, power, rounds, select, shift, table, unary)
from MoveCells import (argmax, concat, gather, pad, reduce, reshape, resize, reverse, scatter, slice_, spectrum, tile,
                       transpose)
from RescaleCells import rescale, sum_of_rescaled
from WindowCells import convolution, matmul, pool

MOVED = ("i1", "i8", "i16", "i32", "f32", "f16", "bf16")

# Operator (with a form), element types, function.
CELLS = [
    *[(name, FLOATS, unary(name, low, high)) for name, low, high in
      [("ceil", None, None), ("floor", None, None), ("exp", -4, 4), ("log", 0.01, 50), ("rsqrt", 0.01, 50),
       ("reciprocal", 0.1, 20), ("sin", None, None), ("cos", None, None), ("erf", -3, 3), ("tanh", -4, 4),
       ("sigmoid", None, None)]],
    ("abs", ("i32", *FLOATS), unary("abs")),
    ("clz", ("i32",), unary("clz")),
    ("bitwise_not", ("i8", "i16", "i32"), unary("bitwise_not")),
    ("logical_not", ("i1",), unary("logical_not")),
    ("negate", ("i8", "i16", "i32", *FLOATS), negate),
    ("add", ("i32",), binary("add", -2**30, 2**30 - 1)),
    ("add", FLOATS, binary("add")),
    ("sub", ("i32",), binary("sub", -2**30, 2**30 - 1)),
    ("sub", FLOATS, binary("sub")),
    ("mul", ("i8", "i16", "i32", *FLOATS), mul),
    ("pow", FLOATS, power),
    ("intdiv", ("i32",), intdiv),
    *[(name, ("i32", *FLOATS), binary(name, attributes=nan_mode)) for name in ("maximum", "minimum")],
    *[(name, ("i8", "i16", "i32"), binary(name)) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")],
    *[(name, ("i1",), binary(name)) for name in ("logical_and", "logical_or", "logical_xor")],
    *[(name, ("i32", *FLOATS), binary(name, result="i1")) for name in ("equal", "greater", "greater_equal")],
    *[(name, ("i8", "i16", "i32"), shift(name)) for name in ("logical_left_shift", "logical_right_shift")],
    ("arithmetic_right_shift", ("i8", "i16", "i32"), shift("arithmetic_right_shift", rounds)),
    ("select", MOVED, select),
    ("table", ("i8", "i16"), table),
    ("clamp", ("i8", "i16", *FLOATS), clamp),
    *[(f"cast to {to}", from_, cast(to)) for to, from_ in
      [("i1", ("i8", "i16", "i32")), ("i8", ("i1", "i16", "i32", *FLOATS)), ("i16", ("i1", "i8", "i32", *FLOATS)),
       ("i32", ("i1", "i8", "i16", *FLOATS)), ("f32", ("i8", "i16", "i32", "f16", "bf16")),
       ("f16", ("i8", "i16", "i32", "f32")), ("bf16", ("i8", "i16", "i32", "f32"))]],
    *[(f"rescale to {to}", ("i8", "i16", "i32", "i48"), rescale(to)) for to in ("i8", "i16", "i32")],
    ("rescale from unsigned to i8", ("i8", "i16"), rescale("i8", (True, False))),
    ("rescale to unsigned i8", ("i8", "i16", "i32"), rescale("i8", (False, True))),
    ("rescale to unsigned i16", ("i8", "i16"), rescale("i16", (False, True))),
    ("reduce_all", ("i1",), reduce("reduce_all")),
    ("reduce_any", ("i1",), reduce("reduce_any")),
    *[(name, ("i8", "i16", "i32", *FLOATS), reduce(name)) for name in ("reduce_max", "reduce_min")],
    ("reduce_sum", ("i32", *FLOATS), reduce("reduce_sum")),
    ("reduce_product", FLOATS, reduce("reduce_product", -2, 2)),
    ("argmax", ("i8", "i16", *FLOATS), argmax),
    *[(name, MOVED, function) for name, function in
      [("concat", concat), ("pad", pad), ("reshape", reshape), ("reverse", reverse), ("slice", slice_), ("tile", tile),
       ("transpose", transpose)]],
    ("identity", MOVED, unary("identity")),
    ("gather", ("i8", "i16", "i32", *FLOATS), gather),
    ("scatter", ("i8", "i16", "i32", *FLOATS), scatter),
    ("resize nearest", ("i8", "i16", *FLOATS), resize("NEAREST_NEIGHBOR")),
    ("resize bilinear", ("i8", "i16", *FLOATS), resize("BILINEAR")),
    *[(name, ("f32",), spectrum(name)) for name in ("fft2d", "rfft2d")],
    ("avg_pool2d", ("i8", "i16", *FLOATS), pool("avg_pool2d")),
    ("max_pool2d", ("i8", "i16", *FLOATS), pool("max_pool2d")),
    *[(f"{name} weights {weight}{f' rescaled to {to}' if to else ''}", (element,), convolution(name, weight, to))
      for name in ("conv2d", "depthwise_conv2d", "transpose_conv2d", "conv3d")
      for element, weight, to in [("i8", "i8", None), ("i8", "i8", "i8"), ("i8", "i4", "i8"), ("i8", "i8", "i16"),
                                  ("i16", "i8", None), ("i16", "i8", "i16"), ("f32", "f32", None), ("f16", "f16", None),
                                  ("bf16", "bf16", None)]],
    ("matmul", ("i8", "i16", *FLOATS), matmul()),
    ("matmul rescaled to i8", ("i8",), matmul("i8")),
    ("matmul rescaled to i16", ("i16",), matmul("i16")),
    *[(f"{name} of rescaled", ("i8",), sum_of_rescaled(name)) for name in ("add", "sub", "mul")],
]

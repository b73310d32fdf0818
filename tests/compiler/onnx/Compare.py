# Compare.py - Differences between results
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from Proto import TYPES

# Largest difference from the runtime, which computes in its own order: relative, and absolute near 0.
BOUNDS = {"f32": 2e-5, "f16": 4e-3}
# What the device computes with: 64-bit floats are 32-bit ones there.
ON_DEVICE = {"f64": "f32"}


def device_data(tensor):
    """The bytes of an input as the device takes it."""
    to = ON_DEVICE.get(tensor.type)
    return np.ascontiguousarray(tensor.array, TYPES[to][1]).tobytes() if to else tensor.data()


def differs(ours, theirs, type_, bound):
    """Which elements differ."""
    if type_ not in BOUNDS:
        if bound and type_ != "bool":
            return np.abs(ours.astype(np.int64) - theirs.astype(np.int64)) > bound
        return ours != theirs
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(ours - theirs) <= max(bound or 0, BOUNDS[type_]) * np.maximum(1, np.abs(theirs))
    return ~(near | (ours == theirs) | (np.isnan(ours) & np.isnan(theirs)))


def difference(data, expected, bound):
    """The first difference of a result, as text, or None. `bound`: relative for floats, if it is wider than that of the type;
    steps for integers."""
    type_ = ON_DEVICE.get(expected.type, expected.type)
    dtype = np.dtype(TYPES[type_][1])
    if len(data) != expected.array.size * dtype.itemsize:
        return f"has {len(data)} bytes, must be {type_} {expected.shape}"
    with np.errstate(over="ignore"):
        theirs = expected.array.astype(dtype).reshape(-1)
    ours = np.frombuffer(data, dtype)
    wrong = np.flatnonzero(differs(ours, theirs, type_, bound))
    if not wrong.size:
        return None
    return f"[{wrong[0]}] of {expected.type} {expected.shape} is {ours[wrong[0]]}, must be {theirs[wrong[0]]} ({wrong.size} differ)"

#===- FixedPoint.py - Fixed-point arithmetic of the TFLite reference kernels on numpy arrays
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Integer arithmetic that rounds as the TFLite reference kernels do; all arrays are int64 that hold int32 values."""

import numpy as np

kMax32 = 2**31 - 1
kMin32 = -2**31


def quantizeMultiplier(real):
    """A positive real as (31-bit significand, exponent): real = significand * 2^(exponent - 31)."""
    fraction, exponent = np.frexp(np.float64(real))
    significand = int(np.floor(fraction * 2**31 + 0.5))
    if significand == 2**31:
        significand, exponent = significand // 2, exponent + 1
    return (0, 0) if exponent < -31 else (significand, int(exponent))


def divideTowardsZero(a, b):
    return np.sign(a) * (np.abs(a) // b)


def doublingHighMultiply(a, b):
    """round(a * b / 2^31), ties away from zero, saturated."""
    product = np.asarray(a, np.int64) * np.asarray(b, np.int64)
    nudged = product + np.where(product >= 0, 2**30, 1 - 2**30)
    return np.minimum(divideTowardsZero(nudged, 2**31), kMax32)


def roundingShiftRight(a, exponent):
    """round(a / 2^exponent), ties away from zero."""
    a, exponent = np.asarray(a, np.int64), np.asarray(exponent, np.int64)
    mask = (np.int64(1) << exponent) - 1
    threshold = (mask >> 1) + (a < 0)
    return (a >> exponent) + ((a & mask) > threshold)


def shiftLeftSaturated(a, exponent):
    return np.clip(np.asarray(a, np.int64) << exponent, kMin32, kMax32)


def rescale(a, multipliers):
    """a * multiplier with two roundings; multipliers is one (significand, exponent) or one per channel."""
    pairs = np.array(multipliers, np.int64).reshape(-1, 2)
    significand, exponent = (pairs[:, 0], pairs[:, 1]) if len(pairs) > 1 else pairs[0]
    shifted = np.asarray(a, np.int64) << np.maximum(exponent, 0)
    return roundingShiftRight(doublingHighMultiply(shifted, significand), np.maximum(-exponent, 0))


# The barrel shifter of exp: bit 2^k of the remainder multiplies by exp(-2^k) in Q0.31.
kExpSteps = {k: int(round(np.exp(-2.0**k) * 2**31)) for k in range(-2, 5)}


def expOnQuarter(a):
    """exp(a) in Q0.31 for a in [-1/4, 0) in Q0.31: Taylor to the fourth order around -1/8."""
    expOfEighth, third = int(round(np.exp(-0.125) * 2**31)), int(round(2**31 / 3))
    x = a + 2**28
    x2 = doublingHighMultiply(x, x)
    x3 = doublingHighMultiply(x2, x)
    x4 = doublingHighMultiply(x2, x2)
    tail = roundingShiftRight(doublingHighMultiply(roundingShiftRight(x4, 2) + x3, third) + x2, 1)
    return np.clip(expOfEighth + doublingHighMultiply(expOfEighth, x + tail), kMin32, kMax32)


def expOfNegative(a):
    """exp(a) in Q0.31 for a <= 0 in Q5.26."""
    quarter = 2**24
    folded = (a & (quarter - 1)) - quarter
    result, remainder = expOnQuarter(shiftLeftSaturated(folded, 5)), folded - a
    for k, multiplier in kExpSteps.items():
        hasBit = (remainder & (np.int64(1) << (26 + k))) != 0
        result = np.where(hasBit, doublingHighMultiply(result, multiplier), result)
    return np.where(a == 0, kMax32, result)


def reciprocalOfOnePlus(a):
    """1 / (1 + a) in Q0.31 for a in [0, 1) in Q0.31: three Newton-Raphson steps from 48/17 - 32/17 d."""
    half = divideTowardsZero(a + kMax32 + 1, 2)
    x = int(round(48 / 17 * 2**29)) + doublingHighMultiply(half, -int(round(32 / 17 * 2**29)))
    for _ in range(3):
        missing = 2**29 - doublingHighMultiply(half, x)
        x = x + shiftLeftSaturated(doublingHighMultiply(x, missing), 2)
    return shiftLeftSaturated(x, 1)


def reciprocal(a, integerBits):
    """1 / a as (Q0.31 significand, bits over unit) for a > 0 with that many integer bits."""
    leadingZeros = 31 - np.floor(np.log2(a.astype(np.float64))).astype(np.int64)
    return reciprocalOfOnePlus((a << leadingZeros) - 2**31), integerBits - leadingZeros

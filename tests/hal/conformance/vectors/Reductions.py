#===- Reductions.py - Cases of reductions, selections and normalizations
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Operations that compute each result from several elements."""

import numpy as np

from Cases import Family, Type, flag, integer, kRuns, number, ramp, tensor

kCoupled = kRuns + " QuantCoupling"
kWords = (1 << 64) - 1
# Constants of FarmHash.
kMultiplier = 0x9AE16A3B2F90404F


def rotate(value, bits):
    return (value >> bits | value << 64 - bits) & kWords


def fingerprint8(text):
    """FarmHash's 64-bit fingerprint of eight bytes."""
    multiplier = (kMultiplier + 16) & kWords
    word = int.from_bytes(text, "little")
    a, b = (word + kMultiplier) & kWords, word
    c = (rotate(b, 37) * multiplier + a) & kWords
    d = (rotate(a, 25) + b) * multiplier & kWords
    mixed = (c ^ d) * multiplier & kWords
    mixed ^= mixed >> 47
    last = (d ^ mixed) * multiplier & kWords
    last ^= last >> 47
    return last * multiplier & kWords


def lshBit(seed, items, weights):
    score = 0.0
    for item, weight in zip(items, weights):
        hashed = fingerprint8(np.float32(seed).tobytes() + np.int32(item).tobytes())
        score += weight * float(hashed - (1 << 64) if hashed >> 63 else hashed)
    return int(score > 0)


def softmax(x, beta=1.0):
    powers = np.exp(beta * (x - np.max(x, -1, keepdims=True)))
    return powers / np.sum(powers, -1, keepdims=True)


def reductions(family):
    x = ramp(2, 3, 2)
    for name, operation, function in (("mean", "MEAN", np.mean),):
        family.simple(name, operation, [("f", x), tensor("i", [1]), integer(1)], [("f", function(x, 1, keepdims=True))])
    for name, operation, function in (("reduceMax", "REDUCE_MAX", np.max), ("reduceMin", "REDUCE_MIN", np.min),
                                      ("reduceProd", "REDUCE_PROD", np.prod),
                                      ("reduceSum", "REDUCE_SUM", np.sum)):
        family.simple(name, operation, [("f", x), tensor("i", [-1]), flag(0)], [("f", function(x, -1))])
    bits = np.array([[0, 1, 1], [1, 1, 1]])
    family.simple("reduceAll", "REDUCE_ALL", [("b", bits), tensor("i", [1]), flag(0)], [("b", np.all(bits, 1))])
    family.simple("reduceAny", "REDUCE_ANY", [("b", bits), tensor("i", [0]), flag(1)], [("b", np.any(bits, 0, keepdims=True))])
    mixed = np.array([[3.0, 9.0, 9.0], [-1.0, -5.0, -2.0]])
    family.simple("argmax", "ARGMAX", [("f", mixed), integer(1)], [("i", np.argmax(mixed, 1))])
    family.simple("argmin", "ARGMIN", [("f", mixed), integer(0)], [("i", np.argmin(mixed, 0))])
    u = Type("u", 0.5, 7)
    stored = np.array([[1, 2, 250], [4, 5, 6]])
    family.simple("reduceMaxQuantized", "REDUCE_MAX", [(u, stored), tensor("i", [1]), flag(0)], [(u, np.max(stored, 1))],
                  runs=kCoupled)


def selections(family):
    table = ramp(4, 2)
    family.simple("embeddingLookup", "EMBEDDING_LOOKUP", [("i", [3, 0, 3]), ("f", table)], [("f", table[[3, 0, 3]])])
    # Keys are sorted; a missing key gives zeros and hit 0.
    family.simple("hashtableLookup", "HASHTABLE_LOOKUP", [("i", [20, 5, 10]), ("i", [1, 10, 20, 30]), ("f", table)],
                  [("f", [table[2], [0, 0], table[1]]), (Type("u", 1.0, 0), [1, 0, 1])])
    seeds, items, weights = np.array([[0.123, 0.456], [-0.321, 1.5]]), [12345, 54321, 67890], [1.0, 1.0, 0.5]
    family.simple("lshProjection", "LSH_PROJECTION", [tensor("f", seeds), ("i", items), ("f", weights), integer(2)],
                  [("i", [lshBit(seed, items, weights) for seed in seeds.flat])])
    x = np.array([[3.0, 1.0, 2.0], [-1.0, 5.0, 0.0]])
    family.simple("topK", "TOPK_V2", [("f", x), integer(2)], [("f", [[3, 2], [5, 0]]), ("i", [[0, 2], [1, 2]])])
    # Of equal elements the last comes first.
    family.simple("topKOfEqual", "TOPK_V2", [("f", [[1.0, 3.0, 3.0, 2.0, 3.0]]), integer(4)],
                  [("f", [[3, 3, 3, 2]]), ("i", [[4, 2, 1, 3]])])


def multinomial(family):
    """The runner compares the distribution of the draws with the logits, the first input."""
    case = family.case("randomMultinomial", runs="General")
    case.multinomialTolerance = 0.025
    logits = case.input("f", [[0.0, 1.0, 2.0]])
    draws = case.output("i", np.zeros((1, 4096)), tolerance="Multinomial")
    case.operation("RANDOM_MULTINOMIAL", [logits, case.int(4096), case.constant("i", [17, 42])], [draws])


def linesOfLengthOne(family):
    def simple(name, x, axis, inputs):
        length = np.maximum(np.sqrt(np.sum(x**2, axis, keepdims=True)), 1e-6)
        family.simple("l2Normalization" + name, "L2_NORMALIZATION", [("f", x)] + inputs, [("f", x / length)])

    simple("", ramp(1, 2, 2, 3), -1, [])
    for rank, axis in ((5, 0), (6, 5), (7, 3), (8, 2)):
        shape = [(2, 1, 3)[place % 3] for place in range(rank)]
        simple(str(rank), ramp(*shape) + 0.125, axis, [integer(axis)])
    # Lines shorter than 1e-6 are divided by it.
    for name, element in (("Zero", 0.0), ("Short", 1e-7), ("NearlyShort", -3e-6), ("OneElement", 2.0)):
        simple("Of" + name, np.array([element]), 0, [integer(0)])


def normalizations(family):
    x = ramp(1, 2, 2, 3)
    near = np.stack([np.sum(x[..., max(c - 1, 0):c + 2]**2, -1) for c in range(3)], -1)
    family.simple("localResponse", "LOCAL_RESPONSE_NORMALIZATION",
                  [("f", x), integer(1), number(2.0), number(0.5), number(0.75)],
                  [("f", x / (2.0 + 0.5 * near)**0.75)])
    family.simple("softmax", "SOFTMAX", [("f", ramp(2, 4)), number(2.0)], [("f", softmax(ramp(2, 4), 2.0))])
    family.simple("logSoftmax", "LOG_SOFTMAX", [("f", ramp(2, 4)), number(1.0), integer(1)],
                  [("f", np.log(softmax(ramp(2, 4))))])
    mean, variance = np.mean(x, (1, 2), keepdims=True), np.var(x, (1, 2), keepdims=True)
    family.simple("instanceNorm", "INSTANCE_NORMALIZATION", [("f", x), number(2.0), number(0.5), number(0.25), flag(0)],
                  [("f", 2.0 * (x - mean) / np.sqrt(variance + 0.25) + 0.5)])
    u, result = Type("u", 0.25, 128), Type("u", 1 / 256, 0)
    stored = np.array([[120, 130, 128, 140]])
    family.simple("softmaxQuantized", "SOFTMAX", [(u, stored), number(1.0)], [(result, result.store(softmax(u.real(stored))))],
                  runs=kCoupled)


def make():
    family = Family("reductions")
    for part in (reductions, selections, multinomial, linesOfLengthOne, normalizations):
        part(family)
    return family

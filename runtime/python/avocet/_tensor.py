#===- _tensor.py - Descriptions of tensors
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
from dataclasses import dataclass
from typing import Tuple

from ._library import library

INPUT, OUTPUT, STATE = range(3)
# By AvocetType. numpy has no bfloat16: its elements are given as they are stored.
_DTYPES = ("int8", "uint8", "int16", "int32", "int64", "float16", "float32", "bool", "uint16", "uint16")


@dataclass(frozen=True)
class Tensor:
    """An input, output or state of a model.

    dtype is the name of the numpy type, shape the extents, outermost first. Quantized: real = scale * (stored - zero point),
    with one scale for the tensor, or one for each index on `axis`; no scales: not quantized.
    """

    name: str
    dtype: str
    shape: Tuple[int, ...]
    bytes: int
    scales: Tuple[float, ...]
    zero_points: Tuple[int, ...]
    axis: int

    def quantize(self, real):
        """Real numbers (array-like of this shape) as stored numbers: rounded to the nearest, halves to even, and clamped."""
        import numpy

        scale, zero = self._factors(numpy)
        limits = numpy.iinfo(self.dtype)
        stored = numpy.rint(numpy.asarray(real, dtype="float64") / scale) + zero
        return numpy.clip(stored, limits.min, limits.max).astype(self.dtype)

    def dequantize(self, stored):
        """Stored numbers (array of this shape) as real ones, float32."""
        import numpy

        scale, zero = self._factors(numpy)
        return ((numpy.asarray(stored).astype("float64") - zero) * scale).astype("float32")

    def _factors(self, numpy):
        if not self.scales:
            raise ValueError(f"'{self.name}' is not quantized; its type is {self.dtype}")
        if len(self.scales) == 1:
            return self.scales[0], self.zero_points[0]
        spread = [1] * len(self.shape)
        spread[self.axis] = len(self.scales)
        return numpy.reshape(self.scales, spread), numpy.reshape(self.zero_points, spread)


def describe(handle):
    count = library.avocetTensorScaleCount(handle)
    scales, zeros = library.avocetTensorScales(handle), library.avocetTensorZeroPoints(handle)
    shape = library.avocetTensorShape(handle)
    return Tensor(library.avocetTensorName(handle).decode(errors="replace"), _DTYPES[library.avocetTensorType(handle)],
                  tuple(shape[i] for i in range(library.avocetTensorRank(handle))), library.avocetTensorBytes(handle),
                  tuple(scales[i] for i in range(count)), tuple(zeros[i] for i in range(count)), library.avocetTensorAxis(handle))

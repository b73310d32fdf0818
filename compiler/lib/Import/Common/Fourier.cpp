//===- Fourier.cpp - Fourier transforms as matrix products ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fourier.h"

#include "Constants.h"
#include "Create.h"
#include "Moves.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace avocet::compiler {

/// The transform of `rows` numbers, after which zeros follow up to `points`, for real and imaginary parts below each
/// other: [cos, sin; -sin, cos].
static void writeColumnFactors(int64_t points, int64_t rows, float *factors) {
  for (int64_t k = 0; k < points; ++k)
    for (int64_t n = 0; n < rows; ++n) {
      const auto turn = static_cast<double>(k * n % points) / static_cast<double>(points);
      const auto cosine = static_cast<float>(std::cos(2 * std::numbers::pi * turn)),
                 sine = static_cast<float>(std::sin(2 * std::numbers::pi * turn));
      float *upper = factors + k * 2 * rows + n, *lower = upper + points * 2 * rows;
      upper[0] = lower[rows] = cosine;
      upper[rows] = sine;
      lower[0] = -sine;
    }
}

Complex transformColumns(ImportedOperation &op, const Complex &lines, int64_t points) {
  SmallVector<int64_t> shape(shapeOf(lines.real));
  const auto axis = static_cast<int64_t>(shape.size()) - 2;
  const int64_t rows = shape[axis];
  const auto type = RankedTensorType::get({2 * points, 2 * rows}, op.builder().getF32Type());
  if (failed(checkComputedBytes(op, "fft_length", type)))
    return {};
  ElementsAttr factors = computedElements(type, "columns", [&](llvm::MutableArrayRef<char> bytes) {
    writeColumnFactors(points, rows, reinterpret_cast<float *>(bytes.data()));
  });
  Value matrix = nn::ConstantOp::create(op.builder(), op.location(), type, factors);
  Value product = createPair<nn::BatchMatmulOp>(op, matrix, concatenate(op, {lines.real, lines.imaginary}, axis), false,
                                                false, false);
  if (!product)
    return {};
  SmallVector<int64_t> begin(shape.size(), 0);
  shape[axis] = points;
  Value real = slice(op, product, begin, shape);
  begin[axis] = points;
  return {real, slice(op, product, begin, shape)};
}

} // namespace avocet::compiler

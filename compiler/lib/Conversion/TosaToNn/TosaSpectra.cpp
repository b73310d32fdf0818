//===- TosaSpectra.cpp - Fourier transforms of images -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "TosaNumbers.h"

#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Spectra.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Rows of the result by columns; images are [batch, height, width].
LogicalResult finishRows(TosaOperation &op, const Complex &lines, bool isConjugate = false) {
  if (!lines.real || !lines.imaginary)
    return failure();
  const int64_t height = shapeOf(lines.real)[1];
  Complex image = height == 1 ? lines : transformColumns(op, lines, height);
  if (isConjugate)
    image.imaginary = image.imaginary ? multiply(op, image.imaginary, numberLike(op, image.imaginary, -1)) : Value();
  return failed(op.finish(image.real, 0)) ? failure() : op.finish(image.imaginary, 1);
}

/// The specification has powers of two alone.
LogicalResult checkExtents(TosaOperation &op) {
  for (int64_t extent : op.operandType(0).getShape().drop_front())
    if (!llvm::isPowerOf2_64(static_cast<uint64_t>(extent)))
      return op.malformed("has an image of " + Twine(extent) + " rows or columns, must be powers of two");
  return success();
}

LogicalResult convertReal(TosaOperation &op, tosa::RFFT2dOp) {
  Value image = op.value(0, "input");
  if (!image || failed(checkExtents(op)))
    return failure();
  const auto typeOf = [&](uint32_t, nn::ShapeRef shape, Type element) { return boundedType(op, shape, element); };
  auto lines = createWith<nn::RfftOp>(op, typeOf, image, shapeOf(image)[2]);
  return lines ? finishRows(op, {lines.getReal(), lines.getImaginary()}) : failure();
}

/// The inverse transform is the conjugate of that of the conjugate.
LogicalResult convertComplex(TosaOperation &op, tosa::FFT2dOp source) {
  Value real = op.value(0, "input_real"), imaginary = op.value(1, "input_imag");
  if (!real || !imaginary || failed(checkExtents(op)))
    return failure();
  if (source.getInverse())
    imaginary = multiply(op, imaginary, numberLike(op, imaginary, -1));
  Complex lines{real, imaginary};
  if (const int64_t width = shapeOf(real)[2]; width > 1) {
    const auto turned = [&](Value value) { return value ? transpose(op, value, {0, 2, 1}) : Value(); };
    const Complex columns = transformColumns(op, {turned(real), turned(imaginary)}, width);
    lines = {turned(columns.real), turned(columns.imaginary)};
  }
  return finishRows(op, lines, source.getInverse());
}

constexpr TosaConverter kConverters[] = {kConverts<convertComplex>, kConverts<convertReal>};

} // namespace

ArrayRef<TosaConverter> tosaSpectrumConverters() { return kConverters; }

} // namespace avocet::compiler

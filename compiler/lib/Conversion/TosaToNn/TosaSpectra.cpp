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
    image.imaginary = multiply(op, image.imaginary, numberLike(op, image.imaginary, -1));
  return failed(op.finish(image.real, 0)) ? failure() : op.finish(image.imaginary, 1);
}

/// The operand, whose extents are powers of two, as the specification demands.
Value imageOf(TosaOperation &op, uint32_t position, StringRef operand) {
  Value image = op.value(position, operand);
  for (int64_t extent : image ? shapeOf(image).drop_front() : ArrayRef<int64_t>())
    if (!llvm::isPowerOf2_64(static_cast<uint64_t>(extent)))
      return op.malformed("has an image of " + Twine(extent) + " rows or columns, must be powers of two");
  return image;
}

LogicalResult convertReal(TosaOperation &op, tosa::RFFT2dOp) {
  Value image = imageOf(op, 0, "input");
  const auto typeOf = [&](uint32_t, nn::ShapeRef shape, Type element) { return boundedType(op, shape, element); };
  auto lines = image ? createWith<nn::RfftOp>(op, typeOf, image, shapeOf(image)[2]) : nn::RfftOp();
  return lines ? finishRows(op, {lines.getReal(), lines.getImaginary()}) : failure();
}

/// The inverse transform is the conjugate of that of the conjugate.
LogicalResult convertComplex(TosaOperation &op, tosa::FFT2dOp source) {
  Value real = imageOf(op, 0, "input_real"), imaginary = op.value(1, "input_imag");
  if (!real || !imaginary)
    return failure();
  if (source.getInverse())
    imaginary = multiply(op, imaginary, numberLike(op, imaginary, -1));
  Complex lines{real, imaginary};
  if (const int64_t width = shapeOf(real)[2]; width > 1) {
    const auto turned = [&](Value value) { return transpose(op, value, {0, 2, 1}); };
    const Complex columns = transformColumns(op, {turned(real), turned(imaginary)}, width);
    lines = {turned(columns.real), turned(columns.imaginary)};
  }
  return finishRows(op, lines, source.getInverse());
}

constexpr TosaConverter kConverters[] = {kConverts<convertComplex>, kConverts<convertReal>};

} // namespace

ArrayRef<TosaConverter> tosaSpectrumConverters() { return kConverters; }

} // namespace avocet::compiler

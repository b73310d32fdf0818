//===- TfliteComplex.cpp - Spectra, parts of complex numbers ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Spectra.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult finishComplex(TfliteOperator &op, const Complex &value) {
  if (!value.real || !value.imaginary)
    return failure();
  if (!op.isComplexOutput(0))
    return op.malformed("has a result that is not COMPLEX64");
  op.select(ComplexPart::Real);
  if (!op.resultType(0, shapeOf(value.real)) || failed(op.finish(value.real)))
    return failure();
  op.select(ComplexPart::Imaginary);
  return op.finish(value.imaginary);
}

Value partOf(TfliteOperator &op, ComplexPart part) {
  if (!op.isComplexInput(0))
    return op.malformed("has an input that is not COMPLEX64");
  op.select(part);
  return op.value(0, "input");
}

LogicalResult finishReal(TfliteOperator &op, Value value) {
  return value ? finishMoved(op, value, value) : LogicalResult(failure());
}

LogicalResult convertReal(TfliteOperator &op) { return finishReal(op, partOf(op, ComplexPart::Real)); }
LogicalResult convertImaginary(TfliteOperator &op) { return finishReal(op, partOf(op, ComplexPart::Imaginary)); }

LogicalResult convertMagnitude(TfliteOperator &op) {
  Value real = partOf(op, ComplexPart::Real);
  if (!real)
    return failure();
  return finish<nn::BinaryOp>(op, real, partOf(op, ComplexPart::Imaginary), nn::BinaryKind::Hypot);
}

/// Operands: images, rows and columns of the transform, to which images are cut off or continue with zeros.
LogicalResult convertRfft2d(TfliteOperator &op) {
  Value image = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> lengths = op.integers(1, "fft_length", 2);
  if (!image || failed(lengths))
    return failure();
  if (shapeOf(image).size() < 2)
    return op.malformed("has an input of rank " + Twine(shapeOf(image).size()) + ", must have at least 2");
  for (int64_t length : *lengths)
    if (length < 1 || !llvm::isPowerOf2_64(static_cast<uint64_t>(length)))
      return op.refuse("fft_length", "is a power of two", Twine(length));
  image = partOf(op, image, shapeOf(image).size() - 2, 0, std::min(lengths->front(), shapeOf(image).end()[-2]));
  auto typeOf = [&](uint32_t, nn::ShapeRef shape, Type element) { return boundedType(op, shape, element); };
  auto lines = image ? createWith<nn::RfftOp>(op, typeOf, image, lengths->back()) : nn::RfftOp();
  if (!lines)
    return failure();
  const Complex spectrum{lines.getReal(), lines.getImaginary()};
  return finishComplex(op, lengths->front() == 1 ? spectrum : transformColumns(op, spectrum, lengths->front()));
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::COMPLEX_ABS, 1, 1, convertMagnitude},
    {BuiltinOperator::IMAG, 1, 1, convertImaginary},
    {BuiltinOperator::REAL, 1, 1, convertReal},
    {BuiltinOperator::RFFT2D, 2, 2, convertRfft2d},
};

} // namespace

ArrayRef<TfliteConverter> tfliteComplexConverters() { return kConverters; }

} // namespace avocet::compiler

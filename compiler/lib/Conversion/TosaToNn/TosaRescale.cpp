//===- TosaRescale.cpp - Integers times fixed-point numbers ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxSteps.h"
#include "TosaGraph.h"

#include "Import/Common/Create.h"
#include "Import/Common/Elements.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// INEXACT_ROUND leaves the choice to the device.
nn::Numerics numericsOf(tosa::RoundingMode mode) {
  return mode == tosa::RoundingMode::DOUBLE_ROUND ? nn::Numerics::DoubleRound : nn::Numerics::SingleRound;
}

FailureOr<nn::NumericsAttr> numericsOf(TosaOperation &op, tosa::RescaleOp source) {
  if (source.getScale32() && op.operandType(0).getElementType().isInteger(48))
    return op.malformed("has sums of 48 bits and scale32, which is for narrower ones");
  if (!source.getScale32() && source.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND)
    return op.malformed("has multipliers of 16 bits and DOUBLE_ROUND, which is for those of 32");
  auto multipliers = op.integers(1, "multiplier"), shifts = op.integers(2, "shift");
  if (failed(multipliers) || failed(shifts))
    return failure();
  for (auto [multiplier, shift] : llvm::zip_equal(*multipliers, *shifts))
    if (multiplier < 0 || shift < 2 || shift > 62)
      return op.malformed("has the multiplier " + Twine(multiplier) + " and the shift " + Twine(shift) +
                          "; multipliers must not be negative, and shifts must be 2 to 62");
  const auto narrow = [](int64_t number) { return static_cast<int32_t>(number); };
  // Multipliers of 16 bits are rounded once, whatever the mode.
  const nn::Numerics kind = source.getScale32() ? numericsOf(source.getRoundingMode()) : nn::Numerics::SingleRound;
  return nn::NumericsAttr::get(op.builder().getContext(), kind, llvm::map_to_vector(*multipliers, narrow),
                               llvm::map_to_vector(*shifts, narrow));
}

/// The operations before the last one are then without readers.
LogicalResult convertSoftmax(TosaOperation &op, const SoftmaxForm &form) {
  const QuantizedStorage bytes{8, true};
  MLIRContext *context = op.builder().getContext();
  Value input = op.quantizedValue(form.input, 0);
  return input ? op.finish(createAs<nn::SoftmaxOp>(op, bytes.perTensor(context, 1.0 / 256, INT8_MIN), input,
                                                   llvm::APFloat(form.beta), form.axis))
               : failure();
}

LogicalResult convertRescale(TosaOperation &op, tosa::RescaleOp source) {
  if (const auto softmax = findSoftmax(source))
    return convertSoftmax(op, *softmax);
  FailureOr<nn::NumericsAttr> numerics = numericsOf(op, source);
  FailureOr<int64_t> from = op.integer(3, "zero point"), to = op.integer(4, "zero point");
  const Type element = op.resultElement(0);
  if (failed(numerics) || failed(from) || failed(to) || !element)
    return failure();
  // Zero points of unsigned numbers are stored as signed ones of the same bits.
  const auto unsignedOf = [](int64_t number, Type type) {
    return number & ((int64_t(1) << type.getIntOrFloatBitWidth()) - 1);
  };
  const Type inputElement = op.operandType(0).getElementType();
  const bool isNarrowInput = inputElement.getIntOrFloatBitWidth() <= 16;
  if (!isNarrowInput && *from != 0)
    return op.malformed("has the zero point " + Twine(*from) + " of numbers of more than 16 bits, must be 0");
  if (!isNarrowInput && source.getInputUnsigned())
    return op.refuse("input", "numbers of more than 16 bits are signed", "input_unsigned");
  const int64_t zero = source.getInputUnsigned() ? unsignedOf(*from, inputElement) : *from;
  Value input = isNarrowInput ? op.quantized(0, zero, source.getInputUnsigned()) : op.value(0, "input");
  if (!input)
    return failure();
  if (element.isInteger(32)) {
    if (*to != 0 || source.getOutputUnsigned())
      return op.refuse("result", "numbers of 32 bits are signed and have the zero point 0", "others");
    return op.finish(createAs<nn::RescaleOp>(op, element, input, *numerics));
  }
  const int64_t zeroOfResult = source.getOutputUnsigned() ? unsignedOf(*to, element) : *to;
  const Type stored = op.quantizedResult(zeroOfResult, source.getOutputUnsigned());
  return op.finish(createAs<nn::RescaleOp>(op, stored, input, *numerics));
}

constexpr TosaConverter kConverters[] = {kConverts<convertRescale>};

} // namespace

ArrayRef<TosaConverter> tosaRescaleConverters() { return kConverters; }

} // namespace avocet::compiler

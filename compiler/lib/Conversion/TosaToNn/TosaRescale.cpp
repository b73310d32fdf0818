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

FailureOr<nn::NumericsAttr> numericsOf(TosaOperation &op, tosa::RescaleOp source) {
  if (source.getScale32() && op.operandElement(0).isInteger(48))
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
  // INEXACT_ROUND leaves the choice to the device.
  const nn::Numerics kind = source.getRoundingMode() == tosa::RoundingMode::DOUBLE_ROUND ? nn::Numerics::DoubleRound
                                                                                         : nn::Numerics::SingleRound;
  return nn::NumericsAttr::get(op.builder().getContext(), kind, llvm::map_to_vector(*multipliers, narrow),
                               llvm::map_to_vector(*shifts, narrow));
}

/// The operations before the last one are then without readers.
LogicalResult convertSoftmax(TosaOperation &op, const SoftmaxForm &form) {
  const Type bytes = QuantizedStorage{8, true}.perTensor(op.builder().getContext(), 1.0 / 256, INT8_MIN);
  return op.finish(createAs<nn::SoftmaxOp>(op, bytes, op.quantized(form.input), llvm::APFloat(form.beta), form.axis));
}

/// A zero point as the number that it is: those of unsigned numbers are stored as signed ones of the same bits.
FailureOr<int64_t> zeroPointOf(TosaOperation &op, uint32_t position, bool isUnsigned) {
  FailureOr<int64_t> stored = op.integer(position, "zero point");
  if (failed(stored) || !isUnsigned)
    return stored;
  return *stored & ((int64_t(1) << op.operandElement(position).getIntOrFloatBitWidth()) - 1);
}

LogicalResult convertRescale(TosaOperation &op, tosa::RescaleOp source) {
  if (const auto softmax = findSoftmax(source))
    return convertSoftmax(op, *softmax);
  FailureOr<nn::NumericsAttr> numerics = numericsOf(op, source);
  FailureOr<int64_t> from = zeroPointOf(op, 3, source.getInputUnsigned()),
                     to = zeroPointOf(op, 4, source.getOutputUnsigned());
  const Type element = op.resultElement(0);
  if (failed(numerics) || failed(from) || failed(to) || !element)
    return failure();
  const bool isNarrow = op.operandElement(0).getIntOrFloatBitWidth() <= 16;
  if (!isNarrow && *from != 0)
    return op.malformed("has the zero point " + Twine(*from) + " of numbers of more than 16 bits, must be 0");
  if (!isNarrow && source.getInputUnsigned())
    return op.refuse("input", "numbers of more than 16 bits are signed", "input_unsigned");
  if (element.isInteger(32) && (*to != 0 || source.getOutputUnsigned()))
    return op.refuse("result", "numbers of 32 bits are signed and have the zero point 0", "others");
  Value input = isNarrow ? op.quantized(0u, *from, source.getInputUnsigned()) : op.value(0, "input");
  const Type stored = element.isInteger(32) ? element : op.quantizedResult(*to, source.getOutputUnsigned());
  return op.finish(createAs<nn::RescaleOp>(op, stored, input, *numerics));
}

constexpr TosaConverter kConverters[] = {kConverts<convertRescale>};

} // namespace

ArrayRef<TosaConverter> tosaRescaleConverters() { return kConverters; }

} // namespace avocet::compiler

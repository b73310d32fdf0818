//===- Normalize.cpp - Operators that divide by a sum over an axis --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Reference.h"

namespace avocet::differential {
namespace {

void drawSoftmax(Draft &draft) {
  tflite::SoftmaxOptionsT options;
  options.beta = draft.oneIn(2) ? 1.0f : static_cast<float>(draft.real(0.2, 2));
  const Shape shape = draft.shape(1, 4, 12);
  const int32_t operand = draft.input(shape, draft.element());
  const Element result = draft.unit();
  draft.op(BuiltinOperator::SOFTMAX, {operand}, {draft.output(shape, result)}, options);
  if (draft.kind() == Kind::I8 || draft.kind() == Kind::U8)
    draft.model().expect({expectedSoftmax(draft.model(), operand, options.beta, result)});
}

/// The result's quantization is fixed: -16 to 0.
void drawLogSoftmax(Draft &draft) {
  const Shape shape = draft.shape(1, 4, 12);
  Element result = draft.element();
  if (draft.isQuantized()) {
    result.scales = {16.0f / 256};
    result.zeroPoints = {draft.kind() == Kind::I8 ? 127 : 255};
  }
  const int32_t input = draft.input(shape, draft.element());
  draft.op(BuiltinOperator::LOG_SOFTMAX, {input}, {draft.output(shape, result)});
  if (draft.isQuantized())
    draft.model().expect({expectedLogSoftmax(draft.model(), input, result)});
}

void drawL2Normalization(Draft &draft) {
  const Shape shape = draft.shape(1, 4, 12);
  draft.op(BuiltinOperator::L2_NORMALIZATION, {draft.input(shape, draft.element())},
           {draft.output(shape, draft.symmetricUnit())}, tflite::L2NormOptionsT());
}

void drawLocalResponse(Draft &draft) {
  tflite::LocalResponseNormalizationOptionsT options;
  options.radius = draft.pick(1, 4);
  options.bias = static_cast<float>(draft.real(0.5, 2));
  options.alpha = static_cast<float>(draft.real(0.1, 2));
  options.beta = static_cast<float>(draft.real(0.3, 1));
  const Shape shape = draft.shape(4, 4, 9);
  draft.op(BuiltinOperator::LOCAL_RESPONSE_NORMALIZATION, {draft.input(shape, draft.element())},
           {draft.output(shape, draft.element())}, options);
}

constexpr KnownDifference kSoftmaxTable = {
    1, "the optimized kernel sums a table of floats, the reference computes in fixed point"};

constexpr KnownDifference kLogSoftmaxTable = {
    8, "the optimized kernel sums a table of floats; the reference computes in fixed point, and gives the smallest "
       "value for differences to the maximum from about 15.5 on"};

const Row kRows[] = {
    {BuiltinOperator::SOFTMAX, kRealKinds, drawSoftmax, kTolerance, kSoftmaxTable},
    {BuiltinOperator::LOG_SOFTMAX, kByteKinds, drawLogSoftmax, kTolerance, kLogSoftmaxTable},
    {BuiltinOperator::L2_NORMALIZATION, kByteKinds, drawL2Normalization, kTolerance},
    {BuiltinOperator::LOCAL_RESPONSE_NORMALIZATION, kFloatKinds, drawLocalResponse},
};

} // namespace

std::span<const Row> normalizeRows() { return kRows; }

} // namespace avocet::differential

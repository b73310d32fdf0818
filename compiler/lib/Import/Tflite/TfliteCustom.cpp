//===- TfliteCustom.cpp - Operators outside of the format ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteGraph.h"

#include "avocet/compiler/Support/Refusal.h"

using namespace mlir;

namespace avocet::compiler {

namespace {

struct CustomConverter {
  StringRef name;
  LogicalResult (*convert)(TfliteOperator &op); ///< also checks the numbers of operands and results
};

constexpr CustomConverter kByName[] = {
    {"Convolution2DTransposeBias", convertTransposeConvBias},
    {"TFLite_Detection_PostProcess", convertDetectionPostProcess},
};

LogicalResult convertCustom(TfliteOperator &op) {
  for (const CustomConverter &converter : kByName)
    if (op.customName() == converter.name)
      return converter.convert(op);
  return op.refuse("", kImplementedRule, op.name());
}

constexpr TfliteConverter kConverters[] = {
    {tflite::BuiltinOperator::CUSTOM, 0, kAnyNumber, convertCustom, 0, kAnyNumber},
};

} // namespace

ArrayRef<TfliteConverter> tfliteCustomConverters() { return kConverters; }

} // namespace avocet::compiler

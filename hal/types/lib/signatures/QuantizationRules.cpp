//===- QuantizationRules.cpp - Rules about scales and zero points ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include <fmt/format.h>

namespace avocet::hal {

using enum Version;
using enum OperandType;

Result<Version> checkProductScale(const OperationView &operation) {
  OperandType type = operation.input(0).type;
  float product = operation.input(0).scale * operation.input(1).scale;
  float scale = operation.output(0).scale;
  if ((type == TensorQuant8Asymm || type == TensorQuant8AsymmSigned) && !(scale > product))
    return invalidArgument(
        fmt::format("output 0 has scale {}, must be above the product of the inputs' scales, {}", scale, product));
  return V1_0;
}

Result<Version> checkConcatenation(const OperationView &operation) {
  const Operand &output = operation.output(0);
  if (output.type != TensorQuant8Asymm)
    return V1_0;
  for (size_t i = 0; i + 1 < operation.numInputs(); ++i)
    if (operation.input(i).scale != output.scale || operation.input(i).zeroPoint != output.zeroPoint)
      return V1_2;
  return V1_0;
}

Result<Version> checkPaddedZeroPoint(const OperationView &operation) {
  const Operand &input = operation.input(0);
  return input.type == TensorQuant8Asymm && input.zeroPoint != 0 ? V1_2 : V1_0;
}

} // namespace avocet::hal

//===- FixedPoint.cpp - Rules of com.avocet.fixed_point -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/nnapi/extensions/FixedPoint.h"

#include "avocet/hal/extensions/Extension.h"
#include "avocet/hal/types/SaturatedTime.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace avocet::hal {

using namespace nnapi::fixedpoint;

namespace {

/// TENSOR_FIXED8 has the bytes of a symmetric tensor whose scale is a power of two.
Result<Operand> fixedStorage(const Operand &operand) {
  const auto *data = std::get_if<std::vector<uint8_t>>(&operand.extraParams);
  const size_t bytes = data != nullptr ? data->size() : 0;
  if (bytes != 1)
    return invalidArgument(fmt::format("TENSOR_FIXED8 has {} bytes of extension data, must be 1", bytes));
  const int fractionBits = static_cast<int8_t>(data->front());
  if (fractionBits < kMinFractionBits || fractionBits > kMaxFractionBits)
    return invalidArgument(fmt::format("TENSOR_FIXED8 has {} fraction bits, must be {} to {}", fractionBits,
                                       kMinFractionBits, kMaxFractionBits));
  Operand storage = operand;
  storage.type = OperandType::TensorQuant8Symm;
  storage.scale = std::ldexp(1.0f, -fractionBits);
  return storage;
}

Outcome checkConvert(const OperationView &operation) {
  if (operation.input(0).type == operation.output(0).type && operation.input(0).type == OperandType::TensorFloat32)
    return invalidArgument("input and output are TENSOR_FLOAT32, one must be TENSOR_FIXED8");
  return success();
}

Outcome checkHardSigmoid(const OperationView &operation) {
  if (operation.input(0).type != operation.output(0).type)
    return invalidArgument("input 0 and output have different types, must have the same");
  return success();
}

Outcome checkRounding(std::span<const uint8_t> value) {
  if (value.size() != 1 || value.front() > static_cast<uint8_t>(Rounding::Down))
    return invalidArgument("must be one byte, 0 or 1");
  return success();
}

/// Deadlines are absolute; a limit holds for each run of a reusable execution.
Outcome applyTimeLimit(std::span<const uint8_t> value, ExecutionOptions &options) {
  int64_t limit = -1;
  if (value.size() == sizeof(limit))
    std::memcpy(&limit, value.data(), sizeof(limit));
  if (limit < 0)
    return invalidArgument("must be 8 bytes, nanoseconds from 0");
  const TimePoint end = later(BootClock::now(), Duration(limit));
  options.deadline = options.deadline ? std::min(*options.deadline, end) : end;
  return success();
}

constexpr AllowedType kReal[] = {AllowedType::standard(OperandType::TensorFloat32), AllowedType::own(kTensorFixed8)};
constexpr AllowedType kFloat[] = {AllowedType::standard(OperandType::Float32)};

constexpr ExtensionOperand kConvertInputs[] = {{"input", kReal}};
constexpr ExtensionOperand kHardSigmoidInputs[] = {{"x", kReal}, {"alpha", kFloat}, {"beta", kFloat}};
constexpr ExtensionOperand kOutputs[] = {{"output", kReal}};

constexpr ExtensionType kTypes[] = {{kTensorFixed8, "TENSOR_FIXED8", true, 1, fixedStorage}};

constexpr ExtensionOperation kOperations[] = {
    {kConvert, "CONVERT", kConvertInputs, kOutputs, checkConvert},
    {kHardSigmoid, "HARD_SIGMOID", kHardSigmoidInputs, kOutputs, checkHardSigmoid},
};

constexpr ExtensionAttribute kAttributes[] = {
    {.number = kRounding, .name = "ROUNDING", .checkForCompilation = checkRounding},
    {.number = kTimeLimit, .name = "TIME_LIMIT", .applyToExecution = applyTimeLimit},
};

} // namespace

/// Named after the folder; the table of extensions refers to it.
extern const ExtensionRules kComAvocetFixedPoint;
constexpr ExtensionRules kComAvocetFixedPoint = {kName, kTypes, kOperations, kAttributes};

} // namespace avocet::hal

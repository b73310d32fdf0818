//===- FixedPointModels.h - Models of com.avocet.fixed_point ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Models of one operation, and its arithmetic written from the definition (avocet/nnapi/extensions/FixedPoint.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_EXTENSIONS_FIXEDPOINTMODELS_H
#define AVOCET_TESTS_HAL_EXTENSIONS_FIXEDPOINTMODELS_H

#include "SmallModels.h"

#include "avocet/hal/types/Utils.h"
#include "avocet/nnapi/extensions/FixedPoint.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace avocet::hal::testing {

namespace fixedpoint = nnapi::fixedpoint;

/// A prefix as a client may choose it.
inline constexpr uint16_t kPrefix = 3;

inline OperandType fixed8(uint16_t prefix = kPrefix) {
  return static_cast<OperandType>(uint32_t{prefix} << 16 | fixedpoint::kTensorFixed8);
}

/// An input; without fraction bits a TENSOR_FLOAT32.
inline Operand realInput(uint32_t count, std::optional<int> fractionBits = std::nullopt) {
  Operand operand =
      tensor(fractionBits ? fixed8() : OperandType::TensorFloat32, {count}, OperandLifeTime::SubgraphInput);
  if (fractionBits)
    operand.extraParams = std::vector<uint8_t>{static_cast<uint8_t>(*fractionBits)};
  return operand;
}

inline Operand realOutput(uint32_t count, std::optional<int> fractionBits = std::nullopt) {
  Operand operand = realInput(count, fractionBits);
  operand.lifetime = OperandLifeTime::SubgraphOutput;
  return operand;
}

inline Model convertModel(const Operand &input, const Operand &output) {
  Model model;
  model.extensionNameToPrefix = {{std::string(fixedpoint::kName), kPrefix}};
  model.main.operands = {input, output};
  model.main.operations = {{extensionOperation(kPrefix, fixedpoint::kConvert), {0}, {1}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {1};
  return model;
}

inline Model hardSigmoidModel(const Operand &input, const Operand &output, float alpha, float beta) {
  Model model = convertModel(input, output);
  model.main.operands.push_back(floatConstant(model, alpha));
  model.main.operands.push_back(floatConstant(model, beta));
  model.main.operations = {{extensionOperation(kPrefix, fixedpoint::kHardSigmoid), {0, 2, 3}, {1}}};
  return model;
}

//===----------------------------------------------------------------------===//
// Reference
//===----------------------------------------------------------------------===//

inline double realOf(int8_t stored, int fractionBits) { return std::ldexp(stored, -fractionBits); }

inline int8_t storedOf(double real, int fractionBits, fixedpoint::Rounding rounding = fixedpoint::Rounding::Nearest) {
  const double steps = std::ldexp(real, fractionBits);
  const double whole = rounding == fixedpoint::Rounding::Down ? std::floor(steps) : std::round(steps);
  return static_cast<int8_t>(std::clamp(whole, -128.0, 127.0));
}

inline float hardSigmoid(float x, float alpha, float beta) {
  const volatile float scaled = alpha * x; // no fused multiply-add
  const volatile float sum = scaled + beta;
  return std::min(std::max(static_cast<float>(sum), 0.0f), 1.0f);
}

inline std::vector<int8_t> everyInt8() {
  std::vector<int8_t> all(256);
  for (int i = 0; i < 256; ++i)
    all[static_cast<size_t>(i)] = static_cast<int8_t>(i - 128);
  return all;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

template <typename T> struct RunResult {
  ExecutionOutcome outcome;
  std::vector<T> values;
};

/// Runs a model of one input and one output.
template <typename Out, typename In>
RunResult<Out> runModel(IPreparedModel &model, const std::vector<In> &input, const ExecutionOptions &options = {}) {
  TestPool inputs(input.size() * sizeof(In)), outputs(input.size() * sizeof(Out));
  std::memcpy(inputs.bytes().data(), input.data(), inputs.bytes().size());
  RunResult<Out> result;
  result.outcome =
      model.execute(requestOf({inputs.bytes().size()}, {outputs.bytes().size()}, inputs, outputs), options);
  result.values.assign(outputs.as<Out>().begin(), outputs.as<Out>().end());
  return result;
}

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_EXTENSIONS_FIXEDPOINTMODELS_H

//===- OperatorTables.cpp - Options of nodes in the file format - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/OperatorTables.h"

#include "abi/TfliteC.h"
#include "abi/TfliteParameters.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::delegate {

using tflite::TensorType;

const OperatorRow *findOperator(tflite::BuiltinOperator code) {
  for (const auto &rows : {convOperators(), shapeOperators(), recurrentOperators(), plainOperators()})
    if (auto row = std::ranges::find(rows, code, &OperatorRow::code); row != rows.end())
      return &*row;
  return nullptr;
}

Status setPadding(int32_t padding, tflite::Padding &target) {
  if (padding != abi::kPaddingSame && padding != abi::kPaddingValid)
    return unsupported(fmt::format("padding {}, must be 1 (SAME) or 2 (VALID)", padding));
  target = padding == abi::kPaddingSame ? tflite::Padding::SAME : tflite::Padding::VALID;
  return Status::ok();
}

Status setActivation(int32_t activation, tflite::ActivationFunction &target) {
  if (activation < 0 || activation > static_cast<int32_t>(tflite::ActivationFunction::MAX))
    return unsupported(fmt::format("activation {}, must be 0 to {}", activation,
                                   static_cast<int32_t>(tflite::ActivationFunction::MAX)));
  target = static_cast<tflite::ActivationFunction>(activation);
  return Status::ok();
}

Status setType(int32_t type, TensorType &target) {
  static constexpr std::pair<abi::Type, TensorType> kTypes[] = {
      {abi::Type::Float32, TensorType::FLOAT32},    {abi::Type::Float16, TensorType::FLOAT16},
      {abi::Type::Int32, TensorType::INT32},        {abi::Type::UInt8, TensorType::UINT8},
      {abi::Type::Int64, TensorType::INT64},        {abi::Type::Bool, TensorType::BOOL},
      {abi::Type::Int16, TensorType::INT16},        {abi::Type::Int8, TensorType::INT8},
      {abi::Type::Complex64, TensorType::COMPLEX64}};
  for (const auto &[number, name] : kTypes)
    if (static_cast<int32_t>(number) == type) {
      target = name;
      return Status::ok();
    }
  return unsupported(fmt::format(
      "element type {} of TensorFlow Lite, must be a float, complex, integer or bool of at most 64 bits", type));
}

} // namespace avocet::delegate

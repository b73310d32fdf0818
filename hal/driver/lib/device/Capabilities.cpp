//===- Capabilities.cpp - Measured capabilities -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "device/MeasuredFigures.h"

#include "avocet/hal/types/Capabilities.h"
#include "avocet/hal/types/Utils.h"

#include <nlohmann/json.hpp>

#include <cfloat>
#include <fmt/core.h>

namespace avocet::hal {
namespace {

constexpr PerformanceInfo kUnknown{FLT_MAX, FLT_MAX};

void updateFrom(PerformanceTable &table, const nlohmann::json &figure) {
  auto type = static_cast<OperandType>(figure.value("code", -1));
  PerformanceInfo info{figure.value("execTime", 0.0f), figure.value("powerUsage", 0.0f)};
  if (findOperandType(type) != nullptr && info.execTime > 0 && info.powerUsage > 0)
    update(table, type, info);
}

void copyToScalars(PerformanceTable &table) {
  constexpr std::pair<OperandType, OperandType> kPairs[] = {{OperandType::Float32, OperandType::TensorFloat32},
                                                            {OperandType::Float16, OperandType::TensorFloat16},
                                                            {OperandType::Int32, OperandType::TensorInt32},
                                                            {OperandType::UInt32, OperandType::TensorInt32},
                                                            {OperandType::Bool, OperandType::TensorBool8}};
  for (const auto &[scalar, tensor] : kPairs)
    update(table, scalar, lookup(table, tensor));
}

Capabilities capabilitiesOf(PerformanceTable table) {
  PerformanceInfo float32 = lookup(table, OperandType::TensorFloat32);
  return {float32, float32, std::move(table), float32, float32};
}

/// Whether the text is a file of figures for the target.
bool isFor(const nlohmann::json &json, uint64_t fingerprint) {
  return json.is_object() && json.contains("figures") && json["figures"].is_array() &&
         json.value("fingerprint", "") == fmt::format("{:016x}", fingerprint);
}

} // namespace

Capabilities capabilitiesOf(std::string_view text, uint64_t fingerprint) {
  PerformanceTable table = nonExtensionPerformance(kUnknown);
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (isFor(json, fingerprint))
    for (const nlohmann::json &figure : json["figures"])
      if (figure.is_object())
        updateFrom(table, figure);
  copyToScalars(table);
  return capabilitiesOf(std::move(table));
}

Capabilities measuredCapabilities(uint64_t fingerprint) {
  for (std::string_view text : measuredFigures())
    if (isFor(nlohmann::json::parse(text, nullptr, false), fingerprint))
      return capabilitiesOf(text, fingerprint);
  return capabilitiesOf("", fingerprint);
}

} // namespace avocet::hal

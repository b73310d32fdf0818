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
#include <map>
#include <string>

namespace avocet::hal {
namespace {

constexpr PerformanceInfo kUnknown{FLT_MAX, FLT_MAX};

/// The figures of a file by their names; unknown ones are those of types that this version does not know.
using Figures = std::map<std::string, PerformanceInfo, std::less<>>;

void addFigure(Figures &figures, const nlohmann::json &json) {
  const PerformanceInfo info{json.value("execTime", 0.0f), json.value("powerUsage", 0.0f)};
  if (info.execTime > 0 && info.powerUsage > 0)
    figures[json.value("figure", "")] = info;
}

PerformanceInfo find(const Figures &figures, std::string_view name) {
  const auto place = figures.find(name);
  return place == figures.end() ? kUnknown : place->second;
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

Capabilities capabilitiesOf(const Figures &figures) {
  PerformanceTable table = nonExtensionPerformance(kUnknown);
  for (const OperandTypeInfo &type : allOperandTypes())
    if (type.isTensor)
      update(table, type.type, find(figures, type.name));
  copyToScalars(table);
  const PerformanceInfo relaxed = find(figures, "RELAXED_TENSOR_FLOAT32");
  return {relaxed, relaxed, std::move(table), find(figures, "IF"), find(figures, "WHILE")};
}

/// Whether the text is a file of figures for the target.
bool isFor(const nlohmann::json &json, uint64_t fingerprint) {
  return json.is_object() && json.contains("figures") && json["figures"].is_array() &&
         json.value("fingerprint", "") == fmt::format("{:016x}", fingerprint);
}

} // namespace

Capabilities capabilitiesOf(std::string_view text, uint64_t fingerprint) {
  Figures figures;
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (isFor(json, fingerprint))
    for (const nlohmann::json &figure : json["figures"])
      if (figure.is_object())
        addFigure(figures, figure);
  return capabilitiesOf(figures);
}

Capabilities measuredCapabilities(uint64_t fingerprint) {
  for (std::string_view text : measuredFigures())
    if (isFor(nlohmann::json::parse(text, nullptr, false), fingerprint))
      return capabilitiesOf(text, fingerprint);
  return capabilitiesOf("", fingerprint);
}

} // namespace avocet::hal

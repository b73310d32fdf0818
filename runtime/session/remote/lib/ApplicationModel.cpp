//===- ApplicationModel.cpp - Tensors of an application -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplicationModel.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace avocet::session {
namespace {

using firmware::DataType;

/// By NumPy's names.
std::optional<DataType> typeOf(const std::string &name) {
  static const std::map<std::string, DataType> kTypes = {
      {"float32", DataType::Float32}, {"int32", DataType::Int32},      {"uint32", DataType::Int32},
      {"uint8", DataType::UInt8},     {"int64", DataType::Int64},      {"bool", DataType::Bool8},
      {"int16", DataType::Int16},     {"uint16", DataType::UInt16},    {"int8", DataType::Int8},
      {"float16", DataType::Float16}, {"bfloat16", DataType::BFloat16}};
  const auto found = kTypes.find(name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

Result<ApplicationModel::Tensor> ApplicationModel::tensorOf(const nlohmann::json &json) {
  Tensor tensor{json.value("name", ""), {}, json.value("shape", std::vector<int32_t>()), json.value("bytes", 0ULL)};
  const std::string name = json.value("type", "no type");
  const std::optional<DataType> type = typeOf(name);
  if (!type)
    return unsupported(
        fmt::format("tensor '{}' has elements of {}, which a file of raw numbers cannot hold", tensor.name, name));
  tensor.type = *type;
  return tensor;
}

Status ApplicationModel::checkClosed(const Tensor &tensor) {
  if (std::ranges::any_of(tensor.shape, [](int32_t extent) { return extent < 0; }))
    return unsupported(fmt::format("input '{}' of {} has open extents (-1); set them with --dim or --shape",
                                   tensor.name, fmt::join(tensor.shape, "x")));
  uint64_t bytes = sizeOf(tensor.type);
  for (int32_t extent : tensor.shape)
    bytes *= static_cast<uint64_t>(std::max(extent, 0));
  if (bytes != tensor.bytes)
    return unsupported(fmt::format("tensor '{}' of {} has {} bytes: its shape is known only during a run", tensor.name,
                                   fmt::join(tensor.shape, "x"), tensor.bytes));
  return Status::ok();
}

Result<std::vector<ApplicationModel::Tensor>> ApplicationModel::tensorsOf(const nlohmann::json &list) {
  std::vector<Tensor> tensors;
  for (const nlohmann::json &json : list) {
    AVOCET_ASSIGN_OR_RETURN(Tensor tensor, tensorOf(json));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Result<ApplicationModel> ApplicationModel::read(const nlohmann::json &inputs, const nlohmann::json &outputs) {
  ApplicationModel model;
  AVOCET_ASSIGN_OR_RETURN(model.inputs_, tensorsOf(inputs));
  for (const Tensor &input : model.inputs_)
    AVOCET_RETURN_IF_ERROR(checkClosed(input));
  AVOCET_ASSIGN_OR_RETURN(model.outputs_, tensorsOf(outputs));
  return model;
}

} // namespace avocet::session

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
#include <array>
#include <optional>

namespace avocet::session {
namespace {

using firmware::DataType;

/// TfLiteType.
std::optional<DataType> typeOf(int32_t type) {
  constexpr std::array<std::pair<int32_t, DataType>, 11> kTypes = {{{1, DataType::Float32},
                                                                    {2, DataType::Int32},
                                                                    {3, DataType::UInt8},
                                                                    {4, DataType::Int64},
                                                                    {6, DataType::Bool8},
                                                                    {7, DataType::Int16},
                                                                    {9, DataType::Int8},
                                                                    {10, DataType::Float16},
                                                                    {16, DataType::Int32},
                                                                    {17, DataType::UInt16},
                                                                    {19, DataType::BFloat16}}};
  const auto found = std::ranges::find(kTypes, type, &std::pair<int32_t, DataType>::first);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

Result<ApplicationModel::Tensor> ApplicationModel::tensorOf(const nlohmann::json &json) {
  Tensor tensor{json.value("name", ""), {}, json.value("shape", std::vector<int32_t>()), json.value("bytes", 0ULL)};
  const std::optional<DataType> type = typeOf(json.value("type", 0));
  if (!type)
    return unsupported(fmt::format("tensor '{}' has elements of TfLiteType {}, which a file of raw numbers cannot hold",
                                   tensor.name, json.value("type", 0)));
  tensor.type = *type;
  return tensor;
}

Status ApplicationModel::checkClosed(const Tensor &tensor) {
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

//===- DivisionPlan.cpp - partition.json ----------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DivisionPlan.h"

#include "avocet/cache/ModelCache.h"
#include "avocet/firmware_iface/DataType.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace avocet::network {
namespace {

using Json = nlohmann::json;

/// Exceptions of Json are for parseDivisionPlan().
class PlanReader {
public:
  explicit PlanReader(const Json &document) : document_(document) {}

  Result<DivisionPlan> run() {
    plan_.model = document_.at("model").get<std::string>();
    for (const Json &each : document_.at("inputs")) {
      AVOCET_ASSIGN_OR_RETURN(PlannedTensor tensor, tensorOf(each));
      plan_.inputs.push_back(add(std::move(tensor)));
    }
    for (const Json &each : document_.at("steps"))
      AVOCET_RETURN_IF_ERROR(addStep(each));
    for (const Json &each : document_.at("outputs")) {
      AVOCET_ASSIGN_OR_RETURN(PlannedTensor tensor, tensorOf(each));
      AVOCET_ASSIGN_OR_RETURN(const size_t value, sourceOf(each));
      plan_.outputs.push_back(value);
      plan_.results.push_back(std::move(tensor));
    }
    return std::move(plan_);
  }

private:
  size_t add(PlannedTensor tensor, std::string constant = "") {
    plan_.values.push_back({std::move(tensor), std::move(constant)});
    return plan_.values.size() - 1;
  }

  static Result<firmware::DataType> elementOf(const std::string &name) {
    for (uint32_t type = 0; type < firmware::kNumDataTypes; ++type)
      if (firmware::toString(static_cast<firmware::DataType>(type)) == name)
        return static_cast<firmware::DataType>(type);
    return dataLoss(fmt::format("'{}' is no element type", name));
  }

  static Result<PlannedTensor> tensorOf(const Json &json) {
    PlannedTensor tensor;
    cache::Operand &operand = tensor.operand;
    operand.name = json.at("name").get<std::string>();
    operand.isState = json.value("state", false);
    tensor.initial = json.value("initial", "");
    tensor.isKnown = json.contains("element");
    if (!tensor.isKnown)
      return tensor;
    AVOCET_ASSIGN_OR_RETURN(operand.type, elementOf(json.at("element").get<std::string>()));
    operand.shape = json.at("shape").get<std::vector<int32_t>>();
    operand.bytes = firmware::sizeOf(operand.type);
    for (const int32_t extent : operand.shape) {
      if (extent < 1 || __builtin_mul_overflow(operand.bytes, static_cast<uint64_t>(extent), &operand.bytes) ||
          operand.bytes > uint64_t{1} << 40)
        return dataLoss(fmt::format("tensor '{}' has no valid shape", operand.name));
    }
    operand.quantization.scales = json.value("scales", std::vector<float>());
    operand.quantization.zeroPoints = json.value("zero_points", std::vector<int32_t>());
    operand.quantization.axis = json.value("axis", 0);
    return tensor;
  }

  Status addStep(const Json &json) {
    PlannedStep step;
    step.network = json.value("network", "");
    step.alone = json.value("alone", "");
    step.kind = json.value("operator", "");
    step.reason = json.value("reason", "");
    if (json.contains("index"))
      step.number = json.at("index").get<uint64_t>();
    if (json.contains("custom")) {
      step.custom = json.at("custom").at("name").get<std::string>();
      step.attributes = json.at("custom").at("attributes").get<std::string>();
    }
    for (const Json &each : json.at("inputs")) {
      AVOCET_ASSIGN_OR_RETURN(const size_t value, sourceOf(each));
      step.inputs.push_back(value);
    }
    for (const Json &each : json.at("outputs")) {
      AVOCET_ASSIGN_OR_RETURN(PlannedTensor tensor, tensorOf(each));
      step.outputs.push_back(add(std::move(tensor)));
    }
    plan_.steps.push_back(std::move(step));
    return Status::ok();
  }

  /// The value that a tensor has.
  Result<size_t> sourceOf(const Json &json) {
    const Json &source = json.at("source");
    if (source.contains("constant"))
      return constantOf(json, source.at("constant").get<std::string>());
    const bool isInput = source.contains("input");
    const auto step = isInput ? 0 : source.at("step").get<uint64_t>();
    if (!isInput && step >= plan_.steps.size())
      return dataLoss(fmt::format("'{}' is a result of step {}, which is not an earlier one",
                                  json.at("name").get<std::string>(), step));
    const std::vector<size_t> &values = isInput ? plan_.inputs : plan_.steps[step].outputs;
    const auto index = source.at(isInput ? "input" : "output").get<uint64_t>();
    if (index < values.size())
      return values[index];
    return dataLoss(
        fmt::format("'{}' has the source {}, of {}", json.at("name").get<std::string>(), index, values.size()));
  }

  Result<size_t> constantOf(const Json &json, const std::string &file) {
    if (const auto known = constants_.find(file); known != constants_.end())
      return known->second;
    AVOCET_ASSIGN_OR_RETURN(PlannedTensor tensor, tensorOf(json));
    return constants_[file] = add(std::move(tensor), file);
  }

  const Json &document_;
  DivisionPlan plan_;
  std::map<std::string, size_t> constants_; ///< values by file
};

} // namespace

Result<DivisionPlan> parseDivisionPlan(std::span<const uint8_t> text) try {
  const Json document = Json::parse(text.begin(), text.end());
  return PlanReader(document).run();
} catch (const Json::exception &error) {
  return dataLoss(error.what());
}

} // namespace avocet::network

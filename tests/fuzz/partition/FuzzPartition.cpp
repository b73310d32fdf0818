//===- FuzzPartition.cpp - Models that are divided ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelChanges.h"
#include "Models.h"
#include "RandomDevice.h"
#include "avocet/hal/partition/Partition.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

namespace avocet::hal::test {
namespace {

constexpr uint64_t kMaxBytes = 1 << 16;

void require(bool holds) {
  if (!holds)
    std::abort();
}

/// The arguments of a request one after the other in one memory, with 2 for unknown extents of inputs.
class RequestMaker {
public:
  explicit RequestMaker(const Model &model) : model_(model) {}

  std::optional<Request> make(Reader &reader) {
    for (uint32_t index : model_.main.inputIndexes)
      request_.inputs.push_back(input(model_.main.operands[index]));
    for (uint32_t index : model_.main.outputIndexes)
      request_.outputs.push_back(output(model_.main.operands[index], reader.byte()));
    request_.pools.emplace_back(ashmem(std::max<uint64_t>(used_, 1)));
    if (used_ > kMaxBytes || !validateRequestForModel(request_, model_))
      return std::nullopt;
    return request_;
  }

private:
  RequestArgument input(const Operand &operand) {
    RequestArgument argument;
    argument.dimensions = operand.dimensions;
    if (isTensor(operand.type) && argument.dimensions.empty())
      argument.dimensions = {2};
    std::ranges::replace(argument.dimensions, 0U, 2U);
    place(argument, getNonExtensionSize(operand.type, argument.dimensions).value_or(8));
    return argument;
  }

  RequestArgument output(const Operand &operand, uint8_t bytes) {
    RequestArgument argument;
    const uint64_t size = getNonExtensionSize(operand).value_or(8);
    place(argument, size != 0 ? size : 1 + bytes);
    return argument;
  }

  void place(RequestArgument &argument, uint64_t bytes) {
    argument.location = {0, used_, bytes, 0};
    used_ += std::min(bytes, 2 * kMaxBytes);
  }

  const Model &model_;
  Request request_;
  uint64_t used_ = 0;
};

const std::vector<Model> &bases() {
  static const std::vector<Model> kBases = [] {
    std::vector<Model> models;
    for (const NamedModel &base : baseModels())
      models.push_back(base.model);
    return models;
  }();
  return kBases;
}

/// The rules of ExecutionOutcome. A device's own answers, which may break them, are passed on only for whole models.
void checkOutcome(const ExecutionOutcome &outcome, const Model &model) {
  const bool hasShapes = outcome.isOk() || outcome.status == ErrorStatus::OutputInsufficientSize;
  require(outcome.outputShapes.size() == (hasShapes ? model.main.outputIndexes.size() : 0));
  if (hasShapes)
    require(std::ranges::all_of(outcome.outputShapes, &OutputShape::isSufficient) == outcome.isOk());
  require(outcome.isOk() || !outcome.message.empty());
}

void execute(const PartitionedModel &divided, bool isChecked, const Model &model, Reader &reader) {
  const std::optional<Request> request = RequestMaker(model).make(reader);
  if (!request)
    return;
  ExecutionOptions options;
  options.loopTimeoutDuration = std::chrono::microseconds(200);
  const ExecutionOutcome outcome = divided.model->execute(*request, options);
  if (isChecked)
    checkOutcome(outcome, model);
  if (auto burst = divided.model->configureBurst())
    (void)(*burst)->execute(*request, std::vector<int64_t>(request->pools.size(), 5), options);
}

void run(Reader reader) {
  Model model = bases()[reader.byte() % bases().size()];
  const uint8_t seeds[] = {reader.byte(), reader.byte()};
  const uint8_t flags = reader.byte();
  const uint8_t changes = reader.byte() % 32;
  for (uint8_t i = 0; i < changes && !reader.isAtEnd(); ++i)
    changeModel(model, reader);
  NextByte next = [&reader] { return reader.isAtEnd() ? uint8_t{255} : reader.byte(); };
  const std::vector<std::shared_ptr<IDevice>> devices = {makeRandomDevice("a", seeds[0], 0.5F, next),
                                                         makeRandomDevice("b", seeds[1], 0.4F, next)};
  const std::shared_ptr<IDevice> cpu = (flags & 1) != 0 ? makeRandomDevice("cpu", 0, 1, next) : nullptr;
  PartitionOptions options;
  options.mayPartition = (flags & 14) != 0;
  options.fallback = (flags & 16) != 0 ? CpuFallback::Forbidden : CpuFallback::Allowed;
  options.preference = (flags & 32) != 0 ? ExecutionPreference::LowPower : ExecutionPreference::SustainedSpeed;
  auto divided = preparePartitioned(model, devices, cpu, options);
  if (!divided)
    return;
  require(!planTable(divided->plan, model).empty() || divided->plan.steps.empty());
  require(!planGraph(divided->plan, model).empty());
  execute(*divided, divided->onlyDevice == nullptr && cpu == nullptr, model, reader);
}

} // namespace
} // namespace avocet::hal::test

/// Divides a changed base model over two devices, and executes it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  avocet::hal::test::run(avocet::hal::test::Reader(std::span(data, size)));
  return 0;
}

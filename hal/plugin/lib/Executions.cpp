//===- Executions.cpp - Runs of a compiled network with the same memory - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/plugin/Executions.h"
#include "avocet/hal/types/ErrorText.h"

#include "avocet/base/Rounding.h"

#include <algorithm>

namespace avocet::plugin {
namespace {

constexpr uint64_t kAlignment = 64; ///< of operands in an area
constexpr size_t kMaxEntries = 4;   ///< two for networks with states; more if tensors move

bool isSame(const Binding &a, const Binding &b) {
  return a.place.area == b.place.area && a.place.offset == b.place.offset && a.bytes == b.bytes;
}

Status statusOf(hal::ErrorStatus code, const std::string &message) {
  const char *advice = "";
  if (code == hal::ErrorStatus::DeadObject)
    advice = "; the service ended or does not answer: the next call connects again";
  else if (code == hal::ErrorStatus::ResourceExhaustedTransient)
    advice = "; try again when other work on the device has ended";
  return toStatus(hal::error(code, message + advice));
}

hal::Request requestFor(std::span<const Binding> bindings, size_t numOutputs) {
  hal::Request request;
  std::vector<const Area *> pools;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const Area *area = bindings[i].place.area.get();
    auto pool = std::ranges::find(pools, area);
    const auto index = static_cast<uint32_t>(pool - pools.begin());
    if (pool == pools.end()) {
      pools.push_back(area);
      request.pools.emplace_back(area->memory());
    }
    auto &list = i + numOutputs < bindings.size() ? request.inputs : request.outputs;
    list.push_back({false, {index, bindings[i].place.offset, bindings[i].bytes, 0}, {}});
  }
  return request;
}

} // namespace

Result<std::vector<std::vector<uint32_t>>> outputShapesOf(hal::IPreparedModel &prepared,
                                                          std::span<const uint64_t> inputBytes,
                                                          std::span<const uint64_t> outputBytes) {
  // An open output of one byte is nearly always too small, and then nothing runs.
  std::vector<Binding> bindings;
  uint64_t end = 0;
  for (const std::span<const uint64_t> operands : {inputBytes, outputBytes})
    for (const uint64_t bytes : operands) {
      bindings.push_back({{nullptr, end}, std::max<uint64_t>(bytes, 1)});
      end = roundUp(end + bindings.back().bytes, kAlignment);
    }
  AVOCET_ASSIGN_OR_RETURN(const std::shared_ptr<Area> area, Area::create(end));
  for (Binding &binding : bindings)
    binding.place.area = area;
  const hal::ExecutionOutcome outcome = prepared.execute(requestFor(bindings, outputBytes.size()), {});
  if (!outcome.isOk() && outcome.status != hal::ErrorStatus::OutputInsufficientSize)
    return statusOf(outcome.status, outcome.message);
  std::vector<std::vector<uint32_t>> shapes;
  for (const hal::OutputShape &shape : outcome.outputShapes)
    shapes.push_back(shape.dimensions);
  return shapes;
}

Result<std::shared_ptr<hal::IExecution>> Executions::find(std::span<const Binding> bindings, size_t numOutputs) {
  for (const Entry &entry : entries_)
    if (std::ranges::equal(entry.bindings, bindings, isSame))
      return entry.execution;
  hal::ExecutionOptions options;
  options.measure = hal::MeasureTiming::Yes;
  auto execution = prepared_->createReusableExecution(requestFor(bindings, numOutputs), options);
  if (!execution)
    return statusOf(execution.error().code, execution.error().message);
  if (entries_.size() == kMaxEntries)
    entries_.erase(entries_.begin());
  entries_.push_back({{bindings.begin(), bindings.end()}, *execution});
  return std::move(*execution);
}

Result<hal::Timing> Executions::run(std::span<const Binding> bindings, size_t numOutputs,
                                    const hal::OptionalTimePoint &deadline) {
  AVOCET_ASSIGN_OR_RETURN(const std::shared_ptr<hal::IExecution> execution, find(bindings, numOutputs));
  const hal::ExecutionOutcome outcome = execution->compute(deadline);
  if (!outcome.isOk())
    return statusOf(outcome.status, outcome.message);
  return outcome.timing;
}

} // namespace avocet::plugin

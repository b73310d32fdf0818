//===- Preparation.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "compilation/Preparation.h"

#include "avocet/base/Log.h"
#include "avocet/hal/types/SaturatedTime.h"
#include "cache/CacheFolder.h"
#include "cache/CacheToken.h"
#include "model/UndefinedOperations.h"
#include "telemetry/Counters.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::nnapi {
namespace {

std::vector<bool> supportOf(const Device &device, const hal::Model &model) {
  auto answer = device.hal()->getSupportedOperations(model);
  if (answer.isOk() && answer->supported.size() == model.main.operations.size())
    return std::move(answer->supported);
  logMessage(LogLevel::Warning, "nnapi", "device {} does not tell what it supports: {}", device.name(),
             answer.isOk() ? "its answer has another length" : answer.error().message);
  return std::vector<bool>(model.main.operations.size());
}

hal::PrepareOptions prepareOptions(const CompilationOptions &options) {
  hal::PrepareOptions made;
  made.preference = options.preference;
  made.priority = options.priority;
  made.hints = options.hints;
  if (options.timeout.has_value())
    made.deadline = hal::later(hal::BootClock::now(), *options.timeout);
  return made;
}

/// Null: there is nothing usable in the cache.
std::shared_ptr<hal::IPreparedModel> prepareFromCache(const Device &device, const CompilationOptions &options,
                                                      const hal::CacheToken &token,
                                                      const hal::OptionalTimePoint &deadline) {
  auto files = openCacheFiles(*options.cache, token, device.hal()->numberOfCacheFilesNeeded(), CacheAccess::Existing);
  if (!files.has_value())
    return nullptr;
  auto prepared = device.hal()->prepareModelFromCache(deadline, *files);
  if (prepared.isOk()) {
    ++Counters::instance().modelsFromCache;
    return std::move(*prepared);
  }
  logMessage(LogLevel::Info, "nnapi", "the cache is not used: {}", prepared.error().message);
  return nullptr;
}

hal::Result<std::shared_ptr<hal::IPreparedModel>> prepareOn(const Device &device, const hal::Model &model,
                                                            const CompilationOptions &options) {
  hal::PrepareOptions preparing = prepareOptions(options);
  if (options.cache.has_value()) {
    const hal::CacheToken token = tokenFor(options, *device.hal(), {});
    if (auto cached = prepareFromCache(device, options, token, preparing.deadline))
      return cached;
    if (auto files =
            openCacheFiles(*options.cache, token, device.hal()->numberOfCacheFilesNeeded(), CacheAccess::Created))
      preparing.cache = std::move(*files);
  }
  return device.hal()->prepareModel(model, preparing);
}

} // namespace

ApiResult<Preparation> prepare(const FinishedModel &model, const CompilationOptions &options) {
  if (!model.undefined.empty())
    return badData(fmt::format("operation {} is not defined for its types", model.callOrder[model.undefined.front()]));
  for (const std::shared_ptr<Device> &device : options.devices) {
    if (!std::ranges::all_of(supportOf(*device, model.model), [](bool isSupported) { return isSupported; }))
      continue;
    auto prepared = prepareOn(*device, model.model, options);
    if (!prepared)
      return fromHal(prepared.error());
    ++Counters::instance().partitions;
    return Preparation{std::move(*prepared), device->hal(), device->isCpu() ? 0 : model.callOrder.size()};
  }
  return badData("no device supports all operations of the model");
}

std::vector<bool> supportedOperations(const FinishedModel &model, const std::vector<std::shared_ptr<Device>> &devices) {
  std::vector<bool> supported(model.callOrder.size());
  if (model.undefined.size() == supported.size())
    return supported;
  // Positions in the model without its undefined operations.
  std::vector<uint32_t> positions;
  for (uint32_t i = 0; i < supported.size(); ++i)
    if (!std::ranges::binary_search(model.undefined, i))
      positions.push_back(i);
  const hal::Model asked = model.undefined.empty() ? model.model : withoutOperations(model.model, model.undefined);
  for (const std::shared_ptr<Device> &device : devices) {
    const std::vector<bool> byPosition = supportOf(*device, asked);
    for (size_t i = 0; i < byPosition.size(); ++i)
      if (byPosition[i])
        supported[model.callOrder[positions[i]]] = true;
  }
  return supported;
}

} // namespace avocet::nnapi

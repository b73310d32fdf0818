//===- Compile.cpp - Compiles a step, with cache and fallback -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/Compile.h"

#include "avocet/hal/types/ErrorText.h"
#include "avocet/hal/types/VerboseLog.h"
#include "plan/Plan.h"

namespace avocet::hal::partition {

bool mayRepeat(ErrorStatus status) {
  return status != ErrorStatus::None && status != ErrorStatus::InvalidArgument &&
         status != ErrorStatus::OutputInsufficientSize && status != ErrorStatus::MissedDeadlineTransient &&
         status != ErrorStatus::MissedDeadlinePersistent;
}

void notify(const PartitionOptions &options, PartitionEvent event) {
  if (options.onEvent)
    options.onEvent(event);
}

void logFallback(std::string_view what, const IDevice &device, const Error &why) {
  verbose(VerboseTag::CpuExe, "{} of {} goes to the CPU: {}", what, device.name(), toString(why));
}

static PrepareOptions prepareOptions(const PartitionOptions &options) {
  return {.preference = options.preference,
          .priority = options.priority,
          .deadline = options.deadline,
          .cache = {},
          .hints = options.hints,
          .extensionNameToPrefix = options.extensionNameToPrefix};
}

/// Null: there are no cache files, or the device does not accept them.
static std::shared_ptr<IPreparedModel> findCached(IDevice &device, std::span<const SourceOperation> operations,
                                                  const PartitionOptions &options) {
  const CacheFiles files = options.cacheFiles(device, operations, StepCacheAccess::Existing);
  if (!files.areGiven()) {
    verbose(VerboseTag::Compilation, "step on {}: no cache files from an earlier preparation", device.name());
    return nullptr;
  }
  auto cached = device.prepareModelFromCache(options.deadline, files);
  if (!cached || *cached == nullptr) {
    verbose(VerboseTag::Compilation, "step on {}: cache files not used: {}", device.name(),
            cached ? "the device returned no model" : cached.error().message);
    return nullptr;
  }
  verbose(VerboseTag::Compilation, "step on {}: from its cache files", device.name());
  notify(options, PartitionEvent::StepFromCache);
  return std::move(*cached);
}

Result<std::shared_ptr<IPreparedModel>> compile(IDevice &device, const Model &model,
                                                std::span<const SourceOperation> operations,
                                                const PartitionOptions &options) {
  PrepareOptions prepare = prepareOptions(options);
  const NumberOfCacheFiles needed = device.numberOfCacheFilesNeeded();
  if (!options.cacheFiles || (needed.numModelCache == 0 && needed.numDataCache == 0))
    return device.prepareModel(model, prepare);
  if (std::shared_ptr<IPreparedModel> cached = findCached(device, operations, options))
    return cached;
  prepare.cache = options.cacheFiles(device, operations, StepCacheAccess::Created);
  auto prepared = device.prepareModel(model, prepare);
  if (prepared || !prepare.cache.areGiven() || !mayRepeat(prepared.code()))
    return prepared;
  verbose(VerboseTag::Compilation, "step on {}: again without cache files after {}", device.name(),
          toString(prepared.code()));
  prepare.cache = {};
  return device.prepareModel(model, prepare);
}

CpuCopy::CpuCopy(std::shared_ptr<const Model> model, std::shared_ptr<IDevice> cpu, const PartitionOptions &options)
    : model_(std::move(model)), cpu_(std::move(cpu)), options_(prepareOptions(options)), onEvent_(options.onEvent) {
  options_.deadline.reset(); // of the preparation; the copy is made by an execution
}

Result<std::shared_ptr<IPreparedModel>> CpuCopy::get() {
  if (onEvent_)
    onEvent_(PartitionEvent::CpuFallback);
  std::scoped_lock lock(mutex_);
  if (!prepared_)
    prepared_ = cpu_->prepareModel(*model_, options_);
  return *prepared_;
}

} // namespace avocet::hal::partition

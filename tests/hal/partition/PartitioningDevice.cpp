//===- PartitioningDevice.cpp - A device that divides models --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitioningDevice.h"

#include "avocet/hal/types/DescribedDevice.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <utility>

namespace avocet::hal::test {
namespace {

std::vector<uint8_t> bytesOf(const Memory &memory) {
  SharedHandle fd;
  uint64_t offset = 0;
  if (const auto *ashmem = std::get_if<Ashmem>(&memory.handle))
    fd = ashmem->fd;
  if (const auto *file = std::get_if<MappableFile>(&memory.handle)) {
    fd = file->fd;
    offset = file->offset;
  }
  auto mapping = Mapping::map(fd->get(), sizeOf(memory), Mapping::Access::Read, offset);
  return mapping ? std::vector<uint8_t>(mapping->bytes().begin(), mapping->bytes().end()) : std::vector<uint8_t>();
}

/// All memory of a request.
std::vector<std::vector<uint8_t>> snapshot(const Request &request) {
  std::vector<std::vector<uint8_t>> result;
  for (const RequestPool &pool : request.pools)
    if (const auto *memory = std::get_if<SharedMemory>(&pool))
      result.push_back(bytesOf(**memory));
  return result;
}

bool usesBuffer(const Request &request) {
  return std::ranges::any_of(request.pools,
                             [](const RequestPool &pool) { return std::holds_alternative<BufferToken>(pool); });
}

class ComparedModel final : public IPreparedModel {
public:
  ComparedModel(PartitionedModel divided, std::shared_ptr<IPreparedModel> whole,
                std::shared_ptr<PartitionCounters> counters)
      : divided_(std::move(divided.model)), owner_(std::move(divided.onlyDevice)), whole_(std::move(whole)),
        counters_(std::move(counters)) {}

  const std::shared_ptr<IPreparedModel> &divided() const { return divided_; }
  const std::shared_ptr<IDevice> &owner() const { return owner_; }

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override {
    ExecutionOutcome outcome = divided_->execute(request, options);
    // A buffer belongs to the models that it was allocated for.
    if (whole_ == nullptr || !outcome.isOk() || usesBuffer(request))
      return outcome;
    const auto bytes = snapshot(request);
    const ExecutionOutcome expected = whole_->execute(request, options);
    ++counters_->compared;
    if (!expected.isOk() || snapshot(request) != bytes) {
      ++counters_->differences;
      return {ErrorStatus::GeneralFailure, "other bits than the undivided model: " + expected.message, {}, {}};
    }
    return outcome;
  }
  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override {
    return divided_->executeAsynchronously(request, options, std::move(callback));
  }
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override {
    return divided_->createReusableExecution(request, options);
  }
  Result<FencedLaunch> executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                     const FencedOptions &options) override {
    return divided_->executeFenced(request, waitFor, options);
  }
  Result<std::shared_ptr<IBurst>> configureBurst() override { return divided_->configureBurst(); }

private:
  const std::shared_ptr<IPreparedModel> divided_;
  const std::shared_ptr<IDevice> owner_;
  const std::shared_ptr<IPreparedModel> whole_;
  const std::shared_ptr<PartitionCounters> counters_;
};

class PartitioningDevice final : public ForwardingDevice {
public:
  /// Questions are for the reference, with `description`.
  PartitioningDevice(std::vector<std::shared_ptr<IDevice>> devices, std::shared_ptr<IDevice> cpu,
                     std::shared_ptr<IDevice> reference, DeviceDescription description,
                     std::shared_ptr<PartitionCounters> counters)
      : ForwardingDevice(std::move(reference), std::move(description)), devices_(std::move(devices)),
        cpu_(std::move(cpu)), counters_(std::move(counters)) {}

  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) override {
    PartitionOptions partition;
    partition.preference = options.preference;
    partition.priority = options.priority;
    partition.deadline = options.deadline;
    partition.hints = options.hints;
    partition.extensionNameToPrefix = options.extensionNameToPrefix;
    auto divided = preparePartitioned(model, devices_, cpu_, partition);
    if (!divided)
      return divided.error();
    count(divided->plan);
    auto whole = ForwardingDevice::prepareModel(model, options);
    return std::shared_ptr<IPreparedModel>(
        std::make_shared<ComparedModel>(*divided, whole ? *whole : nullptr, counters_));
  }

  ErrorStatus prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                         PreparedModelCallback callback) override {
    auto prepared = prepareModel(model, options);
    callback(prepared.code(), prepared ? *prepared : nullptr);
    return prepared.code();
  }
  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &,
                                                                const CacheFiles &) override {
    return generalFailure("nothing is cached");
  }
  Result<std::shared_ptr<IBuffer>> allocate(const std::vector<uint32_t> &dimensions,
                                            const std::vector<BufferRole> &inputRoles,
                                            const std::vector<BufferRole> &outputRoles) override {
    std::shared_ptr<IDevice> owner;
    const std::vector<BufferRole> inputs = unwrapped(inputRoles, owner);
    const std::vector<BufferRole> outputs = unwrapped(outputRoles, owner);
    return allocateForRoles(dimensions, inputs, outputs, owner);
  }

private:
  static std::vector<BufferRole> unwrapped(std::vector<BufferRole> roles, std::shared_ptr<IDevice> &owner) {
    for (BufferRole &role : roles)
      if (const auto *model = dynamic_cast<const ComparedModel *>(role.model.get())) {
        owner = model->owner();
        role.model = model->divided();
      }
    return roles;
  }

  void count(const PlanDescription &plan) const {
    ++counters_->prepared;
    counters_->divided += plan.steps.size() > 1 ? 1 : 0;
    for (const StepDescription &step : plan.steps) {
      counters_->hostSteps += step.kind != StepDescription::Kind::Device ? 1 : 0;
      counters_->onCpu += step.device == cpu_->name() ? 1 : 0;
    }
  }

  const std::vector<std::shared_ptr<IDevice>> devices_;
  const std::shared_ptr<IDevice> cpu_;
  const std::shared_ptr<PartitionCounters> counters_;
};

} // namespace

std::shared_ptr<IDevice> makePartitioningDevice(std::vector<std::shared_ptr<IDevice>> devices,
                                                std::shared_ptr<IDevice> cpu, std::shared_ptr<IDevice> reference,
                                                std::shared_ptr<PartitionCounters> counters) {
  DeviceDescription description = describe(*reference);
  description.name = "partitioned";
  description.cacheFiles = {};
  return std::make_shared<PartitioningDevice>(std::move(devices), std::move(cpu), std::move(reference),
                                              std::move(description), std::move(counters));
}

} // namespace avocet::hal::test

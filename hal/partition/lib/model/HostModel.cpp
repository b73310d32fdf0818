//===- HostModel.cpp - What prepared models share ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/HostModel.h"

#include "avocet/hal/partition/Partition.h"
#include "avocet/hal/types/Validation.h"
#include "model/Tasks.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::hal::partition {

ExecutionOutcome failed(const Error &error) { return {error.code, error.message, {}, {}}; }

BufferFinder HostModel::bufferFinder() const {
  return [this](uint32_t index, bool isInput, BufferToken token) -> std::shared_ptr<LastingBuffer> {
    const auto role = resolve({nullptr, index, 1}, isInput);
    return role ? buffers_.find(role->device, token) : nullptr;
  };
}

Outcome HostModel::checkOptions(const ExecutionOptions &options) {
  AVOCET_RETURN_IF_ERROR(validate(options.measure));
  AVOCET_RETURN_IF_ERROR(validate(options.deadline));
  AVOCET_RETURN_IF_ERROR(validateLoopTimeout(options.loopTimeoutDuration));
  AVOCET_RETURN_IF_ERROR(validate(options.hints, options.extensionNameToPrefix));
  if (options.deadline && *options.deadline <= BootClock::now())
    return error(ErrorStatus::MissedDeadlinePersistent, "the deadline has passed before the execution");
  return success();
}

Outcome HostModel::check(const Request &request, const ExecutionOptions &options, bool allowUnspecifiedOutput) const {
  if (usesBuffer(request))
    AVOCET_RETURN_IF_ERROR(validateRequestForModel(withDistinctTokens(request), *model_, allowUnspecifiedOutput));
  else
    AVOCET_RETURN_IF_ERROR(validateRequestForModel(request, *model_, allowUnspecifiedOutput));
  return checkOptions(options);
}

ErrorStatus HostModel::executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                             ExecutionCallback callback) {
  Outcome checked = check(request, options);
  if (checked) {
    // The model outlives the task, since the destructor of the derived class waits for it. The callback may drop the
    // last reference.
    if (tasks_.start([this, request, options, callback] { callback(execute(request, options)); }))
      return ErrorStatus::None;
    checked = error(ErrorStatus::ResourceExhaustedTransient,
                    fmt::format("more than {} executions run, or no thread can be started", Tasks::kMaxTasks));
  }
  callback(failed(checked.error()));
  return checked.code();
}

Result<FencedLaunch> HostModel::executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                              const FencedOptions &options) {
  AVOCET_RETURN_IF_ERROR(check(request, options.execution, false));
  return launchFenced(tasks_, waitFor, options, [self = shared_from_this(), request](const ExecutionOptions &left) {
    return self->execute(request, left);
  });
}

} // namespace avocet::hal::partition

namespace avocet::hal {

using partition::HostModel;
using partition::LastingBuffer;
using partition::ResolvedRole;

namespace {

/// Replaces models of this library by those of the devices.
class RoleResolution {
public:
  explicit RoleResolution(std::shared_ptr<IDevice> owner) : owner_(std::move(owner)) {}

  Outcome add(const std::vector<BufferRole> &roles, bool isInput, std::vector<BufferRole> &resolved) {
    for (const BufferRole &role : roles) {
      ResolvedRole one{owner_, role};
      if (auto model = std::dynamic_pointer_cast<HostModel>(role.model)) {
        auto result = model->resolve(role, isInput);
        if (!result)
          return result.error();
        models_.push_back(std::move(model));
        one = std::move(result).value();
      }
      if (device_ != nullptr && one.device != device_)
        return generalFailure("the roles of the buffer belong to different devices; use shared memory");
      device_ = one.device;
      resolved.push_back(std::move(one.role));
    }
    return success();
  }

  const std::shared_ptr<IDevice> &device() const { return device_; }
  /// The CPU finds the buffer again when it repeats an execution.
  void publish(const std::shared_ptr<LastingBuffer> &buffer) const {
    for (const auto &model : models_)
      model->buffers().add(device_, buffer);
  }

private:
  const std::shared_ptr<IDevice> owner_;
  std::shared_ptr<IDevice> device_;
  std::vector<std::shared_ptr<HostModel>> models_;
};

} // namespace

Result<std::shared_ptr<IBuffer>> allocateForRoles(const std::vector<uint32_t> &dimensions,
                                                  const std::vector<BufferRole> &inputRoles,
                                                  const std::vector<BufferRole> &outputRoles,
                                                  const std::shared_ptr<IDevice> &owner) {
  RoleResolution resolution(owner);
  std::vector<BufferRole> inputs;
  std::vector<BufferRole> outputs;
  AVOCET_RETURN_IF_ERROR(resolution.add(inputRoles, true, inputs));
  AVOCET_RETURN_IF_ERROR(resolution.add(outputRoles, false, outputs));
  if (resolution.device() == nullptr)
    return invalidArgument("a buffer needs a role of a model whose device is known");
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBuffer> buffer, resolution.device()->allocate(dimensions, inputs, outputs));
  auto lasting = std::make_shared<LastingBuffer>(std::move(buffer));
  resolution.publish(lasting);
  return std::shared_ptr<IBuffer>(std::move(lasting));
}

} // namespace avocet::hal

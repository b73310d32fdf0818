//===- ResilientPreparedModel.cpp - Prepared models that outlive their service ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResilientPreparedModel.h"

namespace avocet::hal::ipc {
namespace {

ExecutionOutcome outcomeOf(const Error &error) { return {error.code, error.message, {}, {}}; }

/// An object and its epoch. The status of its calls may be the first sign of the epoch's end.
template <typename T> struct Ready {
  SharedEpoch epoch;
  std::shared_ptr<T> object;

  ExecutionOutcome noted(ExecutionOutcome outcome) const {
    epoch->note(outcome.status);
    return outcome;
  }
  template <typename R> Result<R> noted(Result<R> result) const {
    epoch->note(result.code());
    return result;
  }
};

class ResilientExecution final : public IExecution {
public:
  ResilientExecution(std::shared_ptr<ResilientPreparedModel> model, Request request, ExecutionOptions options)
      : model_(std::move(model)), request_(std::move(request)), options_(std::move(options)) {}

  Result<Ready<IExecution>> ready(const OptionalTimePoint &deadline) {
    ResilientLink &link = *model_->link();
    return link.repeated<Ready<IExecution>>(deadline, [&](const SharedEpoch &epoch) -> Result<Ready<IExecution>> {
      auto make = [&]() -> Result<std::shared_ptr<IExecution>> {
        AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IPreparedModel> prepared, model_->in(epoch, deadline));
        AVOCET_ASSIGN_OR_RETURN(Request request, link.translated(request_, epoch));
        return prepared->createReusableExecution(request, options_);
      };
      AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IExecution> execution, remade_.get(epoch, make));
      return Ready<IExecution>{epoch, std::move(execution)};
    });
  }

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override {
    Result<Ready<IExecution>> execution = ready(deadline);
    return execution ? execution->noted(execution->object->compute(deadline)) : outcomeOf(execution.error());
  }

  Result<FencedLaunch> computeFenced(const std::vector<SyncFence> &waitFor, const OptionalTimePoint &deadline,
                                     const OptionalDuration &timeoutAfterFence) override {
    AVOCET_ASSIGN_OR_RETURN(Ready<IExecution> execution, ready(deadline));
    return execution.noted(execution.object->computeFenced(waitFor, deadline, timeoutAfterFence));
  }

private:
  const std::shared_ptr<ResilientPreparedModel> model_;
  const Request request_;
  const ExecutionOptions options_;
  Remade<IExecution> remade_;
};

class ResilientBurst final : public IBurst {
public:
  explicit ResilientBurst(std::shared_ptr<ResilientPreparedModel> model) : model_(std::move(model)) {}

  Result<std::shared_ptr<IBurst>> in(const SharedEpoch &epoch, const OptionalTimePoint &deadline) {
    return remade_.get(epoch, [&]() -> Result<std::shared_ptr<IBurst>> {
      AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IPreparedModel> prepared, model_->in(epoch, deadline));
      return prepared->configureBurst();
    });
  }
  Result<std::shared_ptr<IBurst>> ready() {
    return model_->link()->repeated<std::shared_ptr<IBurst>>({},
                                                             [&](const SharedEpoch &epoch) { return in(epoch, {}); });
  }

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override {
    Ready<IBurst> burst;
    Result<Request> bound =
        model_->link()->repeated<Request>(options.deadline, [&](const SharedEpoch &epoch) -> Result<Request> {
          burst.epoch = epoch;
          AVOCET_ASSIGN_OR_RETURN(burst.object, in(epoch, options.deadline));
          return model_->link()->translated(request, epoch);
        });
    return bound ? burst.noted(burst.object->execute(*bound, memoryIdentifiers, options)) : outcomeOf(bound.error());
  }

  /// A new epoch has no identifiers, so releasing one there has no effect.
  Outcome releaseMemoryResource(int64_t identifier) override {
    return model_->link()->repeated<Nothing>({}, [&](const SharedEpoch &epoch) -> Outcome {
      AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBurst> burst, in(epoch, {}));
      return burst->releaseMemoryResource(identifier);
    });
  }

private:
  const std::shared_ptr<ResilientPreparedModel> model_;
  Remade<IBurst> remade_;
};

} // namespace

/// From the cache files if possible, which is much cheaper than compiling.
Result<std::shared_ptr<IPreparedModel>> Recipe::prepare(const IDevice &description, IDevice &device,
                                                        const OptionalTimePoint &deadline) const {
  bool isCached = options.cache.areGiven() && description.numberOfCacheFilesNeeded().numModelCache > 0;
  if (isCached || !model) {
    auto prepared = device.prepareModelFromCache(deadline, options.cache);
    if (prepared || !model || prepared.code() == ErrorStatus::DeadObject)
      return prepared;
  }
  PrepareOptions now = options;
  now.deadline = deadline;
  return device.prepareModel(*model, now);
}

Result<std::shared_ptr<IPreparedModel>> ResilientPreparedModel::in(const SharedEpoch &epoch,
                                                                   const OptionalTimePoint &deadline) {
  return remade_.get(epoch, [&] { return recipe_.prepare(link_->description(), epoch->device(), deadline); });
}

Result<ResilientPreparedModel::Bound> ResilientPreparedModel::bind(const Request &request,
                                                                   const OptionalTimePoint &deadline) {
  return link_->repeated<Bound>(deadline, [&](const SharedEpoch &epoch) -> Result<Bound> {
    Bound bound;
    bound.epoch = epoch;
    AVOCET_ASSIGN_OR_RETURN(bound.prepared, in(epoch, deadline));
    AVOCET_ASSIGN_OR_RETURN(bound.request, link_->translated(request, epoch));
    return bound;
  });
}

ExecutionOutcome ResilientPreparedModel::execute(const Request &request, const ExecutionOptions &options) {
  Result<Bound> bound = bind(request, options.deadline);
  if (!bound)
    return outcomeOf(bound.error());
  ExecutionOutcome outcome = bound->prepared->execute(bound->request, options);
  bound->epoch->note(outcome.status);
  return outcome;
}

ErrorStatus ResilientPreparedModel::executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                                          ExecutionCallback callback) {
  Result<Bound> bound = bind(request, options.deadline);
  if (bound)
    return bound->prepared->executeAsynchronously(bound->request, options, std::move(callback));
  callback(outcomeOf(bound.error()));
  return bound.code();
}

Result<std::shared_ptr<IExecution>> ResilientPreparedModel::createReusableExecution(const Request &request,
                                                                                    const ExecutionOptions &options) {
  auto execution = std::make_shared<ResilientExecution>(shared_from_this(), request, options);
  AVOCET_RETURN_IF_ERROR(execution->ready(options.deadline));
  return std::shared_ptr<IExecution>(std::move(execution));
}

Result<FencedLaunch> ResilientPreparedModel::executeFenced(const Request &request,
                                                           const std::vector<SyncFence> &waitFor,
                                                           const FencedOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(Bound bound, bind(request, options.execution.deadline));
  Result<FencedLaunch> launch = bound.prepared->executeFenced(bound.request, waitFor, options);
  bound.epoch->note(launch.code());
  return launch;
}

Result<std::shared_ptr<IBurst>> ResilientPreparedModel::configureBurst() {
  auto burst = std::make_shared<ResilientBurst>(shared_from_this());
  AVOCET_RETURN_IF_ERROR(burst->ready());
  return std::shared_ptr<IBurst>(std::move(burst));
}

namespace {

/// Models of other devices are not translated; the device refuses them.
Result<std::vector<BufferRole>> rolesIn(const SharedEpoch &epoch, const std::vector<BufferRole> &roles) {
  std::vector<BufferRole> translated = roles;
  for (BufferRole &role : translated)
    if (auto *model = dynamic_cast<ResilientPreparedModel *>(role.model.get())) {
      AVOCET_ASSIGN_OR_RETURN(role.model, model->in(epoch, {}));
    }
  return translated;
}

} // namespace

Result<std::shared_ptr<IBuffer>> BufferUse::allocate(const SharedEpoch &epoch) const {
  AVOCET_ASSIGN_OR_RETURN(std::vector<BufferRole> inputs, rolesIn(epoch, inputRoles));
  AVOCET_ASSIGN_OR_RETURN(std::vector<BufferRole> outputs, rolesIn(epoch, outputRoles));
  return epoch->device().allocate(dimensions, inputs, outputs);
}

std::shared_ptr<IBuffer> ResilientBuffer::create(std::shared_ptr<ResilientLink> link, BufferUse use, uint64_t epoch,
                                                 std::shared_ptr<IBuffer> buffer) {
  std::shared_ptr<ResilientBuffer> made(new ResilientBuffer(std::move(link), std::move(use), epoch, std::move(buffer)));
  made->token_ = made->link_->addBuffer(made);
  return made;
}

Result<std::shared_ptr<IBuffer>> ResilientBuffer::in(const SharedEpoch &epoch) {
  return remade_.get(epoch, [&] { return use_.allocate(epoch); });
}

/// Reading changes nothing and may be repeated; it then finds an uninitialized buffer.
Outcome ResilientBuffer::copyTo(const SharedMemory &memory) {
  return link_->repeated<Nothing>({}, [&](const SharedEpoch &epoch) -> Outcome {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBuffer> buffer, in(epoch));
    return buffer->copyTo(memory);
  });
}

/// Writing is idempotent and may be repeated.
Outcome ResilientBuffer::copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) {
  return link_->repeated<Nothing>({}, [&](const SharedEpoch &epoch) -> Outcome {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBuffer> buffer, in(epoch));
    return buffer->copyFrom(memory, dimensions);
  });
}

} // namespace avocet::hal::ipc

//===- RemotePreparedModel.cpp - Prepared models of the service ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemotePreparedModel.h"

namespace avocet::hal::ipc {
namespace {

class RemoteFencedExecution final : public IFencedExecution {
public:
  RemoteFencedExecution(std::shared_ptr<Connection> connection, uint64_t id) : object_(std::move(connection), id) {}

  Result<FencedTimes> executionInfo() override {
    fb::GetFencedInfoT call;
    call.fenced = object_.id();
    Reply reply = object_.call(call);
    if (reply.status != ErrorStatus::None)
      return errorOf(reply);
    const fb::FencedTimesT *times = reply.answer.AsFencedTimes();
    if (times == nullptr)
      return wrongAnswer();
    return fromMessage(*times);
  }

private:
  RemoteObject object_;
};

} // namespace

Result<FencedLaunch> fencedOf(const std::shared_ptr<Connection> &connection, const Reply &reply) {
  if (reply.status != ErrorStatus::None)
    return errorOf(reply);
  const fb::FencedAnswerT *answer = reply.answer.AsFencedAnswer();
  if (answer == nullptr || answer->fence.size() > 1)
    return wrongAnswer();
  FencedLaunch launch;
  launch.info = std::make_shared<RemoteFencedExecution>(connection, answer->id);
  AVOCET_ASSIGN_OR_RETURN(std::vector<SyncFence> fences, fencesOf(answer->fence, reply.handles));
  if (!fences.empty())
    launch.fence = std::move(fences.front());
  connection->watchFence(launch.fence);
  return launch;
}

RemoteBurst::Memories RemoteBurst::leaveOutKnown(const Request &request, const std::vector<int64_t> &identifiers,
                                                 fb::RequestT &message, HandleWriter &handles) {
  Memories sent;
  for (size_t i = 0; i < request.pools.size(); ++i) {
    const auto *memory = std::get_if<SharedMemory>(&request.pools[i]);
    if (memory == nullptr)
      continue;
    bool isNamed = *memory != nullptr && identifiers.size() == request.pools.size() && identifiers[i] >= 0;
    auto known = isNamed ? known_.find(identifiers[i]) : known_.end();
    message.pools[i]->known = known != known_.end() && known->second == *memory;
    if (message.pools[i]->known)
      continue;
    message.pools[i]->memory = toMessage(*memory, handles);
    if (isNamed)
      sent[identifiers[i]] = *memory;
  }
  return sent;
}

/// If the answer is one of an execution, the service keeps the memories sent. Otherwise it is unknown which ones it
/// keeps.
void RemoteBurst::remember(Memories sent, uint64_t generation, bool isKept) {
  std::lock_guard lock(mutex_);
  if (!isKept)
    known_.clear();
  else if (generation == generation_)
    for (auto &[identifier, memory] : sent)
      known_[identifier] = std::move(memory);
}

ExecutionOutcome RemoteBurst::execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                                      const ExecutionOptions &options) {
  HandleWriter handles;
  fb::ExecuteBurstT call;
  call.burst = object_.id();
  call.request = toMessageWithoutMemory(request);
  call.identifiers = memoryIdentifiers;
  call.options = toMessage(options);
  Memories sent;
  uint64_t generation = 0;
  {
    std::lock_guard lock(mutex_);
    sent = leaveOutKnown(request, memoryIdentifiers, *call.request, handles);
    generation = generation_;
  }
  Reply reply = object_.call(std::move(call), handles);
  remember(std::move(sent), generation, reply.answer.AsExecuted() != nullptr);
  return outcomeOf(std::move(reply));
}

Outcome RemoteBurst::releaseMemoryResource(int64_t identifier) {
  {
    std::lock_guard lock(mutex_);
    known_.erase(identifier);
    ++generation_;
  }
  fb::ReleaseMemoryT call;
  call.burst = object_.id();
  call.identifier = identifier;
  return nothingOf(object_.call(call));
}

Result<std::shared_ptr<IBurst>> openQueuedBurst(const std::shared_ptr<Connection> &connection, uint64_t preparedModel,
                                                std::shared_ptr<IPreparedModel> model,
                                                const BurstClientOptions &options) {
  uint64_t id = 0;
  auto send = [&](const BurstOffer &offer) -> Outcome {
    HandleWriter handles;
    fb::ServeBurstT call;
    call.prepared = preparedModel;
    call.requests = toMessage(offer.requests, handles);
    call.results = toMessage(offer.results, handles);
    call.link = handles.numberOf(offer.link);
    AVOCET_ASSIGN_OR_RETURN(id, objectOf(connection->call(callOf(std::move(call)), handles)));
    return success();
  };
  BurstClientOptions asking = options;
  asking.isPeerAlive = [connection] { return connection->isAnswering(); };
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBurst> burst, openBurst(std::move(model), send, asking));
  struct Queued {
    std::shared_ptr<RemoteObject> served;
    std::shared_ptr<IBurst> burst; ///< destroyed first, which hangs up
  };
  auto queued = std::make_shared<Queued>(Queued{std::make_shared<RemoteObject>(connection, id), std::move(burst)});
  return std::shared_ptr<IBurst>(queued, queued->burst.get());
}

namespace {

class RemoteExecution final : public IExecution {
public:
  RemoteExecution(std::shared_ptr<Connection> connection, uint64_t id) : object_(std::move(connection), id) {}

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override {
    fb::ComputeT call;
    call.execution = object_.id();
    call.deadline = toNanoseconds(deadline);
    return outcomeOf(object_.call(std::move(call)));
  }

  Result<FencedLaunch> computeFenced(const std::vector<SyncFence> &waitFor, const OptionalTimePoint &deadline,
                                     const OptionalDuration &timeoutAfterFence) override {
    HandleWriter handles;
    fb::ComputeFencedT call;
    call.execution = object_.id();
    call.fences = toMessage(waitFor, handles);
    call.deadline = toNanoseconds(deadline);
    call.timeout_after_fence = toNanoseconds(timeoutAfterFence);
    return fencedOf(object_.connection(), object_.call(std::move(call), handles));
  }

private:
  RemoteObject object_;
};

} // namespace

template <typename Table>
Table RemotePreparedModel::executeCall(const Request &request, const ExecutionOptions &options,
                                       HandleWriter &handles) const {
  Table call;
  call.prepared = object_.id();
  call.request = toMessage(request, handles);
  call.options = toMessage(options);
  return call;
}

ExecutionOutcome RemotePreparedModel::execute(const Request &request, const ExecutionOptions &options) {
  HandleWriter handles;
  auto call = executeCall<fb::ExecuteT>(request, options, handles);
  return outcomeOf(object_.call(std::move(call), handles));
}

ErrorStatus RemotePreparedModel::executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                                       ExecutionCallback callback) {
  HandleWriter handles;
  auto call = executeCall<fb::ExecuteT>(request, options, handles);
  // The handler keeps the connection alive until the callback.
  auto handler = [connection = object_.connection(), callback = std::move(callback)](Reply reply) {
    callback(outcomeOf(std::move(reply)));
  };
  return object_.connection()->launch(callOf(std::move(call)), handles, std::move(handler));
}

Result<std::shared_ptr<IExecution>> RemotePreparedModel::createReusableExecution(const Request &request,
                                                                                 const ExecutionOptions &options) {
  HandleWriter handles;
  auto call = executeCall<fb::CreateExecutionT>(request, options, handles);
  AVOCET_ASSIGN_OR_RETURN(uint64_t id, objectOf(object_.call(std::move(call), handles)));
  return std::shared_ptr<IExecution>(std::make_shared<RemoteExecution>(object_.connection(), id));
}

Result<FencedLaunch> RemotePreparedModel::executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                                        const FencedOptions &options) {
  HandleWriter handles;
  auto call = executeCall<fb::ExecuteFencedT>(request, options.execution, handles);
  call.timeout_after_fence = toNanoseconds(options.timeoutAfterFence);
  call.fences = toMessage(waitFor, handles);
  return fencedOf(object_.connection(), object_.call(std::move(call), handles));
}

Result<std::shared_ptr<IBurst>> RemotePreparedModel::configureBurst() {
  if (options_.burst == BurstKind::Queues) {
    auto burst = openQueuedBurst(object_.connection(), object_.id(), shared_from_this(), options_.queues);
    if (burst || burst.code() == ErrorStatus::DeadObject)
      return burst;
  }
  fb::ConfigureBurstT call;
  call.prepared = object_.id();
  AVOCET_ASSIGN_OR_RETURN(uint64_t id, objectOf(object_.call(std::move(call))));
  return std::shared_ptr<IBurst>(std::make_shared<RemoteBurst>(object_.connection(), id));
}

Result<std::shared_ptr<IPreparedModel>> preparedOf(const std::shared_ptr<Connection> &connection, const Reply &reply,
                                                   const ConnectOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(uint64_t id, objectOf(reply));
  return std::shared_ptr<IPreparedModel>(std::make_shared<RemotePreparedModel>(connection, id, options));
}

} // namespace avocet::hal::ipc

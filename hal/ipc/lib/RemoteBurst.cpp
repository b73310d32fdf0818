//===- RemoteBurst.cpp - Bursts of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteBurst.h"

namespace avocet::hal::ipc {
namespace {

class QueuedBurst final : public IBurst {
public:
  QueuedBurst(std::shared_ptr<Connection> connection, uint64_t id, std::shared_ptr<IBurst> burst)
      : object_(std::move(connection), id), burst_(std::move(burst)) {}

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override {
    return burst_->execute(request, memoryIdentifiers, options);
  }
  Outcome releaseMemoryResource(int64_t identifier) override { return burst_->releaseMemoryResource(identifier); }

private:
  RemoteObject object_;
  std::shared_ptr<IBurst> burst_; ///< destroyed first, which hangs up
};

} // namespace

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
  return std::shared_ptr<IBurst>(std::make_shared<QueuedBurst>(connection, id, std::move(burst)));
}

} // namespace avocet::hal::ipc

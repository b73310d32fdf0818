//===- RemoteBurst.cpp - Bursts of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteBurst.h"

namespace avocet::hal::ipc {

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

/// After an answer that shows that the service took the request it keeps what was sent; otherwise nobody knows.
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
  return nothingOf(object_.call(std::move(call)));
}

} // namespace avocet::hal::ipc

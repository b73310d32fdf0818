//===- BurstExecution.cpp - Repeated executions with kept bindings -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/BurstExecution.h"

#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::hal {
namespace {

constexpr int64_t kKeepNothing = -1;

bool isSame(const RequestArgument &a, const RequestArgument &b) {
  return a.hasNoValue == b.hasNoValue && a.location == b.location && a.dimensions == b.dimensions;
}

bool areSame(const std::vector<RequestArgument> &a, const std::vector<RequestArgument> &b) {
  return std::ranges::equal(a, b, [](const auto &x, const auto &y) { return isSame(x, y); });
}

const SharedMemory *memoryOf(const RequestPool &pool) { return std::get_if<SharedMemory>(&pool); }

/// Not with driver buffers, whose states are checked at each use, nor with memories without an identifier, which may
/// change.
bool mayBeKept(const Request &request, std::span<const int64_t> identifiers) {
  return std::ranges::all_of(request.pools, [](const RequestPool &pool) { return memoryOf(pool) != nullptr; }) &&
         std::ranges::find(identifiers, kKeepNothing) == identifiers.end();
}

} // namespace

BurstExecution::BurstExecution(std::shared_ptr<PreparedModel> model)
    : model_(std::move(model)), hold_(model_->client().core().device()->power().hold(model_->clockLevel())) {}

ExecutionOutcome BurstExecution::execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                                         const ExecutionOptions &options) {
  if (isRunning_.exchange(true, std::memory_order_acquire))
    return failed(generalFailure("burst: an execution is running already"));
  ExecutionOutcome outcome = answered([&]() -> ExecutionOutcome {
    Result<std::shared_ptr<KeptRequest>> kept = find(request, memoryIdentifiers, options);
    return kept ? model_->run(*(*kept)->bound->view, options, &(*kept)->pinned) : failed(kept.error());
  });
  isRunning_.store(false, std::memory_order_release);
  return outcome;
}

Result<std::shared_ptr<BurstExecution::KeptRequest>>
BurstExecution::find(const Request &request, const Identifiers &identifiers, const ExecutionOptions &options) {
  AVOCET_RETURN_IF_ERROR(validateMemoryIdentifiers(request, identifiers));
  std::lock_guard lock(mutex_);
  AVOCET_RETURN_IF_ERROR(checkMemories(request, identifiers));
  if (std::shared_ptr<KeptRequest> kept = findKept(request, identifiers))
    return kept;
  auto made = std::make_shared<KeptRequest>();
  AVOCET_ASSIGN_OR_RETURN(made->bound, model_->bind(request, options));
  made->identifiers = identifiers;
  made->pinned.resize(request.pools.size());
  if (mayBeKept(request, identifiers))
    keep(made);
  return made;
}

/// InvalidArgument if an identifier denotes two memories. Marks known memories as used.
Outcome BurstExecution::checkMemories(const Request &request, const Identifiers &identifiers) {
  ++numUses_;
  for (size_t i = 0; i < identifiers.size(); ++i) {
    const SharedMemory *memory = memoryOf(request.pools[i]);
    if (memory == nullptr || identifiers[i] == kKeepNothing)
      continue;
    const SharedMemory *other = nullptr;
    if (auto known = memories_.find(identifiers[i]); known != memories_.end()) {
      other = &known->second.memory;
      known->second.lastUse = numUses_;
    } else {
      auto first = static_cast<size_t>(std::ranges::find(identifiers, identifiers[i]) - identifiers.begin());
      other = memoryOf(request.pools[first]);
    }
    if (other != memory && (other == nullptr || !isSameMemory(*other, *memory)))
      return invalidArgument(fmt::format("burst: identifier {} stands for another memory", identifiers[i]));
  }
  return success();
}

std::shared_ptr<BurstExecution::KeptRequest> BurstExecution::findKept(const Request &request,
                                                                      const Identifiers &identifiers) {
  auto isMeant = [&](const std::shared_ptr<KeptRequest> &kept) {
    return kept->identifiers == identifiers && areSame(kept->bound->request.inputs, request.inputs) &&
           areSame(kept->bound->request.outputs, request.outputs);
  };
  auto found = std::find_if(requests_.rbegin(), requests_.rend(), isMeant);
  // With equal identifiers, a pool may still be a driver buffer.
  if (found == requests_.rend() || !mayBeKept(request, identifiers))
    return nullptr;
  std::rotate(std::prev(found.base()), found.base(), requests_.end());
  return requests_.back();
}

void BurstExecution::keep(std::shared_ptr<KeptRequest> request) {
  for (size_t i = 0; i < request->identifiers.size(); ++i) {
    auto [known, isNew] = memories_.try_emplace(request->identifiers[i]);
    if (isNew)
      known->second = {*memoryOf(request->bound->request.pools[i]), numUses_};
  }
  if (requests_.size() == kMaxRequests)
    requests_.erase(requests_.begin());
  requests_.push_back(std::move(request));
  makeRoom();
}

void BurstExecution::makeRoom() {
  while (memories_.size() > kMaxMemories)
    forget(std::ranges::min_element(memories_, {}, [](const auto &entry) { return entry.second.lastUse; })->first);
}

/// A running execution keeps its memories until its end.
void BurstExecution::forget(int64_t identifier) {
  auto known = memories_.find(identifier);
  if (known == memories_.end())
    return;
  std::erase_if(requests_, [&](const std::shared_ptr<KeptRequest> &kept) {
    return std::ranges::find(kept->identifiers, identifier) != kept->identifiers.end();
  });
  model_->memory().forget(known->second.memory);
  memories_.erase(known);
}

Outcome BurstExecution::releaseMemoryResource(int64_t identifier) {
  AVOCET_RETURN_IF_ERROR(validateMemoryIdentifier(identifier));
  std::lock_guard lock(mutex_);
  forget(identifier);
  return success();
}

} // namespace avocet::hal

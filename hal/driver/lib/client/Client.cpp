//===- Client.cpp - One client of the device --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "client/Client.h"

#include "avocet/hal/types/VerboseLog.h"
#include "fence/FencedExecution.h"

namespace avocet::hal {

ClientState::ClientState(std::shared_ptr<DeviceCore> core, const ClientOptions &options)
    : core_(std::move(core)), name_(options.name), owner_(core_->nextOwner()),
      memory_(std::make_shared<Quota>("bytes of memory", options.quotas.memoryBytes, core_->options().memory)),
      buffers_(std::make_shared<Quota>("buffers", options.quotas.buffers)),
      preparedModels_(std::make_shared<Quota>("prepared models", options.quotas.preparedModels, core_->contexts())),
      executions_(std::make_shared<Quota>("executions", options.quotas.queuedExecutions)),
      awaitedFences_(
          std::make_shared<Quota>("fences to wait for", options.quotas.awaitedFences, core_->awaitedFences())),
      cacheBytes_(options.quotas.cacheBytes),
      compilations_(options.quotas.compilations, &core_->compileTurns(), owner_),
      fencedWork_(1, std::numeric_limits<size_t>::max()),
      workers_(core_->options().numWorkers, core_->options().maxQueuedCalls) {
  verbose(VerboseTag::Driver, "client '{}' connected", name_);
  // A charge may keep the quota alive after the client, but take() is not called then.
  memory_->setReclaim([this] { reclaim(); });
}

void ClientState::add(const std::weak_ptr<TrimHandle> &object) {
  core_->idle().add(object);
  std::lock_guard lock(mutex_);
  std::erase_if(objects_, [](const auto &known) { return known.expired(); });
  objects_.push_back(object);
}

uint64_t ClientState::nextModel() {
  std::lock_guard lock(mutex_);
  return ++lastModel_;
}

void ClientState::addTo(DriverCounters &counters) const {
  ++counters.clients;
  counters.preparedModels += preparedModels_->used();
  counters.buffers += buffers_->used();
  counters.executions += executions_->used();
  counters.memoryBytes += memory_->used();
}

void ClientState::reclaim() {
  std::vector<std::shared_ptr<TrimHandle>> objects;
  {
    std::lock_guard lock(mutex_);
    for (const std::weak_ptr<TrimHandle> &known : objects_)
      if (std::shared_ptr<TrimHandle> object = known.lock())
        objects.push_back(std::move(object));
  }
  for (const auto &object : objects)
    object->trim(TimePoint::max());
}

void ClientState::abandon() {
  if (gone_.request_stop())
    verbose(VerboseTag::Driver, "client '{}' has left; its work in flight is cancelled", name_);
}

Outcome ClientState::checkPresence() const {
  if (gone_.stop_requested())
    return error(ErrorStatus::DeviceUnavailable, "the client has disconnected");
  return success();
}

void ClientState::awaitSettled() const {
  for (const auto &execution : core_->fenced().findAll(*this))
    execution->awaitSettled();
}

} // namespace avocet::hal

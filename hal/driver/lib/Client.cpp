//===- Client.cpp - One client of the device --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

namespace avocet::hal {

ClientState::ClientState(std::shared_ptr<DeviceCore> core, const ClientOptions &options)
    : core_(std::move(core)), name_(options.name), owner_(core_->nextOwner()),
      memory_(std::make_shared<Quota>("bytes of memory", options.quotas.memoryBytes)),
      buffers_(std::make_shared<Quota>("buffers", options.quotas.buffers)),
      preparedModels_(std::make_shared<Quota>("prepared models", options.quotas.preparedModels)),
      executions_(std::make_shared<Quota>("executions", options.quotas.queuedExecutions)),
      cacheBytes_(options.quotas.cacheBytes), compilations_(options.quotas.compilations),
      workers_(core_->options().numWorkers, core_->options().maxQueuedCalls) {}

Outcome ClientState::checkPresence() const {
  if (gone_.stop_requested())
    return error(ErrorStatus::DeviceUnavailable, "the client has gone");
  return success();
}

} // namespace avocet::hal

//===- ResilientLink.cpp - Successive connections to a service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResilientLink.h"

#include "ResilientPreparedModel.h"
#include "avocet/hal/types/VerboseLog.h"

#include <algorithm>
#include <thread>

namespace avocet::hal::ipc {
namespace {

Error tooLate() {
  return error(ErrorStatus::MissedDeadlineTransient, "the deadline passed before the driver service was running again");
}

} // namespace

Result<std::shared_ptr<ResilientLink>> ResilientLink::create(DeviceConnector connect, const ResilientOptions &options) {
  std::shared_ptr<ResilientLink> link(new ResilientLink(std::move(connect), options));
  AVOCET_ASSIGN_OR_RETURN(DeviceLink first, link->connect_());
  link->description_ = first.device;
  AVOCET_RETURN_IF_ERROR(link->adopt(std::move(first)));
  return link;
}

Outcome ResilientLink::adopt(DeviceLink link) {
  if (link.device->versionString() != description_->versionString() || link.device->name() != description_->name())
    return verboseError(VerboseTag::Manager, "device " + description_->name() + " lost",
                        error(ErrorStatus::DeviceUnavailable,
                              "the restarted service offers the device as " + link.device->name() + " of version " +
                                  link.device->versionString() + "; connect to it again"));
  std::lock_guard lock(mutex_);
  epoch_ = std::make_shared<Epoch>(epoch_ ? epoch_->number() + 1 : 1, std::move(link));
  if (epoch_->number() > 1)
    verbose(VerboseTag::Manager, "device {} connected again, epoch {}; its objects are made again when used",
            description_->name(), epoch_->number());
  return success();
}

Result<SharedEpoch> ResilientLink::epoch(const OptionalTimePoint &deadline) {
  SharedEpoch current;
  {
    std::lock_guard lock(mutex_);
    current = epoch_;
  }
  if (!current->isOver())
    return current;
  return connectAgain(deadline);
}

Result<SharedEpoch> ResilientLink::connectAgain(const OptionalTimePoint &deadline) {
  verbose(VerboseTag::Manager, "the service of device {} has ended; connecting again", description_->name());
  const TimePoint start = BootClock::now();
  const TimePoint patience = start + options_.patience;
  const TimePoint end = deadline ? std::min(*deadline, patience) : patience;
  auto expired = [&]() -> Error {
    return deadline && BootClock::now() >= *deadline
               ? tooLate()
               : error(ErrorStatus::DeadObject, "the driver service has ended and was not started again in time");
  };
  std::unique_lock connecting(connecting_, std::max(end - start, Duration::zero()));
  if (!connecting.owns_lock())
    return expired();
  for (Duration pause = options_.firstPause;; pause = std::min(2 * pause, options_.longestPause)) {
    {
      std::lock_guard lock(mutex_);
      if (!epoch_->isOver())
        return epoch_; // another caller connected
    }
    Result<DeviceLink> link = connect_();
    if (link) {
      AVOCET_RETURN_IF_ERROR(adopt(std::move(*link)));
      continue;
    }
    if (BootClock::now() + pause >= end) {
      std::this_thread::sleep_for(std::max(end - BootClock::now(), Duration::zero()));
      return expired();
    }
    std::this_thread::sleep_for(pause);
  }
}

BufferToken ResilientLink::addBuffer(std::weak_ptr<ResilientBuffer> buffer) {
  std::lock_guard lock(mutex_);
  buffers_[nextToken_] = std::move(buffer);
  return BufferToken(nextToken_++);
}

void ResilientLink::removeBuffer(BufferToken token) {
  std::lock_guard lock(mutex_);
  buffers_.erase(static_cast<uint32_t>(token));
}

Result<Request> ResilientLink::translated(const Request &request, const SharedEpoch &epoch) {
  Request translated = request;
  for (RequestPool &pool : translated.pools) {
    auto *token = std::get_if<BufferToken>(&pool);
    if (token == nullptr)
      continue;
    std::shared_ptr<ResilientBuffer> buffer;
    {
      std::lock_guard lock(mutex_);
      auto found = buffers_.find(static_cast<uint32_t>(*token));
      buffer = found == buffers_.end() ? nullptr : found->second.lock();
    }
    *token = BufferToken(0); // which every driver refuses
    if (buffer != nullptr) {
      AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBuffer> made, buffer->in(epoch));
      *token = made->token();
    }
  }
  return translated;
}

} // namespace avocet::hal::ipc

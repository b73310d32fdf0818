//===- Event.cpp ----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/Event.h"

#include <fmt/format.h>

namespace avocet::nnapi {

ApiResult<std::shared_ptr<Event>> Event::fromDescriptor(int fd) {
  if (fd <= 0)
    return badData(fmt::format("descriptor {} is no sync fence", fd));
  AVOCET_ASSIGN_OR_RETURN(hal::SharedHandle copy, duplicateDescriptor(fd));
  auto fence = hal::SyncFence::adopt(std::move(copy));
  if (!fence)
    return fromHal(fence.error());
  auto event = std::make_shared<Event>(std::move(*fence));
  event->isForeign_ = true;
  return event;
}

void Event::complete(ApiOutcome outcome) {
  std::lock_guard lock(mutex_);
  outcome_ = std::move(outcome);
  completed_.notify_all();
}

ApiOutcome Event::wait() {
  if (isForeign_)
    return fence_->wait({}) == hal::FenceState::Signalled ? success()
                                                          : ApiOutcome(opFailed("the sync fence ended with an error"));
  std::unique_lock lock(mutex_);
  completed_.wait(lock, [&] { return outcome_.has_value(); });
  return *outcome_;
}

ApiResult<int> Event::duplicateFence() const {
  if (!fence_.has_value() || fence_->handle() == nullptr)
    return badData("the event has no sync fence");
  auto copy = fence_->handle()->duplicate();
  if (!copy)
    return fromStatus(copy.error());
  return copy->release();
}

} // namespace avocet::nnapi

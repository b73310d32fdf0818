//===- DeviceSpans.cpp - Runs on the device for profiles ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/DeviceSpans.h"

#include <algorithm>
#include <unistd.h>

namespace avocet::ort {

static constexpr size_t kMostSpans = 1'000'000; ///< of a profile: as many events as ONNX Runtime keeps

std::shared_ptr<DeviceSpans::List> DeviceSpans::open() {
  auto list = std::make_shared<List>();
  std::lock_guard lock(mutex_);
  lists_.push_back(list);
  numOpen_ = lists_.size();
  return list;
}

DeviceSpans::List DeviceSpans::close(const std::shared_ptr<List> &list) {
  std::lock_guard lock(mutex_);
  std::erase(lists_, list);
  numOpen_ = lists_.size();
  return std::move(*list);
}

void DeviceSpans::note(Clock::time_point start, const hal::Timing &timing) {
  if (!isOpen() || start == Clock::time_point()) // a profile may have been opened during the run
    return;
  const DeviceSpan span{start, Clock::now(), ::gettid(), timing};
  std::lock_guard lock(mutex_);
  for (const std::shared_ptr<List> &list : lists_)
    if (list->size() < kMostSpans)
      list->push_back(span);
}

} // namespace avocet::ort

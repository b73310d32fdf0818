//===- Firmware.cpp - The program that runs on the device's control processor -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "firmware/Firmware.h"

namespace avocet::sim {

using namespace firmware;

Firmware::Firmware(const Target &target, const DeviceOptions &options, const Bus &bus,
                   std::function<void(const JobProfile &)> ended)
    : target_(target), options_(options), bus_(bus), ended_(std::move(ended)), runner_(target, options) {}

void Firmware::runJob(const std::function<void()> &look) {
  running_ = queue_.take();
  interruption_ = {};
  auto interruption = [&] {
    look();
    return interruption_;
  };
  const Mmu &mmu = contexts_.at(running_->context);
  const JobProfile profile = runner_.run(*running_, mmu, now_, interruption);
  running_.reset();
  ended_(profile);
  if (resetPending_)
    reset();
}

/// Completes jobs that never ran. Their contexts must still be there.
void Firmware::endAll(std::vector<QueuedJob> &jobs, FaultCode code) {
  for (const QueuedJob &job : jobs)
    ended_(runner_.end(job, contexts_.at(job.context), now_, faultOf(code)));
}

void Firmware::reset() {
  resetPending_ = running_.has_value();
  if (resetPending_) {
    interruption_ = faultOf(FaultCode::DeviceReset);
    return;
  }
  std::vector<QueuedJob> dropped;
  queue_.clear(dropped);
  endAll(dropped, FaultCode::DeviceReset);
  contexts_.clear();
  hasGreeted_ = false;
}

} // namespace avocet::sim

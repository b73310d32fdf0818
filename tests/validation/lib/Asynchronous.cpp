//===- Asynchronous.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Asynchronous.h"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace avocet::hal::conformance {
namespace {

/// Shared with the callback, which may come after the wait has timed out.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable arrived;
  int count = 0;
  ExecutionOutcome outcome;
};

void deliver(Mailbox &box, const ExecutionOutcome &outcome) {
  std::lock_guard lock(box.mutex);
  if (box.count++ == 0)
    box.outcome = outcome;
  box.arrived.notify_all();
}

} // namespace

Launched launchAndWait(IPreparedModel &model, const Request &request, const ExecutionOptions &options,
                       TimePoint deadline) {
  auto box = std::make_shared<Mailbox>();
  const ErrorStatus launch =
      model.executeAsynchronously(request, options, [box](const ExecutionOutcome &outcome) { deliver(*box, outcome); });
  std::unique_lock lock(box->mutex);
  if (!box->arrived.wait_for(lock, deadline - BootClock::now(), [&] { return box->count > 0; }))
    return {{}, "no callback came"};
  if (box->count > 1)
    return {{}, "the callback came more than once"};
  if (launch != ErrorStatus::None && launch != box->outcome.status)
    return {{}, "launch and callback answer different codes"};
  return {box->outcome, ""};
}

} // namespace avocet::hal::conformance

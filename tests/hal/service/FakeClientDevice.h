//===- FakeClientDevice.h - A device that records its calls -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_SERVICE_FAKECLIENTDEVICE_H
#define AVOCET_TESTS_HAL_SERVICE_FAKECLIENTDEVICE_H

#include "avocet/hal/driver/Driver.h"

#include <condition_variable>
#include <mutex>

namespace avocet::hal::testing {

/// The recorded calls and the configured answers of a fake device. Shared by all its clients.
struct FakeState {
  std::mutex mutex; ///< guards everything below
  std::condition_variable changed;
  Request request;
  std::vector<int64_t> identifiers;
  std::vector<BufferRole> inputRoles, outputRoles;
  std::vector<uint32_t> dimensions;
  SharedMemory memory;
  std::vector<SyncFence> waitFor;
  std::optional<FenceSignaler> signaler; ///< of the last fenced execution
  OptionalDuration timeoutAfterFence;
  OptionalTimePoint deadline;
  std::vector<std::string> clients;
  std::string version = "1";
  int executions = 0;
  int releases = 0;
  bool blocks = false; ///< executions wait until their client is abandoned, or until this ends
  int blocked = 0;
  int abandoned = 0;
};

/// A client of the fake. Executions succeed without computing a result.
std::shared_ptr<ClientDevice> makeFakeDevice(const std::shared_ptr<FakeState> &state);

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_SERVICE_FAKECLIENTDEVICE_H

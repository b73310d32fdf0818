//===- DeviceSpans.h - Runs on the device for profiles ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_PROFILE_DEVICESPANS_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_PROFILE_DEVICESPANS_H

#include "avocet/hal/types/Types.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace avocet::ort {

/// A run of a partition: from the call of the driver to its end, by the host's clock.
struct DeviceSpan {
  std::chrono::steady_clock::time_point start, end;
  int32_t thread = 0; ///< of the system
  hal::Timing timing; ///< by the device
};

/// The runs of a session, which may have several profiles at once: its own, and those of single runs. Thread-safe.
class DeviceSpans {
public:
  using Clock = std::chrono::steady_clock;
  using List = std::vector<DeviceSpan>;

  /// Gets spans from now on, until close(). Two profiles may not share a list.
  std::shared_ptr<List> open();
  /// The spans of the list.
  List close(const std::shared_ptr<List> &list);

  /// The current time; if no profile is open, some time.
  Clock::time_point now() const { return isOpen() ? Clock::now() : Clock::time_point(); }
  /// The run of this thread that started then has ended. Cheap if no profile is open.
  void note(Clock::time_point start, const hal::Timing &timing);

private:
  bool isOpen() const { return numOpen_.load(std::memory_order_relaxed) != 0; }

  std::atomic<size_t> numOpen_ = 0;
  std::mutex mutex_; ///< guards the member below
  std::vector<std::shared_ptr<List>> lists_;
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_PROFILE_DEVICESPANS_H

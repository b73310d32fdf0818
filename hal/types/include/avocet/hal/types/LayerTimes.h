//===- LayerTimes.h - Where the time of executions goes ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over all executions of this process, from the spans of Tracing.h: each instant of a thread within an execution
// belongs to the innermost open span, so that the sums of the layers add up to the time of the outermost spans.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_LAYERTIMES_H
#define AVOCET_HAL_TYPES_LAYERTIMES_H

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace avocet::hal {

enum class TraceLayer;
enum class TracePhase;

/// Whose time it is.
enum class TimeOwner : uint8_t {
  Library, ///< code of the NNAPI library or the delegate
  Ipc,     ///< messages and queues, and waiting for the other process
  Driver,
  Device, ///< from the submission of a job to its end, on the host's clock: the simulator works
  Cpu,    ///< executions on the CPU as a device, with all layers below
  None,   ///< preparations and `_free`: not counted
};
inline constexpr size_t kNumTimeOwners = static_cast<size_t>(TimeOwner::None);

struct LayerTimes {
  std::chrono::nanoseconds library{}, ipc{}, driver{}, device{}, cpu{}; ///< by the host's clock
  std::chrono::nanoseconds simulated{};                                 ///< of `jobs`, by the device's clock
  uint64_t jobs = 0;                                                    ///< that the device measured

  /// Nanoseconds by the names that they have in reports: "library", "ipc", "driver", "device", "cpu", "simulated".
  std::map<std::string, int64_t> toNames() const;

  /// From now on all threads count; executions that have started count partly. Cannot be undone: costs about 50 ns for
  /// each span.
  static void enable();
  static bool isEnabled();
  static LayerTimes sum();
  /// A job of an execution has ended.
  static void addJob(std::chrono::nanoseconds simulated);
};

/// Opens and closes a span for the sums. On one thread, in reverse order.
class LayerTimer {
public:
  LayerTimer(TraceLayer layer, TracePhase phase);
  ~LayerTimer();
  LayerTimer(const LayerTimer &) = delete;
  LayerTimer &operator=(const LayerTimer &) = delete;

private:
  TimeOwner enclosing_;
  bool isOutermost_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_LAYERTIMES_H

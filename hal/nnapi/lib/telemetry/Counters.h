//===- Counters.h - What the library has done -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_TELEMETRY_COUNTERS_H
#define AVOCET_HAL_NNAPI_LIB_TELEMETRY_COUNTERS_H

#include <atomic>
#include <cstdint>
#include <string>

namespace avocet::nnapi {

/// Totals of the process. Each number by itself is exact.
struct Counters {
  std::atomic<uint64_t> models{0};             ///< finished
  std::atomic<uint64_t> compilations{0};       ///< finished
  std::atomic<uint64_t> operations{0};         ///< of these, in their main models
  std::atomic<uint64_t> operationsOnDevice{0}; ///< of these, on a device other than the CPU
  std::atomic<uint64_t> partitions{0};         ///< steps of all compilations
  std::atomic<uint64_t> modelsFromCache{0};    ///< steps that were not compiled
  std::atomic<uint64_t> cpuFallbacks{0};       ///< steps and executions that moved to the CPU after a failure
  std::atomic<uint64_t> executions{0};         ///< ended with success, of any kind
  std::atomic<uint64_t> burstExecutions{0};    ///< of these, in bursts
  std::atomic<uint64_t> failedExecutions{0};
  std::atomic<uint64_t> copiedBytes{0}; ///< between pointers of the application and shared memory

  static Counters &instance();
  /// One JSON object, with the times of executions (avocet/hal/types/LayerTimes.h).
  std::string toJson() const;
};

/// Starts the trace (knob AVOCET_TRACE) and arranges that it and the counters (AVOCET_NNAPI_COUNTERS) are written when
/// the process ends. Later calls do nothing. A forked child writes nothing.
void startProcessReports();

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_TELEMETRY_COUNTERS_H

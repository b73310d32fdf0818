//===- Profiler.h - The device in the runtime's profile ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIB_PROFILE_PROFILER_H
#define AVOCET_HAL_ONNXRUNTIME_LIB_PROFILE_PROFILER_H

#include "abi/Runtime.h"
#include "kernel/Shared.h"

#include <memory>

namespace avocet::ort {

/// What a profile of the runtime has of the device. The runtime releases it.
class Profiler : public abi::Profiler {
public:
  Profiler(const Runtime &runtime, std::shared_ptr<Shared> shared);
  ~Profiler(); // NOLINT(bugprone-derived-method-shadowing-base-method): the table is of the same name
  Profiler(const Profiler &) = delete;
  Profiler &operator=(const Profiler &) = delete;

private:
  static Profiler *of(abi::Profiler *profiler) { return static_cast<Profiler *>(profiler); }
  void start(int64_t offset);
  Status end(abi::ProfilingEvents &events);
  Result<abi::ProfilingEvent *> eventOf(const DeviceSpan &span) const;

  const Runtime runtime_;
  const std::shared_ptr<Shared> shared_;
  std::shared_ptr<DeviceSpans::List> spans_; ///< null: the profile has not started
  DeviceSpans::Clock::time_point zero_;      ///< when the runtime's profile began
};

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIB_PROFILE_PROFILER_H

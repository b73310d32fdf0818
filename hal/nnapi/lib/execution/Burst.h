//===- Burst.h - Repeated executions -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_EXECUTION_BURST_H
#define AVOCET_HAL_NNAPI_LIB_EXECUTION_BURST_H

#include "api/ApiResult.h"
#include "compilation/Compilation.h"

#include <atomic>
#include <memory>

namespace avocet::nnapi {

/// ANeuralNetworksBurst. Thread-safe; runs one execution at a time.
class Burst {
public:
  static ApiResult<std::shared_ptr<Burst>> create(std::shared_ptr<const Compilation> compilation);

  const Compilation &compilation() const { return *compilation_; }
  const std::shared_ptr<hal::IBurst> &hal() const { return burst_; }

  /// False: an execution runs.
  bool tryBegin() { return !isBusy_.exchange(true); }
  void end() { isBusy_ = false; }

private:
  Burst(std::shared_ptr<const Compilation> compilation, std::shared_ptr<hal::IBurst> burst)
      : compilation_(std::move(compilation)), burst_(std::move(burst)) {}
  const std::shared_ptr<const Compilation> compilation_;
  const std::shared_ptr<hal::IBurst> burst_;
  std::atomic<bool> isBusy_{false};
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_EXECUTION_BURST_H

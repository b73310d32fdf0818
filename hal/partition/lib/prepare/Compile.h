//===- Compile.h - Compiles a step, with cache and fallback -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_PREPARE_COMPILE_H
#define AVOCET_HAL_PARTITION_LIB_PREPARE_COMPILE_H

#include "avocet/hal/partition/Partition.h"

#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace avocet::hal::partition {

/// From the cache files of the step if they are usable, else compiled and saved, else compiled.
Result<std::shared_ptr<IPreparedModel>> compile(IDevice &device, const Model &model,
                                                std::span<const SourceOperation> operations,
                                                const PartitionOptions &options);

/// Calls options.onEvent, if there is one.
void notify(const PartitionOptions &options, PartitionEvent event);

/// Logs that the CPU takes over `what` of a device after this failure.
void logFallback(std::string_view what, const IDevice &device, const Error &why);

/// Whether the CPU may repeat what ended so. The caller's mistakes and missed deadlines would only come back.
bool mayRepeat(ErrorStatus status);

/// A model on the CPU, compiled when it is needed first. Thread-safe.
class CpuCopy {
public:
  /// `cpu`: null if there is no fallback for this model.
  CpuCopy(std::shared_ptr<const Model> model, std::shared_ptr<IDevice> cpu, const PartitionOptions &options);

  bool isPossible() const { return cpu_ != nullptr; }
  /// Requires isPossible(). A failure is remembered. Each call is a CpuFallback.
  Result<std::shared_ptr<IPreparedModel>> get();

private:
  const std::shared_ptr<const Model> model_;
  const std::shared_ptr<IDevice> cpu_;
  PrepareOptions options_;
  const std::function<void(PartitionEvent)> onEvent_;
  std::mutex mutex_; ///< guards prepared_
  std::optional<Result<std::shared_ptr<IPreparedModel>>> prepared_;
};

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_PREPARE_COMPILE_H

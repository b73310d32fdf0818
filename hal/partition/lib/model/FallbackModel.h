//===- FallbackModel.h - A model that the CPU can repeat --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_MODEL_FALLBACKMODEL_H
#define AVOCET_HAL_PARTITION_LIB_MODEL_FALLBACKMODEL_H

#include "model/HostModel.h"
#include "prepare/Compile.h"

#include <functional>
#include <memory>

namespace avocet::hal::partition {

/// A model of one device. The CPU repeats an execution that the device failed to do.
class FallbackModel final : public HostModel {
public:
  /// `cpu`: possible.
  FallbackModel(std::shared_ptr<const Model> model, std::shared_ptr<IDevice> device,
                std::shared_ptr<IPreparedModel> prepared, std::unique_ptr<CpuCopy> cpu)
      : HostModel(std::move(model)), device_(std::move(device)), prepared_(std::move(prepared)), cpu_(std::move(cpu)) {}

  ~FallbackModel() override { tasks().wait(); }
  FallbackModel(const FallbackModel &) = delete;
  FallbackModel &operator=(const FallbackModel &) = delete;

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override;
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override;
  /// The device's own, so that fences of one device are not awaited by the host. If the launch fails, the CPU waits and
  /// runs.
  Result<FencedLaunch> executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                     const FencedOptions &options) override;
  Result<std::shared_ptr<IBurst>> configureBurst() override;
  Result<ResolvedRole> resolve(const BufferRole &role, bool isInput) const override;

  /// `outcome`, or that of the CPU if it may repeat the request.
  ExecutionOutcome orOnCpu(ExecutionOutcome outcome, const Request &request, const ExecutionOptions &options);
  Result<FencedLaunch> fencedOnCpu(const Request &request, const std::vector<SyncFence> &waitFor,
                                   const FencedOptions &options, ErrorStatus failure);
  /// The device has written the outputs of the request, or will before they are read.
  void noteWritten(const Request &request) const;

private:
  const std::shared_ptr<IDevice> device_;
  const std::shared_ptr<IPreparedModel> prepared_;
  const std::unique_ptr<CpuCopy> cpu_;
};

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_MODEL_FALLBACKMODEL_H

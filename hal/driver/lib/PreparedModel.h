//===- PreparedModel.h - A model that is ready to run -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_PREPAREDMODEL_H
#define AVOCET_HAL_DRIVER_LIB_PREPAREDMODEL_H

#include "Programs.h"

#include <memory>
#include <semaphore>

namespace avocet::hal {

/// Has a context of its own on the device: no other model's commands reach its memory.
class PreparedModel final : public IPreparedModel,
                            public Trimmable,
                            public std::enable_shared_from_this<PreparedModel> {
public:
  static Result<std::shared_ptr<PreparedModel>> create(std::shared_ptr<DeviceCore> core, CompiledModel model);

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override;
  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override;
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override;

  size_t trim(TimePoint before) override { return programs_->trim(before); }

  /// Runs a request that was checked against signature().
  ExecutionOutcome run(const RequestView &view, const ExecutionOptions &options);
  const Signature &signature() const { return programs_->signature(); }

private:
  static constexpr ptrdiff_t kMaxQueueDepth = 1024;

  PreparedModel(std::shared_ptr<DeviceCore> core, std::shared_ptr<runtime::Queue> queue,
                std::unique_ptr<Programs> programs);
  Outcome launch(const Request &request, const ExecutionOptions &options, const ExecutionCallback &callback);

  const std::shared_ptr<DeviceCore> core_;
  const std::shared_ptr<runtime::Queue> queue_;
  const std::unique_ptr<Programs> programs_;
  std::counting_semaphore<kMaxQueueDepth> places_; ///< of the context's job queue that are free
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_PREPAREDMODEL_H

//===- PreparedModel.h - A prepared model of the C library ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CAPI_LIB_PREPAREDMODEL_H
#define AVOCET_HAL_CAPI_LIB_PREPAREDMODEL_H

#include "CompiledModel.h"

namespace avocet::hal::capi {

class PreparedModel : public IPreparedModel {
public:
  explicit PreparedModel(SharedModel model) : model_(std::move(model)) {}

  const SharedModel &model() const { return model_; }

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override;
  /// Starts the computation, waits for its event, then calls back.
  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override;
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override;
  Result<FencedLaunch> executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                     const FencedOptions &options) override;
  Result<std::shared_ptr<IBurst>> configureBurst() override;

private:
  ExecutionOutcome runAsynchronously(const Request &request, const ExecutionOptions &options);

  const SharedModel model_;
};

/// Starts an execution after the fences. It and its memories live until the information is dropped and all fences have
/// ended. Does not wait for the fences, also on failure.
Result<FencedLaunch> launchAfter(BoundExecution execution, const std::vector<SyncFence> &waitFor,
                                 const OptionalDuration &timeoutAfterFence, MeasureTiming measure);

Result<std::shared_ptr<IBurst>> makeBurst(SharedModel model);

} // namespace avocet::hal::capi

#endif // AVOCET_HAL_CAPI_LIB_PREPAREDMODEL_H

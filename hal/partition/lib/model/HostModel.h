//===- HostModel.h - What prepared models share -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts that prepared models of this library have in common: asynchronous, fenced and reusable executions on top of
// an execution that the derived class does.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_MODEL_HOSTMODEL_H
#define AVOCET_HAL_PARTITION_LIB_MODEL_HOSTMODEL_H

#include "model/Tasks.h"
#include "run/BufferCopies.h"

#include "avocet/hal/types/Interfaces.h"

#include <memory>
#include <optional>

namespace avocet::hal::partition {

/// The device and the model of it that a role of a buffer stands for.
struct ResolvedRole {
  std::shared_ptr<IDevice> device;
  BufferRole role;
};

ExecutionOutcome failed(const Error &error);

/// The destructor of a derived class waits for tasks() before anything else.
class HostModel : public IPreparedModel, public std::enable_shared_from_this<HostModel> {
public:
  explicit HostModel(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override;
  Result<FencedLaunch> executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                     const FencedOptions &options) override;

  /// `role.model` is this model. GeneralFailure: no device's memory can have the role.
  virtual Result<ResolvedRole> resolve(const BufferRole &role, bool isInput) const = 0;

  const Model &source() const { return *model_; }
  /// Those with roles of this model, by the devices that the roles resolve to.
  BufferTable &buffers() { return buffers_; }
  /// Finds a buffer in the table by the role of its input or output. Valid as long as this model.
  BufferFinder bufferFinder() const;
  Tasks &tasks() { return tasks_; }
  /// The rules of options and request; a deadline that has passed is MissedDeadlinePersistent.
  Outcome check(const Request &request, const ExecutionOptions &options, bool allowUnspecifiedOutput = true) const;
  static Outcome checkOptions(const ExecutionOptions &options);

protected:
  /// The request for the check of its rules, with different tokens for buffers of different devices.
  virtual Request withDistinctTokens(const Request &request) const { return request; }

private:
  const std::shared_ptr<const Model> model_;
  BufferTable buffers_;
  Tasks tasks_;
};

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_MODEL_HOSTMODEL_H

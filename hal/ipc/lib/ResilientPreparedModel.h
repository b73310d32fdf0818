//===- ResilientPreparedModel.h - Prepared models that outlive their service ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_RESILIENTPREPAREDMODEL_H
#define AVOCET_HAL_IPC_LIB_RESILIENTPREPAREDMODEL_H

#include "ResilientLink.h"

#include <optional>

namespace avocet::hal::ipc {

/// The arguments to prepare a model again.
struct Recipe {
  std::optional<Model> model; ///< empty: prepared from the cache files
  PrepareOptions options;     ///< without the deadline, which applied to one call

  Result<std::shared_ptr<IPreparedModel>> prepare(const IDevice &description, IDevice &device,
                                                  const OptionalTimePoint &deadline) const;
};

class ResilientPreparedModel final : public IPreparedModel,
                                     public std::enable_shared_from_this<ResilientPreparedModel> {
public:
  ResilientPreparedModel(std::shared_ptr<ResilientLink> link, Recipe recipe, uint64_t epoch,
                         std::shared_ptr<IPreparedModel> prepared)
      : link_(std::move(link)), recipe_(std::move(recipe)), remade_(epoch, std::move(prepared)) {}

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override;
  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override;
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override;
  Result<FencedLaunch> executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                     const FencedOptions &options) override;
  Result<std::shared_ptr<IBurst>> configureBurst() override;

  /// The model of one epoch.
  Result<std::shared_ptr<IPreparedModel>> in(const SharedEpoch &epoch, const OptionalTimePoint &deadline);
  const std::shared_ptr<ResilientLink> &link() const { return link_; }

private:
  struct Bound {
    SharedEpoch epoch;
    std::shared_ptr<IPreparedModel> prepared;
    Request request;
  };
  /// The model and the request of an execution, in an epoch that was not over at the last check.
  Result<Bound> bind(const Request &request, const OptionalTimePoint &deadline);

  const std::shared_ptr<ResilientLink> link_;
  const Recipe recipe_;
  Remade<IPreparedModel> remade_;
};

/// The arguments of a buffer's allocation, with resilient models.
struct BufferUse {
  std::vector<uint32_t> dimensions;
  std::vector<BufferRole> inputRoles, outputRoles;

  Result<std::shared_ptr<IBuffer>> allocate(const SharedEpoch &epoch) const;
};

class ResilientBuffer final : public IBuffer {
public:
  static std::shared_ptr<IBuffer> create(std::shared_ptr<ResilientLink> link, BufferUse use, uint64_t epoch,
                                         std::shared_ptr<IBuffer> buffer);
  ~ResilientBuffer() override { link_->removeBuffer(token_); }

  BufferToken token() const override { return token_; }
  Outcome copyTo(const SharedMemory &memory) override;
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) override;

  Result<std::shared_ptr<IBuffer>> in(const SharedEpoch &epoch);

private:
  ResilientBuffer(std::shared_ptr<ResilientLink> link, BufferUse use, uint64_t epoch, std::shared_ptr<IBuffer> buffer)
      : link_(std::move(link)), use_(std::move(use)), remade_(epoch, std::move(buffer)) {}

  const std::shared_ptr<ResilientLink> link_;
  const BufferUse use_;
  Remade<IBuffer> remade_;
  BufferToken token_ = BufferToken(0);
};

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_RESILIENTPREPAREDMODEL_H

//===- PreparedModel.h - A model that is ready to run -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_PREPAREDMODEL_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_PREPAREDMODEL_H

#include "client/Client.h"
#include "execution/Run.h"
#include "memory/ModelMemory.h"
#include "model/Programs.h"

#include <memory>

namespace avocet::hal {

/// A checked request and its options, for later runs.
struct BoundRequest {
  Request request;
  ExecutionOptions options;
  std::optional<RequestView> view; ///< refers to `request`; always set
};

/// Has its own context on the device: commands of other models cannot access its memory.
class PreparedModel final : public IPreparedModel,
                            public Trimmable,
                            public std::enable_shared_from_this<PreparedModel> {
public:
  /// `files`: those that the model was saved in or loaded from; may be null.
  static Result<std::shared_ptr<PreparedModel>> create(std::shared_ptr<ClientState> client, CompiledModel model,
                                                       std::shared_ptr<CacheFileWriter> files);

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override;
  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override;
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override;
  Result<std::shared_ptr<IBurst>> configureBurst() override;

  Result<FencedLaunch> executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                     const FencedOptions &options) override;

  size_t trim(TimePoint before) override { return memory_.trim(before) + programs_->trim(before); }

  /// A copy of the request and the options, both checked, that runs may refer to for any time.
  Result<std::shared_ptr<const BoundRequest>> bind(const Request &request, const ExecutionOptions &options) const;

  /// All steps of a Run on this thread. The view must be made for this model. `pinned`: see Bindings.
  ExecutionOutcome run(const RequestView &view, const ExecutionOptions &options, PinnedPools *pinned = nullptr);

  /// Unique among the client's models, never reused.
  uint64_t id() const { return id_; }

  /// Checks a request against the interface. The view refers to the request.
  Result<RequestView> view(const Request &request, bool allowUnspecifiedOutput = true) const;

  /// For Run.
  const Signature &signature() const { return programs_->signature(); }
  ClientState &client() const { return *client_; }
  runtime::Queue &queue() const { return *queue_; }
  Programs &programs() const { return *programs_; }
  ModelMemory &memory() { return memory_; }
  QueuePlaces &places() { return places_; }
  /// Of executions without a deadline: see preferredLevel().
  uint32_t clockLevel() const { return clockLevel_; }

private:
  PreparedModel(std::shared_ptr<ClientState> client, Charge charge, std::shared_ptr<runtime::Context> context,
                std::shared_ptr<runtime::Queue> queue, std::shared_ptr<Programs> programs, uint32_t clockLevel);
  Outcome launch(const Request &request, const ExecutionOptions &options, const ExecutionCallback &callback);

  const std::shared_ptr<ClientState> client_;
  const Charge charge_; ///< of the client's prepared models
  const std::shared_ptr<runtime::Queue> queue_;
  const std::shared_ptr<Programs> programs_; ///< also held by a compilation that replaces a program
  const uint64_t id_;
  const uint32_t clockLevel_;
  ModelMemory memory_;
  QueuePlaces places_;
  TrimRegistration trimming_{*this};
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_PREPAREDMODEL_H

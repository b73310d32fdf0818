//===- RemotePreparedModel.h - Prepared models of the service ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_REMOTEPREPAREDMODEL_H
#define AVOCET_HAL_IPC_LIB_REMOTEPREPAREDMODEL_H

#include "RemoteObject.h"
#include "avocet/hal/burst/Burst.h"
#include "avocet/hal/ipc/Client.h"

#include <map>

namespace avocet::hal::ipc {

/// The fence and the information of a fenced execution, from the answer to its launch.
Result<FencedLaunch> fencedOf(const std::shared_ptr<Connection> &connection, const Reply &reply);

/// A burst whose executions are calls. The memory of each identifier is sent once.
class RemoteBurst final : public IBurst {
public:
  RemoteBurst(std::shared_ptr<Connection> connection, uint64_t id) : object_(std::move(connection), id) {}

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override;
  Outcome releaseMemoryResource(int64_t identifier) override;

private:
  using Memories = std::map<int64_t, SharedMemory>;

  /// Returns the named memories to send; writes the request without the memories that the service keeps already.
  Memories leaveOutKnown(const Request &request, const std::vector<int64_t> &identifiers, fb::RequestT &message,
                         HandleWriter &handles);
  void remember(Memories sent, uint64_t generation, bool isKept);

  RemoteObject object_;
  std::mutex mutex_;        ///< guards the members below
  Memories known_;          ///< memories that the service keeps
  uint64_t generation_ = 0; ///< counts the releases; memories sent before a release may be dropped
};

/// A burst through message queues. The service's side of it ends with this object.
Result<std::shared_ptr<IBurst>> openQueuedBurst(const std::shared_ptr<Connection> &connection, uint64_t preparedModel,
                                                std::shared_ptr<IPreparedModel> model,
                                                const BurstClientOptions &options);

class RemotePreparedModel final : public IPreparedModel, public std::enable_shared_from_this<RemotePreparedModel> {
public:
  RemotePreparedModel(std::shared_ptr<Connection> connection, uint64_t id, const ConnectOptions &options)
      : object_(std::move(connection), id), options_(options) {}

  ExecutionOutcome execute(const Request &request, const ExecutionOptions &options) override;
  ErrorStatus executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                    ExecutionCallback callback) override;
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &request,
                                                              const ExecutionOptions &options) override;
  Result<FencedLaunch> executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                     const FencedOptions &options) override;
  Result<std::shared_ptr<IBurst>> configureBurst() override;

  const RemoteObject &object() const { return object_; }

private:
  template <typename Table>
  Table executeCall(const Request &request, const ExecutionOptions &options, HandleWriter &handles) const;

  RemoteObject object_;
  const ConnectOptions options_;
};

Result<std::shared_ptr<IPreparedModel>> preparedOf(const std::shared_ptr<Connection> &connection, const Reply &reply,
                                                   const ConnectOptions &options);

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_REMOTEPREPAREDMODEL_H

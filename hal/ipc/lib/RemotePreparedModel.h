//===- RemotePreparedModel.h - Prepared models of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_REMOTEPREPAREDMODEL_H
#define AVOCET_HAL_IPC_LIB_REMOTEPREPAREDMODEL_H

#include "RemoteObject.h"

#include "avocet/hal/ipc/Client.h"

namespace avocet::hal::ipc {

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

//===- RemotePreparedModel.cpp - Prepared models of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemotePreparedModel.h"

#include "RemoteBurst.h"
#include "RemoteFenced.h"

namespace avocet::hal::ipc {
namespace {

class RemoteExecution final : public IExecution {
public:
  RemoteExecution(std::shared_ptr<Connection> connection, uint64_t id) : object_(std::move(connection), id) {}

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override {
    fb::ComputeT call;
    call.execution = object_.id();
    call.deadline = toNanoseconds(deadline);
    return outcomeOf(object_.call(std::move(call)));
  }

  Result<FencedLaunch> computeFenced(const std::vector<SyncFence> &waitFor, const OptionalTimePoint &deadline,
                                     const OptionalDuration &timeoutAfterFence) override {
    HandleWriter handles;
    fb::ComputeFencedT call;
    call.execution = object_.id();
    call.fences = toMessage(waitFor, handles);
    call.deadline = toNanoseconds(deadline);
    call.timeout_after_fence = toNanoseconds(timeoutAfterFence);
    return fencedOf(object_.connection(), object_.call(std::move(call), handles));
  }

private:
  RemoteObject object_;
};

} // namespace

template <typename Table>
Table RemotePreparedModel::executeCall(const Request &request, const ExecutionOptions &options,
                                       HandleWriter &handles) const {
  Table call;
  call.prepared = object_.id();
  call.request = toMessage(request, handles);
  call.options = toMessage(options);
  return call;
}

ExecutionOutcome RemotePreparedModel::execute(const Request &request, const ExecutionOptions &options) {
  HandleWriter handles;
  auto call = executeCall<fb::ExecuteT>(request, options, handles);
  return outcomeOf(object_.call(std::move(call), handles));
}

ErrorStatus RemotePreparedModel::executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                                       ExecutionCallback callback) {
  HandleWriter handles;
  auto call = executeCall<fb::ExecuteT>(request, options, handles);
  // The handler keeps the connection alive until the callback.
  auto handler = [connection = object_.connection(), callback = std::move(callback)](Reply reply) {
    callback(outcomeOf(std::move(reply)));
  };
  return object_.connection()->launch(callOf(std::move(call)), handles, std::move(handler));
}

Result<std::shared_ptr<IExecution>> RemotePreparedModel::createReusableExecution(const Request &request,
                                                                                 const ExecutionOptions &options) {
  HandleWriter handles;
  auto call = executeCall<fb::CreateExecutionT>(request, options, handles);
  AVOCET_ASSIGN_OR_RETURN(uint64_t id, objectOf(object_.call(std::move(call), handles)));
  return std::shared_ptr<IExecution>(std::make_shared<RemoteExecution>(object_.connection(), id));
}

Result<FencedLaunch> RemotePreparedModel::executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                                        const FencedOptions &options) {
  HandleWriter handles;
  auto call = executeCall<fb::ExecuteFencedT>(request, options.execution, handles);
  call.timeout_after_fence = toNanoseconds(options.timeoutAfterFence);
  call.fences = toMessage(waitFor, handles);
  return fencedOf(object_.connection(), object_.call(std::move(call), handles));
}

Result<std::shared_ptr<IBurst>> RemotePreparedModel::configureBurst() {
  if (options_.burst == BurstKind::Queues) {
    auto burst = openQueuedBurst(object_.connection(), object_.id(), shared_from_this(), options_.queues);
    if (burst || burst.code() == ErrorStatus::DeadObject)
      return burst;
  }
  fb::ConfigureBurstT call;
  call.prepared = object_.id();
  AVOCET_ASSIGN_OR_RETURN(uint64_t id, objectOf(object_.call(std::move(call))));
  return std::shared_ptr<IBurst>(std::make_shared<RemoteBurst>(object_.connection(), id));
}

Result<std::shared_ptr<IPreparedModel>> preparedOf(const std::shared_ptr<Connection> &connection, const Reply &reply,
                                                   const ConnectOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(uint64_t id, objectOf(reply));
  return std::shared_ptr<IPreparedModel>(std::make_shared<RemotePreparedModel>(connection, id, options));
}

} // namespace avocet::hal::ipc

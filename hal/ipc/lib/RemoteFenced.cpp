//===- RemoteFenced.cpp - Fenced executions of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteFenced.h"

namespace avocet::hal::ipc {
namespace {

class RemoteFencedExecution final : public IFencedExecution {
public:
  RemoteFencedExecution(std::shared_ptr<Connection> connection, uint64_t id) : object_(std::move(connection), id) {}

  Result<FencedTimes> executionInfo() override {
    fb::GetFencedInfoT call;
    call.fenced = object_.id();
    Reply reply = object_.call(call);
    if (reply.status != ErrorStatus::None)
      return errorOf(reply);
    const fb::FencedTimesT *times = reply.answer.AsFencedTimes();
    if (times == nullptr)
      return wrongAnswer();
    return fromMessage(*times);
  }

private:
  RemoteObject object_;
};

} // namespace

Result<FencedLaunch> fencedOf(const std::shared_ptr<Connection> &connection, const Reply &reply) {
  if (reply.status != ErrorStatus::None)
    return errorOf(reply);
  const fb::FencedAnswerT *answer = reply.answer.AsFencedAnswer();
  if (answer == nullptr || answer->fence.size() > 1)
    return wrongAnswer();
  FencedLaunch launch;
  launch.info = std::make_shared<RemoteFencedExecution>(connection, answer->id);
  AVOCET_ASSIGN_OR_RETURN(std::vector<SyncFence> fences, fencesOf(answer->fence, reply.handles));
  if (!fences.empty())
    launch.fence = std::move(fences.front());
  connection->watchFence(launch.fence);
  return launch;
}

} // namespace avocet::hal::ipc

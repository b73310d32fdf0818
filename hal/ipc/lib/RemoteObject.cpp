//===- RemoteObject.cpp - Objects of the service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteObject.h"

namespace avocet::hal::ipc {

Error wrongAnswer() {
  return error(ErrorStatus::GeneralFailure, "the driver service sent an answer of another kind than the call");
}

Result<uint64_t> objectOf(const Reply &reply) {
  if (reply.status != ErrorStatus::None)
    return errorOf(reply);
  const fb::ObjectT *object = reply.answer.AsObject();
  if (object == nullptr)
    return wrongAnswer();
  return object->id;
}

Outcome nothingOf(const Reply &reply) {
  if (reply.status != ErrorStatus::None)
    return errorOf(reply);
  return success();
}

ExecutionOutcome outcomeOf(Reply reply) {
  ExecutionOutcome outcome;
  if (const fb::ExecutedT *executed = reply.answer.AsExecuted())
    outcome = fromMessage(*executed);
  else if (reply.status == ErrorStatus::None)
    return {wrongAnswer().code, wrongAnswer().message, {}, {}};
  outcome.status = reply.status;
  outcome.message = std::move(reply.message);
  return outcome;
}

RemoteObject::~RemoteObject() {
  fb::ReleaseT release;
  release.object = id_;
  connection_->notify(callOf(std::move(release)));
}

} // namespace avocet::hal::ipc

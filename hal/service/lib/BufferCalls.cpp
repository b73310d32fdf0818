//===- BufferCalls.cpp - Device memory of a client -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

namespace avocet::hal {

using namespace ipc;

namespace {

/// An unknown model becomes null, which the driver refuses.
std::vector<BufferRole> rolesOf(const Call &call, const std::vector<fb::Role> &roles) {
  std::vector<BufferRole> list;
  for (const fb::Role &role : roles) {
    auto model = call.session.objects().find<IPreparedModel>(role.model());
    list.push_back({model ? std::move(*model) : nullptr, role.index(), role.probability()});
  }
  return list;
}

Result<Answered> allocate(const Call &call, const fb::AllocateT &body) {
  AVOCET_ASSIGN_OR_RETURN(
      std::shared_ptr<IBuffer> buffer,
      call.device.allocate(body.dimensions, rolesOf(call, body.inputs), rolesOf(call, body.outputs)));
  fb::BufferAnswerT answer;
  answer.token = static_cast<uint32_t>(buffer->token());
  AVOCET_ASSIGN_OR_RETURN(answer.id, call.session.objects().add(std::move(buffer)));
  return answered(std::move(answer));
}

Result<Answered> answerNothing(const Outcome &outcome) {
  if (!outcome)
    return outcome.error();
  return answered(fb::NothingT());
}

Result<Answered> copyTo(const Call &call, const fb::CopyToT &body) {
  AVOCET_ASSIGN_OR_RETURN(auto buffer, call.session.objects().find<IBuffer>(body.buffer));
  AVOCET_ASSIGN_OR_RETURN(SharedMemory memory, fromMessage(*body.memory, call.handles));
  return answerNothing(buffer->copyTo(memory));
}

Result<Answered> copyFrom(const Call &call, const fb::CopyFromT &body) {
  AVOCET_ASSIGN_OR_RETURN(auto buffer, call.session.objects().find<IBuffer>(body.buffer));
  AVOCET_ASSIGN_OR_RETURN(SharedMemory memory, fromMessage(*body.memory, call.handles));
  return answerNothing(buffer->copyFrom(memory, body.dimensions));
}

} // namespace

void addBufferCalls(CallTable &table) {
  table.add(allocate);
  table.add(copyTo);
  table.add(copyFrom);
}

} // namespace avocet::hal

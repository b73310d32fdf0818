//===- DeviceCalls.cpp - Queries of a device, and preparations ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

namespace avocet::hal {

using namespace ipc;

namespace {

Result<Answered> getStatus(const Call &call, const fb::GetStatusT &) {
  fb::StatusAnswerT status;
  status.status = static_cast<int32_t>(call.device.status());
  return answered(status);
}

Result<Answered> getSupported(const Call &call, const fb::GetSupportedOperationsT &body) {
  AVOCET_ASSIGN_OR_RETURN(Model model, fromMessage(*body.model, call.handles));
  AVOCET_ASSIGN_OR_RETURN(SupportedOperations supported, call.device.getSupportedOperations(model));
  return answered(toMessage(supported));
}

Result<Answered> prepareFromCache(const Call &call, const fb::PrepareFromCacheT &body) {
  AVOCET_ASSIGN_OR_RETURN(CacheFiles cache, fromMessage(*body.cache, call.handles));
  return answerObject(call, call.device.prepareModelFromCache(timePointOf(body.deadline), cache));
}

Result<Answered> prepareNow(const Call &call, const fb::PrepareModelT &body) {
  AVOCET_ASSIGN_OR_RETURN(Model model, fromMessage(*body.model, call.handles));
  AVOCET_ASSIGN_OR_RETURN(PrepareOptions options, fromMessage(*body.options, call.handles));
  call.session.showModel(model);
  return answerObject(call, call.device.prepareModel(model, options));
}

/// The callback sends the answer, also for a refusal.
ErrorStatus launchPreparation(const Call &call, const Model &model, const PrepareOptions &options) {
  auto callback = [session = call.session.shared_from_this(), number = call.number(),
                   charge = call.charge](ErrorStatus status, auto prepared) {
    if (status != ErrorStatus::None)
      return session->answerLater(number, error(status, "the model was not prepared"));
    Result<uint64_t> id = session->objects().add(std::move(prepared));
    if (!id)
      return session->answerLater(number, id.error());
    fb::ObjectT object;
    object.id = *id;
    session->answerLater(number, answered(object));
  };
  return call.device.prepareModelAsynchronously(model, options, callback);
}

void prepare(const Call &call, const fb::PrepareModelT &body) {
  if (!call.envelope.asynchronous)
    return call.session.answer(call.number(), prepareNow(call, body));
  Result<Model> model = fromMessage(*body.model, call.handles);
  Result<PrepareOptions> options = fromMessage(*body.options, call.handles);
  if (!model || !options)
    return call.session.answer(call.number(), !model ? model.error() : options.error());
  call.session.showModel(*model);
  if (launchPreparation(call, *model, *options) == ErrorStatus::None)
    call.session.sendLaunched(call.number());
}

} // namespace

void addDeviceCalls(CallTable &table) {
  table.add(getStatus);
  table.add(getSupported);
  table.add(prepareFromCache);
  table.add(prepare);
}

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
  return answered(answer);
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

//===- RemoteDevice.cpp - A device of the service ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemoteDevice.h"

namespace avocet::hal::ipc {

Outcome RemoteBuffer::copyTo(const SharedMemory &memory) {
  HandleWriter handles;
  fb::CopyToT call;
  call.buffer = object_.id();
  call.memory = toMessage(memory, handles);
  return nothingOf(object_.call(std::move(call), handles));
}

Outcome RemoteBuffer::copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) {
  HandleWriter handles;
  fb::CopyFromT call;
  call.buffer = object_.id();
  call.memory = toMessage(memory, handles);
  call.dimensions = dimensions;
  return nothingOf(object_.call(std::move(call), handles));
}

namespace {

fb::PrepareModelT prepareCall(const Model &model, const PrepareOptions &options, HandleWriter &handles) {
  fb::PrepareModelT call;
  call.model = toMessage(model, handles);
  call.options = toMessage(options, handles);
  return call;
}

} // namespace

DeviceStatus RemoteDevice::status() const {
  Reply reply = connection_->call(callOf(fb::GetStatusT()));
  const fb::StatusAnswerT *answer = reply.answer.AsStatusAnswer();
  return answer ? knownOr(answer->status, DeviceStatus::Unknown, DeviceStatus::Unknown) : DeviceStatus::Offline;
}

Result<SupportedOperations> RemoteDevice::getSupportedOperations(const Model &model) const {
  HandleWriter handles;
  fb::GetSupportedOperationsT call;
  call.model = toMessage(model, handles);
  Reply reply = connection_->call(callOf(std::move(call)), handles);
  if (reply.status != ErrorStatus::None)
    return errorOf(reply);
  const fb::SupportedT *supported = reply.answer.AsSupported();
  if (supported == nullptr)
    return wrongAnswer();
  return fromMessage(*supported);
}

Result<std::shared_ptr<IPreparedModel>> RemoteDevice::prepareModel(const Model &model, const PrepareOptions &options) {
  HandleWriter handles;
  auto call = prepareCall(model, options, handles);
  return preparedOf(connection_, connection_->call(callOf(std::move(call)), handles), options_);
}

ErrorStatus RemoteDevice::prepareModelAsynchronously(const Model &model, const PrepareOptions &options,
                                                     PreparedModelCallback callback) {
  HandleWriter handles;
  auto call = prepareCall(model, options, handles);
  auto handler = [connection = connection_, connecting = options_, callback = std::move(callback)](const Reply &reply) {
    auto prepared = preparedOf(connection, reply, connecting);
    callback(prepared.code(), prepared ? std::move(*prepared) : nullptr);
  };
  return connection_->launch(callOf(std::move(call)), handles, std::move(handler));
}

Result<std::shared_ptr<IPreparedModel>> RemoteDevice::prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                            const CacheFiles &cache) {
  HandleWriter handles;
  fb::PrepareFromCacheT call;
  call.deadline = toNanoseconds(deadline);
  call.cache = toMessage(cache, handles);
  return preparedOf(connection_, connection_->call(callOf(std::move(call)), handles), options_);
}

/// A model that is null, or of another device or connection, gets number 0, which denotes a null pointer.
std::vector<fb::Role> RemoteDevice::rolesOf(const std::vector<BufferRole> &roles) const {
  std::vector<fb::Role> numbers;
  for (const BufferRole &role : roles) {
    const auto *model = dynamic_cast<const RemotePreparedModel *>(role.model.get());
    bool isOurs = model != nullptr && model->object().connection() == connection_;
    numbers.emplace_back(isOurs ? model->object().id() : 0, role.ioIndex, role.probability);
  }
  return numbers;
}

Result<std::shared_ptr<IBuffer>> RemoteDevice::allocate(const std::vector<uint32_t> &dimensions,
                                                        const std::vector<BufferRole> &inputRoles,
                                                        const std::vector<BufferRole> &outputRoles) {
  fb::AllocateT call;
  call.dimensions = dimensions;
  call.inputs = rolesOf(inputRoles);
  call.outputs = rolesOf(outputRoles);
  Reply reply = connection_->call(callOf(std::move(call)));
  if (reply.status != ErrorStatus::None)
    return errorOf(reply);
  const fb::BufferAnswerT *buffer = reply.answer.AsBufferAnswer();
  if (buffer == nullptr)
    return wrongAnswer();
  return std::shared_ptr<IBuffer>(std::make_shared<RemoteBuffer>(connection_, buffer->id, BufferToken(buffer->token)));
}

} // namespace avocet::hal::ipc

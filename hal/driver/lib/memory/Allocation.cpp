//===- Allocation.cpp - IDevice::allocate() ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/Allocation.h"

#include "avocet/hal/types/BufferRules.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"
#include "memory/DeviceBuffer.h"
#include "model/PreparedModel.h"

namespace avocet::hal {
namespace {

/// The client's handle of a buffer; the token is valid during its lifetime.
class AllocatedBuffer final : public IBuffer {
public:
  AllocatedBuffer(std::shared_ptr<ClientState> client, std::shared_ptr<DeviceBuffer> buffer, BufferToken token)
      : client_(std::move(client)), buffer_(std::move(buffer)), token_(token) {}
  ~AllocatedBuffer() override {
    verbose(VerboseTag::Memory, "buffer {} freed", static_cast<uint32_t>(token_));
    client_->bufferTable().remove(token_);
    buffer_->unmap();
  }

  BufferToken token() const override { return token_; }
  Outcome copyTo(const SharedMemory &memory) override {
    return withoutExceptions([&]() -> Outcome {
      AVOCET_RETURN_IF_ERROR(client_->checkPresence());
      return buffer_->copyTo(memory);
    });
  }
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) override {
    return withoutExceptions([&]() -> Outcome {
      AVOCET_RETURN_IF_ERROR(client_->checkPresence());
      return buffer_->copyFrom(memory, dimensions);
    });
  }

private:
  const std::shared_ptr<ClientState> client_;
  const std::shared_ptr<DeviceBuffer> buffer_;
  const BufferToken token_;
};

void addUses(DeviceBuffer::Uses &uses, const std::vector<BufferRole> &roles, bool isOutput) {
  for (const BufferRole &role : roles) {
    auto model = std::dynamic_pointer_cast<PreparedModel>(role.model);
    uses.roles.insert({model->id(), isOutput, role.ioIndex});
    uses.models.push_back(model);
  }
}

} // namespace

Result<std::shared_ptr<IBuffer>> allocateBuffer(const std::shared_ptr<ClientState> &client,
                                                const std::vector<uint32_t> &dimensions,
                                                const std::vector<BufferRole> &inputRoles,
                                                const std::vector<BufferRole> &outputRoles) {
  auto interfaceOf = [&](const IPreparedModel &model) -> const Model * {
    const auto *own = dynamic_cast<const PreparedModel *>(&model);
    return own != nullptr && &own->client() == client.get() ? &own->signature().model() : nullptr;
  };
  const auto refuse = [](const Error &why) { return verboseError(VerboseTag::Memory, "buffer refused", why); };
  Result<Operand> operand = validateBufferRoles(dimensions, inputRoles, outputRoles, interfaceOf);
  if (!operand)
    return refuse(operand.error());
  DeviceBuffer::Uses uses;
  addUses(uses, inputRoles, false);
  addUses(uses, outputRoles, true);
  Result<std::shared_ptr<DeviceBuffer>> made = DeviceBuffer::create(client, std::move(*operand), std::move(uses));
  if (!made)
    return refuse(made.error());
  std::shared_ptr<DeviceBuffer> buffer = std::move(*made);
  AVOCET_ASSIGN_OR_RETURN(BufferToken token, client->bufferTable().add(buffer));
  verbose(VerboseTag::Memory, "buffer {} allocated for {} roles", static_cast<uint32_t>(token),
          inputRoles.size() + outputRoles.size());
  return std::shared_ptr<IBuffer>(std::make_shared<AllocatedBuffer>(client, std::move(buffer), token));
}

} // namespace avocet::hal

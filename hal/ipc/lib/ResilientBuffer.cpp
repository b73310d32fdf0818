//===- ResilientBuffer.cpp - Buffers that outlive their service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResilientBuffer.h"

namespace avocet::hal::ipc {
namespace {

/// Models of other devices are not translated; the device refuses them.
Result<std::vector<BufferRole>> rolesIn(const SharedEpoch &epoch, const std::vector<BufferRole> &roles) {
  std::vector<BufferRole> translated = roles;
  for (BufferRole &role : translated)
    if (auto *model = dynamic_cast<ResilientPreparedModel *>(role.model.get())) {
      AVOCET_ASSIGN_OR_RETURN(role.model, model->in(epoch, {}));
    }
  return translated;
}

} // namespace

Result<std::shared_ptr<IBuffer>> BufferUse::allocate(const SharedEpoch &epoch) const {
  AVOCET_ASSIGN_OR_RETURN(std::vector<BufferRole> inputs, rolesIn(epoch, inputRoles));
  AVOCET_ASSIGN_OR_RETURN(std::vector<BufferRole> outputs, rolesIn(epoch, outputRoles));
  return epoch->device().allocate(dimensions, inputs, outputs);
}

std::shared_ptr<IBuffer> ResilientBuffer::create(std::shared_ptr<ResilientLink> link, BufferUse use, uint64_t epoch,
                                                 std::shared_ptr<IBuffer> buffer) {
  std::shared_ptr<ResilientBuffer> made(new ResilientBuffer(std::move(link), std::move(use), epoch, std::move(buffer)));
  made->token_ = made->link_->addBuffer(made);
  return made;
}

Result<std::shared_ptr<IBuffer>> ResilientBuffer::in(const SharedEpoch &epoch) {
  return remade_.get(epoch, [&] { return use_.allocate(epoch); });
}

/// Reading changes nothing and may be repeated; it then finds an uninitialised buffer.
Outcome ResilientBuffer::copyTo(const SharedMemory &memory) {
  return link_->repeated<Nothing>({}, [&](const SharedEpoch &epoch) -> Outcome {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBuffer> buffer, in(epoch));
    return buffer->copyTo(memory);
  });
}

/// Writing is idempotent and may be repeated.
Outcome ResilientBuffer::copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) {
  return link_->repeated<Nothing>({}, [&](const SharedEpoch &epoch) -> Outcome {
    AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IBuffer> buffer, in(epoch));
    return buffer->copyFrom(memory, dimensions);
  });
}

} // namespace avocet::hal::ipc

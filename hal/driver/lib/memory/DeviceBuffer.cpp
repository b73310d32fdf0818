//===- DeviceBuffer.cpp - Memory that the driver allocated for roles ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memory/DeviceBuffer.h"

#include "client/Client.h"

#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VerboseLog.h"
#include "device/HalResult.h"
#include "model/PreparedModel.h"

#include <fmt/core.h>
#include <limits>

namespace avocet::hal {

using runtime::Buffer;

DeviceBuffer::DeviceBuffer(std::shared_ptr<ClientState> client, Operand operand, Uses uses, Charge charge)
    : client_(std::move(client)), operand_(std::move(operand)), uses_(std::move(uses)), charge_(std::move(charge)),
      dimensions_(operand_.dimensions) {}

Result<std::shared_ptr<DeviceBuffer>> DeviceBuffer::create(std::shared_ptr<ClientState> client, Operand operand,
                                                           Uses uses) {
  std::optional<uint64_t> bytes = getNonExtensionSize(operand);
  if (!bytes)
    return generalFailure(fmt::format("buffer: {} {} has no size that the driver could allocate",
                                      toString(operand.type), toString(operand.dimensions)));
  AVOCET_ASSIGN_OR_RETURN(Charge charge, client->buffers()->take(1));
  std::shared_ptr<DeviceBuffer> buffer(
      new DeviceBuffer(std::move(client), std::move(operand), std::move(uses), std::move(charge)));
  if (*bytes != 0) {
    AVOCET_ASSIGN_OR_RETURN(buffer->memory_, buffer->allocate(*bytes));
  }
  return buffer;
}

/// Runs and mappings may keep memory longer than the buffer does, so the memory holds its own charge.
Result<std::shared_ptr<Buffer>> DeviceBuffer::allocate(uint64_t bytes) {
  struct Charged {
    std::shared_ptr<Buffer> memory;
    Charge charge;
  };
  auto charged = std::make_shared<Charged>();
  if (isVerbose(VerboseTag::Memory))
    writeVerbose(VerboseTag::Memory, fmt::format("{} bytes of the device for a buffer of {} {}", bytes,
                                                 toString(operand_.type), toString(operand_.dimensions)));
  AVOCET_ASSIGN_OR_RETURN(charged->charge, client_->memory()->take(bytes));
  AVOCET_ASSIGN_OR_RETURN(charged->memory, toHalResult(Buffer::create(client_->core().device(), bytes)));
  return std::shared_ptr<Buffer>(charged, charged->memory.get());
}

Outcome DeviceBuffer::checkOutput(const std::vector<uint32_t> &dimensions) const {
  if (!combineDimensions(operand_.dimensions, dimensions))
    return invalidArgument(
        fmt::format("dimensions {} for a buffer of {}", toString(dimensions), toString(operand_.dimensions)));
  return success();
}

Result<std::shared_ptr<Buffer>> DeviceBuffer::read(const std::vector<uint32_t> &dimensions, bool mayBePending) {
  std::lock_guard lock(mutex_);
  if (!isInitialized_ && !(mayBePending && writers_ != 0))
    return generalFailure("the buffer is not initialized");
  if (dimensions != dimensions_)
    return invalidArgument(
        fmt::format("dimensions {} of a buffer that holds {}", toString(dimensions), toString(dimensions_)));
  return memory_;
}

/// The present memory if it is large enough; null otherwise.
std::shared_ptr<Buffer> DeviceBuffer::enter(const std::vector<uint32_t> &dimensions, uint64_t bytes) {
  if (memory_ == nullptr || memory_->size() < bytes)
    return nullptr;
  dimensions_ = dimensions;
  ++writers_;
  return memory_;
}

Result<std::shared_ptr<Buffer>> DeviceBuffer::beginWrite(const std::vector<uint32_t> &dimensions) {
  std::optional<uint64_t> bytes = getNonExtensionSize(operand_.type, dimensions);
  if (!combineDimensions(operand_.dimensions, dimensions) || !bytes || *bytes == 0)
    return generalFailure(fmt::format("dimensions {} do not fit into a buffer of {}", toString(dimensions),
                                      toString(operand_.dimensions)));
  {
    std::lock_guard lock(mutex_);
    if (std::shared_ptr<Buffer> memory = enter(dimensions, *bytes))
      return memory;
  }
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> other, allocate(*bytes));
  std::shared_ptr<Buffer> memory;
  {
    std::lock_guard lock(mutex_);
    if (memory = enter(dimensions, *bytes); memory == nullptr) {
      std::swap(memory_, other);
      memory = enter(dimensions, *bytes);
    }
  }
  unmap(other.get());
  return memory;
}

void DeviceBuffer::endWrite(bool isSuccessful) {
  std::lock_guard lock(mutex_);
  --writers_;
  isInitialized_ = isSuccessful;
}

void DeviceBuffer::unmap(const Buffer *memory) {
  if (memory == nullptr)
    return;
  for (const std::weak_ptr<PreparedModel> &user : uses_.models)
    if (std::shared_ptr<PreparedModel> model = user.lock())
      model->memory().unmap(memory);
}

void DeviceBuffer::unmap() {
  std::shared_ptr<Buffer> memory;
  {
    std::lock_guard lock(mutex_);
    memory = memory_;
  }
  unmap(memory.get());
}

Outcome DeviceBuffer::copyTo(const SharedMemory &memory) {
  client_->awaitSettled();
  AVOCET_RETURN_IF_ERROR(validate(memory, true));
  AVOCET_ASSIGN_OR_RETURN(PoolFile file, PoolFile::open(memory));
  std::shared_ptr<Buffer> source;
  uint64_t bytes = 0;
  {
    std::lock_guard lock(mutex_);
    if (!isInitialized_)
      return generalFailure("buffer: it is not initialized");
    source = memory_;
    bytes = getNonExtensionSize(operand_.type, dimensions_).value_or(0);
  }
  if (file.size() != bytes)
    return invalidArgument(fmt::format("buffer: it has {} bytes, the memory {}", bytes, file.size()));
  client_->core().counters().hostBytesCopied += bytes;
  verbose(VerboseTag::Memory, "{} bytes copied from a buffer", bytes);
  return file.write(0, source->bytes().first(bytes));
}

/// The extents after a copy.
Result<std::vector<uint32_t>> DeviceBuffer::dimensionsToCopy(const std::vector<uint32_t> &dimensions) const {
  Operand copied = operand_;
  std::optional<std::vector<uint32_t>> combined = combineDimensions(operand_.dimensions, dimensions);
  if (!combined || (isScalar(operand_.type) && !dimensions.empty()))
    return invalidArgument(
        fmt::format("buffer: dimensions {} for one of {}", toString(dimensions), toString(operand_.dimensions)));
  copied.dimensions = std::move(*combined);
  if (!isFullySpecified(copied))
    return invalidArgument(fmt::format("buffer: dimensions {}, must be complete", toString(copied.dimensions)));
  return copied.dimensions;
}

Outcome DeviceBuffer::copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) {
  client_->awaitSettled();
  AVOCET_RETURN_IF_ERROR(validate(memory, true));
  AVOCET_ASSIGN_OR_RETURN(PoolFile file, PoolFile::open(memory));
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint32_t> complete, dimensionsToCopy(dimensions));
  std::optional<uint64_t> bytes = getNonExtensionSize(operand_.type, complete);
  if (!bytes || file.size() != *bytes)
    return invalidArgument(fmt::format("buffer: {} {} has {} bytes, the memory {}", toString(operand_.type),
                                       toString(complete), bytes.value_or(0), file.size()));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> target, beginWrite(complete));
  client_->core().counters().hostBytesCopied += *bytes;
  verbose(VerboseTag::Memory, "{} bytes copied to a buffer", *bytes);
  Outcome copied = file.read(0, target->bytes().first(*bytes));
  endWrite(copied.isOk());
  return copied;
}

Result<BufferToken> BufferTable::add(std::shared_ptr<DeviceBuffer> buffer) {
  std::lock_guard lock(mutex_);
  if (last_ == std::numeric_limits<uint32_t>::max())
    return error(ErrorStatus::ResourceExhaustedPersistent, "buffer: there are no tokens left");
  buffers_.emplace(last_ + 1, std::move(buffer));
  return BufferToken(++last_);
}

void BufferTable::remove(BufferToken token) {
  std::shared_ptr<DeviceBuffer> removed; // destroyed without the lock
  std::lock_guard lock(mutex_);
  auto found = buffers_.find(static_cast<uint32_t>(token));
  if (found == buffers_.end())
    return;
  removed = std::move(found->second);
  buffers_.erase(found);
}

std::shared_ptr<DeviceBuffer> BufferTable::find(BufferToken token) const {
  std::lock_guard lock(mutex_);
  auto found = buffers_.find(static_cast<uint32_t>(token));
  return found == buffers_.end() ? nullptr : found->second;
}

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

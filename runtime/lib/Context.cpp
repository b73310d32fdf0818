//===- Context.cpp - A private address space on the device ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Context.h"

#include "avocet/base/Log.h"

#include <fmt/core.h>

namespace avocet::runtime {

Result<std::shared_ptr<Buffer>> Buffer::create(std::shared_ptr<Device> device, uint64_t bytes) {
  if (device == nullptr)
    return invalidArgument("buffer: the device is null");
  AVOCET_RETURN_IF_ERROR(device->status());
  AVOCET_ASSIGN_OR_RETURN(BufferHandle handle, device->observe(device->backend().createBuffer(bytes)));
  return wrap(std::move(device), handle, 0, bytes, true);
}

Result<std::shared_ptr<Buffer>> Buffer::import(std::shared_ptr<Device> device, const FileDescriptor &file,
                                               uint64_t offset, uint64_t bytes, bool writable) {
  if (device == nullptr)
    return invalidArgument("buffer: the device is null");
  AVOCET_RETURN_IF_ERROR(device->status());
  AVOCET_ASSIGN_OR_RETURN(BufferHandle handle,
                          device->observe(device->backend().importBuffer(file, offset, bytes, writable)));
  return wrap(std::move(device), handle, offset, bytes, writable);
}

Result<std::shared_ptr<Buffer>> Buffer::importMemory(std::shared_ptr<Device> device, std::span<uint8_t> memory,
                                                     bool writable) {
  if (device == nullptr)
    return invalidArgument("buffer: the device is null");
  AVOCET_RETURN_IF_ERROR(device->status());
  AVOCET_ASSIGN_OR_RETURN(BufferHandle handle, device->observe(device->backend().importMemory(memory, writable)));
  std::shared_ptr<Buffer> buffer(new Buffer(std::move(device), handle, 0, memory.size(), writable));
  buffer->foreign_ = memory;
  return buffer;
}

Result<std::shared_ptr<Buffer>> Buffer::wrap(std::shared_ptr<Device> device, BufferHandle handle, uint64_t offset,
                                             uint64_t bytes, bool writable) {
  std::shared_ptr<Buffer> buffer(new Buffer(std::move(device), handle, offset, bytes, writable));
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, buffer->exportDescriptor());
  auto access = writable ? Mapping::Access::ReadWrite : Mapping::Access::Read;
  AVOCET_ASSIGN_OR_RETURN(buffer->mapping_, Mapping::map(file.get(), bytes, access, offset));
  return buffer;
}

Buffer::~Buffer() {
  if (Status status = device_->backend().destroyBuffer(handle_); !status.isOk())
    logMessage(LogLevel::Warning, "runtime", "buffer of {} bytes not destroyed: {}", size_, status.toString());
}

Result<FileDescriptor> Buffer::exportDescriptor() const {
  return device_->observe(device_->backend().exportBuffer(handle_));
}

Result<std::shared_ptr<Context>> Context::create(std::shared_ptr<Device> device, uint32_t owner) {
  if (device == nullptr)
    return invalidArgument("context: the device is null");
  AVOCET_RETURN_IF_ERROR(device->status());
  AVOCET_ASSIGN_OR_RETURN(ContextHandle handle, device->observe(device->backend().createContext(owner)));
  return std::shared_ptr<Context>(new Context(std::move(device), handle));
}

Context::~Context() {
  if (Status status = device_->backend().destroyContext(handle_); !status.isOk())
    logMessage(LogLevel::Warning, "runtime", "context {} not destroyed: {}", handle_, status.toString());
}

Result<std::shared_ptr<BufferMapping>> Context::map(std::shared_ptr<Buffer> buffer, Access access) {
  if (buffer == nullptr)
    return invalidArgument("map: the buffer is null");
  if (&buffer->device() != device_.get())
    return invalidArgument("map: the buffer belongs to another device");
  AVOCET_RETURN_IF_ERROR(device_->status());
  AVOCET_ASSIGN_OR_RETURN(uint64_t address,
                          device_->observe(device_->backend().map(handle_, buffer->handle(), access)));
  return std::shared_ptr<BufferMapping>(new BufferMapping(shared_from_this(), std::move(buffer), address, access));
}

BufferMapping::~BufferMapping() {
  Device &device = context_->device();
  if (Status status = device.backend().unmap(context_->handle(), address_); !status.isOk())
    logMessage(LogLevel::Warning, "runtime", "mapping at {:#x} not removed: {}", address_, status.toString());
}

} // namespace avocet::runtime

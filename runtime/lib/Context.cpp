//===- Context.cpp - A private address space on the device ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Context.h"

#include "avocet/base/Log.h"

namespace avocet::runtime {

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

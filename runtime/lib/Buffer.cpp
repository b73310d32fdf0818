//===- Buffer.cpp - Memory that host and device share -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Buffer.h"

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

} // namespace avocet::runtime

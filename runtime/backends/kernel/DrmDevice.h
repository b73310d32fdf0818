//===- DrmDevice.h - Calls of the kernel driver -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_KERNEL_DRMDEVICE_H
#define AVOCET_RUNTIME_BACKENDS_KERNEL_DRMDEVICE_H

#include "avocet/base/File.h"
#include "avocet/runtime/Backend.h"
#include "avocet_accel.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace avocet::runtime {

/// An open device node. Any thread may call any method.
class DrmDevice {
public:
  /// Unsupported: the node belongs to another driver. FailedPrecondition: this user may not open it, or the driver has
  /// another interface.
  static Result<DrmDevice> open(const std::string &path);

  /// ioctl() of any structure of avocet_accel.h; `what` names the call in errors. Repeated when a signal interrupts it.
  template <typename Call> Status call(unsigned long request, Call &call, std::string_view what) const {
    return statusOf(callDriver(request, &call), what);
  }

  Result<uint64_t> parameter(uint32_t number) const;
  std::string targetName() const; ///< "device of unknown target" if the driver does not answer
  Status closeHandle(uint32_t handle) const;
  Result<FileDescriptor> exportHandle(uint32_t handle) const; ///< a dma-buf
  Result<uint32_t> importDmaBuf(const FileDescriptor &file) const;
  /// Pins the pages of this process's memory, which may be unmapped afterwards.
  Result<uint32_t> importMemory(std::span<const uint8_t> memory, bool writable) const;

private:
  explicit DrmDevice(FileDescriptor file) : file_(std::move(file)) {}
  int callDriver(unsigned long request, void *argument) const;
  static Status statusOf(int error, std::string_view what);

  FileDescriptor file_;
};

using OpenNode = std::function<Result<std::unique_ptr<Backend>>(const std::string &path)>;

/// Opens a node, or the first usable one of a folder, in the order of their numbers. NotFound: there is none. Else, if
/// none is usable, the first error that is not Unsupported (a node of another driver), or the first one.
Result<std::unique_ptr<Backend>> openFirst(const std::string &place, const OpenNode &open);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_KERNEL_DRMDEVICE_H

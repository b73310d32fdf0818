//===- IvshmemPort.h - A device's end of QEMU's ivshmem-doorbell -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The process is the server of QEMU's ivshmem protocol and its peer 0; the guest is peer 1. The shared memory is
// described in firmware_iface/kmod/avocet_ivshmem_layout.h.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_DEVICE_IVSHMEMPORT_H
#define AVOCET_SIM_DEVICE_IVSHMEMPORT_H

#include "avocet/base/File.h"
#include "avocet_ivshmem_layout.h"

#include <functional>
#include <string>

namespace avocet::sim {

class IvshmemPort {
public:
  /// Listens on a Unix-domain socket, which the destructor removes. InvalidArgument: the path is too long;
  /// AlreadyExists: it exists.
  static Result<IvshmemPort> listen(const std::string &socket);
  ~IvshmemPort();
  IvshmemPort(IvshmemPort &&) = default;
  IvshmemPort &operator=(IvshmemPort &&) = delete;

  /// Waits for a virtual machine and gives it memory and interrupts; before that nothing may be in the shared memory
  /// that it must not see.
  Status accept();

  enum class Event { Bell, GuestEnded };
  /// Waits for the guest's doorbell or its end.
  Result<Event> wait();

  void raiseInterrupt(); ///< any thread
  avocet_ivshmem &shared() { return *reinterpret_cast<avocet_ivshmem *>(memory_.bytes().data()); }

private:
  IvshmemPort() = default;
  Status createMemory();
  Status send(int64_t value, const FileDescriptor *descriptor);

  std::string path_;
  FileDescriptor listener_, guest_, file_, bell_, interrupt_;
  Mapping memory_;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_DEVICE_IVSHMEMPORT_H

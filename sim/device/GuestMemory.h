//===- GuestMemory.h - Memory of a virtual machine -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_DEVICE_GUESTMEMORY_H
#define AVOCET_SIM_DEVICE_GUESTMEMORY_H

#include "avocet/base/File.h"
#include "avocet/sim/Device.h"

#include <string>

namespace avocet::sim {

/// The memory of a QEMU machine of type q35, as a shared file (memory-backend-file with share=on). If the machine's
/// owner shortens the file, the lost bytes read as zero.
class GuestMemory {
public:
  static Result<GuestMemory> open(const std::string &path);

  /// Makes the memory accessible to the device at the guest's physical addresses. It must outlive the device.
  Status attachTo(Device &device);

  /// Memory at a guest's physical address; empty if it is not all there.
  std::span<uint8_t> at(uint64_t address, uint64_t bytes);

  uint64_t bytes() const { return memory_.bytes().size(); }

private:
  Mapping memory_;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_DEVICE_GUESTMEMORY_H

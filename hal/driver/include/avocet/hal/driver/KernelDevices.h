//===- KernelDevices.h - Devices of the kernel driver -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_KERNELDEVICES_H
#define AVOCET_HAL_DRIVER_KERNELDEVICES_H

#include <string>
#include <vector>

namespace avocet::hal {

struct KernelDevice {
  std::string name;    ///< of the node: "accel0"
  std::string backend; ///< for DriverOptions
  std::string target;  ///< for DriverOptions
};

/// Those that this user may open, in the order of their numbers.
std::vector<KernelDevice> kernelDevices();

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_KERNELDEVICES_H

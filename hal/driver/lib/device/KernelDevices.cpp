//===- KernelDevices.cpp - Devices of the kernel driver -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/driver/KernelDevices.h"

#include "avocet/runtime/KernelBackend.h"

#include <filesystem>

namespace avocet::hal {

std::vector<KernelDevice> kernelDevices() {
  std::vector<KernelDevice> devices;
  for (const runtime::KernelNode &node : runtime::kernelNodes())
    if (node.usable.isOk())
      devices.push_back({std::filesystem::path(node.path).filename(), "kernel:" + node.path, node.target});
  return devices;
}

} // namespace avocet::hal

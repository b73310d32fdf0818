//===- MaskedDevice.h - A device with fewer operations ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_PARTITION_MASKEDDEVICE_H
#define AVOCET_TESTS_HAL_PARTITION_MASKEDDEVICE_H

#include "avocet/hal/types/Interfaces.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace avocet::hal::test {

/// Whether the device may have operation `index` of a model's main subgraph.
using OperationMask = std::function<bool(const Model &, size_t index)>;

/// Another device under another name that claims to support fewer operations. Caches nothing.
std::shared_ptr<IDevice> maskDevice(std::shared_ptr<IDevice> device, std::string name, OperationMask mask);

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_HAL_PARTITION_MASKEDDEVICE_H

//===- OpenDevices.h - Finds the devices -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_DEVICE_OPENDEVICES_H
#define AVOCET_HAL_NNAPI_LIB_DEVICE_OPENDEVICES_H

#include "avocet/hal/types/Interfaces.h"

#include <memory>
#include <vector>

namespace avocet::nnapi {

/// The devices of a running service, else an embedded one; then the CPU. A device that cannot be opened is logged and
/// left out.
std::vector<std::shared_ptr<hal::IDevice>> openDevices();

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_DEVICE_OPENDEVICES_H

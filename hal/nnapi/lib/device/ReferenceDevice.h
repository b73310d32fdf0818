//===- ReferenceDevice.h - The CPU as a device -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_DEVICE_REFERENCEDEVICE_H
#define AVOCET_HAL_NNAPI_LIB_DEVICE_REFERENCEDEVICE_H

#include "avocet/hal/types/Interfaces.h"

#include <memory>
#include <string>

namespace avocet::nnapi {

/// The device "nnapi-reference", of type CPU, which supports every operation.
hal::Result<std::shared_ptr<hal::IDevice>> openReferenceDevice(const std::string &compilerLibrary);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_DEVICE_REFERENCEDEVICE_H

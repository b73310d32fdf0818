//===- DeviceCore.cpp - What all objects of one device share ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCore.h"

#include "Lift.h"
#include "avocet/runtime/SimBackend.h"

#include <mutex>

namespace avocet::hal {

Result<std::shared_ptr<DeviceCore>> DeviceCore::open(const DriverOptions &options) {
  static std::once_flag registered;
  std::call_once(registered, runtime::registerSimBackend);
  runtime::BackendOptions backend;
  AVOCET_HAL_ASSIGN_OR_RETURN(backend.target, lift(firmware::Target::load(options.target)));
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<runtime::Device> device,
                              lift(runtime::Device::open(options.backend, backend)));
  return std::shared_ptr<DeviceCore>(new DeviceCore(options, std::move(device)));
}

} // namespace avocet::hal

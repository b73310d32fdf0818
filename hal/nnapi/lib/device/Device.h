//===- Device.h - A device of the library ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_DEVICE_DEVICE_H
#define AVOCET_HAL_NNAPI_LIB_DEVICE_DEVICE_H

#include "avocet/hal/types/Interfaces.h"

#include <memory>
#include <string>

namespace avocet::nnapi {

/// A device of the HAL, with its constant properties in the form of the C interface. Immutable.
class Device {
public:
  explicit Device(std::shared_ptr<hal::IDevice> device);

  const std::shared_ptr<hal::IDevice> &hal() const { return device_; }
  const std::string &name() const { return name_; }
  const std::string &version() const { return version_; }
  int32_t type() const { return static_cast<int32_t>(type_); }
  bool isCpu() const { return type_ == hal::DeviceType::Cpu; }
  int64_t featureLevel() const { return featureLevel_; }
  bool supportsExtension(const std::string &name) const;

private:
  const std::shared_ptr<hal::IDevice> device_;
  const std::string name_, version_;
  const hal::DeviceType type_;
  const int64_t featureLevel_;
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_DEVICE_DEVICE_H

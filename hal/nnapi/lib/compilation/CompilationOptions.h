//===- CompilationOptions.h - What the application asks of a compilation -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_COMPILATION_COMPILATIONOPTIONS_H
#define AVOCET_HAL_NNAPI_LIB_COMPILATION_COMPILATIONOPTIONS_H

#include "device/DeviceList.h"

#include "avocet/hal/types/Interfaces.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace avocet::nnapi {

/// Where compiled models are kept.
struct CachePlace {
  std::string folder;
  hal::CacheToken token = {};
  std::optional<hal::CacheFiles> files; ///< of the application, instead of files in a folder
};

/// What the application asks of a compilation.
struct CompilationOptions {
  std::vector<std::shared_ptr<Device>> devices;
  bool choseDevices = false; ///< by the application: there is no other device, and no fallback
  bool mayFallBack = false;  ///< to the CPU, after a device has failed
  hal::ExecutionPreference preference = hal::ExecutionPreference::FastSingleAnswer;
  hal::Priority priority = hal::Priority::Medium;
  std::optional<hal::Duration> timeout;
  std::optional<CachePlace> cache;
  std::vector<hal::TokenValuePair> hints;
  std::vector<hal::ExtensionNameAndPrefix> extensions; ///< of the hints
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_COMPILATION_COMPILATIONOPTIONS_H

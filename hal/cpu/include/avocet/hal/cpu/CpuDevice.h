//===- CpuDevice.h - The CPU as a device -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NNAPI's reference device, which computes every operation on the CPU with the kernels of the tree. Results have the
// bits of the simulated devices, whatever the number of threads is.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_CPU_CPUDEVICE_H
#define AVOCET_HAL_CPU_CPUDEVICE_H

#include "avocet/hal/types/Interfaces.h"

#include <memory>
#include <string>
#include <string_view>

namespace avocet::hal {

/// By this name applications know the device.
inline constexpr std::string_view kCpuDeviceName = "nnapi-reference";

struct CpuOptions {
  std::string compilerLibrary; ///< path of libavocetCompiler.so; empty: see Loader.h
  std::string cacheDirectory;  ///< as DriverOptions::cacheDirectory; empty: the device offers no compilation caching
  uint32_t threads = 0;        ///< that compute, with the caller's; 0: knob AVOCET_CPU_THREADS
};

/// The device: of type CPU, with the performance figure 1.0 for everything and the extensions of hal/extensions.
/// Executions have no time on the device. Errors as Driver::open().
Result<std::shared_ptr<IDevice>> openCpuDevice(const CpuOptions &options = {});

} // namespace avocet::hal

#endif // AVOCET_HAL_CPU_CPUDEVICE_H

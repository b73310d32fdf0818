//===- CpuDevice.cpp - The CPU as a device --------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/cpu/CpuDevice.h"

#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/extensions/Extension.h"
#include "avocet/hal/types/DescribedDevice.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/runtime/Processor.h"

namespace avocet::hal {
namespace {

/// That of `device` under the CPU's name, with the figures of the reference: 1.0 for everything.
DeviceDescription cpuDescription(const IDevice &device) {
  constexpr PerformanceInfo kReference{1, 1};
  Capabilities figures;
  figures.relaxedFloat32toFloat16PerformanceScalar = kReference;
  figures.relaxedFloat32toFloat16PerformanceTensor = kReference;
  figures.ifPerformance = figures.whilePerformance = kReference;
  for (const auto &type : allOperandTypes())
    if (type.byteSize != 0)
      figures.operandPerformance.push_back({type.type, kReference});
  return {std::string(kCpuDeviceName),
          device.versionString(),
          device.featureLevel(),
          DeviceType::Cpu,
          describeExtensions(),
          std::move(figures),
          device.numberOfCacheFilesNeeded(),
          device.memoryPreference()};
}

} // namespace

Result<std::shared_ptr<IDevice>> openCpuDevice(const CpuOptions &options) {
  DriverOptions driver;
  driver.target = runtime::kProcessorTarget;
  driver.timing = false;
  driver.traceLayer = TraceLayer::Cpu;
  driver.threads = options.threads != 0 ? options.threads : runtime::processorThreads();
  driver.compilerLibrary = options.compilerLibrary;
  driver.cacheDirectory = options.cacheDirectory;
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IDevice> device, openDevice(driver));
  return std::shared_ptr<IDevice>(std::make_shared<ForwardingDevice>(device, cpuDescription(*device)));
}

} // namespace avocet::hal

//===- CpuDevice.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/cpu/CpuDevice.h"

#include "avocet/base/Knobs.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/extensions/Extension.h"
#include "avocet/hal/types/DescribedDevice.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <charconv>
#include <thread>

namespace avocet::hal {
namespace {

/// The compiler's target: of the shipped ones that with the most on-chip memory, so that networks have the fewest
/// commands.
constexpr std::string_view kTarget = "p4096";

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

/// More threads make hardly any network faster, and take processors from the application.
constexpr uint32_t kMostDefaultThreads = 4;

/// Of the knob; by default one for each processor that this process may use.
uint32_t defaultThreads() {
  const std::string text = knobText(knobs::kCpuThreads);
  uint32_t threads = std::clamp(std::thread::hardware_concurrency(), 1u, kMostDefaultThreads);
  std::from_chars(text.data(), text.data() + text.size(), threads); // unchanged for "auto"
  return threads;
}

} // namespace

Result<std::shared_ptr<IDevice>> openCpuDevice(const CpuOptions &options) {
  DriverOptions driver;
  driver.target = kTarget;
  driver.timing = false;
  driver.traceLayer = TraceLayer::Cpu;
  driver.threads = options.threads != 0 ? options.threads : defaultThreads();
  driver.compilerLibrary = options.compilerLibrary;
  driver.cacheDirectory = options.cacheDirectory;
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IDevice> device, openDevice(driver));
  return std::shared_ptr<IDevice>(std::make_shared<ForwardingDevice>(device, cpuDescription(*device)));
}

} // namespace avocet::hal

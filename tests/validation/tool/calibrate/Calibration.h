//===- Calibration.h - Figures of the device relative to a processor ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_CALIBRATE_CALIBRATION_H
#define AVOCET_VALIDATION_TOOL_CALIBRATE_CALIBRATION_H

#include "avocet/base/Status.h"
#include "output/Progress.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// The same work on the simulated device, and as plain loops on this machine's processor.
struct CalibrationFigure {
  std::string figure; ///< of Workload
  std::string workload;
  double deviceNanoseconds = 0;
  double cpuNanoseconds = 0;
  double deviceNanojoules = 0;
};

struct Calibration {
  std::string target;
  uint64_t fingerprint = 0;
  std::string driver; ///< version string of the driver that was measured
  std::vector<CalibrationFigure> figures;
};

/// Measures referenceWorkloads(), but those that the device does not support. Errors: the device cannot be opened.
Result<Calibration> calibrate(const std::string &target, Progress &progress);

/// The file hal/driver/data/capabilities-TARGET.json. Energy is relative to a processor core of `cpuWatts`.
std::string toJson(const Calibration &calibration, double cpuWatts);

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_CALIBRATE_CALIBRATION_H

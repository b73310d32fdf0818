//===- Calibration.h - Figures of the device relative to a processor ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_CALIBRATE_CALIBRATION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_CALIBRATE_CALIBRATION_H

#include "avocet/base/Status.h"
#include "avocet/hal/types/Types.h"
#include "output/Progress.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// One operand type: the same work on the simulated device and on this machine's processor.
struct CalibrationFigure {
  hal::OperandType type = hal::OperandType::TensorFloat32;
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

/// Measures every tensor type that the device has a workload for. Errors: the device cannot be opened.
Result<Calibration> calibrate(const std::string &target, Progress &progress);

/// The file hal/driver/data/capabilities-TARGET.json. Energy is relative to a processor core of `cpuWatts`.
std::string toJson(const Calibration &calibration, double cpuWatts);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_CALIBRATE_CALIBRATION_H

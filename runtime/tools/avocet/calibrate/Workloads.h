//===- Workloads.h - Reference work of a calibration ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Networks of the kinds that the documentation of the Neural Networks HAL names for its figures (hal 1.0 types.hal,
// Capabilities): classification and detection of MobileNet's kind, keywords, acoustic models, recurrent ones, text.
// Types with which no network computes have a simple operation.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_CALIBRATE_WORKLOADS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_CALIBRATE_WORKLOADS_H

#include "avocet/hal/types/Types.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// One network for one figure. All constants are 0.
struct Workload {
  std::string figure; ///< "TENSOR_FLOAT32", "RELAXED_TENSOR_FLOAT32", "IF", "WHILE"
  std::string name;   ///< "detection, 32x32x32"
  hal::Model model;
};

/// In the order of the figures.
std::vector<Workload> referenceWorkloads();

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_CALIBRATE_WORKLOADS_H

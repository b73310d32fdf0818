//===- Workloads.h - Reference work of a calibration ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small networks of the kinds that the HAL's document of capabilities names: classification and detection of images,
// keywords, acoustic models, recurrent ones and text, for each type; one operation for types with which networks
// compute little; a branch and a loop.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_CALIBRATE_WORKLOADS_H
#define AVOCET_VALIDATION_TOOL_CALIBRATE_WORKLOADS_H

#include "PlainLoops.h"

#include "avocet/hal/types/Types.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// One network for one figure. All constants are 0.
struct Workload {
  std::string figure;    ///< "TENSOR_FLOAT32", "RELAXED_TENSOR_FLOAT32", "IF", "WHILE"
  std::string name;      ///< "detection in 32x32x32"
  hal::OperandType type; ///< of its elements
  hal::Model model;
  PlainLoops loops; ///< the same work for a processor
};

/// In the order of the figures.
std::vector<Workload> referenceWorkloads();

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_CALIBRATE_WORKLOADS_H

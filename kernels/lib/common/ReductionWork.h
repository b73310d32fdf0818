//===- ReductionWork.h - Loops of reductions --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_REDUCTIONWORK_H
#define AVOCET_KERNELS_LIB_COMMON_REDUCTIONWORK_H

#include "common/DspKernel.h"

#include <vector>

namespace avocet::kernels {

/// An axis of the operand of a reduction.
struct ReducedAxis {
  uint64_t extent = 1;
  bool isReduced = false;
};

/// How elements are combined.
struct Combination {
  uint64_t ops = 1; ///< vector instructions for each element
  firmware::DataType type = firmware::DataType::Int8;
  bool inAnyOrder = true; ///< the bits of the result do not depend on the order of the elements
  bool isDense = true;    ///< the rows of the operand have no gaps between them
  bool sumsBytes = false; ///< four of which are added in one instruction
};

/// The work of a command that combines the elements of its first input along some of its axes, outermost first.
DspWork reductionWork(const firmware::DspCommand &command, std::vector<ReducedAxis> axes, const Combination &how);

/// Vector instructions that bring an element of lines along memory to the lane of its line, or back: a gather for each
/// 32-bit word, and exchanges of narrower elements between the registers of the words.
uint64_t exchangeOps(firmware::DataType type);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_REDUCTIONWORK_H

//===- OpenCodes.h - Operations of the random models --------------* -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_OPENCODES_H
#define AVOCET_TESTS_HAL_DRIVER_OPENCODES_H

#include "avocet/hal/types/Types.h"

namespace avocet::hal::testing {

enum Code : OperationType {
  kAddition = 0,
  kAveragePool = 1,
  kConcatenation = 2,
  kConv = 3,
  kFullyConnected = 9,
  kLogistic = 14,
  kMaxPool = 17,
  kMultiplication = 18,
  kRelu = 19,
  kRelu6 = 21,
  kSoftmax = 25,
  kTanh = 28,
  kMean = 31,
  kPad = 32,
  kTranspose = 37,
  kAbs = 38,
  kLess = 58,
  kMaximum = 65,
  kMinimum = 66,
  kIf = 96,
  kWhile = 97,
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_OPENCODES_H

//===- SoftmaxSteps.h - Softmax of 8-bit numbers in TOSA --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_SOFTMAXSTEPS_H
#define AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_SOFTMAXSTEPS_H

#include "TosaSteps.h"

#include <optional>

namespace avocet::compiler {

/// The sum of more exponentials does not fit in 32 bits.
inline constexpr int64_t kMostSoftmaxElements = 4095;

/// The integer operations of the device's softmax (kernels/lib/softmax): exponentials from a table of the 256
/// differences to the maximum, their sum along the axis, and its reciprocal by three Newton steps. The input is i8, the
/// result i8 with the zero point -128.
mlir::Value softmaxSteps(TosaSteps &steps, mlir::Value input, int64_t axis, llvm::ArrayRef<int32_t> exponentials);

struct SoftmaxForm {
  mlir::Value input; ///< as i8, which the softmax takes for numbers of scale 1
  int64_t axis;
  float beta;
};

/// The softmax whose last operation this is; nullopt: it is none, or one with exponentials that the device has for no
/// beta. The operations are compared with softmaxSteps(), and the table with that of the device.
std::optional<SoftmaxForm> findSoftmax(mlir::tosa::RescaleOp last);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_TOSATONN_SOFTMAXSTEPS_H

//===- Window.cpp - Padding of windows --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "avocet/base/Rounding.h"

using namespace mlir;

namespace avocet::compiler {

FailureOr<std::array<int64_t, 2>> samePadding(ImportedOperation &op, const WindowAxis &axis) {
  int64_t outputs = divideUp(axis.input, axis.stride);
  // All figures are below 2^31, so the products fit in 64 bits.
  int64_t total = std::max<int64_t>((outputs - 1) * axis.stride + axis.reach() - axis.input, 0);
  if (total > INT32_MAX)
    return op.refuse("dilation", "padding fits 31 bits", Twine(total));
  return std::array{total / 2, total - total / 2};
}

} // namespace avocet::compiler

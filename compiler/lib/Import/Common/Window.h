//===- Window.h - Padding of windows ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_WINDOW_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_WINDOW_H

#include "ImportedOperation.h"

#include "avocet/firmware_iface/WindowInputs.h"

#include <array>

namespace avocet::compiler {

/// A window along one axis of an input; all figures are 1 to 2^31 - 1.
struct WindowAxis {
  int64_t input, kernel, stride, dilation;
  int64_t reach() const { return firmware::windowReach(kernel, dilation); }
};

/// [before, after] of the scheme SAME: ceil(input / stride) outputs, with the odd row or column at the end.
mlir::FailureOr<std::array<int64_t, 2>> samePadding(ImportedOperation &op, const WindowAxis &axis);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_WINDOW_H

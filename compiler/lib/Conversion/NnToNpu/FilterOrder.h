//===- FilterOrder.h - Filters in the order of the array --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_FILTERORDER_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_FILTERORDER_H

#include "mlir/Support/LLVM.h"

#include <array>
#include <cstdint>
#include <functional>

namespace avocet::compiler {

/// Writes a filter's elements of the given size in another order, possibly several times; elements that it does not
/// write keep their value.
using FilterOrder =
    std::function<void(llvm::ArrayRef<uint8_t> plain, size_t elementSize, llvm::MutableArrayRef<uint8_t> ordered)>;

/// [rows, columns] to [columns, rows].
FilterOrder swapFilterAxes(size_t rows, size_t columns);

/// `count` rows of [rows, columns], from row `first` on.
FilterOrder takeFilterRows(size_t first, size_t count, size_t columns);

/// [outputs, taps, channels of a group] to [outputs, taps, channels], each output at the channels of its group.
FilterOrder spreadFilterGroups(size_t outputs, size_t taps, size_t channels, size_t groups);

/// Sizes of a filter [outputs, height, width, channels] and of the phases of a transposed convolution with it.
struct FilterPhases {
  size_t outputs, channels;
  std::array<size_t, 2> kernel, stride; ///< height, width
  /// Taps of one phase: every stride-th of the kernel.
  size_t taps(unsigned axis) const { return (kernel[axis] + stride[axis] - 1) / stride[axis]; }
  size_t phases() const { return stride[0] * stride[1]; }
};

/// [outputs, height, width, channels] to [phases, outputs, taps, taps, channels]: phase (ry, rx) has the kernel
/// positions ry + stride * j, last first, and zeros past the end of the kernel.
FilterOrder splitFilterPhases(const FilterPhases &phases);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_FILTERORDER_H

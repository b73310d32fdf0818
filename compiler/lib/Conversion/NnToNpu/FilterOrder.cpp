//===- FilterOrder.cpp - Filters in the order of the array ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FilterOrder.h"

#include <cstring>

namespace avocet::compiler {

FilterOrder swapFilterAxes(size_t rows, size_t columns) {
  return [=](llvm::ArrayRef<uint8_t> plain, size_t elementSize, llvm::MutableArrayRef<uint8_t> ordered) {
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column)
        std::memcpy(&ordered[(column * rows + row) * elementSize], &plain[(row * columns + column) * elementSize],
                    elementSize);
  };
}

FilterOrder spreadFilterGroups(size_t outputs, size_t taps, size_t channels, size_t groups) {
  return [=](llvm::ArrayRef<uint8_t> plain, size_t elementSize, llvm::MutableArrayRef<uint8_t> ordered) {
    const size_t part = channels / groups, bytes = part * elementSize;
    for (size_t output = 0; output < outputs; ++output)
      for (size_t tap = 0; tap < taps; ++tap) {
        size_t first = output / (outputs / groups) * part;
        std::memcpy(&ordered[((output * taps + tap) * channels + first) * elementSize],
                    &plain[(output * taps + tap) * bytes], bytes);
      }
  };
}

} // namespace avocet::compiler

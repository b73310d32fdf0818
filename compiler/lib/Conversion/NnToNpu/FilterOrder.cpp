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

FilterOrder takeFilterRows(size_t first, size_t count, size_t columns) {
  return [=](llvm::ArrayRef<uint8_t> plain, size_t elementSize, llvm::MutableArrayRef<uint8_t> ordered) {
    std::memcpy(ordered.data(), &plain[first * columns * elementSize], count * columns * elementSize);
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

/// Kernel position of a tap in a phase; past the kernel's end for taps that are zeros.
static size_t kernelPosition(const FilterPhases &f, unsigned axis, size_t phase, size_t tap) {
  return phase + f.stride[axis] * (f.taps(axis) - 1 - tap);
}

FilterOrder splitFilterPhases(const FilterPhases &f) {
  return [f](llvm::ArrayRef<uint8_t> plain, size_t elementSize, llvm::MutableArrayRef<uint8_t> ordered) {
    const size_t bytes = f.channels * elementSize;
    uint8_t *to = ordered.data();
    for (size_t phase = 0; phase < f.phases(); ++phase)
      for (size_t output = 0; output < f.outputs; ++output)
        for (size_t ty = 0; ty < f.taps(0); ++ty)
          for (size_t tx = 0; tx < f.taps(1); ++tx, to += bytes) {
            size_t y = kernelPosition(f, 0, phase / f.stride[1], ty), x = kernelPosition(f, 1, phase % f.stride[1], tx);
            if (y < f.kernel[0] && x < f.kernel[1])
              std::memcpy(to, &plain[((output * f.kernel[0] + y) * f.kernel[1] + x) * bytes], bytes);
          }
  };
}

} // namespace avocet::compiler

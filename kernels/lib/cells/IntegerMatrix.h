//===- IntegerMatrix.h - Matrices in SRAM as rows of integers -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_CELLS_INTEGERMATRIX_H
#define AVOCET_KERNELS_LIB_CELLS_INTEGERMATRIX_H

#include "cells/Matrix.h"
#include "common/FeatureMapView.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace avocet::kernels {

/// A copy of the elements of a matrix of type T, or of the pixels of a sequence as rows, less their zero point.
class IntegerMatrix {
public:
  template <typename T> static IntegerMatrix load(const firmware::FeatureMap &map, std::span<uint8_t> sram) {
    IntegerMatrix matrix(map.channels);
    FeatureMapView<T> view(map, sram);
    for (uint32_t y = 0; y < map.height; ++y)
      for (uint32_t x = 0; x < map.width; ++x)
        for (uint32_t c = 0; c < map.channels; ++c)
          matrix.elements_.push_back(int32_t(view.pixel(y, x)[c]) - map.zeroPoint);
    return matrix;
  }

  std::span<const int32_t> row(uint32_t r) const {
    return std::span(elements_).subspan(uint64_t(r) * columns_, columns_);
  }

private:
  explicit IntegerMatrix(uint32_t columns) : columns_(columns) {}

  uint32_t columns_;
  std::vector<int32_t> elements_;
};

/// The sum of products, modulo 2^32.
inline uint32_t dot(std::span<const int32_t> a, std::span<const int32_t> b) {
  uint32_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += static_cast<uint32_t>(a[i]) * static_cast<uint32_t>(b[i]);
  return sum;
}

/// Stores values as row `row` of a map of type T.
template <typename T>
void storeIntegers(const firmware::FeatureMap &map, std::span<uint8_t> sram, uint32_t row,
                   std::span<const int32_t> values) {
  T *elements = FeatureMapView<T>(map, sram).pixel(row / map.width, row % map.width);
  std::ranges::transform(values, elements, [](int32_t value) { return static_cast<T>(value); });
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_CELLS_INTEGERMATRIX_H

//===- Reals.h - Operands as real numbers -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_DETECTION_REALS_H
#define AVOCET_KERNELS_LIB_DETECTION_REALS_H

#include "common/NdShape.h"

#include <span>
#include <vector>

namespace avocet::kernels {

/// Ok if the map is dense, has the shape and elements of f32, f16, i8, u8, i16 or u16, and the scale is positive.
Status checkReals(std::string_view name, const firmware::FeatureMap &map, float scale,
                  std::initializer_list<uint64_t> shape);

/// Ok if the map is dense, has the shape and elements of i32.
Status checkIndices(std::string_view name, const firmware::FeatureMap &map, std::initializer_list<uint64_t> shape);

/// Ok if the number is finite and positive.
Status checkPositive(std::string_view name, float value);

/// (element - zero point) * scale; floats have neither.
std::vector<float> readReals(const firmware::FeatureMap &map, float scale, std::span<uint8_t> sram);

/// The inverse, rounded halves away from zero and clamped. Signed bytes round as unsigned ones with a zero point that
/// is 128 higher, so that both forms of a network agree.
void writeReals(const firmware::FeatureMap &map, float scale, std::span<const float> values, std::span<uint8_t> sram);

/// The index, or the nearest one in [0, extent).
inline uint32_t nearestIndex(int32_t index, uint32_t extent) {
  return index < 0 ? 0 : std::min(static_cast<uint32_t>(index), extent - 1);
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_DETECTION_REALS_H

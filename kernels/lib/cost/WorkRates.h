//===- WorkRates.h - Rates of a network's work ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both bounds take from the target.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COST_WORKRATES_H
#define AVOCET_KERNELS_LIB_COST_WORKRATES_H

#include "avocet/base/Rounding.h"
#include "avocet/kernels/Roofline.h"

#include <algorithm>
#include <limits>

namespace avocet::kernels {

inline constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();

/// Networks may ask for more work than 64 bits can count.
inline uint64_t times(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMost : std::min(product, kMost);
}

inline uint64_t cyclesAt(firmware::Rate rate, uint64_t elements) {
  return divideUp(times(elements, rate.cycles), rate.count);
}

/// Int8 rate over the rate of the type; 0: the array does not have the type.
inline uint64_t slowdownOf(const firmware::Target &target, firmware::DataType type) {
  return target.mac().slowdown[static_cast<uint32_t>(type)];
}

/// Products of two 16-bit numbers take the steps of both.
inline uint64_t denseSlowdown(const firmware::Target &target, const Work &work) {
  const uint64_t slowdown = slowdownOf(target, work.input);
  const bool areWide = work.input == firmware::DataType::Int16 && work.multiplier == firmware::DataType::Int16;
  return areWide ? slowdown * slowdown : slowdown;
}

/// Each weight once.
inline uint64_t decodeCycles(const firmware::Target &target, const Work &work) {
  const firmware::MacArrayModel &mac = target.mac();
  const uint64_t rate = work.kind == WorkKind::Depthwise ? mac.depthwiseDecodeRate : mac.denseDecodeRate;
  return divideUp(work.weights, rate * mac.cores);
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COST_WORKRATES_H

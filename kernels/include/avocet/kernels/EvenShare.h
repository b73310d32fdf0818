//===- EvenShare.h - A total in nearly equal shares -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_EVENSHARE_H
#define AVOCET_KERNELS_EVENSHARE_H

#include <cstdint>

namespace avocet::kernels {

/// Share `index` of `total` in `count` (not 0) shares. All shares sum to the total and differ by at most one.
constexpr uint64_t evenShare(uint64_t total, uint64_t index, uint64_t count) {
  return total / count + (index < total % count ? 1 : 0);
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_EVENSHARE_H

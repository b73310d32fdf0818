//===- Activation.h - Clamps that follow an operation -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_ACTIVATION_H
#define AVOCET_KERNELS_ACTIVATION_H

#include <algorithm>
#include <limits>
#include <optional>

namespace avocet::kernels {

/// A clamp of real numbers. Both bounds belong to the range.
struct Activation {
  float low = -std::numeric_limits<float>::infinity(); ///< an infinity is no bound
  float high = std::numeric_limits<float>::infinity();

  // Those of the graph formats.
  static const Activation kNone, kRelu, kReluN1To1, kRelu6, kRelu0To1;

  friend bool operator==(const Activation &, const Activation &) = default;
};

inline constexpr Activation Activation::kNone{};
inline constexpr Activation Activation::kRelu{.low = 0};
inline constexpr Activation Activation::kReluN1To1{-1, 1};
inline constexpr Activation Activation::kRelu6{0, 6};
inline constexpr Activation Activation::kRelu0To1{0, 1};

/// What both ranges have in common; nullopt: nothing.
inline std::optional<Activation> intersectionOf(const Activation &a, const Activation &b) {
  const Activation both{std::max(a.low, b.low), std::min(a.high, b.high)};
  return both.low <= both.high ? std::optional(both) : std::nullopt;
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_ACTIVATION_H

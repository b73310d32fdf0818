//===- Activation.h - Clamps that follow an operation -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_ACTIVATION_H
#define AVOCET_KERNELS_ACTIVATION_H

#include <limits>

namespace avocet::kernels {

/// A clamp of real numbers. Both bounds belong to the range.
struct Activation {
  float low = -std::numeric_limits<float>::infinity(); ///< an infinity is no bound
  float high = std::numeric_limits<float>::infinity();

  // Those of the graph formats.
  static const Activation None, Relu, ReluN1To1, Relu6, Relu0To1;

  friend bool operator==(const Activation &, const Activation &) = default;
};

inline constexpr Activation Activation::None{};
inline constexpr Activation Activation::Relu{.low = 0};
inline constexpr Activation Activation::ReluN1To1{-1, 1};
inline constexpr Activation Activation::Relu6{0, 6};
inline constexpr Activation Activation::Relu0To1{0, 1};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_ACTIVATION_H

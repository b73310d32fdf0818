//===- IntegerLogSoftmax.h - Log softmax of 8-bit lines --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_SOFTMAX_INTEGERLOGSOFTMAX_H
#define AVOCET_KERNELS_LIB_SOFTMAX_INTEGERLOGSOFTMAX_H

#include "softmax/SoftmaxLine.h"

namespace avocet::kernels {

/// The rule of lines (LineSteps.h) of int8_t and uint8_t. It has the states of the softmax.
template <typename T> class IntegerLogSoftmaxRule {
public:
  using State = typename IntegerSoftmaxRule<T>::State;
  static constexpr uint32_t kPasses = IntegerSoftmaxRule<T>::kPasses;

  /// `scale`: of the input, times beta. Positive and finite.
  explicit IntegerLogSoftmaxRule(float scale) : parameters_(prepareSoftmax(1, scale)) {}

  State first() const { return {}; }
  void fold(uint32_t pass, State &state, std::span<const T> section) const {
    IntegerSoftmaxRule<T>{parameters_}.fold(pass, state, section);
  }
  void finish(const State &state, std::span<T> section) const;

private:
  const SoftmaxParameters parameters_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_SOFTMAX_INTEGERLOGSOFTMAX_H

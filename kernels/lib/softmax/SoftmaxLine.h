//===- SoftmaxLine.h - Softmax of one line of elements ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_SOFTMAX_SOFTMAXLINE_H
#define AVOCET_KERNELS_LIB_SOFTMAX_SOFTMAXLINE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/dsp/Softmax.h"

#include <limits>
#include <span>

namespace avocet::kernels {

/// The zero point of integer results of inputs of the same type.
int32_t softmaxZeroPoint(firmware::DataType type);
/// The zero point of 16-bit results of 8-bit inputs.
inline constexpr int32_t kWidenedSoftmaxZero = std::numeric_limits<int16_t>::min();

/// Checks the parameters, and the zero point of the result, which must be `zeroPoint` if it is an integer.
Status checkSoftmax(const SoftmaxParameters &parameters, const firmware::FeatureMap &output, int32_t zeroPoint);

/// The rules of lines (LineSteps.h): the largest element, the sum of the exponentials, then the results.
struct FloatSoftmaxRule {
  struct State {
    float largest = -std::numeric_limits<float>::infinity(), sum = 0;
  };
  static constexpr uint32_t kPasses = 2;

  State first() const { return {}; }
  void fold(uint32_t pass, State &state, std::span<const float> section) const;
  void finish(const State &state, std::span<float> section) const;

  const SoftmaxParameters &parameters;
};

/// Of int8_t and uint8_t.
template <typename T> struct IntegerSoftmaxRule {
  struct State {
    int32_t largest = std::numeric_limits<T>::min(), sum = 0;
  };
  static constexpr uint32_t kPasses = 2;

  State first() const { return {}; }
  void fold(uint32_t pass, State &state, std::span<const T> section) const;
  void finish(const State &state, std::span<T> section) const;

  const SoftmaxParameters &parameters;
};

struct WideSoftmaxRule {
  struct State {
    int32_t largest = std::numeric_limits<int16_t>::min(), sum = 0;
  };
  static constexpr uint32_t kPasses = 2;

  State first() const { return {}; }
  void fold(uint32_t pass, State &state, std::span<const int16_t> section) const;
  void finish(const State &state, std::span<int16_t> section) const;

  const SoftmaxParameters &parameters;
};

/// The same for a whole line. Output and input may be the same line.
void softmaxLine(const SoftmaxParameters &parameters, const float *input, float *output, uint32_t count);
void softmaxLine(const SoftmaxParameters &parameters, const int8_t *input, int8_t *output, uint32_t count);
void softmaxLine(const SoftmaxParameters &parameters, const uint8_t *input, uint8_t *output, uint32_t count);
void softmaxLine(const SoftmaxParameters &parameters, const int16_t *input, int16_t *output, uint32_t count);
/// Of 8-bit numbers to 16 bits; the lines are not the same.
void softmaxLine(const SoftmaxParameters &parameters, const int8_t *input, int16_t *output, uint32_t count);

/// Lane operations for each element, and their type.
uint64_t softmaxOperations(firmware::DataType type);
firmware::DataType softmaxType(firmware::DataType type);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_SOFTMAX_SOFTMAXLINE_H

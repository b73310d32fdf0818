//===- Encoder.h - A transformer encoder block as a .tflite model ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Embedding, self-attention, residual sums, layer normalisations and a feed-forward part with GELU, with the operators
// that TensorFlow Lite's converter writes for them. Operators without a form for 16 bits run in float32 between
// DEQUANTIZE and QUANTIZE, as the converter leaves them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_ENCODER_H
#define AVOCET_TESTS_DIFFERENTIAL_ENCODER_H

#include "Draft.h"

namespace avocet::differential {

/// Extents of the block.
struct EncoderShape {
  static constexpr int32_t kTokens = 12, kWidth = 32, kHeads = 2, kInner = 64;
  /// Network.h draws integers below this.
  static constexpr int32_t kVocabulary = 100;
};

/// `kind` is F32, I8 or I16 (16-bit activations with 8-bit weights). Equal on every call.
TestModel encoderBlock(Kind kind);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_ENCODER_H

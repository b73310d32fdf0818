//===- Transformers.h - Transformer blocks as .tflite models --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks with the operators that TensorFlow Lite's converter writes for them. Operators without a form for 16 bits run
// in float32 between DEQUANTIZE and QUANTIZE, as the converter leaves them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_TRANSFORMERS_H
#define AVOCET_TESTS_DIFFERENTIAL_TRANSFORMERS_H

#include "Draft.h"

namespace avocet::differential {

/// Extents of the blocks.
struct BlockShape {
  static constexpr int32_t kTokens = 12, kWidth = 32, kHeads = 2, kInner = 64;
  /// Network.h draws integers below this.
  static constexpr int32_t kVocabulary = 100;
};

enum class Transformer {
  Encoder,   ///< embedding, self-attention, residual sums, layer normalizations, feed-forward with GELU
  Decoder,   ///< RMS normalizations before rotated and masked attention, and before a gated feed-forward
  Conformer, ///< halves of feed-forward parts around attention and a convolution along time
  Vision,    ///< patches of an image with positions, normalized before attention and feed-forward, and their mean
};
inline constexpr Transformer kTransformers[] = {Transformer::Encoder, Transformer::Decoder, Transformer::Conformer,
                                                Transformer::Vision};
/// "encoder"
const char *transformerName(Transformer block);

/// `kind` is F32, I8 or I16 (16-bit activations with 8-bit weights). Equal on every call.
TestModel transformerBlock(Transformer block, Kind kind);

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_TRANSFORMERS_H

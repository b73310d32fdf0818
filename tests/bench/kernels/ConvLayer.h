//===- ConvLayer.h - One convolution layer as tiles ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_BENCH_KERNELS_CONVLAYER_H
#define AVOCET_TESTS_BENCH_KERNELS_CONVLAYER_H

#include "avocet/base/Rounding.h"
#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Target.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace avocet::bench {

/// Shape of an int8 convolution with SAME padding on a square image.
struct ConvShape {
  std::string name;
  firmware::ConvKind kind;
  uint32_t size, inputChannels, outputChannels, kernel, stride;

  uint32_t outputSize() const { return divideUp(size, stride); }
  uint32_t padBefore() const;
  uint64_t macs() const;
};

/// The convolutions of MobileNet v2 1.0 224, in order; the classifier is a 1x1 convolution.
std::vector<ConvShape> mobileNetV2();

/// Random contents of one layer and its commands, `tileRows` output rows each, in its own memory.
class ConvLayer {
public:
  ConvLayer(const ConvShape &shape, uint32_t tileRows, std::shared_ptr<const firmware::Target> target);

  /// Computes all tiles.
  void run();

  const ConvShape &shape() const { return shape_; }
  /// Weights as OHWI, or [kh][kw][c]. Biases are 0.
  const std::vector<int8_t> &plainWeights() const { return plainWeights_; }
  const int8_t *input() const;
  const int8_t *output() const;

private:
  uint32_t allocate(size_t bytes);
  void placeWeights(firmware::ConvCommand &command);
  void addTiles(const firmware::ConvCommand &whole, uint32_t tileRows);

  ConvShape shape_;
  std::shared_ptr<const firmware::Target> target_;
  std::vector<uint64_t> memory_;
  size_t top_ = 64;
  std::vector<int8_t> plainWeights_;
  std::vector<firmware::CommandBody> tiles_;
  uint32_t inputAddress_ = 0, outputAddress_ = 0;
};

/// Real scales that the layers use: input and output 1, weights kWeightScale.
inline constexpr float kWeightScale = 0.002f;

} // namespace avocet::bench

#endif // AVOCET_TESTS_BENCH_KERNELS_CONVLAYER_H

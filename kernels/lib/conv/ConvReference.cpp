//===- ConvReference.cpp - Convolution, one product at a time -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/ConvReference.h"

#include "common/Elements.h"
#include "common/FeatureMapView.h"
#include "common/WindowRange.h"
#include "conv/OutputStage.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

/// A running command: sums per output element, in the order kernel row, kernel column, input channel.
class ReferenceConv {
public:
  ReferenceConv(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights, std::span<uint8_t> sram)
      : command_(command), layout_(layout), input_(command.input, sram), output_(command.output, sram),
        weights_(weights), stage_(command, sram) {}

  void run() const;

private:
  void runElement(uint32_t y, uint32_t x, uint32_t channel) const;
  template <typename F> void forEachProduct(uint32_t y, uint32_t x, uint32_t channel, F &&f) const;
  int64_t integerSum(uint32_t y, uint32_t x, uint32_t channel) const;
  float floatSum(uint32_t y, uint32_t x, uint32_t channel) const;

  const ConvCommand &command_;
  const WeightLayout &layout_;
  FeatureMapView<uint8_t> input_, output_;
  const uint8_t *weights_;
  OutputStage stage_;
};

} // namespace

void ReferenceConv::run() const {
  for (uint32_t y = 0; y < output_.height(); ++y)
    for (uint32_t x = 0; x < output_.width(); ++x)
      for (uint32_t channel = 0; channel < output_.channels(); ++channel)
        runElement(y, x, channel);
}

void ReferenceConv::runElement(uint32_t y, uint32_t x, uint32_t channel) const {
  uint8_t *out = output_.pixel(y, x) + uint64_t(channel) * sizeOf(command_.output.type);
  if (command_.scaling == OutputScaling::Float)
    stage_.storeFloat(floatSum(y, x, channel), channel, out);
  else
    stage_.storeInteger(integerSum(y, x, channel), channel, out);
}

/// Calls f(input element, weight element) for every product outside the padding.
template <typename F> void ReferenceConv::forEachProduct(uint32_t y, uint32_t x, uint32_t channel, F &&f) const {
  const Window &w = command_.window;
  WindowRange rows(y, w.kernelHeight, w.strideHeight, w.dilationHeight, w.padTop, input_.height());
  WindowRange columns(x, w.kernelWidth, w.strideWidth, w.dilationWidth, w.padLeft, input_.width());
  bool dense = command_.kind == ConvKind::Dense;
  uint32_t terms = dense ? input_.channels() : 1;
  uint32_t firstChannel = dense ? 0 : channel / (output_.channels() / input_.channels());
  uint32_t inputSize = sizeOf(command_.input.type), weightSize = sizeOf(command_.weightType);
  for (uint32_t ky = rows.begin; ky < rows.end; ++ky) {
    for (uint32_t kx = columns.begin; kx < columns.end; ++kx) {
      const uint8_t *pixel = input_.pixel(static_cast<uint32_t>(rows.origin + int64_t(ky) * w.dilationHeight),
                                          static_cast<uint32_t>(columns.origin + int64_t(kx) * w.dilationWidth));
      for (uint32_t term = 0; term < terms; ++term) {
        uint64_t index = layout_.indexOf(channel, (ky * w.kernelWidth + kx) * terms + term);
        f(pixel + uint64_t(firstChannel + term) * inputSize, weights_ + index * weightSize);
      }
    }
  }
}

int64_t ReferenceConv::integerSum(uint32_t y, uint32_t x, uint32_t channel) const {
  int64_t sum = 0;
  forEachProduct(y, x, channel, [&](const uint8_t *input, const uint8_t *weight) {
    int64_t value = loadInteger(command_.input.type, input) - stage_.inputZeroPoint();
    sum += value * (loadInteger(command_.weightType, weight) - command_.weightZeroPoint);
  });
  return sum;
}

float ReferenceConv::floatSum(uint32_t y, uint32_t x, uint32_t channel) const {
  float sum = 0;
  forEachProduct(y, x, channel, [&](const uint8_t *input, const uint8_t *weight) {
    sum += loadFloat(command_.input.type, input) * loadFloat(command_.weightType, weight);
  });
  return sum;
}

void runConvReference(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights,
                      std::span<uint8_t> sram) {
  ReferenceConv(command, layout, weights, sram).run();
}

} // namespace avocet::kernels

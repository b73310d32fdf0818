//===- DenseFloat.cpp - Dense convolution of float inputs -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/DenseFloat.h"

#include "common/Computed.h"
#include "conv/FloatTile.h"
#include "conv/OutputStage.h"
#include "conv/WindowRows.h"

#include <cstring>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

struct ToFloats {
  void operator()(const float *source, size_t count, float *destination) const {
    std::memcpy(destination, source, count * sizeof(float));
  }
  void operator()(const _Float16 *source, size_t count, float *destination) const {
    widenHalves(source, destination, count);
  }
};

/// Scratch that commands reuse; each thread has its own.
struct Scratch {
  std::vector<float> weights, rows, panels, results;
  std::vector<float *> outputs;
};

/// The weights in f32. Their layout counts elements, so that it holds for both types.
const uint8_t *floatWeights(const ConvCommand &command, std::span<uint8_t> sram, std::vector<float> &buffer) {
  const uint8_t *weights = sram.data() + command.weights.offset;
  if (command.weightType == DataType::Float32)
    return weights;
  const size_t count = command.weightBytes / sizeof(_Float16);
  buffer.resize(std::max(buffer.size(), count));
  widenHalves(reinterpret_cast<const _Float16 *>(weights), buffer.data(), count);
  return reinterpret_cast<const uint8_t *>(buffer.data());
}

template <typename T> class DenseFloat {
public:
  DenseFloat(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram, Scratch &scratch)
      : output_(command.output, sram), stage_(command, sram), arrays_(command, stage_), products_(layout.products()),
        windowRows_(command, sram, products_, ToFloats()), scratch_(scratch) {}

  void run() {
    const size_t pixels = size_t(output_.height()) * output_.width();
    const size_t perTile = pixelsPerTile(products_ * sizeof(float));
    scratch_.rows.resize(std::max(scratch_.rows.size(), std::min(perTile, pixels) * products_));
    for (size_t first = 0; first < pixels; first += perTile)
      runTile(first, std::min(perTile, pixels - first));
  }

private:
  void runTile(size_t first, size_t count) {
    const uint32_t channels = output_.channels();
    scratch_.outputs.resize(count);
    if (kIsHalf<T>)
      scratch_.results.resize(std::max(scratch_.results.size(), count * channels));
    forEachRun(first, count, output_.width(), [&](uint32_t y, uint32_t x, uint32_t run, size_t done) {
      windowRows_.fillRun(y, x, run, scratch_.rows.data() + done * products_);
      for (uint32_t i = 0; i < run; ++i)
        scratch_.outputs[done + i] = resultOf(done + i, output_.pixel(y, x + i));
    });
    multiplyFloatTile(
        {scratch_.rows.data(), count, products_, scratch_.panels.data(), arrays_, channels, scratch_.outputs.data()});
    if constexpr (kIsHalf<T>)
      forEachRun(first, count, output_.width(), [&](uint32_t y, uint32_t x, uint32_t run, size_t done) {
        for (uint32_t i = 0; i < run; ++i)
          narrowFloats(scratch_.outputs[done + i], output_.pixel(y, x + i), channels);
      });
  }

  /// Where the tile writes a pixel.
  float *resultOf(size_t number, T *pixel) {
    if constexpr (kIsHalf<T>)
      return scratch_.results.data() + number * output_.channels();
    else
      return pixel;
  }

  FeatureMapView<T> output_;
  OutputStage stage_;
  StageArrays arrays_;
  size_t products_;
  WindowRows<T, float, ToFloats> windowRows_;
  Scratch &scratch_;
};

} // namespace

bool runDenseFloat(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram) {
  thread_local Scratch scratch;
  if (command.kind != ConvKind::Dense || !isFloat(command.input.type) ||
      !packFloatPanels(floatWeights(command, sram, scratch.weights), layout, scratch.panels))
    return false;
  if (command.input.type == DataType::Float16)
    DenseFloat<_Float16>(command, layout, sram, scratch).run();
  else
    DenseFloat<float>(command, layout, sram, scratch).run();
  return true;
}

} // namespace avocet::kernels

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
  std::vector<float> weights, windows, panels, results;
  std::vector<const float *> rows; ///< of each pixel, in `windows` or in the input itself
  std::vector<float *> outputs;
};

/// The weights in f32. Their layout counts elements, so that it holds for both types.
const float *floatWeights(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights,
                          std::vector<float> &buffer) {
  if (command.weightType == DataType::Float32)
    return reinterpret_cast<const float *>(weights);
  const size_t count = layout.bytes() / sizeof(_Float16);
  buffer.resize(std::max(buffer.size(), count));
  widenHalves(reinterpret_cast<const _Float16 *>(weights), buffer.data(), count);
  return buffer.data();
}

/// Whether the window of each output is one pixel of the input, and none is padding.
bool isPointwise(const ConvCommand &c) {
  const Window &w = c.window;
  return w.kernelHeight == 1 && w.kernelWidth == 1 && w.padTop == 0 && w.padLeft == 0 &&
         uint64_t(c.output.height - 1) * w.strideHeight < c.input.height &&
         uint64_t(c.output.width - 1) * w.strideWidth < c.input.width;
}

template <typename T> class DenseFloat {
public:
  DenseFloat(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights, std::span<uint8_t> sram,
             Scratch &scratch)
      : command_(command), layout_(layout), input_(command.input, sram), output_(command.output, sram),
        stage_(command, sram), arrays_(command, stage_), products_(layout.products()),
        windowRows_(command, sram, products_, ToFloats()), readsInput_(!kIsHalf<T> && isPointwise(command)),
        weights_(floatWeights(command, layout, weights, scratch.weights)), scratch_(scratch) {}

  /// False, without effect, if this machine has no vector form.
  bool run() {
    const size_t pixels = size_t(output_.height()) * output_.width();
    const size_t perTile = pixelsPerTile(products_ * sizeof(float));
    const bool isFew = pixels <= kFewFloatRows;
    if (!isFew && !packFloatPanels(weights_, layout_, scratch_.panels))
      return false;
    for (size_t first = 0; first < pixels; first += perTile)
      if (!runTile(first, std::min(perTile, pixels - first), isFew))
        return false;
    return true;
  }

private:
  /// Fills the inputs and output addresses of pixels [first, first + count).
  void prepare(size_t first, size_t count) {
    scratch_.outputs.resize(count);
    scratch_.rows.resize(count);
    if (!readsInput_)
      scratch_.windows.resize(std::max(scratch_.windows.size(), count * products_));
    if (kIsHalf<T>)
      scratch_.results.resize(std::max(scratch_.results.size(), count * output_.channels()));
    forEachRun(first, count, output_.width(), [&](uint32_t y, uint32_t x, uint32_t run, size_t done) {
      if (!readsInput_)
        windowRows_.fillRun(y, x, run, scratch_.windows.data() + done * products_);
      for (uint32_t i = 0; i < run; ++i) {
        scratch_.outputs[done + i] = resultOf(done + i, output_.pixel(y, x + i));
        scratch_.rows[done + i] = rowOf(done + i, y, x + i);
      }
    });
  }

  bool runTile(size_t first, size_t count, bool isFew) {
    const uint32_t channels = output_.channels();
    prepare(first, count);
    if (!isFew)
      multiplyFloatTile(
          {scratch_.rows.data(), count, products_, scratch_.panels.data(), arrays_, channels, scratch_.outputs.data()});
    else if (!multiplyFloatRows({scratch_.rows.data(), count, weights_, layout_, arrays_, scratch_.outputs.data()}))
      return false;
    if constexpr (kIsHalf<T>)
      forEachRun(first, count, output_.width(), [&](uint32_t y, uint32_t x, uint32_t run, size_t done) {
        for (uint32_t i = 0; i < run; ++i)
          narrowFloats(scratch_.outputs[done + i], output_.pixel(y, x + i), channels);
      });
    return true;
  }

  /// The inputs of a pixel.
  const float *rowOf(size_t number, uint32_t y, uint32_t x) const {
    if constexpr (!kIsHalf<T>)
      if (readsInput_)
        return input_.pixel(y * command_.window.strideHeight, x * command_.window.strideWidth);
    return scratch_.windows.data() + number * products_;
  }

  /// Where the tile writes a pixel.
  float *resultOf(size_t number, T *pixel) {
    if constexpr (kIsHalf<T>)
      return scratch_.results.data() + number * output_.channels();
    else
      return pixel;
  }

  const ConvCommand &command_;
  const WeightLayout &layout_;
  FeatureMapView<const T> input_;
  FeatureMapView<T> output_;
  OutputStage stage_;
  StageArrays arrays_;
  size_t products_;
  WindowRows<T, float, ToFloats> windowRows_;
  bool readsInput_; ///< the inputs of each pixel are a pixel of the input
  const float *weights_;
  Scratch &scratch_;
};

} // namespace

bool runDenseFloat(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights,
                   std::span<uint8_t> sram) {
  thread_local Scratch scratch;
  if (command.kind != ConvKind::Dense || !isFloat(command.input.type))
    return false;
  return command.input.type == DataType::Float16 ? DenseFloat<_Float16>(command, layout, weights, sram, scratch).run()
                                                 : DenseFloat<float>(command, layout, weights, sram, scratch).run();
}

} // namespace avocet::kernels

//===- DenseInteger.cpp - Dense convolution of integers -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/DenseInteger.h"

#include "avocet/base/Rounding.h"
#include "conv/IntegerTile.h"
#include "conv/OutputStage.h"
#include "conv/WindowRows.h"

#include <vector>

namespace avocet::kernels {

using namespace firmware;

/// Up to this many pixels, repacking the weights costs more time than it saves.
static constexpr size_t kFewPixels = 4;

namespace {

/// Products whose sum is taken in 32 bits: sums of 8-bit products may wrap.
template <typename Element> constexpr uint32_t kExact = sizeof(Element) == 2 ? kExactProducts : UINT32_MAX;

/// Scratch that commands reuse; each thread has its own.
struct Scratch {
  std::vector<int16_t> rows;
  IntegerPanels panels;
  std::vector<int64_t> sums;
  std::vector<uint8_t *> outputs;
};

/// Inputs of 8 or 16 bits.
template <typename Element> class DenseInteger {
public:
  DenseInteger(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights, std::span<uint8_t> sram,
               Scratch &scratch)
      : command_(command), output_(command.output, sram), stage_(command, sram), arrays_(command, stage_),
        weights_{weights, layout, command.weightType, command.weightZeroPoint},
        rowLength_(roundUp(size_t(layout.products()), 2)),
        windowRows_(command, sram, rowLength_,
                    WidenInput{command.input.type == DataType::Int8, stage_.inputZeroPoint()}),
        pixels_(size_t(command.output.height) * command.output.width), scratch_(scratch) {}

  bool run() {
    if (!arrays_.exactInVectors)
      return false;
    return pixels_ <= kFewPixels && command_.weightType != DataType::Int16 ? runFew() : runTiles();
  }

private:
  /// Fills the rows and output addresses of pixels [first, first + count).
  void prepare(size_t first, size_t count) {
    scratch_.rows.resize(std::max(scratch_.rows.size(), count * rowLength_));
    scratch_.outputs.resize(count);
    forEachRun(first, count, command_.output.width, [&](uint32_t y, uint32_t x, uint32_t run, size_t done) {
      windowRows_.fillRun(y, x, run, scratch_.rows.data() + done * rowLength_);
      uint8_t *pixel = output_.pixel(y, x);
      for (uint32_t i = 0; i < run; ++i)
        scratch_.outputs[done + i] = pixel + size_t(i) * command_.output.pixelStride;
    });
  }

  bool runTiles() {
    if (!packIntegerPanels(weights_, scratch_.panels))
      return false;
    size_t perTile = pixelsPerTile(rowLength_ * sizeof(int16_t));
    for (size_t first = 0; first < pixels_; first += perTile) {
      size_t count = std::min(perTile, pixels_ - first);
      prepare(first, count);
      multiplyIntegerTile({scratch_.rows.data(), count, rowLength_, scratch_.panels, arrays_, command_.output.channels,
                           scratch_.outputs.data()});
    }
    return true;
  }

  bool runFew() {
    uint32_t channels = command_.output.channels;
    scratch_.sums.resize(pixels_ * channels);
    prepare(0, pixels_);
    if (!multiplyIntegerRows(weights_, scratch_.rows.data(), pixels_, rowLength_, kExact<Element>,
                             scratch_.sums.data()))
      return false;
    for (size_t pixel = 0; pixel < pixels_; ++pixel) {
      const int64_t *sums = scratch_.sums.data() + pixel * channels;
      if (hasWideSums(command_.scaling) || !storeIntegerSums(sums, channels, arrays_, scratch_.outputs[pixel]))
        stage_.storeIntegers(sums, channels, scratch_.outputs[pixel]);
    }
    return true;
  }

  const ConvCommand &command_;
  FeatureMapView<uint8_t> output_;
  OutputStage stage_;
  StageArrays arrays_;
  PackedWeights weights_;
  size_t rowLength_;
  WindowRows<Element, int16_t, WidenInput> windowRows_;
  size_t pixels_;
  Scratch &scratch_;
};

} // namespace

static bool isVectorized(const ConvCommand &command) {
  if (command.input.type == DataType::Int16)
    return hasPlainProducts(command, DataType::Int8) ||
           (hasPlainProducts(command, DataType::Int16) && hasWideSums(command.scaling));
  return sizeOf(command.input.type) == 1;
}

bool runDenseInteger(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights,
                     std::span<uint8_t> sram) {
  if (command.kind != ConvKind::Dense || !isVectorized(command))
    return false;
  thread_local Scratch scratch;
  if (command.input.type == DataType::Int16)
    return DenseInteger<int16_t>(command, layout, weights, sram, scratch).run();
  return DenseInteger<uint8_t>(command, layout, weights, sram, scratch).run();
}

} // namespace avocet::kernels

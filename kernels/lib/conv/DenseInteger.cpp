//===- DenseInteger.cpp - Dense convolution of 8-bit inputs ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/DenseInteger.h"

#include "conv/IntegerTile.h"
#include "conv/OutputStage.h"
#include "conv/WindowRows.h"

#include <vector>

namespace avocet::kernels {

using namespace firmware;

/// Up to this many pixels, repacking the weights costs more time than it saves.
static constexpr size_t kFewPixels = 4;

namespace {

/// Scratch that commands reuse; each thread has its own.
struct Scratch {
  std::vector<int16_t> rows, panels;
  std::vector<int32_t> sums;
  std::vector<uint8_t *> outputs;
};

class DenseInteger {
public:
  DenseInteger(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram, Scratch &scratch)
      : command_(command), output_(command.output, sram), stage_(command, sram), arrays_(command, stage_),
        weights_{sram.data() + command.weights.offset, layout, command.weightType == DataType::Int8,
                 command.weightZeroPoint},
        rowLength_((size_t(layout.products()) + 1) / 2 * 2),
        windowRows_(command, sram, rowLength_, Widen{command.input.type == DataType::Int8, stage_.inputZeroPoint()}),
        pixels_(size_t(command.output.height) * command.output.width), scratch_(scratch) {}

  bool run() {
    if (!arrays_.exactInVectors)
      return false;
    return pixels_ <= kFewPixels ? runFew() : runTiles();
  }

private:
  struct Widen {
    bool isSigned;
    int32_t zeroPoint;
    void operator()(const uint8_t *source, size_t count, int16_t *destination) const {
      widenBytes(source, count, isSigned, zeroPoint, destination);
    }
  };

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
      multiplyIntegerTile({scratch_.rows.data(), count, rowLength_, scratch_.panels.data(), arrays_,
                           command_.output.channels, scratch_.outputs.data()});
    }
    return true;
  }

  bool runFew() {
    uint32_t channels = command_.output.channels;
    scratch_.sums.resize(pixels_ * channels);
    prepare(0, pixels_);
    if (!multiplyIntegerRows(weights_, scratch_.rows.data(), pixels_, rowLength_, scratch_.sums.data()))
      return false;
    uint32_t size = sizeOf(command_.output.type);
    for (size_t pixel = 0; pixel < pixels_; ++pixel)
      for (uint32_t c = 0; c < channels; ++c)
        store(scratch_.sums[pixel * channels + c], c, scratch_.outputs[pixel] + size_t(c) * size);
    return true;
  }

  void store(int32_t sum, uint32_t channel, uint8_t *out) const {
    if (command_.scaling == OutputScaling::Dynamic)
      stage_.storeDynamic(sum, channel, out);
    else
      stage_.storeInteger(sum, channel, out);
  }

  const ConvCommand &command_;
  FeatureMapView<uint8_t> output_;
  OutputStage stage_;
  StageArrays arrays_;
  PackedWeights weights_;
  size_t rowLength_;
  WindowRows<uint8_t, int16_t, Widen> windowRows_;
  size_t pixels_;
  Scratch &scratch_;
};

} // namespace

bool runDenseInteger(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram) {
  bool bytesOut = command.scaling == OutputScaling::Requantize && sizeOf(command.output.type) == 1;
  if (command.kind != ConvKind::Dense || sizeOf(command.input.type) != 1 ||
      (!bytesOut && command.scaling != OutputScaling::Dynamic))
    return false;
  thread_local Scratch scratch;
  return DenseInteger(command, layout, sram, scratch).run();
}

} // namespace avocet::kernels

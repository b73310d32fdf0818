//===- DenseWide.cpp - Dense convolution of 16-bit inputs -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/IntegerTile.h"
#include "conv/OutputStage.h"
#include "conv/WideConv.h"
#include "conv/WindowRows.h"

#include <cstring>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Scratch that commands reuse; each thread has its own.
struct Scratch {
  std::vector<int16_t> rows, panels;
  std::vector<int64_t> sums;
};

struct Copy {
  void operator()(const int16_t *source, size_t count, int16_t *destination) const {
    std::memcpy(destination, source, count * sizeof(int16_t));
  }
};

class DenseWide {
public:
  DenseWide(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram, Scratch &scratch)
      : command_(command), output_(command.output, sram), stage_(command, sram),
        weights_{sram.data() + command.weights.offset, layout, true, 0},
        rowLength_((size_t(layout.products()) + 1) / 2 * 2), windowRows_(command, sram, rowLength_, Copy()),
        pixels_(size_t(command.output.height) * command.output.width), scratch_(scratch) {}

  bool run() {
    if (!packIntegerPanels(weights_, scratch_.panels))
      return false;
    const size_t perTile = pixelsPerTile(rowLength_ * sizeof(int16_t));
    for (size_t first = 0; first < pixels_; first += perTile)
      runTile(first, std::min(perTile, pixels_ - first));
    return true;
  }

private:
  void runTile(size_t first, size_t count) {
    const uint32_t channels = command_.output.channels;
    scratch_.rows.resize(std::max(scratch_.rows.size(), count * rowLength_));
    scratch_.sums.assign(count * channels, 0);
    forEachRun(first, count, command_.output.width, [&](uint32_t y, uint32_t x, uint32_t run, size_t done) {
      windowRows_.fillRun(y, x, run, scratch_.rows.data() + done * rowLength_);
    });
    addWideProducts({scratch_.rows.data(), count, rowLength_, scratch_.panels.data(), channels, scratch_.sums.data()});
    forEachRun(first, count, command_.output.width, [&](uint32_t y, uint32_t x, uint32_t run, size_t done) {
      for (uint32_t i = 0; i < run; ++i)
        stage_.storeIntegers(scratch_.sums.data() + (done + i) * channels, channels, output_.pixel(y, x + i));
    });
  }

  const ConvCommand &command_;
  FeatureMapView<uint8_t> output_;
  OutputStage stage_;
  PackedWeights weights_;
  size_t rowLength_;
  WindowRows<int16_t, int16_t, Copy> windowRows_;
  size_t pixels_;
  Scratch &scratch_;
};

} // namespace

bool runDenseWide(const ConvCommand &command, const WeightLayout &layout, std::span<uint8_t> sram) {
  if (!hasWideForm(command, ConvKind::Dense))
    return false;
  thread_local Scratch scratch;
  return DenseWide(command, layout, sram, scratch).run();
}

} // namespace avocet::kernels

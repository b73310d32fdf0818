//===- DenseBytes.cpp - Dense convolution of bytes ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/DenseBytes.h"

#include "avocet/base/Rounding.h"
#include "conv/ByteTile.h"
#include "conv/OutputStage.h"
#include "conv/WindowRows.h"

#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Scratch that commands reuse; each thread has its own.
struct Scratch {
  std::vector<uint8_t> rows;
  BytePanels panels;
  std::vector<uint8_t *> outputs;
};

class DenseBytes {
public:
  DenseBytes(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights, std::span<uint8_t> sram,
             Scratch &scratch)
      : command_(command), output_(command.output, sram), stage_(command, sram),
        weights_{weights, layout, command.weightType, command.weightZeroPoint},
        rowLength_(roundUp(size_t(layout.products()), 4)), zeroPoint_(stage_.inputZeroPoint() + (isSigned() ? 128 : 0)),
        windowRows_(command, sram, rowLength_, UnsignedInput{isSigned()}, static_cast<uint8_t>(zeroPoint_)),
        scratch_(scratch) {}

  bool run() {
    if (zeroPoint_ < 0 || zeroPoint_ > 255) // one that was computed at run time
      return false;
    const StageArrays arrays(command_, stage_);
    if (!arrays.exactInVectors || !packBytePanels(weights_, static_cast<uint8_t>(zeroPoint_), scratch_.panels))
      return false;
    const size_t pixels = size_t(command_.output.height) * command_.output.width, perTile = pixelsPerTile(rowLength_);
    for (size_t first = 0; first < pixels; first += perTile) {
      const size_t count = std::min(perTile, pixels - first);
      prepare(first, count);
      multiplyByteTile({scratch_.rows.data(), count, rowLength_, scratch_.panels, arrays, command_.output.channels,
                        scratch_.outputs.data()});
    }
    return true;
  }

private:
  bool isSigned() const { return command_.input.type == DataType::Int8; }

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

  const ConvCommand &command_;
  FeatureMapView<uint8_t> output_;
  OutputStage stage_;
  PackedWeights weights_;
  size_t rowLength_;
  int32_t zeroPoint_; ///< of the unsigned inputs
  WindowRows<uint8_t, uint8_t, UnsignedInput> windowRows_;
  Scratch &scratch_;
};

/// Up to this many pixels, repacking the weights costs more time than it saves.
constexpr uint64_t kFewPixels = 4;

bool isVectorized(const ConvCommand &command) {
  return sizeOf(command.input.type) == 1 && command.weightType == DataType::Int8 && command.weightZeroPoint == 0 &&
         command.scaling != OutputScaling::Float && uint64_t{command.output.height} * command.output.width > kFewPixels;
}

} // namespace

bool runDenseBytes(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights,
                   std::span<uint8_t> sram) {
  if (command.kind != ConvKind::Dense || !isVectorized(command))
    return false;
  thread_local Scratch scratch;
  return DenseBytes(command, layout, weights, sram, scratch).run();
}

} // namespace avocet::kernels

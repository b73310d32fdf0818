//===- DepthwiseInteger.cpp - Depthwise convolution of integers -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/FeatureMapView.h"

#include "avocet/firmware_iface/WindowInputs.h"
#include "conv/DepthwiseConv.h"
#include "conv/DepthwiseTile.h"
#include "conv/OutputStage.h"

#include <algorithm>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Scratch that commands reuse; each thread has its own.
struct Scratch {
  std::vector<int16_t> band, pixels, weights;
  std::vector<uint32_t> order;
  std::vector<size_t> tapOffsets;
};

/// Works in bands of output rows. The input rows of a band are widened and padded in a buffer of [rows][columns][output
/// channels], so that every window is complete in it.
template <typename Element> class DepthwiseInteger {
public:
  DepthwiseInteger(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights,
                   std::span<uint8_t> sram, Scratch &scratch)
      : command_(command), window_(command.window), input_(command.input, sram), output_(command.output, sram),
        stage_(command, sram), arrays_(command, stage_),
        weights_{weights, layout, command.weightType, command.weightZeroPoint}, scratch_(scratch),
        channels_(command.output.channels), columns_(columnsOf(window_).span(command.output.width)),
        rowLength_(columns_ * channels_) {}

  bool run() {
    const uint64_t windowRows = rowsOf(window_).reach();
    // Huge dilations would need a huge buffer of padding. Such commands are rare, and the plain form runs them.
    constexpr uint64_t kMostElements = uint64_t(1) << 22;
    if (!arrays_.exactInVectors || columns_ > kMostElements || windowRows > kMostElements ||
        rowLength_ * windowRows > kMostElements || !packDepthwiseWeights(weights_, scratch_.weights, scratch_.order))
      return false;
    arrays_.permute(scratch_.order);
    computeTapOffsets();
    uint32_t rowsPerBand = bandRows(windowRows);
    for (uint32_t first = 0; first < output_.height(); first += rowsPerBand)
      runBand(first, std::min(rowsPerBand, output_.height() - first), windowRows);
    return true;
  }

private:
  /// As many rows as keep the buffer in the second-level cache.
  uint32_t bandRows(uint64_t windowRows) const {
    constexpr uint64_t kBandElements = 128 * 1024;
    uint64_t rows = kBandElements / rowLength_;
    uint64_t extra = rows > windowRows ? (rows - windowRows) / window_.strideHeight : 0;
    return static_cast<uint32_t>(std::min<uint64_t>(1 + extra, output_.height()));
  }

  void computeTapOffsets() {
    scratch_.tapOffsets.clear();
    for (uint32_t ky = 0; ky < window_.kernelHeight; ++ky)
      for (uint32_t kx = 0; kx < window_.kernelWidth; ++kx)
        scratch_.tapOffsets.push_back(uint64_t(ky) * window_.dilationHeight * rowLength_ +
                                      uint64_t(kx) * window_.dilationWidth * channels_);
  }

  void runBand(uint32_t firstRow, uint32_t rows, uint64_t windowRows) {
    const uint64_t bufferRows = windowsSpan<uint64_t>(rows, window_.strideHeight, windowRows);
    constexpr size_t kReadableBeyond = 64;
    scratch_.band.resize(std::max<size_t>(scratch_.band.size(), bufferRows * rowLength_ + kReadableBeyond));
    int64_t inputRow = int64_t(firstRow) * window_.strideHeight - window_.padTop;
    for (uint64_t r = 0; r < bufferRows; ++r)
      fillRow(inputRow + static_cast<int64_t>(r), scratch_.band.data() + r * rowLength_);
    for (uint32_t r = 0; r < rows; ++r)
      runRow(firstRow + r, scratch_.band.data() + uint64_t(r) * window_.strideHeight * rowLength_);
  }

  void runRow(uint32_t y, const int16_t *input) const {
    multiplyDepthwiseRow({input, size_t(window_.strideWidth) * channels_, scratch_.tapOffsets.data(),
                          scratch_.tapOffsets.size(), scratch_.weights.data(), arrays_, channels_, output_.row(y),
                          command_.output.pixelStride, command_.output.width});
  }

  void fillRow(int64_t inputRow, int16_t *destination) {
    if (inputRow < 0 || inputRow >= int64_t(input_.height())) {
      std::fill_n(destination, rowLength_, int16_t(0));
      return;
    }
    uint64_t left = std::min<uint64_t>(window_.padLeft, columns_);
    uint64_t count = std::min<uint64_t>(columns_ - left, input_.width());
    std::fill_n(destination, left * channels_, int16_t(0));
    widenPixels(static_cast<uint32_t>(inputRow), static_cast<uint32_t>(count), destination + left * channels_);
    std::fill(destination + (left + count) * channels_, destination + rowLength_, int16_t(0));
  }

  void widenPixels(uint32_t row, uint32_t count, int16_t *destination) {
    uint32_t inputChannels = input_.channels();
    if (inputChannels != channels_) {
      scratch_.pixels.resize(std::max<size_t>(scratch_.pixels.size(), size_t(count) * inputChannels));
      widenInput(row, count, scratch_.pixels.data());
      uint32_t multiplier = channels_ / inputChannels;
      for (size_t i = 0; i < size_t(count) * inputChannels; ++i)
        std::fill_n(destination + i * multiplier, multiplier, scratch_.pixels[i]);
      return;
    }
    widenInput(row, count, destination);
  }

  void widenInput(uint32_t row, uint32_t count, int16_t *destination) const {
    uint32_t channels = input_.channels();
    const WidenInput widen{command_.input.type == DataType::Int8, command_.input.zeroPoint};
    if (count <= 1 || command_.input.pixelStride == channels * sizeof(Element))
      return widen(input_.row(row), size_t(count) * channels, destination);
    for (uint32_t x = 0; x < count; ++x)
      widen(input_.pixel(row, x), channels, destination + size_t(x) * channels);
  }

  const ConvCommand &command_;
  const Window &window_;
  FeatureMapView<const Element> input_;
  FeatureMapView<uint8_t> output_;
  OutputStage stage_;
  StageArrays arrays_;
  PackedWeights weights_;
  Scratch &scratch_;
  uint32_t channels_;
  uint64_t columns_;   ///< of the buffer
  uint64_t rowLength_; ///< of the buffer, in elements
};

} // namespace

static bool isVectorized(const ConvCommand &command, const WeightLayout &layout) {
  if (command.scaling == OutputScaling::RequantizeWide)
    return hasPlainProducts(command, DataType::Int8) && layout.products() <= kExactProducts;
  return command.scaling == OutputScaling::Requantize &&
         (sizeOf(command.input.type) == 1 || hasPlainProducts(command, DataType::Int8));
}

bool runDepthwiseInteger(const ConvCommand &command, const WeightLayout &layout, const uint8_t *weights,
                         std::span<uint8_t> sram) {
  if (command.kind != ConvKind::Depthwise || !isVectorized(command, layout))
    return false;
  thread_local Scratch scratch;
  if (command.input.type == DataType::Int16)
    return DepthwiseInteger<int16_t>(command, layout, weights, sram, scratch).run();
  return DepthwiseInteger<uint8_t>(command, layout, weights, sram, scratch).run();
}

} // namespace avocet::kernels

//===- ConvLayer.cpp - One convolution layer as tiles ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvLayer.h"

#include "avocet/base/StandardStreams.h"
#include "avocet/firmware_iface/WeightLayout.h"
#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/Quantization.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace avocet::bench {

using namespace firmware;

uint32_t ConvShape::padBefore() const {
  int64_t total = int64_t(outputSize() - 1) * stride + kernel - size;
  return static_cast<uint32_t>(std::max<int64_t>(total, 0) / 2);
}

uint64_t ConvShape::macs() const {
  uint64_t terms = kind == ConvKind::Dense ? inputChannels : 1;
  return uint64_t(outputSize()) * outputSize() * outputChannels * kernel * kernel * terms;
}

std::vector<ConvShape> mobileNetV2() {
  std::vector<ConvShape> layers = {{"conv", ConvKind::Dense, 224, 3, 32, 3, 2}};
  // Expansion, output channels, repeats, stride of the first.
  constexpr uint32_t kStages[][4] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                     {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  uint32_t size = 112, channels = 32, number = 0;
  for (const auto &[expansion, outputs, repeats, firstStride] : kStages)
    for (uint32_t i = 0; i < repeats; ++i) {
      std::string block = "block" + std::to_string(number++);
      uint32_t wide = channels * expansion, stride = i == 0 ? firstStride : 1;
      if (expansion != 1)
        layers.push_back({block + "/expand", ConvKind::Dense, size, channels, wide, 1, 1});
      layers.push_back({block + "/depthwise", ConvKind::Depthwise, size, wide, wide, 3, stride});
      size = layers.back().outputSize();
      layers.push_back({block + "/project", ConvKind::Dense, size, wide, outputs, 1, 1});
      channels = outputs;
    }
  layers.push_back({"last", ConvKind::Dense, size, channels, 1280, 1, 1});
  layers.push_back({"classifier", ConvKind::Dense, 1, 1280, 1001, 1, 1});
  return layers;
}

static FeatureMap denseMap(uint32_t address, uint32_t size, uint32_t channels) {
  FeatureMap map;
  map.address = address;
  map.height = map.width = map.ringRows = size;
  map.channels = map.pixelStride = channels;
  map.rowStride = size * channels;
  return map;
}

ConvLayer::ConvLayer(const ConvShape &shape, uint32_t tileRows, std::shared_ptr<const Target> target)
    : shape_(shape), target_(std::move(target)) {
  size_t inputBytes = size_t(shape.size) * shape.size * shape.inputChannels;
  size_t outputBytes = size_t(shape.outputSize()) * shape.outputSize() * shape.outputChannels;
  size_t weights = size_t(shape.kernel) * shape.kernel * shape.outputChannels *
                   (shape.kind == ConvKind::Dense ? shape.inputChannels : 1);
  memory_.resize((inputBytes + outputBytes + weights + 12 * size_t(shape.outputChannels)) / 8 + 1024);
  std::mt19937 random(1);
  for (uint64_t &word : memory_)
    word = (uint64_t(random()) << 32) | random();
  plainWeights_.resize(weights);
  for (int8_t &weight : plainWeights_)
    weight = static_cast<int8_t>(random());
  inputAddress_ = allocate(inputBytes);
  outputAddress_ = allocate(outputBytes);
  ConvCommand command;
  command.kind = shape.kind;
  command.input = denseMap(inputAddress_, shape.size, shape.inputChannels);
  command.output = denseMap(outputAddress_, shape.outputSize(), shape.outputChannels);
  command.input.zeroPoint = -128;
  command.window = {shape.kernel, shape.kernel, shape.stride, shape.stride, 1, 1, shape.padBefore(), shape.padBefore()};
  placeWeights(command);
  addTiles(command, tileRows);
}

uint32_t ConvLayer::allocate(size_t bytes) {
  size_t address = top_;
  top_ += (bytes + 63) / 64 * 64;
  return static_cast<uint32_t>(address);
}

void ConvLayer::placeWeights(ConvCommand &command) {
  auto *bytes = reinterpret_cast<uint8_t *>(memory_.data());
  WeightDims dims{shape_.outputChannels, shape_.kernel, shape_.kernel, shape_.inputChannels};
  WeightLayout layout = *WeightLayout::create(target_->mac(), shape_.kind, dims, 1);
  command.weights = allocate(layout.bytes());
  command.weightBytes = static_cast<uint32_t>(layout.bytes());
  layout.pack({reinterpret_cast<const uint8_t *>(plainWeights_.data()), plainWeights_.size()},
              {bytes + command.weights.offset, layout.bytes()});
  command.channelRecords = allocate(12 * size_t(shape_.outputChannels));
  Rescale rescale = kernels::prepareConvPerChannel(1, kWeightScale, 1);
  auto *records = reinterpret_cast<RequantRecord *>(bytes + command.channelRecords.offset);
  for (uint32_t c = 0; c < shape_.outputChannels; ++c)
    records[c] = {0, rescale.multiplier, rescale.shift};
}

void ConvLayer::addTiles(const ConvCommand &whole, uint32_t tileRows) {
  for (uint32_t first = 0; first < whole.output.height; first += tileRows) {
    ConvCommand tile = whole;
    tile.output.height = std::min(tileRows, whole.output.height - first);
    tile.output.firstRow = first;
    int64_t top = int64_t(first) * shape_.stride - shape_.padBefore();
    int64_t bottom =
        std::min<int64_t>(top + int64_t(tile.output.height - 1) * shape_.stride + shape_.kernel, shape_.size);
    tile.window.padTop = static_cast<uint32_t>(std::max<int64_t>(-top, 0));
    tile.input.firstRow = static_cast<uint32_t>(std::max<int64_t>(top, 0));
    tile.input.height = static_cast<uint32_t>(bottom) - tile.input.firstRow;
    Status status = kernels::findKernel(tile)->check(*target_, tile);
    if (!status.isOk()) {
      printErr("{}: {}\n", shape_.name, status.toString());
      std::exit(1);
    }
    tiles_.push_back(tile);
  }
}

void ConvLayer::run() {
  std::span<uint8_t> sram(reinterpret_cast<uint8_t *>(memory_.data()), memory_.size() * 8);
  for (const CommandBody &tile : tiles_)
    kernels::findKernel(tile)->run(*target_, tile, sram);
}

const int8_t *ConvLayer::input() const { return reinterpret_cast<const int8_t *>(memory_.data()) + inputAddress_; }
const int8_t *ConvLayer::output() const { return reinterpret_cast<const int8_t *>(memory_.data()) + outputAddress_; }

} // namespace avocet::bench

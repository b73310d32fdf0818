//===- ConvTestSupport.cpp - Random convolutions --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvTestSupport.h"

#include "avocet/firmware_iface/WeightLayout.h"
#include "avocet/firmware_iface/WeightStream.h"
#include "avocet/kernels/Quantization.h"
#include "common/Elements.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

static Window randomWindow(bool pointwise, Random &random) {
  Window w;
  w.strideHeight = static_cast<uint32_t>(pick(random, 1, 2));
  w.strideWidth = static_cast<uint32_t>(pick(random, 1, 2));
  if (pointwise)
    return w;
  w.kernelHeight = static_cast<uint32_t>(pick(random, 1, 4));
  w.kernelWidth = static_cast<uint32_t>(pick(random, 1, 4));
  w.dilationHeight = static_cast<uint32_t>(pick(random, 1, 2));
  w.dilationWidth = static_cast<uint32_t>(pick(random, 1, 2));
  w.padTop = static_cast<uint32_t>(pick(random, 0, static_cast<int32_t>((w.kernelHeight - 1) * w.dilationHeight)));
  w.padLeft = static_cast<uint32_t>(pick(random, 0, static_cast<int32_t>((w.kernelWidth - 1) * w.dilationWidth)));
  return w;
}

/// Output positions whose window starts inside the padded input, which also has padding after its end.
static uint32_t outputExtent(uint32_t input, uint32_t pad, uint32_t stride, Random &random) {
  auto most = static_cast<int32_t>((input + pad - 1) / stride + 1);
  return static_cast<uint32_t>(pick(random, 1, most));
}

static WeightLayout layoutOf(const Target &target, const ConvCommand &command) {
  const Window &w = command.window;
  WeightDims dims{command.output.channels, w.kernelHeight, w.kernelWidth, command.input.channels};
  return *WeightLayout::create(target.mac(), command.kind, dims, sizeOf(command.weightType));
}

void placeWeights(const Target &target, const std::vector<double> &weights, ConvCommand &command, TestSram &sram) {
  const WeightLayout layout = layoutOf(target, command);
  const uint32_t size = layout.elementSize();
  std::vector<uint8_t> plain(layout.bytes());
  for (size_t i = 0; i < weights.size(); ++i) {
    if (isFloat(command.weightType))
      storeFloat(command.weightType, plain.data() + i * size, static_cast<float>(weights[i]));
    else
      storeInteger(command.weightType, plain.data() + i * size, static_cast<int32_t>(weights[i]));
  }
  command.weightBytes = static_cast<uint32_t>(layout.bytes());
  command.weights = sram.allocate(layout.bytes());
  layout.pack(plain, sram.bytes().subspan(command.weights.offset, layout.bytes()));
}

void compressWeights(const Target &target, ConvCommand &command, TestSram &sram) {
  const WeightLayout layout = layoutOf(target, command);
  std::vector<uint8_t> plain(layout.granuleBytes(), 77);
  const uint8_t *packed = sram.at<uint8_t>(command.weights);
  plain.insert(plain.end(), packed, packed + layout.bytes());
  const auto encoder = WeightEncoder::create(
      plain, SliceShape::of(layout, command.weightType, layout.granule() + layout.outputChannels()));
  command.weightFormat = WeightFormat::Compressed;
  command.weightBytes = static_cast<uint32_t>(encoder->sliceBytes(0, encoder->granules()));
  command.sliceChannels = layout.granule() + command.output.channels;
  command.firstSliceChannel = layout.granule();
  command.weights = sram.allocate(command.weightBytes);
  encoder->encode(0, encoder->granules(), {sram.at<uint8_t>(command.weights), command.weightBytes});
}

static void placeRecords(ConvCommand &command, TestSram &sram, Random &random, size_t products) {
  uint32_t channels = command.output.channels;
  command.channelRecords = sram.allocate(size_t(channels) * channelRecordBytes(command.scaling));
  for (uint32_t c = 0; c < channels; ++c) {
    // A scale that spreads typical sums over the output's range, so that rounding and both clamps occur.
    double range = maxValue(command.output.type) * 60.0 / maxValue(command.input.type);
    Rescale rescale = quantizeMultiplier(range / 127 / 64 / std::sqrt(double(products)) * pickReal(random, 0.2f, 3));
    // Networks may have multipliers that lack leading bits.
    const int lost = pick(random, 0, 1) != 0 ? pick(random, 0, std::min(20, 31 + rescale.shift)) : 0;
    if (lost < 31 && command.rounding != Rounding::Double)
      rescale = {rescale.multiplier >> lost, rescale.shift + lost};
    if (hasWideSums(command.scaling)) {
      // Also biases beyond 32 bits.
      int64_t bias = int64_t(pick(random, -3000, 3000)) << pick(random, 0, 24);
      sram.at<WideRequantRecord>(command.channelRecords)[c] = {
          static_cast<uint32_t>(bias), static_cast<int32_t>(bias >> 32), rescale.multiplier, rescale.shift};
    } else if (command.scaling == OutputScaling::Requantize || command.scaling == OutputScaling::Sums) {
      sram.at<RequantRecord>(command.channelRecords)[c] = {pick(random, -3000, 3000), rescale.multiplier,
                                                           rescale.shift};
    } else {
      float scale = command.scaling == OutputScaling::Float ? 1.0f : pickReal(random, 0.001f, 0.01f);
      sram.at<FloatRecord>(command.channelRecords)[c] = {pickReal(random, -1, 1), scale, 0};
    }
  }
}

static void placeDynamicScale(ConvCommand &command, TestSram &sram, Random &random) {
  if (command.scaling != OutputScaling::Dynamic)
    return;
  command.dynamicScale = sram.allocate(sizeof(DynamicRecord));
  *sram.at<DynamicRecord>(command.dynamicScale) = {pickReal(random, 0.01f, 0.1f), pick(random, -128, 127)};
}

static bool isSums(const ConvCommand &command) {
  return command.scaling == OutputScaling::Sums || command.scaling == OutputScaling::SumsWide;
}

static bool isRequantized(const ConvCommand &command) {
  return command.scaling == OutputScaling::Requantize || command.scaling == OutputScaling::RequantizeWide;
}

static void chooseClamp(ConvCommand &command, Random &random) {
  if (isSums(command)) {
    if (command.scaling == OutputScaling::Sums && pick(random, 0, 1) != 0)
      command.clamp = {-2000, 3000};
    return;
  }
  if (!isRequantized(command)) {
    command.clamp = {std::bit_cast<int32_t>(-1.5f), std::bit_cast<int32_t>(20.0f)};
    return;
  }
  command.output.zeroPoint = pick(random, -5, 5) + (minValue(command.output.type) + maxValue(command.output.type)) / 2;
  if (pick(random, 0, 1) != 0)
    command.clamp = {command.output.zeroPoint, maxValue(command.output.type)};
}

static double randomWeight(const ConvFamily &family, Random &random) {
  if (!isFloat(family.weight))
    return pick(random, minValue(family.weight), maxValue(family.weight));
  if (family.areWeightsScaled)
    return pick(random, -8, 7) * 0.125;
  return static_cast<double>(static_cast<float>(static_cast<_Float16>(pickReal(random, -1, 1))));
}

ConvCase makeConvCase(const ConvFamily &family, const Target &target, TestSram &sram, Random &random) {
  ConvCase result;
  ConvCommand &c = result.command;
  c.kind = family.kind;
  c.scaling = family.scaling;
  c.rounding = family.rounding;
  c.weightType = family.weight;
  c.window = randomWindow(family.pointwise, random);
  Placement placement = pick(random, 0, 1) != 0 ? Placement::Scattered : Placement::Dense;
  auto extent = [&] { return static_cast<uint32_t>(pick(random, 1, 9)); };
  auto inputChannels = static_cast<uint32_t>(pick(random, 1, family.mostChannels));
  auto outputChannels = static_cast<uint32_t>(pick(random, 1, family.mostChannels));
  if (family.kind == ConvKind::Depthwise)
    outputChannels = inputChannels * static_cast<uint32_t>(pick(random, 0, 2) == 0 ? pick(random, 2, 4) : 1);
  c.input = sram.map(family.input, extent(), extent(), inputChannels, placement, random);
  sram.fill(c.input, random);
  bool zeroPoints = sizeOf(family.input) == 1 &&
                    (family.scaling == OutputScaling::Requantize || family.scaling == OutputScaling::Sums);
  c.input.zeroPoint = zeroPoints ? pick(random, minValue(family.input), maxValue(family.input)) : 0;
  c.weightZeroPoint = family.weight == DataType::UInt8 ? pick(random, 0, 255) : 0;
  c.output = sram.map(family.output, outputExtent(c.input.height, c.window.padTop, c.window.strideHeight, random),
                      outputExtent(c.input.width, c.window.padLeft, c.window.strideWidth, random), outputChannels,
                      placement, random);
  size_t products =
      size_t(c.window.kernelHeight) * c.window.kernelWidth * (family.kind == ConvKind::Dense ? inputChannels : 1);
  for (size_t i = 0; i < products * outputChannels; ++i)
    result.weights.push_back(randomWeight(family, random));
  placeWeights(target, result.weights, c, sram);
  placeRecords(c, sram, random, products);
  placeDynamicScale(c, sram, random);
  chooseClamp(c, random);
  return result;
}

/// Sum over the window, in double: exact for the integers of these tests.
static double windowSum(const ConvCase &conv, TestSram &sram, int32_t inputZero, uint32_t y, uint32_t x, uint32_t oc) {
  const ConvCommand &c = conv.command;
  const Window &w = c.window;
  bool dense = c.kind == ConvKind::Dense;
  uint32_t terms = dense ? c.input.channels : 1;
  double sum = 0;
  for (uint32_t ky = 0; ky < w.kernelHeight; ++ky)
    for (uint32_t kx = 0; kx < w.kernelWidth; ++kx) {
      int64_t iy = int64_t(y) * w.strideHeight + ky * w.dilationHeight - w.padTop;
      int64_t ix = int64_t(x) * w.strideWidth + kx * w.dilationWidth - w.padLeft;
      if (iy < 0 || ix < 0 || iy >= c.input.height || ix >= c.input.width)
        continue;
      for (uint32_t term = 0; term < terms; ++term) {
        uint32_t ic = dense ? term : oc / (c.output.channels / c.input.channels);
        size_t tap = size_t(ky) * w.kernelWidth + kx;
        size_t index =
            dense ? (size_t(oc) * w.kernelHeight * w.kernelWidth + tap) * terms + term : tap * c.output.channels + oc;
        double input = sram.get(c.input, static_cast<uint32_t>(iy), static_cast<uint32_t>(ix), ic) - inputZero;
        sum += input * (conv.weights[index] - c.weightZeroPoint);
      }
    }
  return sum;
}

static int64_t biasOf(const WideRequantRecord &record) {
  return int64_t(record.biasHigh) * (int64_t(1) << 32) + record.biasLow;
}

/// One rounding of a 16-bit multiplier, of which the largest stays below one.
static int64_t wideSum(const ConvCommand &c, TestSram &sram, int64_t sum, uint32_t oc) {
  const WideRequantRecord &record = sram.at<WideRequantRecord>(c.channelRecords)[oc];
  int64_t bias = biasOf(record);
  int64_t reduced = std::min<int64_t>((int64_t(record.multiplier) + (1 << 15)) >> 16, INT16_MAX);
  int64_t product = (sum + bias) * reduced;
  return static_cast<int32_t>((product + (int64_t(1) << (14 - record.shift))) >> (15 - record.shift));
}

static int64_t narrowSum(const ConvCommand &c, TestSram &sram, int64_t sum, uint32_t oc) {
  const RequantRecord &record = sram.at<RequantRecord>(c.channelRecords)[oc];
  return rescaledByDefinition(static_cast<int32_t>(sum + record.bias), record.multiplier, record.shift, c.rounding);
}

static double biasedSum(const ConvCommand &c, TestSram &sram, double sum, uint32_t oc) {
  if (c.scaling == OutputScaling::SumsWide)
    return sum + static_cast<double>(biasOf(sram.at<WideRequantRecord>(c.channelRecords)[oc]));
  return std::clamp<double>(sum + sram.at<RequantRecord>(c.channelRecords)[oc].bias, c.clamp.min, c.clamp.max);
}

static double scaledSum(const ConvCommand &c, TestSram &sram, double sum, uint32_t oc) {
  if (isSums(c))
    return biasedSum(c, sram, sum, oc);
  if (!isRequantized(c)) {
    const FloatRecord &record = sram.at<FloatRecord>(c.channelRecords)[oc];
    double scale = record.scale;
    if (c.scaling == OutputScaling::Dynamic)
      scale *= sram.at<DynamicRecord>(c.dynamicScale)->scale;
    return std::clamp<double>(sum * scale + record.bias, std::bit_cast<float>(c.clamp.min),
                              std::bit_cast<float>(c.clamp.max));
  }
  int64_t value = c.scaling == OutputScaling::RequantizeWide ? wideSum(c, sram, static_cast<int64_t>(sum), oc)
                                                             : narrowSum(c, sram, static_cast<int64_t>(sum), oc);
  value = std::clamp<int64_t>(value + c.output.zeroPoint, c.clamp.min, c.clamp.max);
  return static_cast<double>(std::clamp<int64_t>(value, minValue(c.output.type), maxValue(c.output.type)));
}

std::vector<double> convByDefinition(const ConvCase &conv, TestSram &sram) {
  const ConvCommand &c = conv.command;
  int32_t inputZero = c.input.zeroPoint;
  if (c.scaling == OutputScaling::Dynamic)
    inputZero = sram.at<DynamicRecord>(c.dynamicScale)->zeroPoint;
  std::vector<double> values;
  for (uint32_t y = 0; y < c.output.height; ++y)
    for (uint32_t x = 0; x < c.output.width; ++x)
      for (uint32_t oc = 0; oc < c.output.channels; ++oc) {
        double value = scaledSum(c, sram, windowSum(conv, sram, inputZero, y, x, oc), oc);
        if (c.lookupTable != kNoAddress)
          value =
              static_cast<int8_t>(sram.at<uint8_t>(c.lookupTable)[static_cast<uint8_t>(static_cast<int32_t>(value))]);
        values.push_back(value);
      }
  return values;
}

} // namespace avocet::kernels

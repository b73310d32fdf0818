//===- RegionsKernel.cpp - Parts of an image on a grid ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Regions.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/SlicedKernel.h"
#include "detection/Reals.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace avocet::kernels {
namespace {

/// Pixels [first, end) of an axis.
struct PixelRange {
  uint32_t first, end;
  bool isEmpty() const { return first >= end; }
};

/// The two pixels of an axis between which a sample lies.
struct RegionSample {
  uint32_t lower, upper;
  float fraction; ///< weight of the upper one
};

/// One axis of a region that is divided into bins. Every pixel that it returns is inside of the image.
class RegionAxis {
public:
  /// `low` and `high` are the borders of the region in units of 1 / stride pixels.
  RegionAxis(uint32_t extent, uint32_t bins, uint32_t samples, float low, float high, float stride)
      : extent_(extent), bins_(bins), samples_(samples), low_(inside(low, stride)), high_(inside(high, stride)) {}

  /// Whole pixels that a bin touches, if the region is rounded to whole pixels.
  PixelRange pixels(uint32_t bin) const {
    const float first = std::round(low_), size = std::max(std::round(high_) - first + 1, 1.0f);
    const float step = size / static_cast<float>(bins_);
    const auto bounded = [&](float position) { return std::min(wholeOf(position), extent_); };
    return {bounded(std::floor(step * static_cast<float>(bin) + first)),
            bounded(std::ceil(step * static_cast<float>(bin + 1) + first))};
  }

  /// Samples in each bin.
  uint32_t samples() const { return samples_ ? samples_ : static_cast<uint32_t>(std::ceil(step())); }

  /// Sample i of a bin. Beyond the center of the last pixel, a sample is that pixel.
  RegionSample sample(uint32_t bin, uint32_t i) const {
    const float distance = step() / static_cast<float>(samples());
    const float position = step() * static_cast<float>(bin) + low_ + distance / 2 + distance * static_cast<float>(i);
    const uint32_t lower = wholeOf(position);
    if (lower >= extent_ - 1)
      return {extent_ - 1, extent_ - 1, 0};
    return {lower, lower + 1, position - static_cast<float>(lower)};
  }

private:
  float inside(float position, float stride) const {
    const float pixels = position * (1.0f / stride);
    return std::isnan(pixels) ? 0 : std::clamp(pixels, 0.0f, static_cast<float>(extent_));
  }

  /// A large extent is not exact as a float, so positions are compared as integers.
  static uint32_t wholeOf(float position) {
    return static_cast<uint32_t>(std::min(std::floor(position), 2147483648.0f));
  }

  /// Extent of a bin; a region is at least one pixel.
  float step() const { return std::max(high_ - low_, 1.0f) / static_cast<float>(bins_); }

  uint32_t extent_, bins_, samples_;
  float low_, high_;
};

} // namespace

using namespace firmware;

namespace {

/// The image of one region and the region's two axes.
template <typename T> struct Region {
  const T *image;
  RegionAxis y, x;
};

//===----------------------------------------------------------------------===//
// Largest
//===----------------------------------------------------------------------===//

template <typename T> class LargestOf {
public:
  LargestOf(const RegionsParameters &p, const DspCommand &command)
      : p_(p), empty_(static_cast<T>(command.inputs[0].zeroPoint)) {}

  void bin(const Region<T> &region, uint32_t row, uint32_t column, T *pixel) const {
    const PixelRange rows = region.y.pixels(row), columns = region.x.pixels(column);
    for (uint32_t c = 0; c < p_.channels; ++c) {
      const T *channel = region.image + c;
      T largest = rows.isEmpty() || columns.isEmpty() ? empty_ : at(channel, rows.first, columns.first);
      for (uint32_t y = rows.first; y < rows.end; ++y)
        for (uint32_t x = columns.first; x < columns.end; ++x)
          largest = largerOf(largest, at(channel, y, x));
      pixel[c] = largest;
    }
  }

private:
  T at(const T *channel, uint32_t y, uint32_t x) const { return channel[(size_t(y) * p_.width + x) * p_.channels]; }

  const RegionsParameters &p_;
  T empty_;
};

//===----------------------------------------------------------------------===//
// Mean
//===----------------------------------------------------------------------===//

/// Sums of samples: floats in f32; integers without zero point, with weights in units of 1/255.
template <typename T> class MeanOf {
  static constexpr bool kIsInteger = std::is_integral_v<T>;
  static constexpr float kUnit = 1.0f / 255;
  using Sum = std::conditional_t<kIsInteger, int64_t, float>;

public:
  MeanOf(const RegionsParameters &p, const DspCommand &command)
      : p_(p), zeroInput_(command.inputs[0].zeroPoint), zeroOutput_(command.outputs[0].zeroPoint) {}

  void bin(const Region<T> &region, uint32_t row, uint32_t column, T *pixel) const {
    const uint32_t samplesY = region.y.samples(), samplesX = region.x.samples();
    std::vector<Sum> sums(p_.channels);
    for (uint32_t i = 0; i < samplesY; ++i)
      for (uint32_t j = 0; j < samplesX; ++j)
        addSample(region.image, region.y.sample(row, i), region.x.sample(column, j), sums);
    for (uint32_t c = 0; c < p_.channels; ++c)
      pixel[c] = finish(sums[c], samplesY * samplesX);
  }

private:
  void addSample(const T *image, const RegionSample &y, const RegionSample &x, std::vector<Sum> &sums) const {
    const float weights[4] = {(1 - x.fraction) * (1 - y.fraction), x.fraction * (1 - y.fraction),
                              (1 - x.fraction) * y.fraction, x.fraction * y.fraction};
    const uint32_t rows[4] = {y.lower, y.lower, y.upper, y.upper}, columns[4] = {x.lower, x.upper, x.lower, x.upper};
    for (uint32_t c = 0; c < p_.channels; ++c) {
      Sum sum = 0;
      for (int i = 0; i < 4; ++i)
        sum += product(weights[i], image[(size_t(rows[i]) * p_.width + columns[i]) * p_.channels + c]);
      sums[c] += sum;
    }
  }

  Sum product(float weight, T element) const {
    if constexpr (kIsInteger)
      return static_cast<Sum>(std::round(weight / kUnit)) * (int32_t(element) - zeroInput_);
    else
      return weight * static_cast<float>(element);
  }

  T finish(Sum sum, uint32_t samples) const {
    if constexpr (kIsInteger) {
      const Rescale rescale = quantizeMultiplier(p_.imageScale * kUnit / p_.resultScale / static_cast<float>(samples));
      constexpr Sum kFar = std::numeric_limits<int32_t>::max();
      const auto bounded = static_cast<int32_t>(std::clamp(sum, -kFar, kFar));
      const int64_t scaled = int64_t(multiplyByQuantizedMultiplier(bounded, rescale.multiplier, rescale.shift));
      return static_cast<T>(
          std::clamp<int64_t>(scaled + zeroOutput_, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else {
      return static_cast<T>(sum / static_cast<float>(samples));
    }
  }

  const RegionsParameters &p_;
  int32_t zeroInput_, zeroOutput_;
};

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

template <template <typename> typename Kind, typename T>
void fillBins(const DspCommand &command, std::span<uint8_t> sram) {
  const auto p = parametersOf<RegionsParameters>(command);
  const Kind<T> kind(p, command);
  const T *images = denseData<T>(command.inputs[0], sram);
  const std::vector<float> regions = readReals(command.inputs[1], p.regionScale, sram);
  const auto *batches = denseData<int32_t>(command.inputs[2], sram);
  T *pixel = denseData<T>(command.outputs[0], sram);
  for (uint32_t i = 0; i < p.regions; ++i) {
    const float *corners = regions.data() + size_t(4) * i;
    const Region<T> region{images + size_t(nearestIndex(batches[i], p.batches)) * p.height * p.width * p.channels,
                           {p.height, p.outputHeight, p.samplesY, corners[1], corners[3], p.strideY},
                           {p.width, p.outputWidth, p.samplesX, corners[0], corners[2], p.strideX}};
    for (uint32_t row = 0; row < p.outputHeight; ++row)
      for (uint32_t column = 0; column < p.outputWidth; ++column, pixel += p.channels)
        kind.bin(region, row, column, pixel);
  }
}

class RegionsKernel : public SlicedKernel<RegionsParameters, &RegionsParameters::regions> {
public:
  KernelId id() const override { return kRegionsKernel; }

protected:
  bool isShared(size_t input) const override { return input == 0; }
  OperandCount inputCount() const override { return 3; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const auto &in = command.inputs;
    const FeatureMap &output = command.outputs[0];
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<RegionsParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkFigures(p, in[0], output));
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", in[0].type, {DataType::Float32, DataType::Float16, DataType::Int8, DataType::UInt8}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {in[0].type}));
    AVOCET_RETURN_IF_ERROR(checkReals("input0", in[0], p.imageScale, {p.batches, p.height, p.width, p.channels}));
    AVOCET_RETURN_IF_ERROR(checkReals("input1", in[1], p.regionScale, {p.regions, 4}));
    AVOCET_RETURN_IF_ERROR(checkIndices("input2", in[2], {p.regions}));
    return checkReals("output0", output, p.resultScale, {p.regions, p.outputHeight, p.outputWidth, p.channels});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const bool isMean = parametersOf<RegionsParameters>(command).kind == RegionKind::Mean;
    withElementType(command.inputs[0].type, [&](auto element) {
      using T = decltype(element);
      if constexpr (sizeof(T) == 1 || !std::is_integral_v<T>)
        (isMean ? fillBins<MeanOf, T> : fillBins<LargestOf, T>)(command, sram);
    });
  }

  /// For each pixel of a bin a comparison, or for each sample four products. Regions are run-time data: the estimate is
  /// that each covers its image.
  DspWork work(const DspCommand &command) const override {
    const auto p = parametersOf<RegionsParameters>(command);
    const bool isMean = p.kind == RegionKind::Mean;
    const auto perAxis = [&](uint32_t samples, uint32_t bins, uint32_t extent) {
      return isMean && samples ? uint64_t(samples) * bins : std::max<uint64_t>(bins, extent);
    };
    const uint64_t taps = p.regions * perAxis(p.samplesY, p.outputHeight, p.height) *
                          perAxis(p.samplesX, p.outputWidth, p.width) * (isMean ? 4 : 1);
    DspWork work;
    work.type = isMean ? DataType::Float32 : command.inputs[0].type;
    work.elementOps = 2 * taps * p.channels;
    work.bytesRead = taps * p.channels * sizeOf(command.inputs[0].type);
    work.bytesWritten = byteCount(command.outputs[0]);
    work.rows = uint64_t(p.regions) * p.outputHeight * p.outputWidth;
    return work;
  }

private:
  static Status checkFigures(const RegionsParameters &p, const FeatureMap &image, const FeatureMap &output) {
    if (static_cast<uint32_t>(p.kind) >= kNumRegionKinds)
      return ruleBroken("kind", static_cast<uint32_t>(p.kind), "a known kind");
    AVOCET_RETURN_IF_ERROR(checkPositive("strideY", p.strideY));
    AVOCET_RETURN_IF_ERROR(checkPositive("strideX", p.strideX));
    if (std::max(p.samplesY, p.samplesX) > RegionsParameters::kMaxSamples)
      return ruleBroken("samples", std::max(p.samplesY, p.samplesX),
                        "at most " + std::to_string(RegionsParameters::kMaxSamples));
    if (p.kind == RegionKind::Mean)
      return isValidMultiplier(p.imageScale / 255 / p.resultScale) || isFloat(image.type)
                 ? Status::ok()
                 : invalidArgument("the scales of input and output are too far apart");
    return p.imageScale == p.resultScale && image.zeroPoint == output.zeroPoint
               ? Status::ok()
               : invalidArgument("the largest element has the scale and zero point of the input");
  }
};

} // namespace

const Kernel &regionsKernel() {
  static const RegionsKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels

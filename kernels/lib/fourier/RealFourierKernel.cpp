//===- RealFourierKernel.cpp - Spectra of lines ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Fourier.h"
#include "common/DspKernel.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"
#include "common/MapParts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace avocet::kernels {

using namespace firmware;

void fourierFactors(std::span<float> factors) {
  const size_t points = factors.size(), half = points / 2;
  if (half == 0) {
    factors[0] = 1;
    return;
  }
  for (size_t k = 0; k < half; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(points);
    // A quarter of a turn has no rest of the rounded angle.
    factors[k] = 4 * k == points ? 0.0f : static_cast<float>(std::cos(angle));
    factors[half + k] = static_cast<float>(std::sin(angle));
  }
}

namespace {

/// One line's spectrum, in which the work is done too.
struct Spectrum {
  float *real, *imaginary;
};

/// `bits` of the number in opposite order.
uint32_t reversed(uint32_t number, uint32_t bits) {
  uint32_t result = 0;
  for (uint32_t bit = 0; bit < bits; ++bit)
    result |= (number >> bit & 1) << (bits - 1 - bit);
  return result;
}

/// Pairs of channels as complex numbers, in the order in which the transform in place reads them.
void loadPairs(std::span<const float> line, uint32_t count, Spectrum z) {
  const auto bits = static_cast<uint32_t>(std::countr_zero(count));
  const auto at = [&](size_t channel) { return channel < line.size() ? line[channel] : 0.0f; };
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t place = reversed(i, bits);
    z.real[place] = at(size_t(2) * i);
    z.imaginary[place] = at(size_t(2) * i + 1);
  }
}

/// `factors` are those of 2 * count points.
void transform(uint32_t count, const float *factors, Spectrum z) {
  for (uint32_t half = 1; half < count; half *= 2)
    for (uint32_t first = 0; first < count; first += 2 * half)
      for (uint32_t j = 0; j < half; ++j) {
        const uint32_t k = j * (count / half), a = first + j, b = a + half;
        const float cosine = factors[k], sine = factors[count + k];
        const float real = z.real[b] * cosine + z.imaginary[b] * sine;
        const float imaginary = z.imaginary[b] * cosine - z.real[b] * sine;
        z.real[b] = z.real[a] - real;
        z.imaginary[b] = z.imaginary[a] - imaginary;
        z.real[a] += real;
        z.imaginary[a] += imaginary;
      }
}

/// From the transform of the pairs to that of 2 * count channels: elements k and count - k follow from each other.
void separate(uint32_t count, const float *factors, Spectrum z) {
  const float sum = z.real[0] + z.imaginary[0], difference = z.real[0] - z.imaginary[0];
  for (uint32_t k = 1, other = count - 1; k <= other; ++k, --other) {
    const float evenReal = 0.5f * (z.real[k] + z.real[other]);
    const float evenImaginary = 0.5f * (z.imaginary[k] - z.imaginary[other]);
    const float oddReal = 0.5f * (z.imaginary[k] + z.imaginary[other]);
    const float oddImaginary = 0.5f * (z.real[other] - z.real[k]);
    const float cosine = factors[k], sine = factors[count + k];
    const float real = oddReal * cosine + oddImaginary * sine;
    const float imaginary = oddImaginary * cosine - oddReal * sine;
    z.real[k] = evenReal + real;
    z.imaginary[k] = evenImaginary + imaginary;
    z.real[other] = evenReal - real;
    z.imaginary[other] = imaginary - evenImaginary;
  }
  z.real[0] = sum;
  z.real[count] = difference;
  z.imaginary[0] = z.imaginary[count] = 0;
}

void transformLine(std::span<const float> line, uint32_t points, const float *factors, Spectrum result) {
  if (points == 1) {
    result.real[0] = line[0];
    result.imaginary[0] = 0;
    return;
  }
  loadPairs(line, points / 2, result);
  transform(points / 2, factors, result);
  separate(points / 2, factors, result);
}

/// Lane operations for one line, where a product with an addition is one. A pair of complex numbers takes eight in a
/// step; four in the first two, whose factors are 1 and -i. It takes four to load and fourteen to separate.
uint64_t operationsOf(uint32_t points) {
  const uint64_t count = points / 2, steps = points < 2 ? 0 : std::countr_zero(points) - 1;
  const uint64_t plainSteps = std::min<uint64_t>(steps, 2);
  return std::max<uint64_t>(2 * count * plainSteps + 4 * count * (steps - plainSteps) + 9 * count, 2);
}

class RealFourierKernel : public AlignedKernel {
public:
  KernelId id() const override { return kRealFourierKernel; }

protected:
  OperandCount inputCount() const override { return 2; }
  OperandCount outputCount() const override { return 2; }
  MapAxis innermostAxis(const DspCommand &) const override { return MapAxis::Columns; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto p, unpackParameters<RealFourierParameters>(command.parameters));
    if (!std::has_single_bit(p.points) || p.points > kMaxFourierPoints)
      return ruleBroken("points", p.points, "a power of two, at most " + std::to_string(kMaxFourierPoints));
    const FeatureMap &input = command.inputs[0], &factors = command.inputs[1];
    for (const auto &[name, map] : {std::pair{"input0", &input}, {"input1", &factors}})
      AVOCET_RETURN_IF_ERROR(checkType(name, map->type, {DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkEqual("input1: channels", factors.channels, "points", p.points));
    AVOCET_RETURN_IF_ERROR(checkEqual("input1: elements", elementCount(factors), "points", p.points));
    AVOCET_RETURN_IF_ERROR(checkSpectrum("output0", command.outputs[0], input, p.points));
    return checkSpectrum("output1", command.outputs[1], input, p.points);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const auto p = parametersOf<RealFourierParameters>(command);
    const FeatureMapView<float> input(command.inputs[0], sram), real(command.outputs[0], sram),
        imaginary(command.outputs[1], sram);
    const float *factors = FeatureMapView<float>(command.inputs[1], sram).row(0);
    for (uint32_t y = 0; y < input.height(); ++y)
      for (uint32_t x = 0; x < input.width(); ++x)
        transformLine({input.pixel(y, x), input.channels()}, p.points, factors,
                      {real.pixel(y, x), imaginary.pixel(y, x)});
  }

  /// Each step of the transform is a loop over all pairs; so is loading, and separating.
  DspWork work(const DspCommand &command) const override {
    const auto p = parametersOf<RealFourierParameters>(command);
    DspWork work = elementWork(command, 0, DataType::Float32);
    const uint64_t lines = work.rows;
    work.elementOps = operationsOf(p.points) * lines;
    work.rows = (std::bit_width(p.points) + 1) * lines;
    return work;
  }

private:
  static Status checkSpectrum(std::string_view name, const FeatureMap &map, const FeatureMap &input, uint32_t points) {
    AVOCET_RETURN_IF_ERROR(checkType(name, map.type, {DataType::Float32}));
    FeatureMap expected = input;
    expected.channels = points / 2 + 1;
    return checkSameShape(name, map, "spectrum of input0", expected);
  }
};

} // namespace

const Kernel &realFourierKernel() {
  static const RealFourierKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels

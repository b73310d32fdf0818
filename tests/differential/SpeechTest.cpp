//===- SpeechTest.cpp - The front end of speech networks ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logarithms of a filter bank's energies: samples in overlapping frames, a window, magnitudes of spectra, filters. The
// network runs whole on every target, and the results are those of the definition in double precision.
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Compare.h"
#include "Draft.h"
#include "Model.h"
#include "Targets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace avocet::differential {
namespace {

using enum BuiltinOperator;
using Numbers = std::vector<double>;

constexpr int32_t kHop = 160, kHops = 3, kFrames = 48, kPoints = 512, kBins = kPoints / 2 + 1, kFilters = 20;
constexpr int32_t kSamples = (kFrames + kHops - 1) * kHop, kExtent = kHops * kHop;
constexpr double kLeast = 1e-3;

/// Two tones, and noise, so that no filter's energy is a rest of rounding.
Numbers samples() {
  Numbers result;
  uint32_t noise = 1;
  for (int32_t i = 0; i < kSamples; ++i) {
    noise = noise * 1664525u + 1013904223u;
    result.push_back(std::sin(0.05 * i) * std::cos(0.0007 * i) + 0.25 * std::sin(0.9 * i + 0.3) +
                     0.1 * (noise >> 16) / 65536.0);
  }
  return result;
}

Numbers window() {
  Numbers result;
  for (int32_t i = 0; i < kExtent; ++i)
    result.push_back(0.5 - 0.5 * std::cos(2 * std::numbers::pi * i / kExtent));
  return result;
}

/// Triangles over the bins.
Numbers filters() {
  Numbers result;
  for (int32_t filter = 0; filter < kFilters; ++filter)
    for (int32_t bin = 0; bin < kBins; ++bin)
      result.push_back(std::max(0.0, 1 - std::abs(bin - 12.0 * (filter + 1)) / 12.0));
  return result;
}

TestModel frontEnd() {
  const Element real{TensorType::FLOAT32}, integer{TensorType::INT32}, complex{TensorType::COMPLEX64};
  const auto reals = [](const Numbers &numbers) { return encode(numbers, TensorType::FLOAT32); };
  Numbers places;
  for (int32_t frame = 0; frame < kFrames; ++frame)
    for (int32_t hop = 0; hop < kHops; ++hop)
      places.push_back(frame + hop);
  Model model;
  const auto integers = [&](const Numbers &numbers) {
    return model.addConstant({static_cast<int32_t>(numbers.size())}, integer, encode(numbers, TensorType::INT32));
  };
  const auto reshaped = [&](int32_t tensor, const Shape &shape) {
    const int32_t result = model.addTensor(shape, real);
    model.addOperator(RESHAPE, {tensor, integers({shape.begin(), shape.end()})}, {result});
    return result;
  };
  const int32_t input = model.addInput({1, kSamples}, real, reals(samples()));
  const int32_t hops = model.addTensor({kFrames * kHops, kHop}, real);
  model.addOperator(GATHER, {reshaped(input, {kSamples / kHop, kHop}), integers(places)}, {hops})
      .options.Set(tflite::GatherOptionsT());
  const int32_t frames = model.addTensor({kFrames, kExtent}, real);
  model
      .addOperator(MUL, {reshaped(hops, {kFrames, kExtent}), model.addConstant({kExtent}, real, reals(window()))},
                   {frames})
      .options.Set(tflite::MulOptionsT());
  const int32_t spectra = model.addTensor({kFrames, 1, kBins}, complex),
                lines = model.addTensor({kFrames, kBins}, complex);
  model.addOperator(RFFT2D, {reshaped(frames, {kFrames, 1, kExtent}), integers({1, kPoints})}, {spectra});
  tflite::SqueezeOptionsT squeeze;
  squeeze.squeeze_dims = {1};
  model.addOperator(SQUEEZE, {spectra}, {lines}).options.Set(squeeze);
  const int32_t magnitudes = model.addTensor({kFrames, kBins}, real),
                energies = model.addTensor({kFrames, kFilters}, real);
  model.addOperator(COMPLEX_ABS, {lines}, {magnitudes});
  model
      .addOperator(FULLY_CONNECTED, {magnitudes, model.addConstant({kFilters, kBins}, real, reals(filters())), -1},
                   {energies})
      .options.Set(tflite::FullyConnectedOptionsT());
  const int32_t audible = model.addTensor({kFrames, kFilters}, real);
  model.addOperator(MAXIMUM, {energies, model.addConstant({1}, real, reals({kLeast}))}, {audible});
  model.addOperator(LOG, {audible}, {model.addOutput({kFrames, kFilters}, real)});
  return model.finish();
}

double magnitudeOf(const Numbers &frame, int32_t bin) {
  double real = 0, imaginary = 0;
  for (int32_t i = 0; i < kExtent; ++i) {
    const double angle = 2 * std::numbers::pi * (bin * i % kPoints) / kPoints;
    real += frame[i] * std::cos(angle);
    imaginary -= frame[i] * std::sin(angle);
  }
  return std::hypot(real, imaginary);
}

Numbers definition() {
  const Numbers sound = samples(), shape = window(), bank = filters();
  Numbers result;
  for (int32_t frame = 0; frame < kFrames; ++frame) {
    Numbers line, energies(kFilters);
    for (int32_t i = 0; i < kExtent; ++i)
      line.push_back(sound[frame * kHop + i] * shape[i]);
    for (int32_t bin = 0; bin < kBins; ++bin) {
      const double magnitude = magnitudeOf(line, bin);
      for (int32_t filter = 0; filter < kFilters; ++filter)
        energies[filter] += magnitude * bank[filter * kBins + bin];
    }
    for (double energy : energies)
      result.push_back(std::log(std::max(energy, kLeast)));
  }
  return result;
}

TEST(SpeechTest, FrontEndRunsWholeOnEachTarget) {
  const TestModel model = frontEnd();
  const Bytes expected = encode(definition(), TensorType::FLOAT32);
  for (const char *target : kTargets) {
    const DeviceResult result = runOnDevice(model, {.target = target});
    ASSERT_TRUE(result.status.isOk()) << target << ": " << result.status.toString() << result.refusal;
    EXPECT_EQ(compare(TensorType::FLOAT32, result.outputs[0], expected, {.real = 1e-5f}), "") << target;
  }
}

} // namespace
} // namespace avocet::differential

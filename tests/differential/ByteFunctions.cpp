//===- ByteFunctions.cpp - 8-bit functions of all inputs ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteFunctions.h"

#include "Avocet.h"
#include "Random.h"
#include "Reference.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace avocet::differential {
namespace {

using Stored8 = std::optional<int64_t>;

int64_t centered(int64_t input, const ByteCase &c) { return input - c.from.zeroPoint(); }

int64_t leastOf(TensorType type) { return type == TensorType::INT8 ? -128 : 0; }

/// LUTPopulate: floats throughout. Results beyond 32 bits are not defined.
template <typename F> Stored8 fromTable(int64_t input, const ByteCase &c, F &&function) {
  const float real = c.from.scale() * static_cast<float>(centered(input, c));
  const float steps = std::round(function(real) * (1 / c.to.scale())) + static_cast<float>(c.to.zeroPoint());
  if (!(std::abs(steps) < 2147483648.0f))
    return std::nullopt;
  return static_cast<int64_t>(steps);
}

Stored8 logistic(int64_t input, const ByteCase &c) {
  return fromTable(input, c, [](float x) { return 1.0f / (1.0f + std::exp(-x)); });
}
Stored8 tangent(int64_t input, const ByteCase &c) {
  return fromTable(input, c, [](float x) { return std::tanh(x); });
}
Stored8 exponential(int64_t input, const ByteCase &c) {
  return fromTable(input, c, [](float x) { return std::exp(x); });
}
Stored8 exponentialLinear(int64_t input, const ByteCase &c) {
  return fromTable(input, c, [](float x) { return x < 0 ? std::exp(x) - 1.0f : x; });
}
Stored8 gelu(int64_t input, const ByteCase &c) {
  const auto minusRootOfHalf = static_cast<float>(-M_SQRT1_2);
  return fromTable(input, c, [=](float x) { return 0.5f * x * std::erfc(x * minusRootOfHalf); });
}
Stored8 geluApproximation(int64_t input, const ByteCase &c) {
  const auto root = static_cast<float>(M_2_SQRTPI * M_SQRT1_2);
  return fromTable(input, c, [=](float x) { return 0.5f * x * (1.f + std::tanh(root * (x + 0.044715f * x * x * x))); });
}

/// Numbers up to 0 have the least result.
Stored8 logarithm(int64_t input, const ByteCase &c) {
  const auto least = static_cast<float>(leastOf(c.to.type) - c.to.zeroPoint()) * c.to.scale();
  return fromTable(input, c, [=](float x) { return x <= 0.0f ? least : std::log(x); });
}

/// A quotient that is rounded towards zero. The reference refuses numbers below 0.
Stored8 squareRoot(int64_t input, const ByteCase &c) {
  const float real = c.from.scale() * static_cast<float>(centered(input, c));
  const float steps = std::sqrt(real) / c.to.scale();
  if (!(real >= 0 && steps < 2147483648.0f))
    return std::nullopt;
  return static_cast<int64_t>(steps) + c.to.zeroPoint();
}

/// Fixed-point numbers with `bits` before the point, as in gemmlowp.
int64_t highProduct(int64_t a, int64_t b) {
  const int64_t product = a * b;
  return (product + (product >= 0 ? 1LL << 30 : 1 - (1LL << 30))) / (1LL << 31);
}
int64_t shiftedUp(int64_t x, int bits) { return std::clamp<int64_t>(x * (1LL << bits), -(1LL << 31), (1LL << 31) - 1); }

/// 1 / sqrt(x) for 1 < x < 256 by five steps of Newton's method, in numbers with 3 bits before the point.
Multiplier inverseRoot(int64_t x) {
  Multiplier root(0);
  int leftPairs = 0; // as many as leave two bits, of which one is the sign
  while (x << 2 * (leftPairs + 1) < 1LL << 29)
    ++leftPairs;
  const int64_t input = (x << 2 * leftPairs) >> 1, half = (input + 1) >> 1;
  const int64_t threeHalves = (1LL << 28) + (1LL << 27);
  int64_t estimate = 1LL << 28;
  for (int step = 0; step < 5; ++step) {
    const int64_t cube = shiftedUp(highProduct(highProduct(estimate, estimate), estimate), 6);
    estimate = shiftedUp(highProduct(threeHalves, estimate) - highProduct(half, cube), 3);
  }
  const int right = 11 - leftPairs;
  root.mantissa = highProduct(estimate, 1518500250) << std::max(-right, 0);
  root.exponent = -std::max(right, 0);
  return root;
}

/// 0 has the greatest result. The reference refuses numbers below 0.
Stored8 reciprocalRoot(int64_t input, const ByteCase &c) {
  const int64_t x = centered(input, c);
  if (x < 0)
    return std::nullopt;
  if (x == 0)
    return 127;
  Multiplier root(0);
  root.mantissa = (1LL << 31) - 1;
  if (x > 1)
    root = inverseRoot(x);
  root.exponent += 20;
  Multiplier scale(1.0 / (std::sqrt(c.from.scale()) * c.to.scale()));
  scale.exponent -= 20;
  // Further shifts have no defined result.
  if (scale.exponent < -31 || scale.exponent > 30)
    return std::nullopt;
  return timesNarrow(timesNarrow(1, root), scale) + c.to.zeroPoint();
}

Stored8 rescaled(int64_t number, double factor, const ByteCase &c) {
  const Multiplier multiplier(factor);
  if (multiplier.exponent > 20) // sums that wrap are the test of another kernel
    return std::nullopt;
  return timesNarrow(number, multiplier) + c.to.zeroPoint();
}

Stored8 absolute(int64_t input, const ByteCase &c) {
  return rescaled(std::abs(centered(input, c)), c.from.scale() / c.to.scale(), c);
}
Stored8 leakyRelu(int64_t input, const ByteCase &c) {
  const int64_t number = centered(input, c);
  const float slope = c.from.scale() * c.alpha / c.to.scale();
  return rescaled(number, number >= 0 ? c.from.scale() / c.to.scale() : slope, c);
}
Stored8 quantize(int64_t input, const ByteCase &c) {
  return rescaled(centered(input, c), double(c.from.scale()) / double(c.to.scale()), c);
}

/// The ratio of the scales is a float.
Stored8 bounded(int64_t input, const ByteCase &c, float low, float high) {
  const Stored8 result = rescaled(centered(input, c), c.from.scale() / c.to.scale(), c);
  const auto bound = [&](float real) -> int64_t { return c.to.zeroPoint() + std::lround(real / c.to.scale()); };
  if (!result)
    return result;
  const int64_t least = std::max(bound(low), leastOf(c.to.type));
  return std::max(std::isinf(high) ? *result : std::min(*result, bound(high)), least);
}
Stored8 relu(int64_t input, const ByteCase &c) { return bounded(input, c, 0, INFINITY); }
Stored8 relu6(int64_t input, const ByteCase &c) { return bounded(input, c, 0, 6); }
Stored8 reluN1To1(int64_t input, const ByteCase &c) { return bounded(input, c, -1, 1); }
Stored8 relu0To1(int64_t input, const ByteCase &c) { return bounded(input, c, 0, 1); }

int64_t saturated16(int64_t x) { return std::clamp<int64_t>(x, -32768, 32767); }

/// Products of 16-bit numbers with 15 bits after the point, halves away from zero.
int64_t product16(int64_t a, int64_t b) {
  const int64_t product = a * b;
  return saturated16((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/// A multiplier with 16 bits.
struct Multiplier16 {
  int64_t mantissa;
  int exponent;
  explicit Multiplier16(float real) {
    const Multiplier whole(real);
    mantissa = std::min<int64_t>((whole.mantissa + (1 << 15)) >> 16, 32767);
    exponent = whole.exponent;
  }
};

/// Halves away from zero; the mask has 16 bits.
int64_t shiftedDown16(int64_t x, int bits) {
  const auto mask = static_cast<int16_t>((1LL << bits) - 1);
  const int64_t rest = x & mask, threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> bits) + (rest > threshold ? 1 : 0);
}

/// The 16-bit form. The reference refuses results whose scale is finer than 1/128 of the input's.
Stored8 hardSwish(int64_t input, const ByteCase &c) {
  const float fine = (1.0f / 128.0f) * c.from.scale();
  const Multiplier16 output(fine / c.to.scale()), ramp(fine / (3.0f / 32768.0f));
  if (output.exponent > 0)
    return std::nullopt;
  const int64_t x = centered(input, c) * 128;
  int64_t weight = x;
  if (ramp.exponent > 0)
    weight = saturated16(weight * (1LL << std::min(ramp.exponent - 1, 30)));
  weight = product16(weight, ramp.mantissa);
  if (ramp.exponent > 0)
    weight = saturated16(weight * 2);
  if (ramp.exponent < 0)
    weight = shiftedDown16(weight, -ramp.exponent);
  weight = (weight + (1 << 15)) >> 1;
  const int64_t product = weight * product16(x, output.mantissa) / (1 << 15);
  return shiftedDown16(product, -output.exponent) + c.to.zeroPoint();
}

const std::vector<TensorType> kSigned = {TensorType::INT8};
const std::vector<TensorType> kBoth = {TensorType::INT8, TensorType::UINT8};

const ByteFunction kFunctions[] = {
    {"ABS", BuiltinOperator::ABS, absolute, ByteResult::Any, kSigned},
    {"ELU", BuiltinOperator::ELU, exponentialLinear, ByteResult::Any, kSigned},
    {"EXP", BuiltinOperator::EXP, exponential, ByteResult::Any, kSigned},
    {"GELU", BuiltinOperator::GELU, gelu},
    {"GELU_approximate", BuiltinOperator::GELU, geluApproximation, ByteResult::Any, kBoth, false, true},
    {"HARD_SWISH", BuiltinOperator::HARD_SWISH, hardSwish},
    {"LEAKY_RELU", BuiltinOperator::LEAKY_RELU, leakyRelu},
    {"LOG", BuiltinOperator::LOG, logarithm, ByteResult::Any, kSigned},
    {"LOGISTIC", BuiltinOperator::LOGISTIC, logistic, ByteResult::Unit},
    {"QUANTIZE", BuiltinOperator::QUANTIZE, quantize, ByteResult::Any, kBoth, true},
    {"RELU", BuiltinOperator::RELU, relu},
    {"RELU6", BuiltinOperator::RELU6, relu6},
    {"RELU_0_TO_1", BuiltinOperator::RELU_0_TO_1, relu0To1},
    {"RELU_N1_TO_1", BuiltinOperator::RELU_N1_TO_1, reluN1To1},
    {"RSQRT", BuiltinOperator::RSQRT, reciprocalRoot, ByteResult::Any, kSigned},
    {"SQRT", BuiltinOperator::SQRT, squareRoot, ByteResult::Any, kSigned},
    {"TANH", BuiltinOperator::TANH, tangent, ByteResult::SymmetricUnit},
};

/// Draws cases and puts several into one network, since most of the time of a case is that of its compilation.
class ByteNetwork {
public:
  ByteNetwork(const ByteFunction &function, stress::Random &random) : function_(function), random_(random) {}

  void addCase() {
    ByteCase c = draw();
    const int32_t input = model_.addInput({256}, c.from, allBytes());
    tflite::OperatorT &added = model_.addOperator(function_.code, {input}, {model_.addOutput({256}, c.to)});
    setOptions(added, c);
    cases_.push_back(std::move(c));
  }

  /// The first difference, or why nothing was computed.
  std::string compare(const std::string &target) const {
    const DeviceResult result = runOnDevice(model_.finish(), {.target = target});
    if (!result.status.isOk())
      return result.refusal.empty() ? result.status.toString() : result.refusal;
    for (size_t i = 0; i < cases_.size(); ++i)
      if (std::string text = compareCase(cases_[i], result.outputs[i]); !text.empty())
        return text;
    return "";
  }

private:
  static Bytes allBytes() {
    Bytes bytes(256);
    std::iota(bytes.begin(), bytes.end(), uint8_t(0));
    return bytes;
  }

  float scale() { return std::exp2(-4 + 5 * random_.unit()); }

  Element element(TensorType type) {
    const int64_t least = leastOf(type);
    const int64_t zeroPoint = random_.oneIn(3) ? least : least + static_cast<int64_t>(random_.below(256));
    return {type, {scale()}, {zeroPoint}};
  }

  Element result(TensorType type) {
    if (function_.result == ByteResult::Any)
      return element(function_.changesType && random_.oneIn(2)
                         ? (type == TensorType::INT8 ? TensorType::UINT8 : TensorType::INT8)
                         : type);
    const bool isUnit = function_.result == ByteResult::Unit;
    return {type, {isUnit ? 1.0f / 256 : 1.0f / 128}, {leastOf(type) + (isUnit ? 0 : 128)}};
  }

  ByteCase draw() {
    const TensorType type = function_.inputs[random_.below(function_.inputs.size())];
    return {element(type), result(type), 2 * random_.unit()};
  }

  void setOptions(tflite::OperatorT &added, const ByteCase &c) const {
    if (function_.code == BuiltinOperator::LEAKY_RELU) {
      tflite::LeakyReluOptionsT options;
      options.alpha = c.alpha;
      added.options.Set(options);
    } else if (function_.code == BuiltinOperator::GELU) {
      tflite::GeluOptionsT options;
      options.approximate = function_.isApproximation;
      added.options.Set(options);
    }
  }

  static int64_t valueOf(uint8_t byte, TensorType type) {
    return type == TensorType::INT8 ? static_cast<int8_t>(byte) : int64_t(byte);
  }

  std::string compareCase(const ByteCase &c, const Bytes &found) const {
    for (size_t byte = 0; byte < 256; ++byte) {
      const int64_t input = valueOf(static_cast<uint8_t>(byte), c.from.type), least = leastOf(c.to.type);
      const Stored8 expected = function_.stored(input, c);
      const int64_t value = valueOf(found[byte], c.to.type);
      if (expected && value != std::clamp(*expected, least, least + 255))
        return fmt::format("{} of {}: {}, expected {}; scales {:a} and {:a}, zero points {} and {}, alpha {:a}",
                           function_.name, input, value, std::clamp(*expected, least, least + 255), c.from.scale(),
                           c.to.scale(), c.from.zeroPoint(), c.to.zeroPoint(), c.alpha);
    }
    return "";
  }

  const ByteFunction &function_;
  stress::Random &random_;
  Model model_;
  std::vector<ByteCase> cases_;
};

} // namespace

std::span<const ByteFunction> byteFunctions() { return kFunctions; }

std::string compareByteFunction(const ByteFunction &function, const std::string &target, uint64_t seed,
                                uint32_t count) {
  constexpr uint32_t kCasesOfNetwork = 25;
  stress::Random random(seed);
  for (uint32_t done = 0; done < count; done += kCasesOfNetwork) {
    ByteNetwork network(function, random);
    for (uint32_t i = done; i < std::min(done + kCasesOfNetwork, count); ++i)
      network.addCase();
    if (std::string text = network.compare(target); !text.empty())
      return text;
  }
  return "";
}

} // namespace avocet::differential

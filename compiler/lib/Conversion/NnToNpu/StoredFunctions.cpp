//===- StoredFunctions.cpp - Functions of 8-bit numbers ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables hold what TFLite's reference kernels compute: the function of the value in float, or their fixed-point form.
// Its older fixed-point forms of LOGISTIC and TANH differ from the tables by at most one.
//
//===----------------------------------------------------------------------===//

#include "StoredFunctions.h"

#include "Storage.h"

#include "avocet/kernels/InverseSquareRoot.h"
#include "avocet/kernels/Quantization.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

float realOf(int32_t stored, const Quantization &from) {
  return from.scale * static_cast<float>(stored - from.zeroPoint);
}

/// Stored value nearest to `real`, unclamped; the table's builder clamps it. Products with the inverse scale round
/// otherwise than quotients.
int32_t nearestStored(float real, const Quantization &to) {
  constexpr float kFar = 1.0e9f;
  return static_cast<int32_t>(std::clamp(std::round(real * (1.0f / to.scale)), -kFar, kFar)) + to.zeroPoint;
}

/// The value of a table entry, unclamped: f of the stored number.
using TableEntry = int64_t (*)(int32_t stored, nn::UnaryOp op, const Quantization &from, const Quantization &to);

/// The table of a function of floats.
template <float (*function)(float x, nn::UnaryOp op, const Quantization &to)>
int64_t floatEntry(int32_t stored, nn::UnaryOp op, const Quantization &from, const Quantization &to) {
  return nearestStored(function(realOf(stored, from), op, to), to);
}

/// The number times a factor that may be negative.
int32_t multiplied(int32_t number, double factor) {
  firmware::Rescale rescale = kernels::quantizeMultiplier(std::abs(factor));
  return kernels::multiplyByQuantizedMultiplier(number, factor < 0 ? -rescale.multiplier : rescale.multiplier,
                                                rescale.shift);
}

int64_t absEntry(int32_t stored, nn::UnaryOp, const Quantization &from, const Quantization &to) {
  return int64_t(multiplied(std::abs(stored - from.zeroPoint), from.scale / to.scale)) + to.zeroPoint;
}

int64_t leakyReluEntry(int32_t stored, nn::UnaryOp op, const Quantization &from, const Quantization &to) {
  int32_t number = stored - from.zeroPoint;
  float alpha = number < 0 ? op.getAlpha().convertToFloat() : 1.0f;
  return int64_t(multiplied(number, from.scale * alpha / to.scale)) + to.zeroPoint;
}

int32_t saturated16(int64_t value) { return static_cast<int32_t>(std::clamp<int64_t>(value, INT16_MIN, INT16_MAX)); }

/// A factor with 16 bits of precision: value * 2^(exponent - 15).
struct Factor16 {
  int32_t value, exponent;
  explicit Factor16(double real) {
    firmware::Rescale rescale = kernels::quantizeMultiplier(real);
    value = saturated16((int64_t(rescale.multiplier) + (1 << 15)) >> 16);
    exponent = rescale.shift;
  }
};

/// Product of numbers in Q0.15, halves away from zero.
int32_t product16(int32_t a, int32_t b) {
  int32_t product = a * b;
  return saturated16((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/// x / 2^exponent, halves away from zero, with masks of 16 bits: those of more than 15 bits have all bits set.
int32_t dividedByPowerOfTwo16(int32_t x, int exponent) {
  const int32_t mask = exponent > 15 ? -1 : (1 << exponent) - 1;
  const int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> std::min(exponent, 31)) + ((x & mask) > threshold ? 1 : 0);
}

/// (x / 3 + 1) / 2, clamped to [0, 1), in Q0.15; x is `hires` times the scale that `factor` relates to 3.
int32_t rampOf(int32_t hires, const Factor16 &factor) {
  int32_t ramp = hires;
  if (factor.exponent > 0)
    ramp = saturated16(int64_t(ramp) << std::min(factor.exponent - 1, 15));
  ramp = product16(ramp, factor.value);
  if (factor.exponent > 0)
    ramp = saturated16(int64_t(ramp) * 2);
  if (factor.exponent < 0)
    ramp = dividedByPowerOfTwo16(ramp, -factor.exponent);
  return (ramp + (1 << 15)) >> 1;
}

/// The fixed-point form of the reference, in 16 bits.
int64_t hardSwishEntry(int32_t stored, nn::UnaryOp, const Quantization &from, const Quantization &to) {
  const float hiresScale = from.scale / 128.0f;
  const Factor16 output(hiresScale / to.scale), ramp(hiresScale / (3.0f / 32768.0f));
  const int32_t hires = (stored - from.zeroPoint) * 128;
  const int32_t product = saturated16(int64_t(rampOf(hires, ramp)) * product16(hires, output.value) / (1 << 15));
  if (output.exponent > 0)
    return saturated16(int64_t(product) << std::min(output.exponent, 15)) + to.zeroPoint;
  return saturated16(dividedByPowerOfTwo16(product, -output.exponent) + to.zeroPoint);
}

/// Rounded downwards, as in the reference.
int64_t squareRootEntry(int32_t stored, nn::UnaryOp, const Quantization &from, const Quantization &to) {
  const float real = realOf(stored, from);
  return real > 0 ? static_cast<int32_t>(std::min(std::sqrt(real) / to.scale, 1.0e9f)) + to.zeroPoint : to.zeroPoint;
}

/// The fixed-point form of the reference. Numbers below 0, which it refuses, have the largest value, as 0 has.
int64_t reciprocalRootEntry(int32_t stored, nn::UnaryOp, const Quantization &from, const Quantization &to) {
  constexpr int kFraction = 20;
  const int32_t number = stored - from.zeroPoint;
  if (number <= 0)
    return kernels::maxValue(to.type);
  const firmware::Rescale root = kernels::inverseSquareRoot(number);
  const firmware::Rescale scale = kernels::quantizeMultiplier(1.0 / (std::sqrt(from.scale) * to.scale));
  const int32_t inverse = kernels::multiplyByQuantizedMultiplier(1, root.multiplier, root.shift + kFraction);
  const int shift = scale.shift < kernels::kSaturatingShift ? scale.shift - kFraction : scale.shift;
  return int64_t(kernels::multiplyByQuantizedMultiplier(inverse, scale.multiplier, shift)) + to.zeroPoint;
}

float exponential(float x, nn::UnaryOp, const Quantization &) { return std::exp(x); }
float logarithm(float x, nn::UnaryOp, const Quantization &to) {
  return x > 0 ? std::log(x) : static_cast<float>(kernels::minValue(to.type) - to.zeroPoint) * to.scale;
}
float exponentialLinear(float x, nn::UnaryOp op, const Quantization &) {
  return x < 0 ? op.getAlpha().convertToFloat() * (std::exp(x) - 1.0f) : x;
}
float gelu(float x, nn::UnaryOp, const Quantization &) { return 0.5f * x * std::erfc(x * -0.70710678118654752440f); }
float geluTanh(float x, nn::UnaryOp, const Quantization &) {
  return 0.5f * x * (1.0f + std::tanh(0.79788456080286535588f * (x + 0.044715f * x * x * x)));
}

float logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float hyperbolicTangent(float x) { return std::tanh(x); }

/// The tables of functions that take 8-bit numbers.
constexpr std::pair<nn::UnaryKind, TableEntry> kTables[] = {
    {nn::UnaryKind::Abs, absEntry},
    {nn::UnaryKind::Exp, floatEntry<exponential>},
    {nn::UnaryKind::Log, floatEntry<logarithm>},
    {nn::UnaryKind::Sqrt, squareRootEntry},
    {nn::UnaryKind::Rsqrt, reciprocalRootEntry},
    {nn::UnaryKind::Elu, floatEntry<exponentialLinear>},
    {nn::UnaryKind::HardSwish, hardSwishEntry},
    {nn::UnaryKind::Gelu, floatEntry<gelu>},
    {nn::UnaryKind::GeluTanh, floatEntry<geluTanh>},
    {nn::UnaryKind::LeakyRelu, leakyReluEntry},
};

StoredFunction bounded(Operation *op, float (*function)(float)) {
  return [=, from = quantizationOf(op->getOperand(0)), to = quantizationOf(op->getResult(0))](int32_t stored) {
    return nearestStored(function(realOf(stored, from)), to);
  };
}

StoredFunction functionOf(nn::UnaryOp op) {
  const TableEntry entry = llvm::find_if(kTables, [&](const auto &row) { return row.first == op.getKind(); })->second;
  return [=, from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput())](int32_t stored) {
    return entry(stored, op, from, to);
  };
}

StoredFunction functionOf(nn::ClampOp op) {
  const Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  const firmware::Clamp clamp = plainClampFor(op.getRange(), to);
  // The ratio is of floats, as in the reference.
  const firmware::Rescale rescale = kernels::quantizeMultiplier(from.scale / to.scale);
  return [=](int32_t stored) {
    int64_t value = kernels::multiplyByQuantizedMultiplier(stored - from.zeroPoint, rescale.multiplier, rescale.shift);
    return std::clamp<int64_t>(value + to.zeroPoint, clamp.min, clamp.max);
  };
}

StoredFunction functionOf(nn::TableOp op) {
  const int32_t first = kernels::minValue(quantizationOf(op.getInput()).type);
  const bool isSigned = quantizationOf(op.getOutput()).type == firmware::DataType::Int8;
  return [=, entries = llvm::to_vector(op.getEntries().getValues<int8_t>())](int32_t stored) -> int64_t {
    const int8_t entry = entries[static_cast<size_t>(stored - first)];
    return isSigned ? entry : static_cast<uint8_t>(entry);
  };
}

} // namespace

StoredFunction storedFunctionOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StoredFunction>(op)
      .Case([&](nn::LogisticOp) { return bounded(op, logistic); })
      .Case([&](nn::TanhOp) { return bounded(op, hyperbolicTangent); })
      .Case<nn::UnaryOp, nn::ClampOp, nn::TableOp>([](auto typed) { return functionOf(typed); });
}

} // namespace avocet::compiler

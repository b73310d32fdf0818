//===- PlaceUnary.cpp - Functions of one tensor -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 8-bit functions are tables on the array, the others run on the vector DSP. Tables hold what TFLite's reference
// kernels compute: the function of the value in float, or their fixed-point form. Its older fixed-point forms of
// LOGISTIC and TANH differ from the tables by at most one.
//
//===----------------------------------------------------------------------===//

#include "Lookup.h"
#include "Views.h"

#include "avocet/kernels/InverseSquareRoot.h"
#include "avocet/kernels/dsp/Unary.h"
#include "avocet/kernels/dsp/WideFunctions.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult placeOnDsp(Operation *op, kernels::KernelId kernel, std::vector<uint32_t> parameters,
                         Placement &placement) {
  const RankedTensorType type = tensorOf(op->getResult(0));
  const Value input = placement.operand(op->getOperand(0));
  const StorageShape shape = shapeAsMade(input, storageShape(type.getShape()));
  Placement::Dsp dsp;
  dsp.kernel = kernel;
  dsp.parameters = std::move(parameters);
  dsp.inputs = {placement.view(op->getLoc(), input, shape)};
  dsp.inputZeroPoints = {0};
  dsp.results = {storageType(shape, storageElement(type.getElementType()))};
  dsp.resultZeroPoints = {0};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> unary = placement.dsp(op, dsp);
  return failed(unary) ? failure() : placement.finish(op, unary->getResult(0));
}

LogicalResult placeOnDsp(Operation *op, const kernels::UnaryParameters &parameters, Placement &placement) {
  return placeOnDsp(op, kernels::kUnaryKernel, kernels::packParameters(parameters), placement);
}

float realOf(int32_t stored, const Quantization &from) {
  return from.scale * static_cast<float>(stored - from.zeroPoint);
}

/// Stored value nearest to `real`, unclamped; the table's builder clamps it. Products with the inverse scale round
/// otherwise than quotients.
int32_t nearestStored(float real, const Quantization &to) {
  constexpr float kFar = 1.0e9f;
  return static_cast<int32_t>(std::clamp(std::round(real * (1.0f / to.scale)), -kFar, kFar)) + to.zeroPoint;
}

/// Places a table of `function`, whose results are numbers.
LogicalResult placeTable(Operation *op, float (*function)(float), Placement &placement) {
  Quantization from = quantizationOf(op->getOperand(0)), to = quantizationOf(op->getResult(0));
  return placeLookup(op, placement, [&](int32_t stored) { return nearestStored(function(realOf(stored, from)), to); });
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

bool isWide(Value value) { return quantizationOf(value).type == firmware::DataType::Int16; }

LogicalResult placeWideSigmoid(Operation *op, kernels::WideSigmoidFunction function, Placement &placement) {
  auto parameters = kernels::prepareWideSigmoid(function, quantizationOf(op->getOperand(0)).scale);
  return placeOnDsp(op, kernels::kWideSigmoidKernel, kernels::packParameters(parameters), placement);
}

template <typename Op, kernels::UnaryFunction kind, kernels::WideSigmoidFunction wideKind, float (*function)(float)>
LogicalResult placeBounded(Op op, Placement &placement) {
  if (isWide(op.getInput()))
    return placeWideSigmoid(op, wideKind, placement);
  if (isQuantized(op.getInput()))
    return placeTable(op, function, placement);
  return placeOnDsp(op, {kind}, placement);
}

float logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float hyperbolicTangent(float x) { return std::tanh(x); }

/// The kernel has a function of the same name for each kind.
kernels::UnaryFunction functionOf(nn::UnaryKind kind) {
  switch (kind) {
#define AVOCET_NN_UNARY_KIND(Case, types)                                                                              \
  case nn::UnaryKind::Case:                                                                                            \
    return kernels::UnaryFunction::Case;
#include "avocet/nnapi/NnOperations.inc"
  }
  llvm_unreachable("all kinds are listed");
}

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

/// Functions of 16-bit numbers with another factor below 0.
LogicalResult placeWideUnary(nn::UnaryOp op, Placement &placement) {
  const float from = quantizationOf(op.getInput()).scale, to = quantizationOf(op.getOutput()).scale;
  if (op.getKind() == nn::UnaryKind::Abs)
    return placeSlope(op, -double(from / to), placement);
  return placeSlope(op, from * op.getAlpha().convertToFloat() / to, placement);
}

LogicalResult placeUnary(nn::UnaryOp op, Placement &placement) {
  if (!isQuantized(op.getInput()))
    return placeOnDsp(op, {functionOf(op.getKind()), op.getAlpha().convertToFloat()}, placement);
  if (isWide(op.getInput()))
    return placeWideUnary(op, placement);
  Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  const TableEntry entry = llvm::find_if(kTables, [&](const auto &row) { return row.first == op.getKind(); })->second;
  return placeLookup(op, placement, [&](int32_t stored) { return entry(stored, op, from, to); });
}

LogicalResult placeClamp(nn::ClampOp op, Placement &placement) {
  Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  firmware::Clamp clamp = plainClampFor(op.getRange(), to);
  if (from.isFloat())
    return placeOnDsp(op,
                      {kernels::UnaryFunction::Clamp, std::bit_cast<float>(clamp.min), std::bit_cast<float>(clamp.max)},
                      placement);
  if (isWide(op.getInput()))
    return placeRequantize(op, clamp, placement);
  // The ratio is of floats, as in the reference.
  firmware::Rescale rescale = kernels::quantizeMultiplier(from.scale / to.scale);
  return placeLookup(op, placement, [&](int32_t stored) {
    int64_t value = kernels::multiplyByQuantizedMultiplier(stored - from.zeroPoint, rescale.multiplier, rescale.shift);
    return std::clamp<int64_t>(value + to.zeroPoint, clamp.min, clamp.max);
  });
}

LogicalResult placeTable(nn::TableOp op, Placement &placement) {
  const auto entries = llvm::to_vector(op.getEntries().getValues<int8_t>());
  const int32_t first = kernels::minValue(quantizationOf(op.getInput()).type);
  const bool isSigned = quantizationOf(op.getOutput()).type == firmware::DataType::Int8;
  return placeLookup(op, placement, [&](int32_t stored) -> int64_t {
    const int8_t entry = entries[static_cast<size_t>(stored - first)];
    return isSigned ? entry : static_cast<uint8_t>(entry);
  });
}

} // namespace

void addUnaryPlacers(PlacerTable &table) {
  table.add(
      placeBounded<nn::LogisticOp, kernels::UnaryFunction::Logistic, kernels::WideSigmoidFunction::Logistic, logistic>);
  table.add(
      placeBounded<nn::TanhOp, kernels::UnaryFunction::Tanh, kernels::WideSigmoidFunction::Tanh, hyperbolicTangent>);
  table.add(placeClamp);
  table.add(placeTable);
  table.add(placeUnary);
}

} // namespace avocet::compiler

//===- PlaceUnary.cpp - Functions of one tensor -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantised functions are tables on the array, the others run on the vector DSP. Tables hold the real function of the
// real value, rounded to the nearest stored value with halves away from zero, like TFLite's table forms of LOGISTIC and
// TANH; its older fixed-point forms differ by at most one.
//
//===----------------------------------------------------------------------===//

#include "Lookup.h"

#include "avocet/kernels/dsp/Unary.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult placeOnDsp(Operation *op, kernels::UnaryParameters parameters, Placement &placement) {
  Placement::Dsp dsp;
  dsp.kernel = kernels::kUnaryKernel;
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputs = {placement.operand(op->getOperand(0))};
  dsp.inputZeroPoints = {0};
  dsp.results = {storageType(tensorOf(op->getResult(0)))};
  dsp.resultZeroPoints = {0};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> unary = placement.dsp(op, dsp);
  return failed(unary) ? failure() : placement.finish(op, unary->getResult(0));
}

/// Stored value nearest to `real`, unclamped; the table's builder clamps it.
int32_t nearestStored(double real, const Quantization &quantization) {
  constexpr double kFar = 1.0e9;
  return static_cast<int32_t>(std::clamp(std::round(real / quantization.scale), -kFar, kFar)) + quantization.zeroPoint;
}

/// Places a table of `function`, whose results are numbers.
LogicalResult placeTable(Operation *op, double (*function)(double), Placement &placement) {
  Quantization from = quantizationOf(op->getOperand(0)), to = quantizationOf(op->getResult(0));
  return placeLookup(op, placement, [&](int32_t stored) {
    return nearestStored(function(double(from.scale) * (stored - from.zeroPoint)), to);
  });
}

template <typename Op, kernels::UnaryFunction kind, double (*function)(double)>
LogicalResult placeBounded(Op op, Placement &placement) {
  if (isQuantized(op.getInput()))
    return placeTable(op, function, placement);
  return placeOnDsp(op, {kind}, placement);
}

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double hyperbolicTangent(double x) { return std::tanh(x); }
double hardSwish(double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }
/// The root is undefined for x <= 0; the result is then the largest value.
double reciprocalRoot(double x) { return x > 0 ? 1 / std::sqrt(x) : std::numeric_limits<double>::max(); }

/// Implementation of a function: the kernel's number, and the function for the table of 8-bit numbers.
struct Function {
  nn::UnaryKind kind;
  kernels::UnaryFunction kernel;
  double (*table)(double);
};

constexpr Function kFunctions[] = {
    {nn::UnaryKind::Abs, kernels::UnaryFunction::Abs, nullptr},
    {nn::UnaryKind::Neg, kernels::UnaryFunction::Neg, nullptr},
    {nn::UnaryKind::Exp, kernels::UnaryFunction::Exp, nullptr},
    {nn::UnaryKind::Log, kernels::UnaryFunction::Log, nullptr},
    {nn::UnaryKind::Sqrt, kernels::UnaryFunction::Sqrt, nullptr},
    {nn::UnaryKind::Rsqrt, kernels::UnaryFunction::Rsqrt, reciprocalRoot},
    {nn::UnaryKind::Sin, kernels::UnaryFunction::Sin, nullptr},
    {nn::UnaryKind::Floor, kernels::UnaryFunction::Floor, nullptr},
    {nn::UnaryKind::Elu, kernels::UnaryFunction::Elu, nullptr},
    {nn::UnaryKind::HardSwish, kernels::UnaryFunction::HardSwish, hardSwish},
    {nn::UnaryKind::LogicalNot, kernels::UnaryFunction::LogicalNot, nullptr},
};

LogicalResult placeUnary(nn::UnaryOp op, Placement &placement) {
  const Function *function = llvm::find_if(kFunctions, [&](const Function &f) { return f.kind == op.getKind(); });
  if (isQuantized(op.getInput()))
    return placeTable(op, function->table, placement);
  return placeOnDsp(op, {function->kernel, op.getAlpha().convertToFloat()}, placement);
}

LogicalResult placeRelu(nn::ReluOp op, Placement &placement) {
  Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  firmware::Clamp clamp = clampFor(op.getKind(), to);
  if (from.isFloat())
    return placeOnDsp(op,
                      {kernels::UnaryFunction::Clamp, std::bit_cast<float>(clamp.min), std::bit_cast<float>(clamp.max)},
                      placement);
  if (failed(placement.checkMultiplier(op, "input", double(from.scale) / to.scale)))
    return failure();
  firmware::Rescale rescale = kernels::prepareRequantize(from.scale, to.scale);
  return placeLookup(op, placement, [&](int32_t stored) {
    int32_t value = kernels::multiplyByQuantizedMultiplier(stored - from.zeroPoint, rescale.multiplier, rescale.shift);
    return std::clamp(value + to.zeroPoint, clamp.min, clamp.max);
  });
}

} // namespace

void addUnaryPlacers(PlacerTable &table) {
  table.add(placeBounded<nn::LogisticOp, kernels::UnaryFunction::Logistic, logistic>);
  table.add(placeBounded<nn::TanhOp, kernels::UnaryFunction::Tanh, hyperbolicTangent>);
  table.add(placeRelu);
  table.add(placeUnary);
}

} // namespace avocet::compiler

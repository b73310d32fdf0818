//===- PlaceUnary.cpp - Functions of one tensor -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantised functions are tables on the array, float functions run on the vector DSP. Tables of LOGISTIC and TANH hold
// the real function of the real value, rounded to the nearest stored value with halves away from zero, as TFLite's
// table form of these operators does; its older fixed-point form differs by at most one.
//
//===----------------------------------------------------------------------===//

#include "Lookup.h"

#include "avocet/kernels/dsp/Unary.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult placeFloatUnary(Operation *op, kernels::UnaryParameters parameters, Placement &placement) {
  Placement::Dsp dsp;
  dsp.kernel = "unary";
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputs = {placement.operand(op->getOperand(0))};
  dsp.inputZeroPoints = {0};
  dsp.results = {storageType(tensorOf(op->getResult(0)))};
  dsp.resultZeroPoints = {0};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> unary = placement.dsp(op, dsp);
  return failed(unary) ? failure() : placement.finish(op, unary->getResult(0));
}

/// Index in a table of the nearest stored value; the table's builder clamps it.
int32_t nearestStored(double real, const Quantization &quantization) {
  return static_cast<int32_t>(std::round(real / quantization.scale)) + quantization.zeroPoint;
}

template <typename Op, kernels::UnaryFunction kind, double (*function)(double)>
LogicalResult placeBounded(Op op, Placement &placement) {
  Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  if (from.isFloat())
    return placeFloatUnary(op, {kind}, placement);
  return placeLookup(op, placement, [&](int32_t stored) {
    return nearestStored(function(double(from.scale) * (stored - from.zeroPoint)), to);
  });
}

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double hyperbolicTangent(double x) { return std::tanh(x); }

LogicalResult placeRelu(nn::ReluOp op, Placement &placement) {
  Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  firmware::Clamp clamp = clampFor(op.getKind(), to);
  if (from.isFloat())
    return placeFloatUnary(
        op, {kernels::UnaryFunction::Clamp, std::bit_cast<float>(clamp.min), std::bit_cast<float>(clamp.max)},
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
}

} // namespace avocet::compiler

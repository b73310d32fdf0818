//===- PlaceUnary.cpp - Functions of one tensor -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 8-bit functions are tables on the array, the others run on the vector DSP.
//
//===----------------------------------------------------------------------===//

#include "ImageRows.h"
#include "Lookup.h"
#include "StoredFunctions.h"

#include "avocet/kernels/dsp/Unary.h"
#include "avocet/kernels/dsp/WideFunctions.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult placeOnDsp(Operation *op, kernels::KernelId kernel, std::vector<uint32_t> parameters,
                         Placement &placement) {
  const auto [input, result] = inRows(op, placement);
  Placement::Dsp dsp;
  dsp.kernel = kernel;
  dsp.parameters = std::move(parameters);
  dsp.inputs = {input};
  dsp.inputZeroPoints = {0};
  dsp.results = {result};
  dsp.resultZeroPoints = {0};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> unary = placement.dsp(op, dsp);
  return failed(unary) ? failure() : placement.finish(op, unary->getResult(0));
}

LogicalResult placeOnDsp(Operation *op, const kernels::UnaryParameters &parameters, Placement &placement) {
  return placeOnDsp(op, kernels::kUnaryKernel, kernels::packParameters(parameters), placement);
}

bool isWide(Value value) { return quantizationOf(value).type == firmware::DataType::Int16; }

LogicalResult placeTable(Operation *op, Placement &placement) {
  return placeLookup(op, placement, storedFunctionOf(op));
}

LogicalResult placeWideSigmoid(Operation *op, kernels::WideSigmoidFunction function, Placement &placement) {
  auto parameters = kernels::prepareWideSigmoid(function, quantizationOf(op->getOperand(0)).scale);
  return placeOnDsp(op, kernels::kWideSigmoidKernel, kernels::packParameters(parameters), placement);
}

template <typename Op, kernels::UnaryFunction kind, kernels::WideSigmoidFunction wideKind>
LogicalResult placeBounded(Op op, Placement &placement) {
  if (isWide(op.getInput()))
    return placeWideSigmoid(op, wideKind, placement);
  if (isQuantized(op.getInput()))
    return placeTable(op, placement);
  return placeOnDsp(op, {kind}, placement);
}

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
  return placeTable(op, placement);
}

LogicalResult placeClamp(nn::ClampOp op, Placement &placement) {
  const firmware::Clamp clamp = plainClampFor(op.getRange(), quantizationOf(op.getOutput()));
  if (!isQuantized(op.getInput()))
    return placeOnDsp(op,
                      {kernels::UnaryFunction::Clamp, std::bit_cast<float>(clamp.min), std::bit_cast<float>(clamp.max)},
                      placement);
  if (isWide(op.getInput()))
    return placeRequantize(op, clamp, placement);
  return placeTable(op, placement);
}

LogicalResult placeEntries(nn::TableOp op, Placement &placement) { return placeTable(op, placement); }

} // namespace

void addUnaryPlacers(PlacerTable &table) {
  table.add(placeBounded<nn::LogisticOp, kernels::UnaryFunction::Logistic, kernels::WideSigmoidFunction::Logistic>);
  table.add(placeBounded<nn::TanhOp, kernels::UnaryFunction::Tanh, kernels::WideSigmoidFunction::Tanh>);
  table.add(placeClamp);
  table.add(placeEntries);
  table.add(placeUnary);
}

} // namespace avocet::compiler

//===- PlaceTruth.cpp - Relations and choices ----------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"

#include "avocet/kernels/dsp/Select.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

template <nn::CompareKind nnKind, kernels::BinaryKind kernelKind>
constexpr bool kSameDistance = static_cast<uint32_t>(nnKind) + static_cast<uint32_t>(kernels::BinaryKind::Equal) ==
                               static_cast<uint32_t>(kernelKind);
static_assert(kSameDistance<nn::CompareKind::Equal, kernels::BinaryKind::Equal> &&
                  kSameDistance<nn::CompareKind::NotEqual, kernels::BinaryKind::NotEqual> &&
                  kSameDistance<nn::CompareKind::Less, kernels::BinaryKind::Less> &&
                  kSameDistance<nn::CompareKind::LessEqual, kernels::BinaryKind::LessEqual> &&
                  kSameDistance<nn::CompareKind::Greater, kernels::BinaryKind::Greater> &&
                  kSameDistance<nn::CompareKind::GreaterEqual, kernels::BinaryKind::GreaterEqual>,
              "the two enumerations list the relations in the same order");

LogicalResult placeCompare(nn::CompareOp op, Placement &placement) {
  kernels::BinaryParameters parameters;
  parameters.kind = static_cast<kernels::BinaryKind>(static_cast<uint32_t>(kernels::BinaryKind::Equal) +
                                                     static_cast<uint32_t>(op.getKind()));
  parameters.scaleA = quantizationOf(op.getLhs()).scale;
  parameters.scaleB = quantizationOf(op.getRhs()).scale;
  if (op.getFixedPoint()) {
    if (failed(placement.checkMultiplier(op, "first input", parameters.scaleA)) ||
        failed(placement.checkMultiplier(op, "second input", parameters.scaleB)))
      return failure();
    parameters.leftShift = 8;
    parameters.rescaleA = kernels::quantizeMultiplier(parameters.scaleA);
    parameters.rescaleB = kernels::quantizeMultiplier(parameters.scaleB);
  }
  return placeBinary(op, parameters, placement);
}

LogicalResult placeLogical(nn::LogicalOp op, Placement &placement) {
  kernels::BinaryParameters parameters;
  parameters.kind = op.getKind() == nn::LogicalKind::And ? kernels::BinaryKind::And : kernels::BinaryKind::Or;
  return placeBinary(op, parameters, placement);
}

LogicalResult placeSelect(nn::SelectOp op, Placement &placement) {
  Placement::Dsp dsp;
  dsp.kernel = kernels::kSelectKernel;
  for (Value input : op->getOperands()) {
    dsp.inputs.push_back(placement.operand(input));
    dsp.inputZeroPoints.push_back(quantizationOf(input).zeroPoint);
  }
  dsp.results = {storageType(tensorOf(op.getOutput()))};
  dsp.resultZeroPoints = {quantizationOf(op.getOutput()).zeroPoint};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> select = placement.dsp(op, dsp);
  return failed(select) ? failure() : placement.finish(op, select->getResult(0));
}

} // namespace

void addTruthPlacers(PlacerTable &table) {
  table.add(placeCompare);
  table.add(placeLogical);
  table.add(placeSelect);
}

} // namespace avocet::compiler

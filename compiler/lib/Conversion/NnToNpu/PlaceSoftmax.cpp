//===- PlaceSoftmax.cpp - SOFTMAX on the vector DSP -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "avocet/kernels/dsp/Softmax.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult placeSoftmax(nn::SoftmaxOp op, Placement &placement) {
  Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  float beta = op.getBeta().convertToFloat();
  kernels::SoftmaxParameters parameters;
  parameters.beta = beta;
  if (!from.isFloat()) {
    if (!std::isfinite(beta) || beta <= 0)
      return placement.refuse(op, "beta", "is positive", std::to_string(beta));
    parameters = kernels::prepareSoftmax(beta, from.scale);
  }
  Placement::Dsp dsp;
  dsp.kernel = "softmax";
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputs = {placement.operand(op.getInput())};
  dsp.inputZeroPoints = {from.zeroPoint};
  dsp.results = {storageType(tensorOf(op.getOutput()))};
  dsp.resultZeroPoints = {to.zeroPoint};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> softmax = placement.dsp(op, dsp);
  return failed(softmax) ? failure() : placement.finish(op, softmax->getResult(0));
}

} // namespace

void addSoftmaxPlacers(PlacerTable &table) { table.add(placeSoftmax); }

} // namespace avocet::compiler

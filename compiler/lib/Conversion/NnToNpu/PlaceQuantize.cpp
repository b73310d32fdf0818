//===- PlaceQuantize.cpp - Changes of quantisation --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lookup.h"

#include "avocet/kernels/dsp/Cast.h"
#include "avocet/kernels/dsp/Quantize.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// QUANTIZE of floats and DEQUANTIZE: the kernel and the scale of the integer side.
LogicalResult placeConversion(Operation *op, kernels::KernelId kernel, float scale, Placement &placement) {
  Placement::Dsp dsp;
  dsp.kernel = kernel;
  dsp.parameters = kernels::packParameters(kernels::QuantizeParameters{scale});
  dsp.inputs = {placement.operand(op->getOperand(0))};
  dsp.inputZeroPoints = {quantizationOf(op->getOperand(0)).zeroPoint};
  dsp.results = {storageType(tensorOf(op->getResult(0)))};
  dsp.resultZeroPoints = {quantizationOf(op->getResult(0)).zeroPoint};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> converted = placement.dsp(op, dsp);
  return failed(converted) ? failure() : placement.finish(op, converted->getResult(0));
}

/// Between integers a table of 256 values suffices, which the array looks up.
LogicalResult placeQuantize(nn::QuantizeOp op, Placement &placement) {
  Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  if (from.isFloat())
    return placeConversion(op, kernels::kQuantizeKernel, to.scale, placement);
  if (failed(placement.checkMultiplier(op, "input", double(from.scale) / to.scale)))
    return failure();
  firmware::Rescale rescale = kernels::prepareRequantize(from.scale, to.scale);
  return placeLookup(op, placement, [&](int32_t stored) {
    return kernels::multiplyByQuantizedMultiplier(stored - from.zeroPoint, rescale.multiplier, rescale.shift) +
           to.zeroPoint;
  });
}

LogicalResult placeCast(nn::CastOp op, Placement &placement) {
  Placement::Dsp dsp;
  dsp.kernel = kernels::kCastKernel;
  if (op.getWraps())
    dsp.parameters = {kernels::kCastWraps};
  dsp.inputs = {placement.operand(op.getInput())};
  dsp.inputZeroPoints = {0};
  dsp.results = {storageType(tensorOf(op.getOutput()))};
  dsp.resultZeroPoints = {0};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> cast = placement.dsp(op, dsp);
  return failed(cast) ? failure() : placement.finish(op, cast->getResult(0));
}

LogicalResult placeDequantize(nn::DequantizeOp op, Placement &placement) {
  return placeConversion(op, kernels::kDequantizeKernel, quantizationOf(op.getInput()).scale, placement);
}

} // namespace

void addQuantizePlacers(PlacerTable &table) {
  table.add(placeCast);
  table.add(placeQuantize);
  table.add(placeDequantize);
}

} // namespace avocet::compiler

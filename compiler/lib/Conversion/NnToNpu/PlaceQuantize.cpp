//===- PlaceQuantize.cpp - Changes of quantization --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplicitNumerics.h"
#include "ImageRows.h"
#include "Lookup.h"

#include "avocet/kernels/dsp/Cast.h"
#include "avocet/kernels/dsp/Quantize.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// `records`: multipliers of the channels; may be null.
LogicalResult placeConversion(Operation *op, kernels::KernelId kernel, std::vector<uint32_t> parameters,
                              Placement &placement, Value records = {}) {
  Placement::Dsp dsp;
  dsp.kernel = kernel;
  dsp.parameters = std::move(parameters);
  const auto [input, result] = inRows(op, placement);
  dsp.inputs = {input};
  dsp.inputZeroPoints = {quantizationOf(op->getOperand(0)).zeroPoint};
  if (records) {
    dsp.inputs.push_back(records);
    dsp.inputZeroPoints.push_back(0);
  }
  dsp.results = {result};
  dsp.resultZeroPoints = {quantizationOf(op->getResult(0)).zeroPoint};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> converted = placement.dsp(op, dsp);
  return failed(converted) ? failure() : placement.finish(op, converted->getResult(0));
}

/// QUANTIZE of floats and DEQUANTIZE: the kernel and the scale of the integer side.
LogicalResult placeConversion(Operation *op, kernels::KernelId kernel, float scale, Placement &placement,
                              bool halvesToEven = false) {
  const kernels::QuantizeParameters parameters{scale, halvesToEven ? 1u : 0u};
  return placeConversion(op, kernel, kernels::packParameters(parameters), placement);
}

bool isByte(const Quantization &quantization) { return firmware::sizeOf(quantization.type) == 1; }

/// The quantization of the input or the result; the type of i32 has no scale.
Quantization quantizationIn(nn::QuantizeOp op, Value value) {
  Quantization quantization = quantizationOf(value);
  if (quantization.type == firmware::DataType::Int32)
    quantization.scale = op.getIntegerScale()->convertToFloat();
  return quantization;
}

LogicalResult placeRescale(Operation *op, double ratio, firmware::Clamp clamp, Placement &placement) {
  firmware::Rescale rescale = kernels::quantizeMultiplier(ratio);
  kernels::RequantizeParameters parameters{rescale.multiplier, rescale.shift, clamp.min, clamp.max};
  return placeConversion(op, kernels::kRequantizeKernel, kernels::packParameters(parameters), placement);
}

/// Between 8-bit integers a table of 256 values suffices, which the array looks up.
LogicalResult placeQuantize(nn::QuantizeOp op, Placement &placement) {
  Quantization from = quantizationIn(op, op.getInput()), to = quantizationIn(op, op.getOutput());
  if (from.isFloat())
    return placeConversion(op, kernels::kQuantizeKernel, to.scale, placement,
                           op.getNumerics().getKind() == nn::Numerics::HalfEven);
  if (!isByte(from) || !isByte(to))
    return placeRescale(op, double(from.scale) / to.scale, clampFor(nn::Activation::kNone, to), placement);
  firmware::Rescale rescale = kernels::prepareRequantize(from.scale, to.scale);
  return placeLookup(op, placement, [&](int32_t stored) {
    int64_t value = kernels::multiplyByQuantizedMultiplier(stored - from.zeroPoint, rescale.multiplier, rescale.shift);
    return value + to.zeroPoint;
  });
}

/// The multipliers of the channels, as the kernel reads them.
Value rescaleRecords(nn::RescaleOp op, bool hasWideSums, Placement &placement) {
  SmallVector<int64_t> records;
  for (size_t channel = 0; channel < op.getNumerics().getMultipliers().size(); ++channel)
    records.push_back(kernels::packRescale(rescaleOf(op.getNumerics(), channel, hasWideSums)));
  auto type = storageType({1, 1, static_cast<int64_t>(records.size())}, placement.builder().getI64Type());
  return npu::ConstantOp::create(placement.builder(), op.getLoc(), type,
                                 DenseElementsAttr::get(type, ArrayRef(records)));
}

LogicalResult placeRescale(nn::RescaleOp op, Placement &placement) {
  const Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  const bool hasWideSums = from.type == firmware::DataType::Int64;
  const firmware::Rescale first = rescaleOf(op.getNumerics(), 0, hasWideSums);
  kernels::RequantizeParameters parameters;
  parameters.rounding = roundingOf(op.getNumerics());
  if (op.getNumerics().getMultipliers().size() > 1)
    return placeConversion(op, kernels::kRequantizeKernel, kernels::packParameters(parameters), placement,
                           rescaleRecords(op, hasWideSums, placement));
  if (isByte(from) && isByte(to))
    return placeLookup(op, placement, [&](int32_t stored) {
      return int64_t(kernels::multiplyRounded(stored - from.zeroPoint, first, parameters.rounding)) + to.zeroPoint;
    });
  parameters.multiplier = first.multiplier;
  parameters.shift = first.shift;
  return placeConversion(op, kernels::kRequantizeKernel, kernels::packParameters(parameters), placement);
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

LogicalResult placeRequantize(Operation *op, firmware::Clamp clamp, Placement &placement) {
  return placeRescale(op, quantizationOf(op->getOperand(0)).scale / quantizationOf(op->getResult(0)).scale, clamp,
                      placement);
}

LogicalResult placeSlope(Operation *op, double factor, Placement &placement) {
  Quantization from = quantizationOf(op->getOperand(0)), to = quantizationOf(op->getResult(0));
  // Both ratios are of floats, as in the reference.
  firmware::Rescale rescale = kernels::quantizeMultiplier(from.scale / to.scale);
  firmware::Rescale slope = kernels::quantizeMultiplier(std::abs(factor));
  kernels::RequantizeParameters parameters{rescale.multiplier, rescale.shift};
  parameters.hasSlope = 1;
  parameters.slope = factor < 0 ? -slope.multiplier : slope.multiplier;
  parameters.slopeShift = slope.shift;
  return placeConversion(op, kernels::kRequantizeKernel, kernels::packParameters(parameters), placement);
}

void addQuantizePlacers(PlacerTable &table) {
  table.add(placeCast);
  table.add(placeQuantize);
  table.add<nn::RescaleOp>(placeRescale);
  table.add(placeDequantize);
}

} // namespace avocet::compiler

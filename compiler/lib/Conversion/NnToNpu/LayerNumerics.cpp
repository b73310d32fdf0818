//===- LayerNumerics.cpp - Multipliers of layers with weights ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerNumerics.h"

#include "avocet/kernels/dsp/Mean.h"

using namespace mlir;

namespace avocet::compiler {

/// Matrix products have them unless their weights have a scale for each channel.
static bool hasFloatScales(Operation *layer, nn::NumericsAttr numerics) {
  if (isa<nn::FullyConnectedOp, nn::BatchMatmulOp>(layer))
    return !isa<quant::UniformQuantizedPerAxisType>(elementOf(layer->getOperand(1)));
  return numerics.getKind() == nn::Numerics::FloatScales;
}

LayerNumerics numericsOfLayer(Operation *layer) {
  const auto numerics = layer->getAttrOfType<nn::NumericsAttr>("numerics");
  const auto own = numerics ? numerics : nn::NumericsAttr::get(layer->getContext(), nn::Numerics::Tflite);
  return {hasFloatScales(layer, own), own.isExplicit() ? own : nn::NumericsAttr()};
}

float scaleOf(quant::QuantizedType filter, size_t channel) {
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(filter))
    return static_cast<float>(perAxis.getScales()[channel]);
  return static_cast<float>(cast<quant::UniformQuantizedType>(filter).getScale());
}

firmware::Rescale ChannelRescales::operator[](size_t channel) const {
  if (numerics_.explicitly)
    return rescaleOf(numerics_.explicitly, channel, hasWideSums_);
  float weight = scaleOf(filter_, channel);
  return numerics_.floatScales || !filter_.isSigned() ? kernels::prepareConvPerTensor(input_, weight, output_)
                                                      : kernels::prepareConvPerChannel(input_, weight, output_);
}

size_t ChannelRescales::count() const {
  if (numerics_.explicitly)
    return numerics_.explicitly.getMultipliers().size();
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(filter_);
  return perAxis ? perAxis.getScales().size() : 1;
}

kernels::AddRescales rescalesOfSum(nn::NumericsAttr numerics, Value lhs, Value rhs, Value result) {
  if (numerics.isExplicit())
    return {static_cast<uint32_t>(numerics.getLeft()), rescaleOf(numerics, 0), rescaleOf(numerics, 1),
            rescaleOf(numerics, 2)};
  // Both inputs are converted to twice the larger scale.
  const Quantization a = quantizationOf(lhs), b = quantizationOf(rhs), out = quantizationOf(result);
  return numerics.getKind() == nn::Numerics::ShiftScales ? kernels::prepareShiftedAdd(a.scale, b.scale, out.scale)
                                                         : kernels::prepareAdd(out.type, a.scale, b.scale, out.scale);
}

firmware::Rescale rescaleOfProduct(nn::MulOp op) {
  return op.getNumerics().isExplicit()
             ? rescaleOf(op.getNumerics(), 0)
             : kernels::prepareMul(scaleOf(op.getLhs()), scaleOf(op.getRhs()), scaleOf(op.getOutput()));
}

firmware::Rescale rescaleOfMean(nn::MeanOp op) {
  if (op.getNumerics().isExplicit())
    return rescaleOf(op.getNumerics(), 0);
  const int64_t count = tensorOf(op.getInput()).getNumElements() / tensorOf(op.getOutput()).getNumElements();
  const auto mean = kernels::prepareMean(scaleOf(op.getInput()), scaleOf(op.getOutput()), count);
  return {mean.multiplier, mean.shift};
}

} // namespace avocet::compiler

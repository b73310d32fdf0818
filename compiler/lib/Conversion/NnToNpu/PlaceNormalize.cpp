//===- PlaceNormalize.cpp - Normalisations on the vector DSP -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "avocet/kernels/dsp/Normalize.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

kernels::AxisExtents extentsOf(ArrayRef<int64_t> shape, int64_t axis) {
  auto product = [](ArrayRef<int64_t> extents) { return static_cast<uint32_t>(llvm::product_of(extents, int64_t(1))); };
  return {product(shape.take_front(axis)), static_cast<uint32_t>(shape[axis]), product(shape.drop_front(axis + 1))};
}

template <typename Op> kernels::AxisExtents extentsOf(Op op) {
  return extentsOf(tensorOf(op.getInput()).getShape(), op.positiveAxis());
}

/// One dense operand and result under a kernel of lines.
template <typename Parameters>
LogicalResult placeLines(Operation *op, StringRef kernel, const Parameters &parameters, Placement &placement) {
  Value input = op->getOperand(0), output = op->getResult(0);
  Placement::Dsp dsp;
  dsp.kernel = kernel;
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputs = {placement.operand(input)};
  dsp.inputZeroPoints = {quantizationOf(input).zeroPoint};
  dsp.results = {storageType(tensorOf(output))};
  dsp.resultZeroPoints = {quantizationOf(output).zeroPoint};
  FailureOr<npu::DspOp> lines = placement.dsp(op, dsp);
  return failed(lines) ? failure() : placement.finish(op, lines->getResult(0));
}

LogicalResult placeLogSoftmax(nn::LogSoftmaxOp op, Placement &placement) {
  return placeLines(op, "logSoftmax", kernels::LogSoftmaxParameters{extentsOf(op), op.getBeta().convertToFloat()},
                    placement);
}

LogicalResult placeL2Normalize(nn::L2NormalizeOp op, Placement &placement) {
  return placeLines(op, "l2Normalize", kernels::L2NormalizeParameters{extentsOf(op)}, placement);
}

LogicalResult placeLocalResponse(nn::LocalResponseNormalizeOp op, Placement &placement) {
  kernels::LocalResponseParameters parameters{extentsOf(op), op.getRadius(), op.getBias().convertToFloat(),
                                              op.getAlpha().convertToFloat(), op.getBeta().convertToFloat()};
  return placeLines(op, "localResponse", parameters, placement);
}

/// The lines of an image's channel run over its pixels.
LogicalResult placeInstanceNormalize(nn::InstanceNormalizeOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getInput()).getShape();
  kernels::InstanceNormalizeParameters parameters{extentsOf({shape[0], shape[1] * shape[2], shape[3]}, 1),
                                                  op.getGamma().convertToFloat(), op.getBeta().convertToFloat(),
                                                  op.getEpsilon().convertToFloat()};
  return placeLines(op, "instanceNormalize", parameters, placement);
}

/// Along the last axis and without f16, the kernel that takes rows as they come.
bool isRowWise(nn::SoftmaxOp op) {
  auto input = tensorOf(op.getInput());
  return op.positiveAxis() == input.getRank() - 1 && !input.getElementType().isF16();
}

LogicalResult placeRowWiseSoftmax(nn::SoftmaxOp op, const kernels::SoftmaxParameters &parameters,
                                  Placement &placement) {
  Placement::Dsp dsp;
  dsp.kernel = "softmax";
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputs = {placement.operand(op.getInput())};
  dsp.inputZeroPoints = {quantizationOf(op.getInput()).zeroPoint};
  dsp.results = {storageType(tensorOf(op.getOutput()))};
  dsp.resultZeroPoints = {quantizationOf(op.getOutput()).zeroPoint};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> softmax = placement.dsp(op, dsp);
  return failed(softmax) ? failure() : placement.finish(op, softmax->getResult(0));
}

LogicalResult placeSoftmax(nn::SoftmaxOp op, Placement &placement) {
  kernels::SoftmaxParameters parameters;
  parameters.beta = op.getBeta().convertToFloat();
  if (isa<quant::QuantizedType>(tensorOf(op.getInput()).getElementType())) {
    if (!std::isfinite(parameters.beta) || parameters.beta <= 0)
      return placement.refuse(op, "beta", "is positive", std::to_string(parameters.beta));
    parameters = kernels::prepareSoftmax(parameters.beta, quantizationOf(op.getInput()).scale);
  }
  if (isRowWise(op))
    return placeRowWiseSoftmax(op, parameters, placement);
  return placeLines(op, "softmaxNd", kernels::SoftmaxNdParameters{extentsOf(op), parameters}, placement);
}

} // namespace

void addNormalizePlacers(PlacerTable &table) {
  table.add(placeSoftmax);
  table.add(placeLogSoftmax);
  table.add(placeL2Normalize);
  table.add(placeLocalResponse);
  table.add(placeInstanceNormalize);
}

} // namespace avocet::compiler

//===- PlaceNormalize.cpp - Normalizations on the vector DSP -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageRows.h"
#include "Placement.h"

#include "avocet/compiler/Dialect/Nn/NnStored.h"
#include "avocet/compiler/Support/Refusal.h"
#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Normalize.h"
#include "avocet/kernels/dsp/Scan.h"
#include "avocet/kernels/dsp/Softmax.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

kernels::AxisExtents extentsOf(ArrayRef<int64_t> shape, int64_t axis) {
  auto product = [](ArrayRef<int64_t> extents) { return static_cast<uint32_t>(llvm::product_of(extents, int64_t(1))); };
  return {product(shape.take_front(axis)), static_cast<uint32_t>(shape[axis]), product(shape.drop_front(axis + 1))};
}

/// Along the last axis, every pixel of the storage is a line.
template <typename Op> kernels::AxisExtents extentsOf(Op op) {
  ArrayRef<int64_t> shape = tensorOf(op.getInput()).getShape();
  if (op.positiveAxis() == static_cast<int64_t>(shape.size()) - 1)
    return {0, static_cast<uint32_t>(shape.back()), 1};
  return extentsOf(shape, op.positiveAxis());
}

/// Places a kernel with one operand and one result.
LogicalResult placeKernel(Operation *op, kernels::KernelId kernel, std::vector<uint32_t> parameters, bool rowWise,
                          Placement &placement) {
  Value input = op->getOperand(0), output = op->getResult(0);
  const auto [storage, result] =
      rowWise ? inRows(op, placement) : InRows{placement.operand(input), storageType(tensorOf(output))};
  Placement::Dsp dsp;
  dsp.kernel = kernel;
  dsp.parameters = std::move(parameters);
  dsp.inputs = {storage};
  dsp.inputZeroPoints = {quantizationOf(input).zeroPoint};
  dsp.results = {result};
  dsp.resultZeroPoints = {quantizationOf(output).zeroPoint};
  dsp.rowWise = rowWise;
  FailureOr<npu::DspOp> placed = placement.dsp(op, dsp);
  return failed(placed) ? failure() : placement.finish(op, placed->getResult(0));
}

/// Places a kernel that works on lines; row by row if the lines are pixels.
template <typename Parameters>
LogicalResult placeLines(Operation *op, kernels::KernelId kernel, const Parameters &parameters, Placement &placement) {
  return placeKernel(op, kernel, kernels::packParameters(parameters), parameters.extents.linesArePixels(), placement);
}

LogicalResult refuseBeta(Operation *op, float beta, Placement &placement) {
  return placement.refuse(op, "beta", "is positive", roundedText(beta));
}

LogicalResult placeLogSoftmax(nn::LogSoftmaxOp op, Placement &placement) {
  kernels::LogSoftmaxParameters parameters{extentsOf(op), op.getBeta().convertToFloat()};
  if (isQuantized(op.getInput())) {
    if (!std::isfinite(parameters.beta) || parameters.beta <= 0)
      return refuseBeta(op, parameters.beta, placement);
    parameters.beta *= quantizationOf(op.getInput()).scale;
  }
  return placeLines(op, kernels::kLogSoftmaxKernel, parameters, placement);
}

LogicalResult placeL2Normalize(nn::L2NormalizeOp op, Placement &placement) {
  return placeLines(op, kernels::kL2NormalizeKernel, kernels::L2NormalizeParameters{extentsOf(op)}, placement);
}

LogicalResult placeRmsNormalize(nn::RmsNormalizeOp op, Placement &placement) {
  const kernels::RmsNormalizeParameters parameters{extentsOf(op), op.getEpsilon().convertToFloat()};
  return placeLines(op, kernels::kRmsNormalizeKernel, parameters, placement);
}

LogicalResult placeLocalResponse(nn::LocalResponseNormalizeOp op, Placement &placement) {
  kernels::LocalResponseParameters parameters{extentsOf(op), op.getRadius(), op.getBias().convertToFloat(),
                                              op.getAlpha().convertToFloat(), op.getBeta().convertToFloat()};
  return placeLines(op, kernels::kLocalResponseKernel, parameters, placement);
}

LogicalResult placeCumulativeSum(nn::CumulativeSumOp op, Placement &placement) {
  const kernels::CumulativeSumParameters parameters{extentsOf(op), op.getExclusive(), op.getReverse()};
  return placeLines(op, kernels::kCumulativeSumKernel, parameters, placement);
}

/// Images of one channel as pixels, whose channels are the line: a command may then be cut between images, and its rows
/// are those of images, not of single elements.
LogicalResult placeSingleChannels(nn::InstanceNormalizeOp op, kernels::InstanceNormalizeParameters parameters,
                                  Placement &placement) {
  const auto type = tensorOf(op.getInput());
  const int64_t images = type.getShape()[0], line = type.getNumElements() / images;
  parameters.extents = {0, static_cast<uint32_t>(line), 1};
  const Value pixels = placement.view(op->getLoc(), placement.operand(op.getInput()), {1, images, line});
  const StorageShape shape = shapeInRows(pixels, {1, images, line}, placement);
  Placement::Dsp dsp;
  dsp.kernel = kernels::kInstanceNormalizeKernel;
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputs = {placement.view(op->getLoc(), pixels, shape)};
  dsp.inputZeroPoints = {0};
  dsp.results = {storageType(shape, storageElement(type.getElementType()))};
  dsp.resultZeroPoints = {0};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> placed = placement.dsp(op, dsp);
  return failed(placed) ? failure() : placement.finish(op, placed->getResult(0));
}

/// Whether a quarter of the SRAM holds one line, so that the commands of several lines can overlap. Longer ones are
/// read in sections.
bool hasShortLines(nn::InstanceNormalizeOp op, Placement &placement) {
  const auto type = tensorOf(op.getInput());
  const int64_t elements = type.getNumElements() / type.getShape()[0];
  return elements <= static_cast<int64_t>(placement.target().sram().bytes) / 4 / (type.getElementTypeBitWidth() / 8);
}

/// A line of instance normalization is one channel of one image, over all its pixels.
LogicalResult placeInstanceNormalize(nn::InstanceNormalizeOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getInput()).getShape();
  kernels::InstanceNormalizeParameters parameters{extentsOf({shape[0], shape[1] * shape[2], shape[3]}, 1),
                                                  op.getGamma().convertToFloat(), op.getBeta().convertToFloat(),
                                                  op.getEpsilon().convertToFloat()};
  if (shape[3] == 1 && hasShortLines(op, placement))
    return placeSingleChannels(op, parameters, placement);
  return placeLines(op, kernels::kInstanceNormalizeKernel, parameters, placement);
}

/// Whether the softmax is along the last axis and of a type for which a separate kernel exists.
bool hasPixelKernel(nn::SoftmaxOp op) {
  return extentsOf(op).linesArePixels() && !tensorOf(op.getInput()).getElementType().isF16();
}

void setResultFactor(kernels::SoftmaxParameters &parameters, const Quantization &result) {
  const firmware::Rescale factor = kernels::quantizeMultiplier(1.0 / result.scale);
  parameters.resultMultiplier = factor.multiplier;
  parameters.resultShift = factor.shift;
  parameters.resultZero = result.zeroPoint;
}

LogicalResult placeSoftmax(nn::SoftmaxOp op, Placement &placement) {
  kernels::SoftmaxParameters parameters;
  parameters.beta = op.getBeta().convertToFloat();
  if (isQuantized(op.getInput())) {
    if (!std::isfinite(parameters.beta) || parameters.beta <= 0)
      return refuseBeta(op, parameters.beta, placement);
    Quantization input = quantizationOf(op.getInput());
    parameters = input.type == firmware::DataType::Int16 ? kernels::prepareWideSoftmax(parameters.beta, input.scale)
                                                         : kernels::prepareSoftmax(parameters.beta, input.scale);
    if (op->hasAttr(nn::kNearestAttr))
      setResultFactor(parameters, quantizationOf(op.getOutput()));
  }
  if (hasPixelKernel(op))
    return placeKernel(op, kernels::kSoftmaxKernel, kernels::packParameters(parameters), /*rowWise=*/true, placement);
  return placeLines(op, kernels::kSoftmaxNdKernel, kernels::SoftmaxNdParameters{extentsOf(op), parameters}, placement);
}

} // namespace

void addNormalizePlacers(PlacerTable &table) {
  table.add(placeSoftmax);
  table.add(placeLogSoftmax);
  table.add(placeL2Normalize);
  table.add(placeLocalResponse);
  table.add(placeInstanceNormalize);
  table.add(placeRmsNormalize);
  table.add(placeCumulativeSum);
}

} // namespace avocet::compiler

//===- ExportReductions.cpp - Reductions and softmax ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaExport.h"

#include "Conversion/NnToNpu/ExplicitNumerics.h"
#include "Conversion/TosaToNn/SoftmaxSteps.h"

#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Softmax.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// One axis after the other, each with extent 1 in the result.
template <typename TosaOp> Value reduced(ExportedOperation &op, Value value, ArrayRef<int64_t> axes) {
  for (int64_t axis : axes) {
    SmallVector<int64_t> extents(shapeOf(value));
    extents[axis] = 1;
    value = op.create<TosaOp>(elementOf(value), extents, value, static_cast<uint32_t>(axis));
  }
  return value;
}

Value reduced(ExportedOperation &op, nn::ReduceOp source, Value value) {
  const ArrayRef<int64_t> axes = source.getAxes();
  switch (source.getKind()) {
  case nn::ReduceKind::Sum:
    return reduced<tosa::ReduceSumOp>(op, value, axes);
  case nn::ReduceKind::Prod:
    return reduced<tosa::ReduceProductOp>(op, value, axes);
  case nn::ReduceKind::Max:
    return reduced<tosa::ReduceMaxOp>(op, value, axes);
  case nn::ReduceKind::Min:
    return reduced<tosa::ReduceMinOp>(op, value, axes);
  case nn::ReduceKind::All:
    return reduced<tosa::ReduceAllOp>(op, value, axes);
  case nn::ReduceKind::Any:
    return reduced<tosa::ReduceAnyOp>(op, value, axes);
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult exportReduce(ExportedOperation &op, nn::ReduceOp source) {
  const bool isExtreme = source.getKind() == nn::ReduceKind::Max || source.getKind() == nn::ReduceKind::Min;
  if (isQuantized(source.getInput()) && (!isExtreme || elementOf(source.getInput()) != elementOf(op.result())))
    return op.refuse("input", "plain numbers, or maxima and minima in the type of the result",
                     llvm::to_string(elementOf(source.getInput())));
  if (source.getKind() == nn::ReduceKind::Prod && !isa<FloatType>(elementOf(source.getInput())))
    return op.refuse("input", "floats", llvm::to_string(elementOf(source.getInput())));
  Value input = op.operand();
  return input ? op.finish(reduced(op, source, input)) : failure();
}

/// Sums of the numbers without their zero point, times a multiplier that divides them by their number too.
LogicalResult exportMean(ExportedOperation &op, nn::MeanOp source) {
  const int64_t count = tensorOf(source.getInput()).getNumElements() / tensorOf(op.result()).getNumElements();
  if (isQuantized(source.getInput())) {
    Value sums = op.centred(source.getInput());
    if (!sums)
      return failure();
    const kernels::MeanParameters mean =
        kernels::prepareMean(quantizationOf(source.getInput()).scale, quantizationOf(op.result()).scale, count);
    const firmware::Rescale rescale = source.getNumerics().isExplicit()
                                          ? rescaleOf(source.getNumerics(), 0)
                                          : firmware::Rescale{mean.multiplier, mean.shift};
    return op.finishRescaled(reduced<tosa::ReduceSumOp>(op, sums, source.getAxes()), op.factorsOf(rescale));
  }
  Value input = op.operand();
  if (!input)
    return failure();
  if (!isa<FloatType>(elementOf(input)))
    return op.refuse("input", "quantised numbers or floats", llvm::to_string(elementOf(input)));
  Value sums = reduced<tosa::ReduceSumOp>(op, input, source.getAxes());
  return op.finish(
      op.multiply(sums, op.number(elementOf(sums), 1.0 / static_cast<double>(count), shapeOf(sums).size())));
}

/// The smallest number is the largest one of the complements.
LogicalResult exportArgReduce(ExportedOperation &op, nn::ArgReduceOp source) {
  Value input = op.operand();
  const Type element = op.resultElement();
  if (!input || !element)
    return failure();
  const Type from = elementOf(input);
  if (from.isInteger(32))
    return op.refuse("input", "floats, or numbers of 8 or 16 bits", "i32");
  if (source.getKind() == nn::ArgReduceKind::Min) {
    Value zero = op.number(from, 0);
    input = isa<FloatType>(from) ? op.like<tosa::NegateOp>(input, zero, zero) : op.like<tosa::BitwiseNotOp>(input);
  }
  SmallVector<int64_t> extents(shapeOf(input));
  extents.erase(extents.begin() + static_cast<ptrdiff_t>(source.getAxis()));
  return op.finish(op.create<tosa::ArgMaxOp>(element, extents, input, static_cast<uint32_t>(source.getAxis())));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// beta * x less its maximum along the axis.
template <typename Op> Value scaledDifference(ExportedOperation &op, Op source, Value x) {
  Value largest = reduced<tosa::ReduceMaxOp>(op, x, {source.positiveAxis()});
  Value difference = op.pair<tosa::SubOp>(x, largest);
  return op.multiply(difference, op.number(elementOf(x), source.getBeta().convertToDouble(), shapeOf(x).size()));
}

LogicalResult finishFloat(ExportedOperation &op, nn::SoftmaxOp source, Value x) {
  Value e = op.like<tosa::ExpOp>(scaledDifference(op, source, x));
  Value sum = reduced<tosa::ReduceSumOp>(op, e, {source.positiveAxis()});
  return op.finish(op.multiply(e, op.like<tosa::ReciprocalOp>(sum)));
}

LogicalResult finishFloat(ExportedOperation &op, nn::LogSoftmaxOp source, Value x) {
  Value difference = scaledDifference(op, source, x);
  Value sum = reduced<tosa::ReduceSumOp>(op, op.like<tosa::ExpOp>(difference), {source.positiveAxis()});
  return op.finish(op.pair<tosa::SubOp>(difference, op.like<tosa::LogOp>(sum)));
}

template <typename Op> LogicalResult exportFloat(ExportedOperation &op, Op source) {
  if (!isa<FloatType>(elementOf(source.getInput())))
    return op.refuse("input", "floats", llvm::to_string(elementOf(source.getInput())));
  Value input = op.operand();
  return input ? finishFloat(op, source, input) : failure();
}

LogicalResult exportSoftmax(ExportedOperation &op, nn::SoftmaxOp source) {
  if (!isQuantized(source.getInput()))
    return exportFloat(op, source);
  Value input = op.operand();
  const Type element = op.resultElement();
  if (!input || !element)
    return failure();
  if (!elementOf(input).isInteger(8) || !element.isInteger(8))
    return op.refuse("input and result", "8 bits", llvm::to_string(elementOf(op.result())));
  if (const int64_t extent = shapeOf(input)[source.positiveAxis()]; extent > kMostSoftmaxElements)
    return op.refuse("input", "elements along the axis", Twine(extent), Twine(kMostSoftmaxElements));
  const auto parameters =
      kernels::prepareSoftmax(source.getBeta().convertToFloat(), quantizationOf(source.getInput()).scale);
  return op.finish(softmaxSteps(op.builder(), source.getLoc(), input, source.positiveAxis(),
                                kernels::softmaxExponentials(parameters)));
}

constexpr TosaExporter kExporters[] = {
    kExports<exportArgReduce>, kExports<exportFloat<nn::LogSoftmaxOp>>, kExports<exportMean>, kExports<exportReduce>,
    kExports<exportSoftmax>,
};

} // namespace

ArrayRef<TosaExporter> reductionExporters() { return kExporters; }

} // namespace avocet::compiler

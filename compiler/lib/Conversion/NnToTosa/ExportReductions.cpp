//===- ExportReductions.cpp - Reductions and softmax ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaExport.h"

#include "Conversion/NnToNpu/LayerNumerics.h"
#include "Conversion/TosaToNn/SoftmaxSteps.h"

#include "avocet/compiler/Dialect/Nn/NnStored.h"
#include "avocet/kernels/dsp/Softmax.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// One axis after the other, each with extent 1 in the result.
template <typename TosaOp> Value reduced(ExportedOperation &op, Value value, ArrayRef<int64_t> axes) {
  for (int64_t axis : axes)
    value = op.reduce<TosaOp>(value, axis);
  return value;
}

constexpr std::pair<nn::ReduceKind, Value (*)(ExportedOperation &op, Value value, ArrayRef<int64_t> axes)>
    kReductions[] = {
        {nn::ReduceKind::All, reduced<tosa::ReduceAllOp>},      {nn::ReduceKind::Any, reduced<tosa::ReduceAnyOp>},
        {nn::ReduceKind::Max, reduced<tosa::ReduceMaxOp>},      {nn::ReduceKind::Min, reduced<tosa::ReduceMinOp>},
        {nn::ReduceKind::Prod, reduced<tosa::ReduceProductOp>}, {nn::ReduceKind::Sum, reduced<tosa::ReduceSumOp>},
};

LogicalResult exportReduce(ExportedOperation &op, nn::ReduceOp source) {
  const bool isExtreme = source.getKind() == nn::ReduceKind::Max || source.getKind() == nn::ReduceKind::Min;
  if (isQuantized(source.getInput()) && (!isExtreme || elementOf(source.getInput()) != elementOf(op.result())))
    return op.refuse("input", "plain numbers, or maxima and minima in the type of the result",
                     llvm::to_string(elementOf(source.getInput())));
  if (source.getKind() == nn::ReduceKind::Prod && !isa<FloatType>(elementOf(source.getInput())))
    return op.refuse("input", "floats", llvm::to_string(elementOf(source.getInput())));
  const auto *row = llvm::find_if(kReductions, [&](const auto &each) { return each.first == source.getKind(); });
  return op.finish(row->second(op, op.operand(), source.getAxes()));
}

/// Sums of the numbers without their zero point, times a multiplier that divides them by their number too.
LogicalResult exportMean(ExportedOperation &op, nn::MeanOp source) {
  if (isQuantized(source.getInput())) {
    Value sums = reduced<tosa::ReduceSumOp>(op, op.centered(source.getInput()), source.getAxes());
    return op.finishRescaled(sums, op.factorsOf(rescaleOfMean(source), roundingOf(source.getNumerics())));
  }
  if (!isa<FloatType>(elementOf(source.getInput())))
    return op.refuse("input", "quantized numbers or floats", llvm::to_string(elementOf(source.getInput())));
  const int64_t count = tensorOf(source.getInput()).getNumElements() / tensorOf(op.result()).getNumElements();
  Value sums = reduced<tosa::ReduceSumOp>(op, op.operand(), source.getAxes());
  return op.finish(op.multiply(sums, op.numberLike(sums, 1.0 / static_cast<double>(count))));
}

/// The smallest number is the largest one of the complements.
LogicalResult exportArgReduce(ExportedOperation &op, nn::ArgReduceOp source) {
  Value input = op.operand();
  if (!input)
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
  return op.finish(
      op.create<tosa::ArgMaxOp>(op.resultElement(), extents, input, static_cast<uint32_t>(source.getAxis())));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// The exponentials of beta * x less its maximum along the axis, over their sum, or the logarithms of these.
template <typename Op> LogicalResult exportFloat(ExportedOperation &op, Op source) {
  if (!isa<FloatType>(elementOf(source.getInput())))
    return op.refuse("input", "floats", llvm::to_string(elementOf(source.getInput())));
  Value x = op.operand();
  Value difference = op.pair<tosa::SubOp>(x, op.reduce<tosa::ReduceMaxOp>(x, source.positiveAxis()));
  difference = op.multiply(difference, op.numberLike(x, source.getBeta().convertToDouble()));
  Value e = op.like<tosa::ExpOp>(difference), sum = op.reduce<tosa::ReduceSumOp>(e, source.positiveAxis());
  return op.finish(std::is_same_v<Op, nn::SoftmaxOp> ? op.multiply(e, op.like<tosa::ReciprocalOp>(sum))
                                                     : op.pair<tosa::SubOp>(difference, op.like<tosa::LogOp>(sum)));
}

LogicalResult exportSoftmax(ExportedOperation &op, nn::SoftmaxOp source) {
  if (!isQuantized(source.getInput()))
    return exportFloat(op, source);
  Value input = op.operand();
  const Type element = op.resultElement();
  if (!input || !element)
    return failure();
  if (source->hasAttr(nn::kNearestAttr))
    return op.refuse("result", "scale 1/256", llvm::to_string(elementOf(op.result())));
  if (!elementOf(input).isInteger(8) || !element.isInteger(8))
    return op.refuse("input and result", "8 bits", llvm::to_string(elementOf(op.result())));
  if (const int64_t extent = shapeOf(input)[source.positiveAxis()]; extent > kMostSoftmaxElements)
    return op.refuse("input", "elements along the axis", Twine(extent), Twine(kMostSoftmaxElements));
  const auto parameters =
      kernels::prepareSoftmax(source.getBeta().convertToFloat(), quantizationOf(source.getInput()).scale);
  return op.finish(softmaxSteps(op, input, source.positiveAxis(), kernels::softmaxExponentials(parameters)));
}

constexpr TosaExporter kExporters[] = {
    kConverts<exportArgReduce>, kConverts<exportFloat<nn::LogSoftmaxOp>>,
    kConverts<exportMean>,      kConverts<exportReduce>,
    kConverts<exportSoftmax>,
};

} // namespace

ArrayRef<TosaExporter> reductionExporters() { return kExporters; }

} // namespace avocet::compiler

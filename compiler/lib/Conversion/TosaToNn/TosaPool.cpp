//===- TosaPool.cpp - Pools --------------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "TosaNumbers.h"

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Elements.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Maxima are those of the stored integers, whatever the zero point.
LogicalResult convertMaxPool(TosaOperation &op, tosa::MaxPool2dOp source) {
  Value input = op.computed(0);
  if (input && isa<IntegerType>(elementOf(input)))
    input = op.quantized(0, 0);
  // A window of nothing but NaN gives the lowest finite number.
  if (const auto type = dyn_cast<FloatType>(op.operandType(0).getElementType()))
    input = withoutNan(op, input, source.getNanMode(),
                       llvm::APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true).convertToDouble());
  if (!input)
    return failure();
  return op.finish(createAs<nn::MaxPool2dOp>(op, elementOf(input), input, source.getKernel(), source.getStride(),
                                             source.getPad(), nn::Activation::kNone));
}

template <typename Source> Value averagePool(TosaOperation &op, Source source, Value input) {
  return createAs<nn::AveragePool2dOp>(op, input ? elementOf(input) : Type(), input, source.getKernel(),
                                       source.getStride(), source.getPad(), nn::Activation::kNone, /*centred=*/false);
}

/// The specification multiplies sums by a reciprocal that is up to 2^-30 too large. For windows below this number of
/// elements the result is the mean with halves away from zero: the error stays below the distance of means from halves.
int64_t mostElements(Type element) { return element.isInteger(8) ? int64_t(1) << 20 : int64_t(1) << 13; }

/// The mean of the differences from the zero point, plus that of the result.
LogicalResult convertCentredPool(TosaOperation &op, tosa::AvgPool2dOp source, int64_t from, int64_t to) {
  Builder &builder = op.builder();
  const auto number = [&](Value like, int64_t value) {
    return filled(op, RankedTensorType::get({1, 1, 1, 1}, elementOf(like)),
                  builder.getIntegerAttr(elementOf(like), value));
  };
  Value wide = castTo(op, op.value(0, "input"), builder.getI32Type());
  if (!wide)
    return failure();
  const Type i16 = builder.getI16Type();
  const Type q16 = QuantizedStorage{16, true}.perTensor(i16.getContext(), 1.0, 0);
  Value centred = castTo(op, subtract(op, wide, number(wide, from)), i16);
  Value mean = centred ? averagePool(op, source, create<nn::BitcastOp>(op, centred, q16)) : Value();
  Value stored = mean ? castTo(op, create<nn::BitcastOp>(op, mean, i16), elementOf(wide)) : Value();
  return stored ? finish<nn::CastOp>(op, add(op, stored, number(stored, to)), /*wraps=*/false) : failure();
}

LogicalResult convertAveragePool(TosaOperation &op, tosa::AvgPool2dOp source) {
  Value input = op.computed(0);
  FailureOr<int64_t> from = op.integer(1, "zero point"), to = op.integer(2, "zero point");
  if (!input || failed(from) || failed(to))
    return failure();
  const Type element = op.operandType(0).getElementType();
  if (isa<FloatType>(element))
    return op.finish(averagePool(op, source, input));
  const int64_t elements = source.getKernel()[0] * source.getKernel()[1];
  if (elements > mostElements(element))
    return op.refuse("kernel", "elements", Twine(elements), Twine(mostElements(element)));
  if (*from != 0 || *to != 0)
    return convertCentredPool(op, source, *from, *to);
  return op.finish(averagePool(op, source, op.quantized(0, 0)));
}

constexpr TosaConverter kConverters[] = {kConverts<convertAveragePool>, kConverts<convertMaxPool>};

} // namespace

ArrayRef<TosaConverter> tosaPoolConverters() { return kConverters; }

} // namespace avocet::compiler

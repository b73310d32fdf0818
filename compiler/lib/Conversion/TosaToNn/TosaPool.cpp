//===- TosaPool.cpp - Pools --------------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "TosaNumbers.h"

#include "Import/Common/Elements.h"
#include "Import/Common/Formula.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Maxima are those of the stored integers, whatever the zero point.
LogicalResult convertMaxPool(TosaOperation &op, tosa::MaxPool2dOp source) {
  Value input = op.computed(0);
  if (input && isa<IntegerType>(elementOf(input)))
    input = op.quantized(0u);
  // A window of nothing but NaN gives the lowest finite number.
  if (const auto type = dyn_cast<FloatType>(op.operandElement(0)))
    input = withoutNan(op, input, source.getNanMode(),
                       llvm::APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true).convertToDouble());
  return input ? op.finish(createAs<nn::MaxPool2dOp>(op, elementOf(input), input, source.getKernel(),
                                                     source.getStride(), source.getPad(), nn::Activation::kNone))
               : failure();
}

template <typename Source> Value averagePool(TosaOperation &op, Source source, Value input) {
  return createAs<nn::AveragePool2dOp>(op, input ? elementOf(input) : Type(), input, source.getKernel(),
                                       source.getStride(), source.getPad(), nn::Activation::kNone, /*centered=*/false);
}

/// The specification multiplies sums by a reciprocal that is up to 2^-30 too large. For windows below this number of
/// elements the result is the mean with halves away from zero: the error stays below the distance of means from halves.
int64_t mostElements(Type element) { return element.isInteger(8) ? int64_t(1) << 20 : int64_t(1) << 13; }

/// The mean of the differences from the zero point, plus that of the result.
LogicalResult convertCenteredPool(TosaOperation &op, tosa::AvgPool2dOp source, int64_t from, int64_t to) {
  const Type i16 = op.builder().getI16Type(), i32 = op.builder().getI32Type();
  const Type q16 = QuantizedStorage{16, true}.perTensor(i16.getContext(), 1.0, 0);
  Formula f(op, i32);
  Value centered = castTo(op, f.sub(castTo(op, op.value(0, "input"), i32), static_cast<double>(from)), i16);
  Value mean = averagePool(op, source, create<nn::BitcastOp>(op, centered, q16));
  Value stored = castTo(op, create<nn::BitcastOp>(op, mean, i16), i32);
  return finish<nn::CastOp>(op, f.add(stored, static_cast<double>(to)), /*wraps=*/false);
}

LogicalResult convertAveragePool(TosaOperation &op, tosa::AvgPool2dOp source) {
  FailureOr<int64_t> from = op.integer(1, "zero point"), to = op.integer(2, "zero point");
  if (failed(from) || failed(to))
    return failure();
  const Type element = op.operandElement(0);
  if (isa<FloatType>(element))
    return op.finish(averagePool(op, source, op.computed(0)));
  const int64_t elements = source.getKernel()[0] * source.getKernel()[1];
  if (elements > mostElements(element))
    return op.refuse("kernel", "elements", Twine(elements), Twine(mostElements(element)));
  return *from == 0 && *to == 0 ? op.finish(averagePool(op, source, op.quantized(0u)))
                                : convertCenteredPool(op, source, *from, *to);
}

constexpr TosaConverter kConverters[] = {kConverts<convertAveragePool>, kConverts<convertMaxPool>};

} // namespace

ArrayRef<TosaConverter> tosaPoolConverters() { return kConverters; }

} // namespace avocet::compiler

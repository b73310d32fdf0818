//===- Formula.cpp - Values from formulas -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formula.h"

#include "Constants.h"
#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {

Type computedElement(ImportedOperation &op, Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer && integer.getWidth() > 1 && integer.getWidth() < 32 ? op.builder().getI32Type() : element;
}

Value Formula::constant(double number) { return filled(op_, {}, element_, number); }

Value Formula::div(Value a, Value b) {
  return createPair<nn::DivOp>(op_, a, b, nn::Activation::kNone, /*truncates=*/isa<IntegerType>(element_));
}

Value Formula::apply(nn::UnaryKind kind, Value x, float alpha) {
  return x ? createAs<nn::UnaryOp>(op_, element_, x, kind, APFloat(alpha)) : x;
}

Value Formula::root(Value x) {
  if (isa<FloatType>(element_))
    return apply(nn::UnaryKind::Sqrt, x);
  const Type f32 = op_.builder().getF32Type();
  return castTo(op_, Formula(op_, f32).root(castTo(op_, x, f32)), element_);
}

Value Formula::norm(Value x, int64_t p, llvm::function_ref<Value(Value)> sum) {
  if (p == 2)
    return root(sum(mul(x, x)));
  Value magnitudes = apply(nn::UnaryKind::Abs, x);
  if (p == 1)
    return sum(magnitudes);
  const auto power = static_cast<double>(p);
  return createPair<nn::PowOp>(op_, sum(createPair<nn::PowOp>(op_, magnitudes, constant(power))), constant(1 / power));
}

Value Formula::compare(Value a, nn::CompareKind kind, Value b) {
  return a && b ? createAs<nn::CompareOp>(op_, op_.builder().getI1Type(), a, b, kind) : Value();
}

Value Formula::select(Value condition, Value a, Value b) {
  if (!condition || !a || !b)
    return {};
  BrokenRule errors(op_);
  FailureOr<nn::Shape> shape = nn::broadcastShape(shapeOf(a), shapeOf(b), errors);
  if (succeeded(shape))
    shape = nn::broadcastShape(shapeOf(condition), *shape, errors);
  if (failed(shape))
    return errors.report();
  condition = broadcastTo(op_, condition, *shape);
  a = broadcastTo(op_, a, *shape);
  b = broadcastTo(op_, b, *shape);
  return condition && a && b ? createAs<nn::SelectOp>(op_, elementOf(a), condition, a, b) : Value();
}

Value Formula::reduce(nn::ReduceKind kind, Value x, ArrayRef<int64_t> axes, bool keep) {
  return x ? createAs<nn::ReduceOp>(op_, elementOf(x), x, kind, axes, keep) : x;
}

Value Formula::mean(Value x, ArrayRef<int64_t> axes, bool keep) {
  return x ? createAs<nn::MeanOp>(op_, elementOf(x), x, axes, keep) : x;
}

Normalized Formula::normalized(Value x, ArrayRef<int64_t> axes, float epsilon) {
  Value mean = this->mean(x, axes), centered = sub(x, mean);
  Value inverse = apply(nn::UnaryKind::Rsqrt, add(this->mean(mul(centered, centered), axes), epsilon));
  return {mul(centered, inverse), mean, inverse};
}

Value Formula::rmsNormalized(Value x, int64_t axis, float epsilon) {
  const size_t rank = shapeOf(x).size();
  if (axis + 1 == static_cast<int64_t>(rank))
    return createAs<nn::RmsNormalizeOp>(op_, element_, x, APFloat(epsilon), int64_t(-1));
  return mul(x, apply(nn::UnaryKind::Rsqrt, add(mean(mul(x, x), axesFrom(axis, rank)), epsilon)));
}

} // namespace avocet::compiler

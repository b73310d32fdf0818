//===- StoredNumbers.cpp - Integers with scales -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredNumbers.h"

#include "Axes.h"
#include "Constants.h"
#include "Elements.h"
#include "FoldedConstants.h"
#include "Formula.h"
#include "MatrixProduct.h"
#include "Moves.h"

#include "avocet/compiler/Dialect/Nn/NnStored.h"

using namespace mlir;

namespace avocet::compiler {

using nn::ReduceKind;
using nn::UnaryKind;

Type quantizedType(Type integer, const Scale &scale) {
  const QuantizedStorage storage{integer.getIntOrFloatBitWidth(), !integer.isUnsignedInteger()};
  return storage.perTensor(integer.getContext(), scale.scale, scale.zeroPoint);
}

Value asQuantized(ImportedOperation &op, Value value, const Scale &scale) {
  return value ? create<nn::BitcastOp>(op, value, quantizedType(elementOf(value), scale)) : value;
}

Value asStored(ImportedOperation &op, Value value) {
  if (!value)
    return {};
  const auto type = cast<quant::QuantizedType>(elementOf(value));
  return create<nn::BitcastOp>(op, value,
                               IntegerType::get(type.getContext(), type.getStorageTypeIntegralWidth(),
                                                type.isSigned() ? IntegerType::Signless : IntegerType::Unsigned));
}

Value dequantized(ImportedOperation &op, Value value, const Scale &scale) {
  Value quantized = asQuantized(op, value, scale);
  return quantized ? createAs<nn::DequantizeOp>(op, op.builder().getF32Type(), quantized) : quantized;
}

Value quantized(ImportedOperation &op, Value real, Type integer, const Scale &scale) {
  const auto halfEven = nn::NumericsAttr::get(op.builder().getContext(), nn::Numerics::HalfEven);
  return real ? asStored(op, createAs<nn::QuantizeOp>(op, quantizedType(integer, scale), real, FloatAttr(), halfEven))
              : real;
}

nn::NumericsAttr evenNumerics(ImportedOperation &op, ArrayRef<double> factors) {
  const nn::NumericsAttr numerics = nn::evenNumerics(op.builder().getContext(), factors);
  if (!numerics)
    op.refuse("scale", "quotient of scales", Twine(std::to_string(*llvm::max_element(factors))), "less than 2^29");
  return numerics;
}

Value rescaled(ImportedOperation &op, Value sums, ArrayRef<float> factors, Type integer, const Scale &scale) {
  const nn::NumericsAttr numerics = evenNumerics(op, SmallVector<double>(factors.begin(), factors.end()));
  return sums && numerics ? asStored(op, createAs<nn::RescaleOp>(op, quantizedType(integer, scale), sums, numerics))
                          : Value();
}

Value OffsetIntegers::sums(ImportedOperation &op, llvm::function_ref<Value(Value)> function) const {
  Value all = function(asQuantized(op, value, {1, zeroPoint}));
  if (!all || !computed)
    return all;
  Value ones = filled(op, shapeOf(value), elementOf(value), 1);
  return subtract(op, all, multiply(op, function(asQuantized(op, ones, {})), computed));
}

Value quantizedMatMul(ImportedOperation &op, Value a, Value b, Value bias, bool transposeA, bool transposeB,
                      llvm::function_ref<Value(Value)> last) {
  if (!a || !b)
    return {};
  return matMul(op, a, b, [&](Value lhs, Value rhs) {
    const Type i32 = op.builder().getI32Type();
    Value sums = matrixProduct(op, lhs, foldedIfConstant(op, rhs), transposeA, transposeB, bias, i32);
    return sums ? last(sums) : sums;
  });
}

Value integerMatMul(ImportedOperation &op, const OffsetIntegers &a, Value b, ArrayRef<int64_t> zeros) {
  const bool hasSeveral = !llvm::all_equal(zeros);
  if (!b || (hasSeveral && static_cast<int64_t>(zeros.size()) != shapeOf(b).back()))
    return b ? Value(op.malformed("has " + Twine(zeros.size()) + " zero points of b " + nn::textOf(shapeOf(b)))) : b;
  const auto same = [](Value sums) { return sums; };
  Value right = asQuantized(op, b, {1, hasSeveral ? 0 : zeros.front()});
  // Numbers of `a` are summed for the zero points of columns.
  Value sums = a.sums(op, [&](Value left) { return quantizedMatMul(op, left, right, {}, false, false, same); });
  if (!sums || !hasSeveral)
    return sums;
  const int64_t depth = shapeOf(b).size() == 1 ? shapeOf(b)[0] : shapeOf(b).end()[-2];
  Value ones = asQuantized(op, filled(op, {depth, 1}, elementOf(b), 1), {});
  Value rows = a.sums(op, [&](Value left) { return quantizedMatMul(op, left, ones, {}, false, false, same); });
  Value offsets = int32Constant(op, {static_cast<int64_t>(zeros.size())}, llvm::to_vector_of<int32_t>(zeros));
  return subtract(op, sums, multiply(op, rows, offsets));
}

DynamicallyQuantized dynamicallyQuantized(ImportedOperation &op, Value x) {
  const Type f32 = op.builder().getF32Type(), u8 = IntegerType::get(f32.getContext(), 8, IntegerType::Unsigned);
  const SmallVector<int64_t> axes = axesFrom(0, x ? shapeOf(x).size() : 0);
  Formula f(op, f32);
  const auto extreme = [&](ReduceKind kind) { return axes.empty() ? x : f.reduce(kind, x, axes, /*keep=*/false); };
  Value least = f.min(extreme(ReduceKind::Min), 0), range = f.sub(f.max(extreme(ReduceKind::Max), 0), least);
  Value scale = f.select(f.compare(range, nn::CompareKind::Equal, 0), f.constant(1), f.div(range, 255));
  const auto toByte = [&](Value real) { return castTo(op, f.min(f.max(real, 0), 255), u8); };
  Value zero = f.apply(UnaryKind::Round, f.min(f.max(f.sub(0, f.div(least, scale)), 0), 255));
  return {toByte(f.add(f.apply(UnaryKind::Round, f.div(x, scale)), zero)), scale, toByte(zero)};
}

Value spreadOver(ImportedOperation &op, Value numbers, Value x, int64_t axis, int64_t block) {
  if (!numbers || tensorOf(numbers).getNumElements() == 1)
    return numbers ? reshape(op, numbers, {}) : numbers;
  const ArrayRef<int64_t> of = shapeOf(x);
  SmallVector<int64_t> shape(shapeOf(numbers));
  if (block == 0) {
    if (shape.size() != 1 || shape[0] != of[axis])
      return op.malformed("has scales or zero points " + nn::textOf(shape) + " for " + Twine(of[axis]) +
                          " elements of axis " + Twine(axis));
    return alongAxis(op, numbers, of.size(), axis);
  }
  SmallVector<int64_t> expected(of);
  expected[axis] = (of[axis] + block - 1) / block;
  if (shape != expected)
    return op.malformed("has scales or zero points " + nn::textOf(shape) + ", blocks need " + nn::textOf(expected));
  shape[axis] *= block;
  Value repeated = tile(op, withAxis(op, numbers, axis + 1), lineShape(shape.size() + 1, axis + 1, block));
  return partOf(op, reshape(op, repeated, shape), axis, 0, of[axis]);
}

static int64_t numberIn(ArrayRef<char> bytes, int64_t start, int64_t index, int64_t bits) {
  const int64_t bit = index * bits;
  return static_cast<uint8_t>(bytes[start + bit / 8]) >> (bit % 8) & ((1 << bits) - 1);
}

float PackedWeights::at(int64_t row, int64_t column) const {
  const int64_t index = row * blocks() + column / block;
  double zero = 1 << (bits - 1);
  if (!packedZeros.empty())
    zero = static_cast<double>(numberIn(packedZeros, row * zeroBytes(), column / block, bits));
  else if (!zeros.empty())
    zero = zeros[index];
  const int64_t stored = numberIn(data, index * block * bits / 8, column % block, bits);
  if (isSigned)
    return static_cast<float>(llvm::SignExtend64(static_cast<uint64_t>(stored), static_cast<unsigned>(bits))) *
           scales[index];
  return (static_cast<float>(stored) - static_cast<float>(zero)) * scales[index];
}

ElementsAttr PackedWeights::elements(RankedTensorType type) const {
  return computedElements(type, "weights", [&](llvm::MutableArrayRef<char> bytes) {
    auto *numbers = reinterpret_cast<float *>(bytes.data());
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        *numbers++ = at(row, column);
  });
}

Value PackedWeights::real(ImportedOperation &op, StringRef operand) const {
  const auto type = RankedTensorType::get({rows, columns}, op.builder().getF32Type());
  if (failed(checkComputedBytes(op, operand, type)))
    return {};
  return constantOf(op, type, elements(type));
}

} // namespace avocet::compiler

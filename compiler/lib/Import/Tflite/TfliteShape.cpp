//===- TfliteShape.cpp - Shapes as values, other shapes, constants *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "TfliteGraph.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The new shape is that of the result; the operand or option that repeats it is ignored.
LogicalResult convertReshape(TfliteOperator &op) {
  RankedTensorType result = op.resultType();
  return result ? finish<nn::ReshapeOp>(op, op.value(0, "input"), result.getShape()) : failure();
}

LogicalResult convertBitcast(TfliteOperator &op) {
  const Type element = op.resultElement(0);
  return element ? finish<nn::BitcastOp>(op, op.value(0, "input"), element) : failure();
}

/// Binds a constant whose elements `fill` writes.
LogicalResult finishConstant(TfliteOperator &op, RankedTensorType type,
                             llvm::function_ref<void(llvm::MutableArrayRef<char>)> fill) {
  if (failed(checkComputedBytes(op, "result", type)))
    return failure();
  ElementsAttr elements = computedElements(type, "computed", fill);
  return op.finish(nn::ConstantOp::create(op.builder(), op.location(), type, elements));
}

template <typename T> void store(llvm::MutableArrayRef<char> bytes, size_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// Binds integers as a constant of the declared type, INT32 or INT64.
LogicalResult finishIntegers(TfliteOperator &op, ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  RankedTensorType type = op.resultType(0, shape);
  if (!type)
    return failure();
  const bool isWide = type.getElementType().isInteger(64);
  if (!isWide && !type.getElementType().isInteger(32))
    return op.malformed("has a result that is neither INT32 nor INT64");
  if (values.empty())
    return op.refuse("result", "has elements", "an extent of 0");
  return finishConstant(op, type, [&](llvm::MutableArrayRef<char> bytes) {
    for (auto [index, value] : llvm::enumerate(values))
      if (isWide)
        store<int64_t>(bytes, index, value);
      else
        store<int32_t>(bytes, index, static_cast<int32_t>(value));
  });
}

LogicalResult convertShape(TfliteOperator &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  return finishIntegers(op, {static_cast<int64_t>(shapeOf(input).size())}, shapeOf(input));
}

LogicalResult convertRank(TfliteOperator &op) {
  Value input = op.value(0, "input");
  return input ? finishIntegers(op, {}, {static_cast<int64_t>(shapeOf(input).size())}) : failure();
}

LogicalResult convertBroadcastArgs(TfliteOperator &op) {
  FailureOr<SmallVector<int64_t>> first = op.integers(0, "first shape"), second = op.integers(1, "second shape");
  if (failed(first) || failed(second))
    return failure();
  BrokenRule errors(op);
  FailureOr<nn::Shape> shape = nn::broadcastShape(*first, *second, errors);
  return failed(shape) ? errors.report() : finishIntegers(op, {static_cast<int64_t>(shape->size())}, *shape);
}

LogicalResult convertZerosLike(TfliteOperator &op) {
  Value input = op.value(0, "input");
  RankedTensorType type = input ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  if (!type)
    return failure();
  // The stored value 0, also of quantized types.
  return finishConstant(op, type, [](llvm::MutableArrayRef<char> bytes) { llvm::fill(bytes, 0); });
}

/// Sums in f32, one step after the other.
LogicalResult finishFloatRange(TfliteOperator &op, float start, float limit, float delta) {
  const float count = std::ceil(std::abs((limit - start) / delta));
  if (!(count >= 1 && count <= 2147483520.0f) || (limit > start) != (delta > 0))
    return op.refuse("result", "has 1 to 2^31 - 1 elements", "another range");
  RankedTensorType type = op.resultType(0, {static_cast<int64_t>(count)});
  if (!type)
    return failure();
  if (!type.getElementType().isF32())
    return op.malformed("has a result that is not FLOAT32");
  return finishConstant(op, type, [&](llvm::MutableArrayRef<char> bytes) {
    for (int64_t index = 0; index < type.getNumElements(); ++index) {
      store<float>(bytes, index, start);
      start += delta;
    }
  });
}

/// Operands: first, end, step.
LogicalResult convertRange(TfliteOperator &op) {
  const Type element = op.resultElement(0);
  FailureOr<double> start = op.number(0, "start"), limit = op.number(1, "limit"), delta = op.number(2, "delta");
  if (!element || failed(start) || failed(limit) || failed(delta))
    return failure();
  if (*delta == 0)
    return op.malformed("has the step 0");
  if (element.isF32())
    return finishFloatRange(op, static_cast<float>(*start), static_cast<float>(*limit), static_cast<float>(*delta));
  const double count = std::ceil((*limit - *start) / *delta);
  if (!(count >= 0 && count <= INT32_MAX))
    return op.refuse("result", "has 1 to 2^31 - 1 elements", "another range");
  RankedTensorType result = op.resultType(0, {static_cast<int64_t>(count)});
  if (!result || failed(checkComputedBytes(op, "result", result))) // before the list of values
    return failure();
  SmallVector<int64_t> values;
  for (int64_t index = 0; index < result.getNumElements(); ++index)
    values.push_back(static_cast<int64_t>(*start) + index * static_cast<int64_t>(*delta));
  return finishIntegers(op, {static_cast<int64_t>(values.size())}, values);
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::BITCAST, 1, 1, convertBitcast},
    {BuiltinOperator::BROADCAST_ARGS, 2, 2, convertBroadcastArgs},
    {BuiltinOperator::EXPAND_DIMS, 2, 2, onParts<convertReshape>},
    {BuiltinOperator::RANGE, 3, 3, convertRange},
    {BuiltinOperator::RANK, 1, 1, onShape<convertRank>},
    {BuiltinOperator::RESHAPE, 1, 2, onParts<convertReshape>},
    {BuiltinOperator::SHAPE, 1, 1, onShape<convertShape>},
    {BuiltinOperator::SQUEEZE, 1, 1, onParts<convertReshape>},
    {BuiltinOperator::ZEROS_LIKE, 1, 1, convertZerosLike},
};

} // namespace

ArrayRef<TfliteConverter> tfliteShapeConverters() { return kConverters; }

} // namespace avocet::compiler

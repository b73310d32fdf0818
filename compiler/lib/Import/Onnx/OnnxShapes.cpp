//===- OnnxShapes.cpp - Constants, shapes and reshapes ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "OnnxGraph.h"
#include "OnnxTypes.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult finishList(OnnxOperation &op, ArrayRef<int64_t> list) {
  const auto count = static_cast<int64_t>(list.size());
  if (count == 0)
    return op.finishEmpty(RankedTensorType::get({0}, op.builder().getI64Type()));
  return op.finish(int64Constant(op, {count}, list));
}

Value constantOf(OnnxOperation &op, RankedTensorType type, ElementsAttr elements) {
  return nn::ConstantOp::create(op.builder(), op.location(), type, elements);
}

LogicalResult convertConstant(OnnxOperation &op) {
  if (op.hasAttribute("value_int"))
    return op.finish(int64Constant(op, {}, {op.integer("value_int", 0)}));
  if (op.hasAttribute("value_ints"))
    return finishList(op, op.list("value_ints"));
  if (op.hasAttribute("value_float"))
    return op.finish(float32Constant(op, op.number("value_float", 0)));
  if (op.hasAttribute("value_floats")) {
    const SmallVector<float> numbers = op.numbers("value_floats");
    return op.finish(float32Constant(op, {static_cast<int64_t>(numbers.size())}, numbers));
  }
  const onnx_file::TensorProto *tensor = op.tensor("value");
  return tensor ? op.finishConstant(*tensor)
                : LogicalResult(op.refuse("", "a constant of numbers", "sparse or text", ""));
}

/// The extents of an operand, also of one without elements.
FailureOr<SmallVector<int64_t>> shapeOfInput(OnnxOperation &op, uint32_t position) {
  if (RankedTensorType empty = op.emptyInput(position))
    return SmallVector<int64_t>(empty.getShape());
  Value input = op.value(position, "input");
  if (!input)
    return failure();
  return SmallVector<int64_t>(shapeOf(input));
}

LogicalResult convertShape(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> shape = shapeOfInput(op, 0);
  if (failed(shape))
    return failure();
  const auto rank = static_cast<int64_t>(shape->size());
  const auto clamped = [rank](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t start = clamped(op.integer("start", 0)), end = std::max(clamped(op.integer("end", rank)), start);
  return finishList(op, ArrayRef(*shape).slice(start, end - start));
}

LogicalResult convertSize(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> shape = shapeOfInput(op, 0);
  return failed(shape) ? failure() : op.finish(int64Constant(op, {}, {llvm::product_of(*shape, int64_t(1))}));
}

LogicalResult convertConstantOfShape(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> shape = op.integers(0, "shape");
  const onnx_file::TensorProto *given = op.tensor("value");
  const Type element = given ? op.elementOfType(given->data_type(), "value") : op.builder().getF32Type();
  if (failed(shape) || !element)
    return failure();
  for (int64_t extent : *shape)
    if (extent < 0 || extent > INT32_MAX)
      return op.malformed("has the extent " + Twine(extent) + " in its shape");
  const auto type = RankedTensorType::get(*shape, element);
  if (llvm::is_contained(*shape, 0))
    return op.finishEmpty(type);
  if (!nn::isBounded(*shape))
    return op.refuse("result", "has rank at most 32 and 1 to 2^31 - 1 elements", "another shape");
  if (!given)
    return op.finish(filled(op, type, op.builder().getZeroAttr(element)));
  const auto one = RankedTensorType::get({1}, element);
  const ElementsAttr elements = op.elements(*given, one);
  return elements ? op.finish(broadcastTo(op, reshape(op, constantOf(op, one, elements), {}), *shape)) : failure();
}

template <typename Number> std::optional<int64_t> countOfRange(Number start, Number limit, Number delta) {
  const double count =
      std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
  return std::isfinite(count) && count <= INT32_MAX ? std::optional(std::max<int64_t>(static_cast<int64_t>(count), 0))
                                                    : std::nullopt;
}

/// The result's extent must be known, so the operands are constants.
LogicalResult convertRange(OnnxOperation &op) {
  Value start = op.value(0, "start");
  if (!start)
    return failure();
  const Type element = elementOf(start);
  SmallVector<double, 3> numbers;
  for (uint32_t position : {0, 1, 2}) {
    if (isa<FloatType>(element)) {
      FailureOr<float> number = op.scalar(position, "range");
      if (failed(number))
        return failure();
      numbers.push_back(*number);
    } else {
      FailureOr<SmallVector<int64_t>> number = op.integers(position, "range", 1);
      if (failed(number))
        return failure();
      numbers.push_back(static_cast<double>(number->front()));
    }
  }
  if (numbers[2] == 0)
    return op.malformed("has the step 0");
  std::optional<int64_t> count = countOfRange(numbers[0], numbers[1], numbers[2]);
  if (!count)
    return op.refuse("result", "elements of a range", "more", Twine(INT32_MAX));
  const auto type = RankedTensorType::get({*count}, element);
  if (*count == 0)
    return op.finishEmpty(type);
  if (failed(checkComputedBytes(op, "result", type)))
    return failure();
  SmallVector<Attribute> elements;
  for (int64_t i = 0; i < *count; ++i) {
    const double number = numbers[0] + static_cast<double>(i) * numbers[2];
    elements.push_back(isa<FloatType>(element) ? Attribute(op.builder().getFloatAttr(element, number))
                                               : op.builder().getIntegerAttr(element, static_cast<int64_t>(number)));
  }
  return op.finish(nn::ConstantOp::create(op.builder(), op.location(), type, DenseElementsAttr::get(type, elements)));
}

LogicalResult finishShape(OnnxOperation &op, ArrayRef<int64_t> shape) {
  if (RankedTensorType empty = op.emptyInput(0))
    return op.finishEmpty(RankedTensorType::get(shape, empty.getElementType()));
  Value input = op.value(0, "input");
  return input ? finishReshape(op, input, SmallVector<int64_t>(shape)) : failure();
}

LogicalResult convertReshape(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> own = shapeOfInput(op, 0), shape = op.integers(1, "shape");
  if (failed(own) || failed(shape))
    return failure();
  // 0 keeps the extent of the same axis.
  if (!op.flag("allowzero"))
    for (auto [axis, extent] : llvm::enumerate(*shape))
      if (extent == 0) {
        if (axis >= own->size())
          return op.malformed("keeps axis " + Twine(axis) + " of an input of rank " + Twine(own->size()));
        extent = (*own)[axis];
      }
  return finishShape(op, *shape);
}

LogicalResult convertFlatten(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> own = shapeOfInput(op, 0);
  if (failed(own))
    return failure();
  const auto rank = static_cast<int64_t>(own->size());
  int64_t axis = op.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return op.malformed("has the axis " + Twine(axis) + " for rank " + Twine(rank));
  axis = axis < 0 ? axis + rank : axis;
  const ArrayRef<int64_t> extents = *own;
  return finishShape(op, {llvm::product_of(extents.take_front(axis), int64_t(1)),
                          llvm::product_of(extents.drop_front(axis), int64_t(1))});
}

LogicalResult convertSqueeze(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> own = shapeOfInput(op, 0);
  if (failed(own))
    return failure();
  std::optional<ArrayRef<int64_t>> axes;
  FailureOr<SmallVector<int64_t>> given = SmallVector<int64_t>();
  if (op.hasInput(1)) {
    given = op.integers(1, "axes");
    axes = succeeded(given) ? ArrayRef<int64_t>(*given) : ArrayRef<int64_t>();
  }
  if (failed(given))
    return failure();
  FailureOr<SmallVector<int64_t>> shape = squeezedShape(op, *own, axes);
  return failed(shape) ? failure() : finishShape(op, *shape);
}

LogicalResult convertUnsqueeze(OnnxOperation &op) {
  FailureOr<SmallVector<int64_t>> own = shapeOfInput(op, 0), axes = op.integers(1, "axes");
  if (failed(own) || failed(axes))
    return failure();
  const auto rank = static_cast<int64_t>(own->size() + axes->size());
  for (int64_t &axis : *axes) {
    FailureOr<int64_t> normalized = op.normalizedAxis(axis, rank);
    if (failed(normalized))
      return failure();
    axis = *normalized;
  }
  llvm::sort(*axes);
  if (std::adjacent_find(axes->begin(), axes->end()) != axes->end())
    return op.malformed("adds an axis twice");
  SmallVector<int64_t> shape(*own);
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, 1);
  return finishShape(op, shape);
}

LogicalResult convertIdentity(OnnxOperation &op) { return op.forward(0); }

/// Trained networks drop nothing.
LogicalResult convertDropout(OnnxOperation &op) {
  op.ignore({"seed", "ratio", "is_test"});
  if (op.hasInput(2)) {
    nn::ConstantOp training = op.constant(2, "training_mode");
    if (!training)
      return failure();
    const Integers *known = op.knownIntegers(training);
    if (!known || known->front() != 0)
      return op.refuse("training_mode", "is false", "true");
  }
  if (failed(op.forward(0)))
    return failure();
  if (!op.hasOutput(1))
    return success();
  FailureOr<SmallVector<int64_t>> shape = shapeOfInput(op, 0);
  return failed(shape) ? failure()
                       : op.finish(filled(op, RankedTensorType::get(*shape, op.builder().getI1Type()),
                                          op.builder().getBoolAttr(true)),
                                   1);
}

constexpr OnnxConverter kConverters[] = {
    {"Constant", 1, 0, 0, convertConstant},
    {"ConstantOfShape", 9, 1, 1, convertConstantOfShape},
    {"Dropout", 1, 1, 3, convertDropout, 1, 2},
    {"Flatten", 1, 1, 1, convertFlatten},
    {"Identity", 1, 1, 1, convertIdentity},
    {"Range", 11, 3, 3, convertRange},
    {"Reshape", 5, 2, 2, convertReshape},
    {"Shape", 1, 1, 1, convertShape},
    {"Size", 1, 1, 1, convertSize},
    {"Squeeze", 1, 1, 2, convertSqueeze},
    {"Unsqueeze", 1, 2, 2, convertUnsqueeze},
};

} // namespace

ArrayRef<OnnxConverter> onnxShapeConverters() { return kConverters; }

} // namespace avocet::compiler

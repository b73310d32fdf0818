//===- TosaOperation.cpp - View of one operation of TOSA --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "TosaConstants.h"

#include "Import/Common/Create.h"
#include "Import/Common/Elements.h"
#include "Import/Common/FoldedConstants.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace avocet::compiler {

TosaOperation::TosaOperation(TosaImport &import, Operation *source)
    : ImportedOperation(import, "operation", source->getName().getStringRef().str(), source->getLoc()), import_(import),
      source_(source) {}

Value TosaOperation::constant(Value value) {
  Attribute elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return {};
  ElementsAttr converted = elementsOf(*this, cast<ElementsAttr>(elements));
  if (!converted)
    return {};
  OpBuilder::InsertionGuard guard(builder());
  if (import_.lastConstant)
    builder().setInsertionPointAfter(import_.lastConstant);
  else
    builder().setInsertionPointToStart(import_.body);
  auto made =
      nn::ConstantOp::create(builder(), value.getLoc(), tensorOf(value).clone(converted.getElementType()), converted);
  import_.lastConstant = made;
  return made;
}

Value TosaOperation::storedValue(Value operand) {
  if (Value known = import_.values.lookup(operand))
    return known;
  Value made = constant(operand);
  if (!made)
    return refuse("operand", "element type", llvm::to_string(operand.getType()), kTosaElements);
  return import_.values[operand] = made;
}

/// The value as elements of this type of the same width.
static Value bitcastTo(ImportedOperation &op, Value value, Type element) {
  if (!value || elementOf(value) == element)
    return value;
  if (auto before = value.getDefiningOp<nn::BitcastOp>(); before && elementOf(before.getInput()) == element)
    return before.getInput();
  return create<nn::BitcastOp>(op, value, element);
}

Value TosaOperation::inF32(Value value) {
  if (!value || !elementOf(value).isBF16())
    return value;
  const Type f32 = builder().getF32Type();
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  if (!constant && builder().getInsertionBlock() != import_.body)
    return castTo(*this, value, f32);
  Value &wide = import_.wide[value];
  if (wide)
    return wide;
  OpBuilder::InsertionGuard guard(builder());
  if (constant)
    builder().setInsertionPointAfter(constant);
  wide = castTo(*this, value, f32);
  if (nn::ConstantOp folded = constant ? foldedConstant(*this, wide) : nn::ConstantOp()) {
    wide.getDefiningOp()->erase();
    wide = folded;
  }
  return wide;
}

Value TosaOperation::value(uint32_t position, StringRef) { return inF32(plain(position)); }

FailureOr<SmallVector<Value>> TosaOperation::plainValues(uint32_t first) {
  SmallVector<Value> values;
  for (uint32_t position = first; position < numInputs(); ++position)
    if (values.push_back(plain(position)); !values.back())
      return failure();
  return values;
}

Value TosaOperation::plain(uint32_t position) {
  Value value = stored(position);
  if (!value || !isQuantized(value))
    return value;
  return bitcastTo(*this, value, tosaElement(operandElement(position)));
}

/// Quantized numbers of scale 1, in the width of a plain type.
static Type quantizedElement(Type plain, int64_t zeroPoint, bool isUnsigned) {
  const QuantizedStorage storage{plain.getIntOrFloatBitWidth(), !isUnsigned && !plain.isUnsignedInteger()};
  return storage.perTensor(plain.getContext(), 1.0, zeroPoint);
}

Value TosaOperation::quantized(Value operand, int64_t zeroPoint, bool isUnsigned) {
  Value value = storedValue(operand);
  if (!value)
    return {};
  const Type element = isQuantized(value) ? cast<ShapedType>(operand.getType()).getElementType() : elementOf(value);
  return bitcastTo(*this, value, quantizedElement(element, zeroPoint, isUnsigned));
}

Value TosaOperation::numbers(uint32_t position, uint32_t zeroPosition) {
  FailureOr<int64_t> zeroPoint = integer(zeroPosition, "zero point");
  if (failed(zeroPoint))
    return {};
  return isa<FloatType>(operandElement(position)) ? value(position, "operand") : quantized(position, *zeroPoint);
}

Value TosaOperation::constantNumbers(uint32_t position, uint32_t zeroPosition) {
  Value plain = value(position, "filter");
  FailureOr<int64_t> zeroPoint = integer(zeroPosition, "zero point");
  nn::ConstantOp folded = plain && succeeded(zeroPoint) ? foldedConstant(*this, plain) : nn::ConstantOp();
  if (!folded)
    return plain && succeeded(zeroPoint) ? numbers(position, zeroPosition) : Value();
  if (isa<FloatType>(elementOf(folded)))
    return folded;
  const Type element = quantizedElement(elementOf(folded), *zeroPoint, false);
  return nn::ConstantOp::create(builder(), location(), tensorOf(folded).clone(element), folded.getValue());
}

Type TosaOperation::quantizedResult(int64_t zeroPoint, bool isUnsigned) {
  return quantizedElement(resultTensor(0).getElementType(), zeroPoint, isUnsigned);
}

FailureOr<SmallVector<int64_t>> TosaOperation::integers(uint32_t position, StringRef operand) {
  if (auto known = knownIntegers(import_, source_->getOperand(position)))
    return *known;
  return refuse(operand, "is constant", "a computed tensor");
}

FailureOr<int64_t> TosaOperation::integer(uint32_t position, StringRef operand) {
  if (isa<FloatType>(operandElement(position)))
    return 0; // the zero point of floats
  FailureOr<SmallVector<int64_t>> one = integers(position, operand, 1);
  return failed(one) ? FailureOr<int64_t>(failure()) : one->front();
}

bool TosaOperation::dependsOnData(uint32_t position) { return !knownIntegers(import_, source_->getOperand(position)); }

Type TosaOperation::resultElement(uint32_t position) {
  const Type element = resultTensor(position).getElementType();
  if (Type converted = tosaElement(element))
    return converted.isBF16() ? builder().getF32Type() : converted;
  return refuse("result", "element type", llvm::to_string(element), kTosaElements), Type();
}

RankedTensorType TosaOperation::resultType(uint32_t position, ArrayRef<int64_t> shape) {
  const Type element = resultElement(position);
  if (!element)
    return {};
  if (resultShape(position) != shape)
    return malformed("has a result of shape " + nn::textOf(resultShape(position)) + ", its operands give " +
                     nn::textOf(shape));
  return RankedTensorType::get(shape, element);
}

LogicalResult TosaOperation::finish(Value value, uint32_t position) {
  if (!value)
    return failure();
  const Type declared = tosaElement(resultTensor(position).getElementType());
  if (declared && declared.isBF16() && elementOf(value).isF32())
    value = castTo(*this, value, declared);
  if (failed(verifyCreated()))
    return failure();
  const RankedTensorType type = resultType(position, shapeOf(value));
  if (!type)
    return failure();
  if (!isQuantized(value) && declared != elementOf(value))
    return malformed("has a result of type " + llvm::to_string(RankedTensorType::get(type.getShape(), declared)) +
                     ", its operands give " + llvm::to_string(value.getType()));
  import_.values[source_->getResult(position)] = value;
  return success();
}

} // namespace avocet::compiler

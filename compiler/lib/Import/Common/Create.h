//===- Create.h - Operations whose results are inferred ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converters give operands and attributes of an operation of the dialect; the operation itself infers its results
// (NnBase.td). All functions here return null or failure after a report if operands and attributes break a rule of the
// operation, or without one if an operand is null, whose maker has reported it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_CREATE_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_CREATE_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// The type of result `index` of an operation of the dialect with this shape. `element` is null if it does not follow.
using ResultTypes = llvm::function_ref<mlir::RankedTensorType(uint32_t index, nn::ShapeRef shape, mlir::Type element)>;

/// Creates the operation with results of these types.
mlir::Operation *createInferred(ImportedOperation &op, mlir::OperationState &state, llvm::ArrayRef<nn::Shape> shapes,
                                llvm::ArrayRef<mlir::Type> elements, ResultTypes typeOf);

/// The type of a value that is no result of the file; null after a refusal if the dialect has no such tensor.
mlir::RankedTensorType boundedType(ImportedOperation &op, nn::ShapeRef shape, mlir::Type element);

/// The type of result `index` of the file's operation, whose element type is `element` unless that is null.
mlir::RankedTensorType declaredType(ImportedOperation &op, uint32_t index, nn::ShapeRef shape, mlir::Type element);

namespace detail {

/// The results of `Op`, none of which is variadic.
template <typename Op> constexpr size_t numResults() {
  if constexpr (Op::template hasTrait<mlir::OpTrait::OneResult>())
    return 1;
  else if constexpr (Op::template hasTrait<mlir::OpTrait::NResults<2>::template Impl>())
    return 2;
  else if constexpr (Op::template hasTrait<mlir::OpTrait::NResults<3>::template Impl>())
    return 3;
  else
    return 4;
}

} // namespace detail

/// The operation with results of the types that `typeOf` gives; null after a problem.
template <typename Op, typename... Arguments>
Op createWith(ImportedOperation &op, ResultTypes typeOf, const Arguments &...arguments) {
  mlir::OperationState state(op.location(), Op::getOperationName());
  const llvm::SmallVector<mlir::Type> unknown(detail::numResults<Op>(), op.builder().getNoneType());
  Op::build(op.builder(), state, mlir::TypeRange(unknown), arguments...);
  if (llvm::is_contained(state.operands, mlir::Value()))
    return {};
  const typename Op::Adaptor adaptor(state.operands, state.attributes.getDictionary(op.builder().getContext()),
                                     state.getRawProperties(), state.regions);
  BrokenRule errors(op);
  mlir::FailureOr<nn::Shapes> shapes = Op::inferShapes(adaptor, errors);
  if (mlir::failed(shapes)) {
    errors.report();
    return {};
  }
  return mlir::cast_if_present<Op>(createInferred(op, state, *shapes, Op::inferElements(adaptor), typeOf));
}

/// The only result; the value or the constant to which the operation folds, instead of the operation, if it does.
mlir::Value foldedResult(ImportedOperation &op, mlir::Operation *created);

/// A value on the way to the results of the file, of an operation that infers its type.
template <typename Op, typename... Arguments> mlir::Value create(ImportedOperation &op, const Arguments &...arguments) {
  auto typeOf = [&](uint32_t, nn::ShapeRef shape, mlir::Type element) { return boundedType(op, shape, element); };
  return foldedResult(op, createWith<Op>(op, typeOf, arguments...));
}

/// The same with the element type of the only result.
template <typename Op, typename... Arguments>
mlir::Value createAs(ImportedOperation &op, mlir::Type element, const Arguments &...arguments) {
  auto typeOf = [&](uint32_t, nn::ShapeRef shape, mlir::Type) { return boundedType(op, shape, element); };
  return foldedResult(op, createWith<Op>(op, typeOf, arguments...));
}

/// A function of two values, with the element type of the first.
template <typename Op, typename... Arguments>
mlir::Value createPair(ImportedOperation &op, mlir::Value lhs, mlir::Value rhs, const Arguments &...arguments) {
  return lhs && rhs ? createAs<Op>(op, elementOf(lhs), lhs, rhs, arguments...) : mlir::Value();
}

// Arithmetic of values of one type, which broadcast.
inline mlir::Value add(ImportedOperation &op, mlir::Value lhs, mlir::Value rhs) {
  return createPair<nn::AddOp>(op, lhs, rhs, nn::Activation::kNone);
}
inline mlir::Value subtract(ImportedOperation &op, mlir::Value lhs, mlir::Value rhs) {
  return createPair<nn::SubOp>(op, lhs, rhs, nn::Activation::kNone);
}
inline mlir::Value multiply(ImportedOperation &op, mlir::Value lhs, mlir::Value rhs) {
  return createPair<nn::MulOp>(op, lhs, rhs, nn::Activation::kNone);
}
inline mlir::Value compare(ImportedOperation &op, mlir::Value lhs, nn::CompareKind kind, mlir::Value rhs) {
  return create<nn::CompareOp>(op, lhs, rhs, kind);
}
/// The value itself if it has the type.
inline mlir::Value castTo(ImportedOperation &op, mlir::Value value, mlir::Type element) {
  return !value || elementOf(value) == element ? value : createAs<nn::CastOp>(op, element, value);
}

/// The operation whose results are those of the file, in order; null after a problem. The caller binds them.
template <typename Op, typename... Arguments> Op createDeclared(ImportedOperation &op, const Arguments &...arguments) {
  auto typeOf = [&](uint32_t index, nn::ShapeRef shape, mlir::Type element) {
    return declaredType(op, index, shape, element);
  };
  return createWith<Op>(op, typeOf, arguments...);
}

/// The same, and binds the results.
template <typename Op, typename... Arguments>
mlir::LogicalResult finish(ImportedOperation &op, const Arguments &...arguments) {
  Op created = createDeclared<Op>(op, arguments...);
  return created ? finishAll(op, created->getResults()) : mlir::failure();
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_CREATE_H

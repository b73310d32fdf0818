//===- NnInferenceImpl.h - Interfaces of type inference ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the code that is generated from NnBase.td: MLIR's interfaces in terms of inferShapes() and inferElements().
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_NNINFERENCEIMPL_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_NNINFERENCEIMPL_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"

namespace avocet::compiler::nn {

inline mlir::FailureOr<Shapes> toShapes(mlir::FailureOr<Shapes> shapes) { return shapes; }

inline mlir::FailureOr<Shapes> toShapes(mlir::FailureOr<Shape> shape) {
  return mlir::failed(shape) ? mlir::FailureOr<Shapes>(mlir::failure()) : Shapes{std::move(*shape)};
}

/// Shapes of operands, for functions of any number of them.
inline llvm::SmallVector<ShapeRef> shapesOf(mlir::ValueRange values) {
  return llvm::map_to_vector(values, [](mlir::Value value) { return shapeOf(value); });
}

/// The shape of an optional operand.
inline std::optional<ShapeRef> shapeIfAny(mlir::Value value) {
  return value ? std::optional(shapeOf(value)) : std::nullopt;
}

/// The shape of the first operand of a group.
inline std::optional<ShapeRef> shapeOfFirst(mlir::ValueRange values) {
  return values.empty() ? std::nullopt : std::optional(shapeOf(values.front()));
}

inline mlir::Type integers(mlir::Value value, unsigned width) {
  return mlir::IntegerType::get(value.getContext(), width);
}

template <typename Op>
llvm::LogicalResult inferComponents(mlir::MLIRContext *context, std::optional<mlir::Location> location,
                                    typename Op::Adaptor op,
                                    llvm::SmallVectorImpl<mlir::ShapedTypeComponents> &results) {
  std::optional<mlir::ScopedDiagnosticHandler> quiet;
  if (!location)
    quiet.emplace(context, [](mlir::Diagnostic &) { return mlir::success(); });
  mlir::FailureOr<Shapes> shapes = Op::inferShapes(op, [&] {
    return mlir::emitError(location.value_or(mlir::UnknownLoc::get(context)))
           << "'" << Op::getOperationName() << "' op ";
  });
  if (mlir::failed(shapes))
    return mlir::failure();
  const llvm::SmallVector<mlir::Type, 1> elements = Op::inferElements(op);
  for (auto [index, shape] : llvm::enumerate(*shapes))
    results.emplace_back(ShapeRef(shape), index < elements.size() ? elements[index] : mlir::Type());
  return mlir::success();
}

template <typename Op>
llvm::LogicalResult inferTypes(mlir::MLIRContext *context, std::optional<mlir::Location> location,
                               typename Op::Adaptor op, llvm::SmallVectorImpl<mlir::Type> &results) {
  llvm::SmallVector<mlir::ShapedTypeComponents> components;
  if (mlir::failed(inferComponents<Op>(context, location, op, components)))
    return mlir::failure();
  for (const mlir::ShapedTypeComponents &component : components)
    results.push_back(mlir::RankedTensorType::get(component.getDims(), component.getElementType()));
  return mlir::success();
}

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_NNINFERENCEIMPL_H

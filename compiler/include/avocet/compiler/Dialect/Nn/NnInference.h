//===- NnInference.h - Results that operations infer ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The trait of operations whose results follow from operands and attributes. Each has the static functions
// inferShapes() and inferElements() (NnBase.td), which MLIR's interfaces of type inference use too.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNINFERENCE_H
#define AVOCET_COMPILER_DIALECT_NN_NNINFERENCE_H

#include "avocet/compiler/Dialect/Nn/NnShapes.h"

#include "mlir/IR/OpDefinition.h"

namespace avocet::compiler::nn {

/// Fails unless the results of the operation have these shapes, and these element types where they are not null.
mlir::LogicalResult verifyResults(mlir::Operation *op, llvm::ArrayRef<Shape> shapes,
                                  llvm::ArrayRef<mlir::Type> elements);

/// The trait of operations that infer their results.
// NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): traits of MLIR have public ones
template <typename ConcreteOp> class InferredResults : public mlir::OpTrait::TraitBase<ConcreteOp, InferredResults> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    const typename ConcreteOp::Adaptor adaptor(mlir::cast<ConcreteOp>(op));
    mlir::FailureOr<Shapes> shapes = ConcreteOp::inferShapes(adaptor, [&] { return op->emitOpError(); });
    return mlir::failed(shapes) ? mlir::failure() : verifyResults(op, *shapes, ConcreteOp::inferElements(adaptor));
  }
};

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNINFERENCE_H

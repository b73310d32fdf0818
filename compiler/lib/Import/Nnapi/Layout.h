//===- Layout.h - Channels first and channels last ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Images in the nn dialect are [batch, height, width, channels]. NNAPI operations whose layout flag selects NCHW are
// imported between two transposes; adjacent transposes of two such operations cancel.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_LAYOUT_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_LAYOUT_H

#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "NnapiGraph.h"

namespace avocet::compiler {

/// Whether the layout flag (BOOL) at the position selects NCHW; false if the operation has no such input.
mlir::FailureOr<bool> isNchw(NnapiOperation &op, uint32_t position);

/// Converts a shape [batch, height, width, channels] to NCHW if `nchw`.
mlir::SmallVector<int64_t> layoutShape(llvm::ArrayRef<int64_t> nhwc, bool nchw);

/// The operand of rank 4 at the position, in NHWC; null after a reported problem.
mlir::Value imageValue(NnapiOperation &op, uint32_t position, llvm::StringRef operand, bool nchw);
/// Binds an NHWC value as result `position`, in the operation's layout.
mlir::LogicalResult finishImage(NnapiOperation &op, mlir::Value value, bool nchw, uint32_t position = 0);

/// Creates an operation whose results are images, and binds them in the layout of the model. The model may declare
/// less than the operation computes.
template <typename Op, typename... Arguments>
mlir::LogicalResult finishImage(NnapiOperation &op, bool nchw, const Arguments &...arguments) {
  auto typeOf = [&](uint32_t index, nn::ShapeRef shape, mlir::Type element) {
    mlir::RankedTensorType declared = declaredType(op, index, layoutShape(shape, nchw), element);
    return declared ? declared.clone(shape) : declared;
  };
  Op created = createWith<Op>(op, typeOf, arguments...);
  return created ? finishImage(op, created->getResult(0), nchw) : mlir::failure();
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_LAYOUT_H

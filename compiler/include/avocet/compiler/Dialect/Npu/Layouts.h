//===- Layouts.h - Places of storage tensors in others ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NPU_LAYOUTS_H
#define AVOCET_COMPILER_DIALECT_NPU_LAYOUTS_H

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/firmware_iface/WeightLayout.h"

namespace avocet::compiler::npu {

/// The order of the weights of a convolution, or of one set of computed ones. Errors as WeightLayout::create().
Result<firmware::WeightLayout> filterLayout(ConvOp op, const firmware::Target &target);

/// The bytes of a storage tensor inside `whole`, which has its own memory. Strides are in bytes.
struct Layout {
  mlir::Value whole;
  int64_t offset = 0, rowStride = 0, pixelStride = 0;
};

/// The result behind reshapes: the value itself, or the first input of the views that make it.
mlir::Value rootOf(mlir::Value value);

/// The places of the tensors of a placed function, as views, parts and joins determine them.
class Layouts {
public:
  /// Places input `index` of the join. Fails, without an effect, if the input is not the whole result of an operation,
  /// has a place already, or has a shape whose rows and pixels would not be at constant distances.
  mlir::LogicalResult place(JoinOp join, unsigned index);
  void remove(JoinOp join, unsigned index);

  /// Nullopt if the rows or pixels are not at constant distances.
  std::optional<Layout> of(mlir::Value value) const;

  /// Whether the elements follow each other without gaps.
  bool isDense(mlir::Value value) const;
  /// Whether the value is a join's input or a part, and so has no memory of its own.
  bool isInside(mlir::Value value) const;

private:
  std::optional<Layout> ofRoot(mlir::Value root) const;

  struct Place {
    JoinOp join;
    unsigned index = 0;
  };
  llvm::DenseMap<mlir::Value, Place> places_;    ///< by root
  llvm::DenseMap<mlir::Value, unsigned> depths_; ///< of joins in joins, by result
};

} // namespace avocet::compiler::npu

#endif // AVOCET_COMPILER_DIALECT_NPU_LAYOUTS_H

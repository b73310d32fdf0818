//===- OutputStage.h - Work for the output stage of the array ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_OUTPUTSTAGE_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_OUTPUTSTAGE_H

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/firmware_iface/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace avocet::compiler {

/// A command of the convolution on whole tensors, for checks and costs; of computed weights it has one set.
firmware::ConvCommand wholeCommand(npu::ConvOp conv, firmware::ConvCommand command);

/// The layer table of a placed function while the output stage of convolutions takes over the work of other operations.
class JoinedLayers {
public:
  JoinedLayers(mlir::func::FuncOp placed, const firmware::Target &target);

  /// The convolution has taken over one operation of layer `other`. After the last one, the layer's names and work are
  /// those of layer `conv` as well. The output stage works while the array multiplies, so the longer of both times is
  /// the bound.
  void join(uint32_t conv, uint32_t other);

  /// Writes the table without the layers that have no operation any more, and numbers the operations anew.
  void write();

private:
  void joinNames(mlir::NamedAttrList &entry, mlir::DictionaryAttr from);
  void addFigures(mlir::NamedAttrList &entry, mlir::DictionaryAttr from);
  void set(mlir::NamedAttrList &entry, llvm::StringRef field, uint64_t value);

  mlir::func::FuncOp placed_;
  const firmware::Target &target_;
  llvm::SmallVector<mlir::Attribute> layers_; ///< null: has become a part of another one
  llvm::SmallVector<uint32_t> operations_;    ///< by layer
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_OUTPUTSTAGE_H

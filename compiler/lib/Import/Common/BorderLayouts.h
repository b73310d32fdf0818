//===- BorderLayouts.h - Layouts of inputs and outputs ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_BORDERLAYOUTS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_BORDERLAYOUTS_H

#include "avocet/compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace avocet::compiler {

/// Gives inputs and outputs of an imported network the layouts that the request names (ModelRequest::layouts), by
/// transposes after the inputs and before the outputs. `isChannelsFirst`: whether images of the format are NCHW. Fails
/// after an error that names the tensor, or the layout if no tensor has its rank.
mlir::LogicalResult arrangeBorder(mlir::ModuleOp module, llvm::ArrayRef<TensorLayout> layouts, bool isChannelsFirst);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_BORDERLAYOUTS_H

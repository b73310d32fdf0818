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
/// transposes behind the inputs and before the outputs. `isChannelsFirst`: the order of the format's own images. Fails
/// after an error that names the tensor, also for a layout that none of them has.
mlir::LogicalResult arrangeBorder(mlir::ModuleOp module, llvm::ArrayRef<TensorLayout> layouts, bool isChannelsFirst);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_BORDERLAYOUTS_H

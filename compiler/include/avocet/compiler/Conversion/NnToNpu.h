//===- NnToNpu.h - Phase place: from nn to npu ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phase `place`: each operation of a network gets an engine, a storage layout and fixed-point parameters.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_CONVERSION_NNTONPU_H
#define AVOCET_COMPILER_CONVERSION_NNTONPU_H

#include "avocet/firmware_iface/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace avocet::compiler {

/// Whether placement writes the bytes of the constants that it makes (packed weights, tables). If only the sizes matter
/// they can be omitted: the constants then refer to a resource without bytes.
enum class ConstantContents { Written, Omitted };

/// Replaces the nn functions of the module by placed npu functions of the same name (NpuOps.td, "placed"). Reports all
/// operations that the target cannot run as refusals (Refusal.h); in that case the module is unchanged.
///
/// Storage: [N, H, W, C] is stored as [N * H, W, C] and a matrix as one row; in general the last two axes stay and all
/// others fold into rows. Arguments and results record their type in the network as `npu.network_type`.
llvm::LogicalResult convertNnToNpu(mlir::ModuleOp module, const firmware::Target &target,
                                   ConstantContents contents = ConstantContents::Written);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_CONVERSION_NNTONPU_H

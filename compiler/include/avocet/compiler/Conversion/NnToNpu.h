//===- NnToNpu.h - Phase place: from nn to npu ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phase `place`: every operation of a network gets its engine, its storage and its fixed-point parameters.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_CONVERSION_NNTONPU_H
#define AVOCET_COMPILER_CONVERSION_NNTONPU_H

#include "avocet/firmware_iface/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace avocet::compiler {

/// Whether placement writes the bytes of the constants that it makes (packed weights, tables). Where only the sizes
/// matter they can be omitted: the constants refer to a resource without bytes then.
enum class ConstantContents { Written, Omitted };

/// Replaces the nn functions of the module by placed npu functions of the same name (NpuOps.td, "placed"). Refuses
/// (Refusal.h) all operations at once that the target cannot do; the module is unchanged then.
///
/// Storage: [N, H, W, C] lies as [N * H, W, C], a matrix as one row, in general the last two axes as they are and the
/// rest folded into rows. Arguments and results carry the type that they had in the network as `npu.network_type`.
llvm::LogicalResult placeModule(mlir::ModuleOp module, const firmware::Target &target,
                                ConstantContents contents = ConstantContents::Written);

/// The same as a pass, convert-nn-to-npu; without a target its option `target` names one.
std::unique_ptr<mlir::Pass> createPlacePass(std::shared_ptr<const firmware::Target> target = nullptr);
void registerPlacePasses();

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_CONVERSION_NNTONPU_H

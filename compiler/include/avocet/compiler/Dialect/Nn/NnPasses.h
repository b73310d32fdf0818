//===- NnPasses.h - Passes on the nn dialect --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the passes in NnPasses.td, and the order in which phase `nn` runs them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNPASSES_H
#define AVOCET_COMPILER_DIALECT_NN_NNPASSES_H

#include "avocet/compiler/Support/PassKinds.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace avocet::compiler::nn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

/// Phase `nn`: canonicalize and fuse. Runs on a module; its functions run in parallel if the context has threading
/// enabled.
void buildNnPipeline(mlir::OpPassManager &manager);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNPASSES_H

//===- ConversionPasses.h - Passes between dialects -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of the passes in ConversionPasses.td.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_CONVERSION_CONVERSIONPASSES_H
#define AVOCET_COMPILER_CONVERSION_CONVERSIONPASSES_H

#include "avocet/compiler/Support/PassTarget.h"

#include "mlir/Pass/Pass.h"

namespace avocet::compiler {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "avocet/compiler/Conversion/ConversionPasses.h.inc"

/// The passes for a target that is loaded already; their option `target` is then unused.
std::unique_ptr<mlir::Pass> createConvertNnToNpuPass(TargetPtr target);
std::unique_ptr<mlir::Pass> createCompressWeightsPass(TargetPtr target, uint32_t threads = 1);
std::unique_ptr<mlir::Pass> createConvertNpuToCmdPass(TargetPtr target);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_CONVERSION_CONVERSIONPASSES_H

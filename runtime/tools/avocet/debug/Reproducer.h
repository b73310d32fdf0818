//===- Reproducer.h - Files for reports of compiler errors -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_REPRODUCER_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_REPRODUCER_H

#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Loader.h"

#include <cstdint>

namespace avocet::tool {

/// Whether a failure is an error of the compiler: an exception, or a pass that fails or writes a wrong module without
/// refusing an operation of the model. `phase`: index of the last phase that was announced.
bool isInternalError(const compiler::CompileResult &result, uint32_t phase);

/// Compiles again and writes CompilationFiles with before.mlir, the module before the failing pass, to the directory
/// MODEL.reproducer in the folder of knob AVOCET_REPRODUCERS (with a number if that exists). Prints where, or why that
/// failed.
void writeReproducer(const compiler::LoadedCompiler &compiler, compiler::CompileRequest request);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_REPRODUCER_H

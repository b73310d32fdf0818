//===- Reproducer.h - Files for reports of compiler errors -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_REPRODUCER_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_REPRODUCER_H

#include "avocet/base/Status.h"
#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Loader.h"

namespace avocet::tool {

/// Whether a failure is an error of the compiler: an exception, or a pass that fails or writes a wrong module without
/// refusing an operation of the model.
bool isInternalError(const compiler::Verdict &result);

/// Compiles again and writes CompilationFiles with before.mlir, the module before the failing pass, and failure.txt,
/// the name of the pass, to a new directory. It is in the folder of knob AVOCET_REPRODUCERS, without one in the folder
/// for temporary files. The returned error is `status` with the name of the directory, or the reason why there is none.
template <typename Request>
Status withReproducer(const compiler::LoadedCompiler &compiler, Request request, const Status &status);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_REPRODUCER_H

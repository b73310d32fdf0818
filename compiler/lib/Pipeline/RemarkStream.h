//===- RemarkStream.h - Remarks of MLIR for the caller ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_REMARKSTREAM_H
#define AVOCET_COMPILER_LIB_PIPELINE_REMARKSTREAM_H

#include "avocet/compiler/Compiler.h"

#include "mlir/IR/MLIRContext.h"

namespace avocet::compiler {

/// From now on, remarks of the context of all categories are given to the function; those of fusions each once. The
/// context must not have a remark engine yet, and must die before the function.
void streamRemarks(mlir::MLIRContext &context, const std::function<void(const Remark &)> &remark);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_REMARKSTREAM_H

//===- FileChecks.h - Checks of all model files ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_FILECHECKS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_FILECHECKS_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include "flatbuffers/flatbuffers.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>

namespace avocet::compiler {

/// Emits an error at `location` and fails if the bytes are no flatbuffer that `verify` accepts; `problem` says so.
mlir::LogicalResult verifyFlatbuffer(mlir::Location location, llvm::MemoryBufferRef bytes,
                                     llvm::function_ref<bool(flatbuffers::Verifier &)> verify, llvm::StringRef problem);

/// What an error says after "a name", if the name has too many bytes. Each layer repeats names in locations, tables and
/// source maps.
std::optional<std::string> lengthProblem(llvm::StringRef name);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_FILECHECKS_H

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
/// What an error says if the name of "a tensor" is empty or too long.
std::optional<std::string> nameProblem(llvm::StringRef owner, llvm::StringRef name);

/// The first extent that is below `least`, or with which the product of extents is above `most`. Extents of 0 count
/// as 1.
std::optional<int64_t> wrongExtent(llvm::ArrayRef<int64_t> extents, int64_t least, uint64_t most);

/// Whether each byte is a truth value, 0 or 1.
bool areTruths(llvm::ArrayRef<char> bytes);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_FILECHECKS_H

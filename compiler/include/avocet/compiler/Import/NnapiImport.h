//===- NnapiImport.h - From an NNAPI model to the nn dialect ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_IMPORT_NNAPIIMPORT_H
#define AVOCET_COMPILER_IMPORT_NNAPIIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace avocet::compiler {

/// Whether the bytes carry the identifier of compiler/nnapi/nnapiModel.fbs.
bool isNnapi(llvm::StringRef bytes);

/// Why a model that is sound cannot be imported before its first execution (see CompileResult).
struct NnapiNeeds {
  bool specialisation = false;
  std::vector<uint32_t> valueInputs; ///< positions in the main subgraph's input list, ascending
};

/// Imports a model into a new module in phase import; null on failure, with diagnostics at the context, or when `needs`
/// says that it has to be specialised (no diagnostic then). Nothing in the file is trusted. `file` and `pools` are
/// shared by the module's constants and must outlive the context. Main inputs of lifetime NoValue were omitted by the
/// caller: they have no argument in the function.
mlir::OwningOpRef<mlir::ModuleOp> importNnapi(mlir::MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                                              std::span<const std::span<const uint8_t>> pools, NnapiNeeds &needs);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_IMPORT_NNAPIIMPORT_H

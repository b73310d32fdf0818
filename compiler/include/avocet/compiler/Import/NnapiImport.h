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

#include "llvm/ADT/STLFunctionalExtras.h"

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
  bool tooLarge = false;             ///< not imported since a tensor has more elements than NnapiOptions allow
};

struct NnapiOptions {
  /// The module is for a judgement: both branches of every IF are imported, and operations that depend on a refused one
  /// are left out without a refusal of their own.
  bool isQuery = false;
  uint64_t maxElements = UINT64_MAX; ///< of a tensor
};

/// Imports a model into a new module in phase import; null on failure, with diagnostics at the context, or when `needs`
/// says that it has to be specialised (no diagnostic then). Nothing in the file is trusted. `file` and `pools` are
/// shared by the module's constants and must outlive the context. Main inputs of lifetime NoValue were omitted by the
/// caller: they have no argument in the function.
mlir::OwningOpRef<mlir::ModuleOp> importNnapi(mlir::MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                                              std::span<const std::span<const uint8_t>> pools, NnapiNeeds &needs,
                                              const NnapiOptions &options = {});

/// Judges one module of phase import that stands for a choice of extents and values. Failure: with diagnostics.
using NnapiJudge = llvm::function_ref<llvm::LogicalResult(mlir::ModuleOp)>;

/// For a model that has to be specialised: refuses every operation of the main subgraph that some execution could not
/// run, among the executions whose tensors have at most kMaxOpenElements elements and kMaxRank axes. Each operation is
/// judged by itself, at extreme choices of what is open (see lib/Import/README.md). Fails, with diagnostics, if the
/// model is malformed or an operation is refused.
llvm::LogicalResult queryNnapi(mlir::MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                               std::span<const std::span<const uint8_t>> pools, NnapiJudge judge);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_IMPORT_NNAPIIMPORT_H

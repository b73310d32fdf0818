//===- NnapiImport.h - From an NNAPI model to the nn dialect ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIIMPORT_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIIMPORT_H

#include "Import/Common/ImportNeeds.h"

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

struct NnapiOptions {
  /// The module is only used to decide support: both branches of every IF are imported, and operations that depend on a
  /// refused one are omitted without a refusal of their own.
  bool isQuery = false;
  uint64_t maxElements = UINT64_MAX; ///< of a tensor
};

/// Imports a model into a new module in phase import. Returns null on failure, with diagnostics at the context, or if
/// `needs` requests specialization (without a diagnostic). `file` is untrusted input. The module's constants share
/// `file` and `pools`, which must outlive the context. Main inputs of lifetime NoValue were omitted by the caller: they
/// have no argument in the function.
mlir::OwningOpRef<mlir::ModuleOp> importNnapi(mlir::MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                                              std::span<const std::span<const uint8_t>> pools, ImportNeeds &needs,
                                              const NnapiOptions &options = {});

/// Decides whether the target runs one module of phase import, made for one choice of extents and values. Failure: with
/// diagnostics.
using NnapiJudge = llvm::function_ref<llvm::LogicalResult(mlir::ModuleOp)>;

/// For a model that has to be specialized: refuses every operation of the main subgraph that some execution could not
/// run, among the executions whose tensors have at most kMaxOpenElements elements and kMaxRank axes. Each operation is
/// judged by itself, at extreme choices of what is open (see lib/Import/README.md). Fails, with diagnostics, if the
/// model is malformed or an operation is refused.
llvm::LogicalResult queryNnapi(mlir::MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                               std::span<const std::span<const uint8_t>> pools, NnapiJudge judge);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIIMPORT_H

//===- AvocetLspServer.cpp - Language server for modules --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolStreams.h"
#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include "llvm/Support/thread.h"

#include <optional>

/// The server parses text from the editor without a hook to check its nesting first. A level takes up to 2 KiB (see
/// TextLimits.h), so half a million levels fit. Pages are committed only when used.
constexpr std::optional<unsigned> kStackBytes = 1U << 30;

int main(int argc, char **argv) {
  avocet::compiler::prepareTool();
  mlir::DialectRegistry registry;
  avocet::compiler::registerDialects(registry);
  bool hasFailed = false;
  llvm::thread server(kStackBytes, [&] { hasFailed = mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)); });
  server.join();
  return hasFailed;
}

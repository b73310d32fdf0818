//===- AvocetLspServer.cpp - Language server for modules --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolStreams.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/thread.h"

#include <optional>

/// The server parses text from the editor without a hook to check its nesting first. A level takes up to 2 KiB (see
/// TextLimits.h), so half a million levels fit. Pages are committed only when used.
constexpr std::optional<unsigned> kStackBytes = 1U << 30;

/// Follows the options in --help.
static const llvm::cl::extrahelp kMoreHelp(avocet::compiler::kBytecodeHelp);

static int serve(int argc, char **argv) {
  mlir::DialectRegistry registry;
  avocet::compiler::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}

static int runMain(int argc, char **argv) {
  avocet::compiler::prepareTool("avocet-lsp-server");
  int code = avocet::kExitFailed;
  llvm::thread server(kStackBytes, [&] { code = avocet::guardedMain(argc, argv, serve); });
  server.join();
  return code;
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }

//===- CompilationFiles.h - Files for those who debug the compiler -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_COMPILATIONFILES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_COMPILATIONFILES_H

#include "avocet/base/Status.h"
#include "avocet/compiler/Compiler.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// A directory with all that a compilation depends on and what it makes:
///   command.txt      version, directory and command line of this program
///   MODEL            the model, under its own name
///   target.toml      the target
///   hints.json       schedule hints, if there are any
///   reproduce.sh     compiles these again
///   N-PHASE.mlir     the module after the last pass of the phase that has ended; N counts the phases from 0
///   model.avom, data.avod, diagnostics.txt
class CompilationFiles {
public:
  /// Makes the directory if it does not exist, and writes the first four.
  static Result<CompilationFiles> create(const std::string &directory, const compiler::CompileRequest &request);
  static Result<CompilationFiles> create(const std::string &directory, const compiler::DivideRequest &request);

  /// CompileRequest::afterPass. Each pass writes the file of its phase anew: what a crash leaves is the module before
  /// the pass that crashed.
  Status add(const compiler::PassResult &pass);

  /// Messages, and artefacts if there are any.
  Status finish(const compiler::Verdict &result) const;
  Status finish(const compiler::CompileResult &result) const;
  Status fail(const Status &status) const;

  const std::string &directory() const { return directory_; }

private:
  static Result<CompilationFiles> create(const std::string &directory, const compiler::ModelRequest &request,
                                         const std::string &options);
  explicit CompilationFiles(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
  std::vector<std::string> phases_; ///< so far
};

/// Prints the module to the standard error stream.
void printPassResult(const compiler::PassResult &pass);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_COMPILATIONFILES_H

//===- Loader.h - Loads the compiler when it is needed ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler is a separate shared library, libavocetCompiler.so, which is opened on first use. A program that only
// runs artefacts never loads it. This header and its library (avocetCompilerLoader) contain nothing of LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LOADER_H
#define AVOCET_COMPILER_LOADER_H

#include "avocet/base/Status.h"
#include "avocet/compiler/Compiler.h"

#include <string>

struct AvocetCompilerApi;

namespace avocet::compiler {

/// The opened compiler: a copyable handle. The library stays loaded until the process exits, because LLVM's static
/// state does not survive unloading.
class LoadedCompiler {
public:
  /// Opens the library at `path`. If `path` is empty: $AVOCET_COMPILER_LIBRARY if set, else libavocetCompiler.so in the
  /// folder ../lib beside the program, in the program's own folder, and where the dynamic linker looks. Errors:
  /// NotFound (lists the places tried), FailedPrecondition (a library without the interface version of this program).
  static Result<LoadedCompiler> load(const std::string &path = "");

  /// Same contracts as the functions of Compiler.h. FailedPrecondition: the library is of another version, and does not
  /// know a member that the request sets.
  CompileResult compile(const CompileRequest &request) const;
  Verdict judge(const JudgeRequest &request) const;
  DivideResult divide(const DivideRequest &request) const;

  /// Version text of the library, as stored in the model caches that it writes.
  std::string version() const;

private:
  explicit LoadedCompiler(const AvocetCompilerApi *api) : api_(api) {}
  const AvocetCompilerApi *api_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LOADER_H

//===- Loader.h - Loads the compiler when it is needed ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler lives in a shared library of its own, libavocetCompiler.so, that is opened on first use: a program that
// only runs artefacts never pays for it. This header and its library (avocetCompilerLoader) contain nothing of LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LOADER_H
#define AVOCET_COMPILER_LOADER_H

#include "avocet/base/Status.h"
#include "avocet/compiler/Compiler.h"

#include <string>

struct AvocetCompilerApi;

namespace avocet::compiler {

/// The opened compiler. It stays in the process until exit (LLVM's static state does not survive unloading), so the
/// object is a plain handle that may be copied.
class LoadedCompiler {
public:
  /// Opens the library at `path`. With an empty path: $AVOCET_COMPILER_LIBRARY if set, else libavocetCompiler.so in the
  /// folder ../lib beside the program, in the program's own folder, and where the dynamic linker looks. NotFound names
  /// the places tried; FailedPrecondition a library of another interface version.
  static Result<LoadedCompiler> load(const std::string &path = "");

  /// As compiler::compile().
  CompileResult compile(const CompileRequest &request) const;

  /// Version text of the library, as in the model caches that it writes.
  std::string version() const;

private:
  explicit LoadedCompiler(const AvocetCompilerApi *api) : api_(api) {}
  const AvocetCompilerApi *api_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LOADER_H

//===- LocalCompiler.cpp - The compiler in this process ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/LocalCompiler.h"

#include "device/HalResult.h"

namespace avocet::hal {

Result<compiler::LoadedCompiler> LocalCompiler::load() {
  std::lock_guard lock(mutex_);
  if (!compiler_) {
    AVOCET_ASSIGN_OR_RETURN(compiler_, toHalResult(compiler::LoadedCompiler::load(library_)));
  }
  return *compiler_;
}

Result<compiler::CompileResult> LocalCompiler::run(const compiler::CompileRequest &request) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, load());
  return compiler.compile(request);
}

} // namespace avocet::hal

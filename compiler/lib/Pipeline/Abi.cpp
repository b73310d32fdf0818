//===- Abi.cpp - Binary interface of libavocetCompiler.so -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Version.h"
#include "avocet/compiler/CompilerAbi.h"
#include "avocet/compiler/InProcess.h"

extern "C" __attribute__((visibility("default"))) const AvocetCompilerApi *avocetCompilerGetApi(uint32_t version) {
  using namespace avocet::compiler;
  static const std::string kVersionText = std::string(avocet::versionAndCommit());
  static const AvocetCompilerApi kApi = {AVOCET_COMPILER_ABI_VERSION, kVersionText.c_str(),   message::serve<compile>,
                                         message::serve<judge>,       message::serve<divide>, message::destroyAnswer};
  return version == AVOCET_COMPILER_ABI_VERSION ? &kApi : nullptr;
}

//===- ImportNeeds.h - What an import must know first -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_IMPORTNEEDS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_IMPORTNEEDS_H

#include <cstdint>
#include <string>
#include <vector>

namespace avocet::compiler {

/// Why a valid model cannot be imported before its first execution (see CompileResult).
struct ImportNeeds {
  bool specialization = false;
  std::vector<uint32_t> valueInputs;   ///< of an NNAPI model: positions in the main subgraph's input list, ascending
  std::vector<std::string> valueNames; ///< of an ONNX model: names of inputs
  bool tooLarge = false;               ///< not imported because a tensor has more elements than NnapiOptions allow
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_IMPORTNEEDS_H

//===- OpenOperands.h - Open extents and values of a model ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENOPERANDS_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENOPERANDS_H

#include "NnapiFile.h"

#include <set>
#include <vector>

namespace avocet::compiler {

struct NnapiOpenOperands {
  bool hasOpenExtents = false;       ///< a main input has an unknown extent or rank
  std::vector<uint32_t> valueInputs; ///< main inputs whose values determine the program, by position, ascending
  /// The main subgraph's operands whose values determine the program and are not constant: inputs, and what the model
  /// computes from them.
  std::set<uint32_t> valueOperands{};
  /// Loops whose body reads such a value that changes with the iteration, or enlarges a value. Each iteration becomes
  /// part of the program, so the condition has to be known too.
  std::set<const nnapi::Operation *> unrolledLoops{};
  bool any() const { return hasOpenExtents || !valueInputs.empty(); }
};

NnapiOpenOperands openOperandsOf(const NnapiFile &file);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPENOPERANDS_H

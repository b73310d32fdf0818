//===- UniqueNames.h - Names that are taken ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_UNIQUENAMES_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_UNIQUENAMES_H

#include "llvm/ADT/StringMap.h"

#include <string>

namespace avocet::compiler {

/// Names that are taken. Adding a name takes constant time on average, however many are alike.
class UniqueNames {
public:
  /// False: it was taken before.
  bool take(llvm::StringRef name) { return next_.try_emplace(name, 1).second; }

  /// `name`, or `name` and a number that makes it new.
  std::string add(const std::string &name) {
    std::string next = name;
    while (!take(next))
      next = name + "_" + std::to_string(next_[name]++);
    return next;
  }

private:
  llvm::StringMap<uint32_t> next_; ///< the first number that may be new
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_UNIQUENAMES_H

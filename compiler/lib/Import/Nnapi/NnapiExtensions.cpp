//===- NnapiExtensions.cpp - Operations of vendor extensions ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiExtensions.h"

namespace avocet::compiler {

const NnapiExtensionOperation *findExtensionOperation(const NnapiFile &file, OperationType type) {
  const llvm::StringRef name = prefixOf(type) == 0 ? "" : file.extension(prefixOf(type));
  for (const NnapiExtension *extension : allNnapiExtensions())
    if (name == llvm::StringRef(extension->name))
      for (const NnapiExtensionOperation &operation : extension->operations)
        if (numberOf(operation.converter.type) == numberOf(type))
          return &operation;
  return nullptr;
}

} // namespace avocet::compiler

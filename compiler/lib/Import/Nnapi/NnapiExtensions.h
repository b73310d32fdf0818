//===- NnapiExtensions.h - Operations of vendor extensions ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each folder of Import/Extensions whose name is that of an extension defines one object of NnapiExtension, with a
// converter for each operation. Operands of the extension's types have arrived in their storage forms, with
// NnapiOperation::extensionData(). The rules that clients must follow are in hal/extensions, whose README.md has the
// recipe.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIEXTENSIONS_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIEXTENSIONS_H

#include "NnapiGraph.h"

#include <span>
#include <string_view>

namespace avocet::compiler {

struct NnapiExtensionOperation {
  llvm::StringLiteral name; ///< "HARD_SIGMOID"
  NnapiConverter converter; ///< its `type` is the operation's number within the extension
};

struct NnapiExtension {
  std::string_view name; ///< that of the folder
  llvm::ArrayRef<NnapiExtensionOperation> operations;
};

/// All extensions of Import/Extensions, by name.
std::span<const NnapiExtension *const> allNnapiExtensions();

/// Null: the code is a standard one, or no extension of this compiler has the operation.
const NnapiExtensionOperation *findExtensionOperation(const NnapiFile &file, OperationType type);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIEXTENSIONS_H

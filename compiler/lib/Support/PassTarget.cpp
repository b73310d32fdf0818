//===- PassTarget.cpp - The target of a pass --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Support/PassTarget.h"

namespace avocet::compiler {

TargetPtr passTarget(mlir::Operation *op, const TargetPtr &given, llvm::StringRef name) {
  if (given)
    return given;
  Result<TargetPtr> target = firmware::Target::load(std::string_view(name.data(), name.size()));
  if (target)
    return *target;
  op->emitError(target.status().message());
  return nullptr;
}

} // namespace avocet::compiler

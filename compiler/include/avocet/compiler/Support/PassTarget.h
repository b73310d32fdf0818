//===- PassTarget.h - The target of a pass ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_PASSTARGET_H
#define AVOCET_COMPILER_SUPPORT_PASSTARGET_H

#include "avocet/firmware_iface/Target.h"

#include "mlir/IR/Operation.h"

#include <memory>

namespace avocet::compiler {

using TargetPtr = std::shared_ptr<const firmware::Target>;

/// The target of a pass: `given` (by the pass's creator) or, if that is null, the one that the option `target` names: a
/// shipped target or a path of a target file. If it cannot be loaded: null, with an error at `op`.
TargetPtr passTarget(mlir::Operation *op, const TargetPtr &given, llvm::StringRef name);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_PASSTARGET_H

//===- VerifyUnits.h - Units of a module at the npu levels ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_VERIFYUNITS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_VERIFYUNITS_H

#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Support/Section.h"

#include "mlir/IR/BuiltinOps.h"

namespace avocet::compiler {

/// Checks that the module holds one unit of type Op, or several sections of this type and their cmd.control. `level`
/// names the level in errors.
template <typename Op> llvm::LogicalResult checkUnits(mlir::ModuleOp module, llvm::StringRef level) {
  size_t units = 0, controls = 0;
  for (mlir::Operation &op : *module.getBody()) {
    units += llvm::isa<Op>(op);
    controls += llvm::isa<cmd::ControlOp>(op);
    if (!llvm::isa<Op, cmd::ControlOp>(op) || controls > 1 || (units > 1 && !cmd::controlOf(module)))
      return op.emitError("a ") << level << " module holds one " << Op::getOperationName()
                                << ", or several and one cmd.control, and no other operation";
  }
  if (units == 0)
    return module.emitError("a ") << level << " module holds one " << Op::getOperationName();
  if (!cmd::controlOf(module))
    return mlir::success();
  for (auto unit : module.getOps<Op>())
    if (!isSection(unit))
      return unit.emitError("must name the region of its constants (attribute ")
             << attrs::kConstantsRegion << "), because the module has a cmd.control";
  return mlir::success();
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_SCHEDULE_VERIFYUNITS_H

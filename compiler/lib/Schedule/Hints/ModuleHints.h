//===- ModuleHints.h - The hints of a module as pins ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_HINTS_MODULEHINTS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_HINTS_MODULEHINTS_H

#include "LayerTable.h"
#include "Schedule/ProblemBuilder.h"

namespace avocet::compiler::schedule {

/// The hints of a module whose functions are placed. All sections of a network have their layers in one table.
class ModuleHints {
public:
  /// Reads avocet.hints, if the module has it, and finds the layers that the hints name. Errors are at the module.
  static mlir::FailureOr<ModuleHints> of(mlir::ModuleOp module);

  /// Sets the pins of a section's problem, and checks them. Errors are at the operation.
  mlir::LogicalResult pin(mlir::func::FuncOp function, PlacedProblem &placed) const;

  /// Empty if the module has no hints, and without remarks, which print them.
  const LayerTable &layers() const { return layers_; }

private:
  mlir::LogicalResult checkNames(mlir::Location location) const;

  LayerTable layers_;
  std::vector<Hint> hints_;
};

/// Reports that no plan follows the pins; `operation` as Scheduler::furthest().
mlir::LogicalResult refusePins(mlir::func::FuncOp function, const PlacedProblem &placed, uint32_t operation);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_HINTS_MODULEHINTS_H

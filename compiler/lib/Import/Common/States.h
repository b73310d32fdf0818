//===- States.h - What a network keeps between runs -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last arguments of the function are the values of its states before a run, the last results those after it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_STATES_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_STATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace avocet::compiler {

struct State {
  std::string name;
  mlir::Value initial = {};  ///< a constant; null: the real number zero
  mlir::Value current = {};  ///< at this place of the program; null: it was not used yet
  mlir::Value argument = {}; ///< of the function; null: none
};

class States {
public:
  /// Makes the state one of the function, unless it is one. It must exist as long as this object.
  void addArgument(mlir::func::FuncOp function, State &state, mlir::RankedTensorType type);
  /// Appends the last values to the results, and describes them on the function. Fails after an error if the device
  /// cannot bind as many inputs and outputs, which states are both.
  mlir::LogicalResult addResults(mlir::func::FuncOp function, llvm::SmallVectorImpl<mlir::Value> &results) const;

private:
  std::vector<State *> states_; ///< in the order of their arguments
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_STATES_H

//===- GraphOperation.h - Operators of files with graphs --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_GRAPHOPERATION_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_GRAPHOPERATION_H

#include "ImportedOperation.h"
#include "KnownIntegers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace avocet::compiler {

/// State of an import whose operators may contain graphs.
struct GraphImport : ImportState {
  /// Constants of all graphs are placed before the operations of the function, in the order of their first use.
  mlir::Block *constants = nullptr;
  mlir::Operation *lastConstant = nullptr;
  /// Of control flow, also of refused operators: known integers refer to values in them.
  std::vector<std::unique_ptr<mlir::Region>> regions = {};
  KnownIntegers known = {};

  nn::ConstantOp addConstant(mlir::Location at, mlir::RankedTensorType type, mlir::ElementsAttr elements);
  /// The function of the network.
  mlir::func::FuncOp function() const { return mlir::cast<mlir::func::FuncOp>(constants->getParentOp()); }
};

class GraphOperation : public ImportedOperation {
public:
  /// An empty region that exists until the end of the import.
  mlir::Region &keptRegion() { return *graphs_.regions.emplace_back(std::make_unique<mlir::Region>()); }
  /// The elements of a value of integers that follow from constants; null if they are not known.
  const Integers *knownIntegers(mlir::Value value) { return graphs_.known.of(value); }

protected:
  GraphOperation(GraphImport &state, std::string subject, std::string name, mlir::Location location)
      : ImportedOperation(state, std::move(subject), std::move(name), location), graphs_(state) {}

private:
  GraphImport &graphs_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_GRAPHOPERATION_H

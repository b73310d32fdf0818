//===- TfliteVariables.h - Variables as states of the function --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The variables of a model: resource variables, and tensors with `is_variable`, in which recurrent operators keep
// values between runs. The last arguments of the function are their values before a run, the last results those after
// it. A resource variable that no operator assigns is a constant.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEVARIABLES_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEVARIABLES_H

#include "TfliteFile.h"

#include "Import/Common/States.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseSet.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace avocet::compiler {

/// The name has the container, if there is one; without an initial value none was assigned yet.
struct TfliteVariable : State {
  bool isAssigned = false; ///< outside subgraphs that run once
};

class TfliteVariables {
public:
  /// Finds which variables the operators of the file assign. No other member may be used before.
  void scan(const TfliteFile &file);
  bool areAssigned() const { return !assigned_.empty(); }

  TfliteVariable &find(llvm::StringRef container, llvm::StringRef name);
  /// The variable of a tensor with `is_variable`; `name` is that of the tensor.
  TfliteVariable &find(uint32_t subgraph, int32_t tensor, llvm::StringRef name);

  States states;                              ///< of the function
  bool initializing = false;                  ///< inside of a subgraph that runs once
  llvm::DenseSet<uint32_t> initializers = {}; ///< subgraphs that ran already

private:
  using Key = std::pair<std::string, std::string>; ///< container and name

  void scanGraph(const TfliteFile &graph);

  std::map<Key, TfliteVariable> variables_;
  std::map<std::pair<uint32_t, int32_t>, TfliteVariable> tensors_; ///< by subgraph and tensor
  std::set<Key> assigned_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEVARIABLES_H

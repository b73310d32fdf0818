//===- OperationProbe.h - One operation at one choice of shapes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPERATIONPROBE_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPERATIONPROBE_H

#include "NnapiGraph.h"
#include "OpenShapes.h"

#include "NnapiImport.h"
#include "avocet/compiler/Compiler.h"

#include <set>
#include <string>
#include <vector>

namespace avocet::compiler {

/// Result of checking an operation at one choice of extents and values.
struct ProbeResult {
  enum class Kind {
    Runs,
    Inadmissible, ///< breaks a rule of NNAPI: such an execution fails with INVALID_ARGUMENT
    TooLarge,     ///< a tensor has too many elements
    Refused,
  };
  Kind kind = Kind::Inadmissible;
  Refusal reason;                                     ///< if refused
  std::string message;                                ///< if refused or inadmissible
  std::vector<Extents> results;                       ///< if it runs
  std::vector<std::optional<OpenRows>> openRows = {}; ///< of the results
};

/// A model in which one operation of the main subgraph is checked repeatedly. All members are borrowed.
struct ProbeModel {
  mlir::MLIRContext *context;
  const NnapiFile &file;
  std::shared_ptr<const void> bytes;
  mlir::Location location;
  NnapiJudge judge;
  const std::set<const nnapi::Operation *> &unrolledLoops; ///< see NnapiOpenOperands
};

/// A value that the operation reads and that another operation or a request provides.
struct ProbeInput {
  uint32_t operand = 0;
  Extents extents;
  bool isOmitted = false;
  std::optional<OpenRows> openRows = {};
};

/// The operation as a network of its own.
class OperationProbe {
public:
  /// `inputs` are fully known; operands named in `valueOperands` have no elements in the network.
  OperationProbe(const ProbeModel &model, uint32_t operation, llvm::ArrayRef<ProbeInput> inputs)
      : model_(model), operation_(operation), inputs_(inputs) {}

  /// The values to try for operands that executions provide; see NnapiConverter.
  NnapiValueChoices valueChoices() const;

  /// The sets of optional operands to try; see NnapiConverter.
  llvm::SmallVector<NnapiPresent> presences() const;

  /// Imports the operation and checks it on the target. `values`: operands that executions provide, by position.
  ProbeResult run(const NnapiValues &values) const;

private:
  const ProbeModel &model_;
  const uint32_t operation_;
  const llvm::ArrayRef<ProbeInput> inputs_;
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_OPERATIONPROBE_H

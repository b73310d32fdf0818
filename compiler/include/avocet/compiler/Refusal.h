//===- Refusal.h - Machine-readable reasons at diagnostics ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A refusal is an error with its reason as data: which operation, which operand, which rule, the value found and the
// limit. It travels as metadata of an MLIR diagnostic, so that tools show the sentence and the facade returns the data.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_REFUSAL_H
#define AVOCET_COMPILER_REFUSAL_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <optional>
#include <string>

namespace avocet::compiler {

struct Refusal; // Compiler.h

/// The reason; texts as a user of the network would write them ("CONV_2D", "filter", "dilation of 1", "3", "1").
struct RefusalReason {
  std::string operation;
  std::string operand; ///< empty: the operation itself
  std::string rule;
  std::string value;
  std::string limit; ///< empty: the rule says it
};

/// Emits the error "<operation> is not supported: <operand>: <rule>, found <value>, limit <limit>" with the reason as
/// data. Work goes on behind it, so that all refusals of a model are reported at once; the caller fails in the end.
mlir::InFlightDiagnostic emitRefusal(mlir::Location location, const RefusalReason &reason);

/// The reason that a diagnostic carries, if it is a refusal.
std::optional<Refusal> refusalOf(const mlir::Diagnostic &diagnostic);

/// Number of the main subgraph's operation in a location that the NNAPI importer made (it is the metadata of a fused
/// location inside); -1 elsewhere.
int64_t operationIndexOf(mlir::Location location);

/// "model.tflite:conv1", "file.mlir:3:5" or empty.
std::string describeLocation(mlir::Location location);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_REFUSAL_H

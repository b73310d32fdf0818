//===- Refusal.h - Machine-readable reasons at diagnostics ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A refusal is an error whose reason is also available as data: operation, operand, rule, value found and limit. The
// data is metadata of an MLIR diagnostic: tools print the sentence, the facade returns the data.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_REFUSAL_H
#define AVOCET_COMPILER_SUPPORT_REFUSAL_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include <optional>
#include <string>

namespace avocet::compiler {

struct Refusal; // Compiler.h

/// The rule of a refusal whose operation the compiler does not implement; its value is the operation's name.
inline constexpr char kImplementedRule[] = "operation of the compiler";

/// The reason, in the terms of the network's author ("CONV_2D", "filter", "dilation of 1", "3", "1").
struct RefusalReason {
  std::string operation;
  std::string operand; ///< empty: the operation itself
  std::string rule;
  std::string value;
  std::string limit; ///< empty: the rule contains it

  // Only for the message, not part of the data.
  std::string output = {}; ///< "operand 7"; empty: the name that the location gives
  std::string advice = "run this operator on the host, or change the model";
};

/// A real number for `value` and `limit`, with four digits: "3.092e+30".
std::string roundedText(double number);

/// Emits the error "<operation> (output <name>) is not supported: <rule for operand>, found <value>, accepted: <limit>;
/// <advice>" with the reason as data. Of more than five accepted values ("A, B, ... or Z") the sentence names five. The
/// caller continues after it, to report all refusals of a model at once, and fails at the end.
mlir::InFlightDiagnostic emitRefusal(mlir::Location location, const RefusalReason &reason);

/// The reason attached to a diagnostic, if it is a refusal.
std::optional<Refusal> refusalOf(const mlir::Diagnostic &diagnostic);

/// "model.tflite:conv1", "file.mlir:3:5" or empty.
std::string describeLocation(mlir::Location location);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_REFUSAL_H

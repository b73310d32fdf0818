//===- Hints.h - Schedule hints as attributes -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module's hints are the attribute avocet.hints, an array of dictionaries (compiler/docs/Hints.md). Here they have
// the right form; whether their operators exist, and whether a plan can follow them, is known at the phase schedule.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_HINTS_HINTS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_HINTS_HINTS_H

#include "Schedule/Core/Pins.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace avocet::compiler::schedule {

/// An operation by its layer, as a user names it.
struct OperatorRef {
  std::string name;                  ///< of an operator or a layer, or a part of one; if there is no number
  std::optional<uint32_t> number;    ///< of the layer
  std::optional<uint32_t> operation; ///< which operation of the layer, if it has several
  uint32_t output = 0;

  bool operator==(const OperatorRef &) const = default;
  std::string text() const { return number ? "layer " + std::to_string(*number) : "'" + name + "'"; }
};

struct CascadeHint {
  OperatorRef first, last;
  std::optional<uint32_t> rows, parts;
  std::optional<bool> ahead;
  std::optional<uint64_t> pieces; ///< bytes
  std::optional<std::vector<OperatorRef>> spills;
};
struct CutHint {
  OperatorRef last; ///< of a cascade
};
struct ResultHint {
  OperatorRef result;
  bool inDram = false;
};
/// One of the two.
struct BlockHint {
  OperatorRef of;
  std::optional<firmware::Block> extents;
  std::optional<kernels::BlockShift> doublings;
};
struct TransfersHint {
  OperatorRef of; ///< any operation of the section
  TransferOptions order;
};
using Hint = std::variant<CascadeHint, CutHint, ResultHint, BlockHint, TransfersHint>;

/// The hints of an attribute, in order. Errors, at the location, name the hint, the key, and what is accepted.
mlir::FailureOr<std::vector<Hint>> readHints(mlir::Location location, mlir::Attribute attribute);

/// The attribute for the text of a hint file, which is checked as readHints() does. Errors are at the location.
mlir::FailureOr<mlir::ArrayAttr> parseHints(mlir::Location location, llvm::StringRef json);

/// A line of a hint file.
std::string jsonOf(const Hint &hint);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_HINTS_HINTS_H

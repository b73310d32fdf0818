//===- Refusal.cpp - Machine-readable reasons at diagnostics ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Support/Refusal.h"

#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Support/Origin.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <utility>

namespace avocet::compiler {
namespace {

constexpr llvm::StringLiteral kMarker = "avocet.refusal";

/// The output of an operation for messages. A name around the name of a file is that of a TFLite operator's output.
std::string outputOf(mlir::Location location, const RefusalReason &reason) {
  if (!reason.output.empty())
    return reason.output;
  auto name = llvm::dyn_cast<mlir::NameLoc>(location);
  bool isTensor = name && (llvm::isa<mlir::NameLoc>(name.getChildLoc()) || isOperatorLocation(location));
  return isTensor ? "tensor '" + name.getName().str() + "'" : "";
}

/// The rule and its operand: "bias" and "is constant" become "bias must be constant".
std::string demandOf(llvm::StringRef operand, llvm::StringRef rule) {
  struct Verb {
    llvm::StringLiteral verb, demand;
  };
  constexpr Verb kVerbs[] = {{"is ", "must be "},     {"are ", "must be "},     {"has ", "must have "},
                             {"have ", "must have "}, {"gives ", "must give "}, {"runs ", "must run "}};
  for (const auto &[verb, demand] : kVerbs)
    if (rule.consume_front(verb))
      return (operand.empty() ? "" : operand.str() + " ") + demand.str() + rule.str();
  return (operand.empty() ? "" : operand.str() + ": ") + rule.str();
}

constexpr size_t kMostAccepted = 5; ///< values that a sentence names

/// The first values of a list "A, B, ... or Z".
std::string shortened(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef> values;
  auto [firsts, last] = list.rsplit(" or ");
  firsts.split(values, ", ");
  const size_t count = values.size() + 1;
  if (last.empty() || count <= kMostAccepted)
    return list.str();
  values.truncate(kMostAccepted);
  return llvm::join(values, ", ") + " or " + std::to_string(count - kMostAccepted) + " more";
}

/// What is accepted. A number above the one found is a lower bound or the only value, so "limit" would mislead.
std::string acceptedText(llvm::StringRef value, llvm::StringRef limit) {
  int64_t found = 0, bound = 0;
  if (limit.empty())
    return "";
  if (limit.getAsInteger(10, bound))
    return ", accepted: " + shortened(limit);
  return (!value.getAsInteger(10, found) && found < bound ? ", required " : ", limit ") + limit.str();
}

std::string problemOf(llvm::StringRef operand, const RefusalReason &reason) {
  if (reason.rule == kImplementedRule)
    return "the compiler does not implement " + reason.value;
  return demandOf(operand, reason.rule) + (reason.value.empty() ? "" : ", found " + reason.value) +
         acceptedText(reason.value, reason.limit);
}

std::string sentenceOf(mlir::Location location, const RefusalReason &reason) {
  std::string subject = reason.operation, operand = reason.operand;
  std::string output;
  if (!operand.empty() && llvm::all_of(operand, llvm::isDigit)) // a position: "graph input", "0" and perhaps "'x'"
    subject += " " + std::exchange(operand, "") + (reason.output.empty() ? "" : " " + reason.output);
  else
    output = outputOf(location, reason);
  return subject + (output.empty() ? "" : " (output " + output + ")") +
         " is not supported: " + problemOf(operand, reason) + "; " + reason.advice;
}

std::string textOf(const mlir::DiagnosticArgument &argument) {
  if (argument.getKind() != mlir::DiagnosticArgument::DiagnosticArgumentKind::Attribute)
    return "";
  auto text = llvm::dyn_cast<mlir::StringAttr>(argument.getAsAttribute());
  return text ? text.getValue().str() : "";
}

} // namespace

std::string roundedText(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.4g", number);
  return text;
}

mlir::InFlightDiagnostic emitRefusal(mlir::Location location, const RefusalReason &reason) {
  mlir::InFlightDiagnostic diagnostic = mlir::emitError(location) << sentenceOf(location, reason);
  // Attributes instead of strings: metadata does not own its text, the context does.
  auto add = [&](llvm::StringRef text) {
    diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(
        mlir::Attribute(mlir::StringAttr::get(location.getContext(), text)));
  };
  add(kMarker);
  for (const std::string *text : {&reason.operation, &reason.operand, &reason.rule, &reason.value, &reason.limit})
    add(*text);
  return diagnostic;
}

std::optional<Refusal> refusalOf(const mlir::Diagnostic &diagnostic) {
  auto &metadata = const_cast<mlir::Diagnostic &>(diagnostic).getMetadata();
  if (metadata.size() != 6 || textOf(metadata[0]) != kMarker)
    return std::nullopt;
  return Refusal{describeLocation(diagnostic.getLocation()),
                 textOf(metadata[1]),
                 textOf(metadata[2]),
                 textOf(metadata[3]),
                 textOf(metadata[4]),
                 textOf(metadata[5]),
                 topLevelOf(diagnostic.getLocation())};
}

std::string describeLocation(mlir::Location location) {
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location))
    return file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" + std::to_string(file.getColumn());
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(location)) {
    std::string outer = describeLocation(name.getChildLoc());
    return outer.empty() ? name.getName().str() : outer + ":" + name.getName().str();
  }
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (std::string text = describeLocation(part); !text.empty())
        return text;
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location))
    return describeLocation(call.getCallee());
  return "";
}

} // namespace avocet::compiler

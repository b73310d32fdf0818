//===- Refusal.cpp - Machine-readable reasons at diagnostics ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Refusal.h"

#include "avocet/compiler/Compiler.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace avocet::compiler {
namespace {

constexpr llvm::StringLiteral kMarker = "avocet.refusal";

std::string sentenceOf(const RefusalReason &reason) {
  std::string text = reason.operation + " is not supported: ";
  if (!reason.operand.empty())
    text += reason.operand + ": ";
  text += reason.rule;
  if (!reason.value.empty())
    text += ", found " + reason.value;
  if (!reason.limit.empty())
    text += ", limit " + reason.limit;
  return text;
}

std::string textOf(const mlir::DiagnosticArgument &argument) {
  if (argument.getKind() != mlir::DiagnosticArgument::DiagnosticArgumentKind::Attribute)
    return "";
  auto text = llvm::dyn_cast<mlir::StringAttr>(argument.getAsAttribute());
  return text ? text.getValue().str() : "";
}

} // namespace

mlir::InFlightDiagnostic emitRefusal(mlir::Location location, const RefusalReason &reason) {
  mlir::InFlightDiagnostic diagnostic = mlir::emitError(location) << sentenceOf(reason);
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
                 operationIndexOf(diagnostic.getLocation())};
}

int64_t operationIndexOf(mlir::Location location) {
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(location))
    return operationIndexOf(name.getChildLoc());
  auto fused = llvm::dyn_cast<mlir::FusedLoc>(location);
  if (!fused)
    return -1;
  if (auto index = llvm::dyn_cast_or_null<mlir::IntegerAttr>(fused.getMetadata()))
    return index.getInt();
  for (mlir::Location part : fused.getLocations())
    if (int64_t index = operationIndexOf(part); index >= 0)
      return index;
  return -1;
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

//===- FuzzHints.cpp - Hint files -------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Hints/Hints.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdlib>

using namespace avocet::compiler;

// The archives of LLVM and MLIR are not instrumented, so the poisoning by their allocators is incomplete.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }

namespace {

void require(bool condition) {
  if (!condition)
    std::abort();
}

/// Accepted hints, written and read again, are the same. Refused files have a diagnostic.
void check(mlir::MLIRContext &context, llvm::StringRef text) {
  bool hasError = false;
  const mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) { hasError = true; });
  const auto location = mlir::UnknownLoc::get(&context);
  const auto attribute = schedule::parseHints(location, text);
  require(succeeded(attribute) != hasError);
  if (failed(attribute))
    return;
  const auto hints = schedule::readHints(location, *attribute);
  require(succeeded(hints));
  std::string again;
  for (const schedule::Hint &hint : *hints)
    again += (again.empty() ? "" : ",") + schedule::jsonOf(hint);
  const auto second = schedule::parseHints(location, "{\"hints\": [" + again + "]}");
  require(succeeded(second) && second->size() == attribute->size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  check(context, llvm::StringRef(reinterpret_cast<const char *>(data), size));
  return 0;
}

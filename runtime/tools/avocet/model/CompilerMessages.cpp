//===- CompilerMessages.cpp - Errors of a compilation, printed ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerMessages.h"

#include "avocet/base/CleanText.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/documents/Diagnostics.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::tool {

std::string_view divisionAdvice(const std::vector<compiler::Refusal> &refusals) {
  const bool isDivisible = std::ranges::any_of(refusals, [](const compiler::Refusal &refusal) {
    return refusal.location.find(".tflite:") != std::string::npos ||
           refusal.location.find(".onnx:") != std::string::npos;
  });
  return isDivisible ? "The other operators can run: 'avocet compile MODEL --partition DIR' divides the network, as "
                       "the TFLite delegate and NNAPI do.\n"
                     : "";
}

std::string diagnosticsText(const compiler::Verdict &result) {
  std::string text;
  for (const compiler::Diagnostic &diagnostic : result.diagnostics) {
    std::string place = diagnostic.location.empty() ? "" : diagnostic.location + ": ";
    if (place + diagnostic.message == result.status.message())
      continue; // the command's last line repeats it
    text +=
        cleanMessage(fmt::format("{}{}: {}", place, documents::severityName(diagnostic.severity), diagnostic.message)) +
        "\n";
  }
  if (!result.status.isOk())
    text += divisionAdvice(result.refusals);
  if (!result.refusals.empty())
    text += "--diagnostics json lists the refusals as data.\n";
  return text;
}

void printDiagnostics(const compiler::Verdict &result, DiagnosticsFormat format) {
  if (format == DiagnosticsFormat::TextWithoutRefusals && !result.refusals.empty())
    return;
  if (format == DiagnosticsFormat::Json && !result.status.isOk())
    printOut("{}", documents::diagnosticsJson(result));
  else
    printErr("{}", diagnosticsText(result));
}

} // namespace avocet::tool

//===- CompilerMessages.h - Errors and remarks of a compilation ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_COMPILERMESSAGES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_COMPILERMESSAGES_H

#include "ModelSource.h"
#include "avocet/compiler/Compiler.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace avocet::tool {

/// A remark that outlives the call of the compiler.
struct OwnedRemark {
  static constexpr std::string_view kHint =
      "Hint"; ///< key of what makes the compiler choose this, a line of a hint file

  explicit OwnedRemark(const compiler::Remark &remark);
  /// The value of an argument; empty: there is none of that name.
  std::string_view argument(std::string_view key) const;

  compiler::RemarkKind kind;
  std::string category, name, location;
  std::vector<std::pair<std::string, std::string>> arguments;
};

/// As an entry of schemas/remarks.schema.json.
nlohmann::ordered_json remarkJson(const OwnedRemark &remark);

/// The remarks of a compilation. text(): as a JSON document with one line for each (schemas/remarks.schema.json), which
/// takes longer to make than the remarks, so that it waits for the end of the compilation.
class RemarkLog {
public:
  void add(const compiler::Remark &remark) { remarks_.emplace_back(remark); }
  std::string text() const;

private:
  std::vector<OwnedRemark> remarks_;
};

/// A line on how to run a refused network in part; empty if that is not possible.
std::string_view divisionAdvice(const std::vector<compiler::Refusal> &refusals);

/// One line per diagnostic, "place: error: message", as compilers write them; then what to do about refusals.
std::string diagnosticsText(const compiler::Verdict &result);

/// An entry of "unsupported" below.
nlohmann::json refusalJson(const compiler::Refusal &refusal);

/// {"status", "message", "diagnostics": [{severity, location, message}], "unsupported": [{location, operation, operand,
/// rule, value, limit}]}.
std::string diagnosticsJson(const compiler::Verdict &result);

/// Prints as described at compileModel().
void printDiagnostics(const compiler::Verdict &result, DiagnosticsFormat format);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_MODEL_COMPILERMESSAGES_H

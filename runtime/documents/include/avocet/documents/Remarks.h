//===- Remarks.h - Decisions of the compiler, kept --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_REMARKS_H
#define AVOCET_DOCUMENTS_REMARKS_H

#include "avocet/compiler/Compiler.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace avocet::documents {

/// A remark that outlives the call of the compiler.
struct OwnedRemark {
  static constexpr std::string_view kHint =
      "Hint"; ///< key of what makes the compiler choose this, a line of a hint file

  explicit OwnedRemark(const compiler::Remark &remark);
  /// The value of an argument; empty: there is none of that name.
  std::string_view argument(std::string_view key) const;
  /// The same as a number; nothing: there is none, or it is no number.
  std::optional<int64_t> number(std::string_view key) const;

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

/// A hint file (schemas/hints.schema.json) that fixes the schedule which the remarks of a compilation describe, one
/// hint in a line.
std::string hintFile(const std::vector<OwnedRemark> &remarks);

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_REMARKS_H

//===- HintFiles.cpp - Files with schedule hints ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/HintFiles.h"

#include "avocet/base/File.h"
#include "output/SchemaVersions.h"

#include <fmt/format.h>

namespace avocet::tool {

/// Of a hint file. Those of the largest networks have less than 1 MiB.
constexpr uint64_t kMostHintBytes = uint64_t{16} << 20;

Result<std::string> readHints(const std::string &path) {
  if (path.empty())
    return std::string();
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path, kMostHintBytes));
  if (bytes.empty())
    return dataLoss(path + ": is empty; 'avocet explain MODEL --print-hints' writes hints to start from");
  return std::string(bytes.begin(), bytes.end());
}

std::string hintFile(const std::vector<OwnedRemark> &remarks) {
  std::string lines;
  for (const OwnedRemark &remark : remarks)
    if (const std::string_view hint = remark.argument(OwnedRemark::kHint);
        remark.kind == compiler::RemarkKind::Passed && !hint.empty())
      lines += fmt::format("{}\n{}", lines.empty() ? "" : ",", hint);
  return fmt::format("{{\"{}\": {}, \"hints\": [{}\n]}}\n", kSchemaVersionKey, kHintsSchema, lines);
}

} // namespace avocet::tool

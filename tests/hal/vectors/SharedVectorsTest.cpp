//===- SharedVectorsTest.cpp ---------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reads the real vectors and compares them with their index.

#include "avocet/hal/vectors/VectorFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace avocet::hal::conformance {
namespace {

const std::string kFolder = std::string(AVOCET_SHARED_DATA) + "/conformance";

bool isMissing() { return std::string_view(AVOCET_SHARED_DATA).empty() || !std::filesystem::exists(kFolder); }

/// Rows of index.tsv by bucket/spec/case.
std::map<std::string, std::vector<std::string>> readIndex() {
  std::map<std::string, std::vector<std::string>> rows;
  std::ifstream file(kFolder + "/index.tsv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');)
      cells.push_back(cell);
    const std::string stem = cells.at(0).substr(0, cells[0].size() - std::string(".nntv").size());
    rows[stem.substr(stem.find('/') + 1) + "/" + cells.at(1)] = cells;
  }
  return rows;
}

TEST(SharedVectors, MatchTheirIndex) {
  if (isMissing())
    GTEST_SKIP() << "AVOCET_SHARED_DATA is not set or has no conformance/";
  auto cases = findCases(kFolder + "/vectors");
  ASSERT_TRUE(cases.isOk()) << cases.status().toString();
  const auto rows = readIndex();
  ASSERT_EQ(cases->size(), rows.size());
  for (const CaseRef &ref : *cases) {
    const CaseInfo info = ref.file->info(ref.index);
    ASSERT_TRUE(rows.contains(info.name)) << info.name;
    const auto &cells = rows.at(info.name);
    if (cells.at(9) != "-" && info.suite != Suite::Experimental)
      EXPECT_EQ(info.primaryOperation, cells[9]) << info.name;
    EXPECT_EQ(info.kinds.has(RunKind::DynamicShape), cells.at(8).find("DYNAMIC_SHAPE") != std::string::npos);
    auto made = ref.file->make(ref.index, Form::AsWritten);
    ASSERT_TRUE(made.isOk()) << info.name << made.status().toString();
    EXPECT_EQ(std::to_string(made->inputs.size()), cells.at(15)) << info.name;
    EXPECT_EQ(std::to_string(made->outputs.size()), cells.at(16)) << info.name;
  }
}

} // namespace
} // namespace avocet::hal::conformance

//===- VectorValidationTest.cpp - Every conformance vector through validation ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorModels.h"
#include "avocet/hal/Signatures.h"
#include "avocet/hal/Utils.h"
#include "avocet/hal/Validation.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace avocet::hal::test {
namespace {

bool isExperimental(const nnapi_test::SpecFile &spec) { return spec.suite() == nnapi_test::Suite::EXPERIMENTAL; }

/// Calls `check(spec, case)` for every published case.
template <typename Check> void forEachCase(Check check) {
  for (const std::filesystem::path &path : vectorFiles()) {
    VectorFile file(path);
    if (testing::Test::HasFatalFailure() || isExperimental(file.spec()))
      continue;
    for (const nnapi_test::Case *vector : *file.spec().cases())
      check(file.spec(), *vector);
  }
}

// A macro because GTEST_SKIP() leaves the test.
#define SKIP_WITHOUT_VECTORS()                                                                                         \
  if (vectorFiles().empty())                                                                                           \
  GTEST_SKIP() << "no conformance vectors: AVOCET_SHARED_DATA is '" << AVOCET_SHARED_DATA << "'"

TEST(VectorValidation, AcceptsEveryModelThatMustRunAtItsLevel) {
  SKIP_WITHOUT_VECTORS();
  size_t count = 0;
  forEachCase([&](const nnapi_test::SpecFile &spec, const nnapi_test::Case &vector) {
    if (vector.expect_failure())
      return;
    Result<Version> version = validate(modelOf(vector));
    ++count;
    ASSERT_TRUE(version.isOk()) << vector.name()->str() << ": " << version.error().message;
    EXPECT_LE(*version, versionOf(spec, vector)) << vector.name()->str() << " needs " << toString(*version);
  });
  EXPECT_GT(count, 5000U);
}

TEST(VectorValidation, TheTableHasTheCountsOfThePublishedOperations) {
  std::ifstream file(std::string(AVOCET_SHARED_DATA) + "/conformance/operations.tsv");
  if (!file)
    GTEST_SKIP() << "no operations.tsv: AVOCET_SHARED_DATA is '" << AVOCET_SHARED_DATA << "'";
  std::string line;
  std::getline(file, line);
  size_t rows = 0;
  while (std::getline(file, line)) {
    std::istringstream columns(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(columns, cell, '\t');)
      cells.push_back(cell);
    ASSERT_EQ(cells.size(), 10U) << line;
    const Signature *signature = findSignature(std::stoi(cells[0]));
    ASSERT_NE(signature, nullptr) << line;
    EXPECT_EQ(signature->name, cells[1]);
    EXPECT_EQ(allowedInputCounts(*signature), cells[6]) << line;
    EXPECT_EQ(allowedOutputCounts(*signature), cells[9]) << line;
    ++rows;
  }
  EXPECT_EQ(rows, allSignatures().size());
}

} // namespace
} // namespace avocet::hal::test

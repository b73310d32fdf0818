//===- VectorTest.cpp - Validation of all conformance vectors -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutations.h"
#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/vectors/VectorFile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace avocet::hal::test {
namespace {

using conformance::CaseInfo;
using conformance::CaseRef;
using conformance::RunKind;

class VectorValidationTest : public testing::Test {
protected:
  void SetUp() override {
    auto found = conformance::findCases(std::string(AVOCET_SHARED_DATA) + "/conformance/vectors");
    if (!found.isOk())
      GTEST_SKIP() << "no conformance vectors: AVOCET_SHARED_DATA is '" << AVOCET_SHARED_DATA << "'";
    for (const CaseRef &reference : *found)
      if (reference.file->info(reference.index).suite != conformance::Suite::Experimental)
        cases_.push_back(reference);
  }

  static Model modelOf(const CaseRef &reference, conformance::Form form = conformance::Form::AsWritten) {
    auto made = reference.file->make(reference.index, form);
    EXPECT_TRUE(made.isOk());
    return made.isOk() ? made->model : Model();
  }

  std::vector<CaseRef> cases_;
};

/// Version of the bucket that a case's name begins with: "V1_2/...", "V1_3_cts_only/...", "AIDL_V2/...".
Version versionOfBucket(std::string_view name) {
  auto digit = [&](size_t position) { return static_cast<uint32_t>(name[position] - '0'); };
  return static_cast<Version>(name.starts_with("AIDL_V") ? 3 + digit(6) : digit(3));
}

/// The lowest version on which the case must run. Some cases of the bucket V1_2 declare a lower level than their BOOL
/// operands need, so the bucket's version is a lower bound.
Version versionOf(const CaseInfo &info) { return std::max(info.level, versionOfBucket(info.name)); }

TEST_F(VectorValidationTest, AcceptsVectorsAtTheirLevel) {
  for (const CaseRef &reference : cases_) {
    CaseInfo info = reference.file->info(reference.index);
    if (info.kinds.has(RunKind::Validation))
      continue;
    Result<Version> version = validate(modelOf(reference));
    ASSERT_TRUE(version.isOk()) << info.name << ": " << version.error().message;
    EXPECT_LE(*version, versionOf(info)) << info.name << " needs " << toString(*version);
  }
  EXPECT_GT(cases_.size(), 5000U);
}

/// The forms of the derived runs: the signed form needs 1.3, unknown outputs need no higher version.
TEST_F(VectorValidationTest, AcceptsDerivedForms) {
  size_t numSigned = 0;
  for (const CaseRef &reference : cases_) {
    CaseInfo info = reference.file->info(reference.index);
    if (info.kinds.has(RunKind::SignedCoupling)) {
      Result<Version> version = validate(modelOf(reference, conformance::Form::Signed));
      ASSERT_TRUE(version.isOk()) << info.name << ": " << version.error().message;
      EXPECT_LE(*version, std::max(versionOf(info), Version::V1_3)) << info.name;
      ++numSigned;
    }
    if (!info.kinds.has(RunKind::DynamicShape))
      continue;
    Result<Version> version = validate(modelOf(reference, conformance::Form::UnknownOutputs));
    ASSERT_TRUE(version.isOk()) << info.name << ": " << version.error().message;
    EXPECT_LE(*version, versionOf(info)) << info.name;
  }
  EXPECT_GT(numSigned, 500U);
}

TEST_F(VectorValidationTest, RefusesInvalidVectors) {
  size_t count = 0;
  for (const CaseRef &reference : cases_) {
    CaseInfo info = reference.file->info(reference.index);
    if (!info.kinds.has(RunKind::Validation))
      continue;
    EXPECT_EQ(validate(modelOf(reference)).code(), ErrorStatus::InvalidArgument) << info.name;
    ++count;
  }
  EXPECT_GT(count, 40U);
}

/// All mutations of small models; of large ones a subset, spread evenly over all families.
TEST_F(VectorValidationTest, RefusesVectorsWithBrokenRule) {
  static constexpr size_t kMostPerModel = 250;
  std::set<const conformance::VectorFile *> seen;
  size_t count = 0;
  for (const CaseRef &reference : cases_) {
    CaseInfo info = reference.file->info(reference.index);
    if (info.kinds.has(RunKind::Validation) || !seen.insert(reference.file.get()).second)
      continue;
    Model model = modelOf(reference);
    std::vector<Mutation> mutations = mutationsOf(model);
    size_t stride = std::max<size_t>(1, mutations.size() / kMostPerModel);
    for (size_t i = 0; i < mutations.size(); i += stride, ++count) {
      Model changed = model;
      mutations[i].apply(changed);
      Result<Version> version = validate(changed);
      ASSERT_FALSE(version.isOk()) << info.name << " " << mutations[i].family << " " << mutations[i].place;
      EXPECT_EQ(version.code(), ErrorStatus::InvalidArgument);
      EXPECT_TRUE(names(version.error().message, mutations[i].place))
          << info.name << " " << mutations[i].family << " at " << mutations[i].place << ": " << version.error().message;
    }
  }
  EXPECT_GT(count, 10000U);
}

TEST(OperationCounts, MatchPublishedTable) {
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
    const OperationSignature *signature = findSignature(static_cast<OperationType>(std::stoi(cells[0])));
    ASSERT_NE(signature, nullptr) << line;
    EXPECT_EQ(signature->name(), cells[1]);
    EXPECT_EQ(allowedInputCounts(*signature), cells[6]) << line;
    EXPECT_EQ(allowedOutputCounts(*signature), cells[9]) << line;
    ++rows;
  }
  EXPECT_EQ(rows, allSignatures().size());
}

} // namespace
} // namespace avocet::hal::test

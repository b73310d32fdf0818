//===- InputsTest.cpp - Inputs of runs ------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/Inputs.h"

#include "avocet/base/File.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace avocet::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Bytes = std::vector<uint8_t>;

/// Two inputs of one byte; its output is their sum.
class SumSession final : public Session {
public:
  size_t numInputs() const override { return 2; }
  size_t numOutputs() const override { return 1; }
  size_t numStates() const override { return 0; }
  cache::OperandView describeInput(size_t) const override { return kByte; }
  cache::OperandView describeOutput(size_t) const override { return kByte; }
  std::span<uint8_t> input(size_t index) override { return inputs_[index]; }
  std::span<const uint8_t> output(size_t) const override { return output_; }
  Status reset() override { return Status::ok(); }
  Result<RunRecord> run() override {
    output_[0] = static_cast<uint8_t>(inputs_[0][0] + inputs_[1][0]);
    return RunRecord();
  }
  Status finish() override { return Status::ok(); }

private:
  static constexpr cache::OperandView kByte = {"x", firmware::DataType::UInt8, {}, 1, {}, {}, -1};
  std::vector<Bytes> inputs_ = {{0}, {0}};
  Bytes output_ = {0};
};

class InputsTest : public ::testing::Test {
protected:
  /// Files with the bytes 1, 2, ...
  std::vector<std::string> files(uint8_t count) {
    std::vector<std::string> paths;
    for (uint8_t byte = 1; byte <= count; ++byte) {
      paths.push_back(::testing::TempDir() + "/avocet-inputs-" + std::to_string(::getpid()) + "-" +
                      std::to_string(byte));
      EXPECT_TRUE(writeFile(paths.back(), std::span<const uint8_t>(&byte, 1)).isOk());
    }
    made_ = paths;
    return paths;
  }
  Bytes sumOfRun(const Inputs &inputs, uint32_t run, uint32_t runs) {
    EXPECT_TRUE(fillInputs(session_, inputs, run, runs).isOk());
    EXPECT_TRUE(session_.run().isOk());
    return copyOutputs(session_).front();
  }
  void TearDown() override {
    for (const std::string &path : made_)
      ::unlink(path.c_str());
  }

  SumSession session_;
  std::vector<std::string> made_;
};

TEST_F(InputsTest, OneSetOfFilesServesEachRun) {
  const Inputs inputs{files(2)};
  EXPECT_THAT(sumOfRun(inputs, 0, 3), ElementsAre(3));
  EXPECT_THAT(sumOfRun(inputs, 2, 3), ElementsAre(3));
}

TEST_F(InputsTest, EachRunHasItsOwnFiles) {
  const Inputs inputs{files(6)};
  EXPECT_THAT(sumOfRun(inputs, 0, 3), ElementsAre(3));
  EXPECT_THAT(sumOfRun(inputs, 2, 3), ElementsAre(11));
}

TEST_F(InputsTest, OtherNumbersOfFilesAreRefused) {
  const Status status = fillInputs(session_, {files(3)}, 0, 3);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("3 input files were given, but the model has 2 inputs"));
}

TEST_F(InputsTest, RandomDataDiffersBetweenRuns) {
  std::vector<Bytes> sums;
  for (uint32_t run = 0; run < 8; ++run)
    sums.push_back(sumOfRun({{}, 7}, run, 8));
  EXPECT_THAT(sums, Not(::testing::Each(sums[0])));
  EXPECT_EQ(sumOfRun({{}, 7}, 5, 8), sums[5]);
}

} // namespace
} // namespace avocet::session

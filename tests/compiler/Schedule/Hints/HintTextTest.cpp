//===- HintTextTest.cpp - Hint files ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Hints/Hints.h"

#include "mlir/IR/MLIRContext.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

using testing::HasSubstr;

class HintTextTest : public testing::Test {
protected:
  /// The hints of a file; the errors are in `errors_`.
  std::vector<Hint> parsed(llvm::StringRef json) {
    errors_.clear();
    const mlir::ScopedDiagnosticHandler handler(&context_,
                                                [this](mlir::Diagnostic &error) { errors_ += error.str() + "\n"; });
    const auto location = mlir::UnknownLoc::get(&context_);
    const auto attribute = parseHints(location, json);
    EXPECT_EQ(errors_.empty(), succeeded(attribute));
    return succeeded(attribute) ? *readHints(location, *attribute) : std::vector<Hint>();
  }
  std::string errorsOf(llvm::StringRef json) {
    EXPECT_TRUE(parsed(json).empty());
    return errors_;
  }
  static std::string fileOf(const std::string &hint) { return "{\"hints\": [" + hint + "]}"; }

  mlir::MLIRContext context_;
  std::string errors_;
};

TEST_F(HintTextTest, WrittenHintsAreReadAgain) {
  const std::vector<std::string> lines = {
      R"({"cascade":["conv1","conv2"],"rows":4,"parts":2,"ahead":true,"spill":["conv2",3]})",
      R"({"cascade":["conv1"],"rows":4,"ahead":false,"spill":[]})",
      R"({"cascade":[{"operator":"conv \"1\"","operation":2}],"pieces":65536})",
      R"({"cut":7})",
      R"({"result":{"operator":"split","output":1},"memory":"dram"})",
      R"({"result":"conv1","memory":"sram"})",
      R"({"block":"conv1","extents":[4,14,96]})",
      R"({"block":0,"doublings":[-1,0,1]})",
      R"({"transfers":"conv1","slack":0,"prefetch":false})"};
  for (const std::string &line : lines) {
    const std::vector<Hint> hints = parsed(fileOf(line));
    ASSERT_EQ(hints.size(), 1u) << line << errors_;
    EXPECT_EQ(jsonOf(hints.front()), line);
  }
}

TEST_F(HintTextTest, FilesThatAreNoHintsAreRefused) {
  EXPECT_THAT(errorsOf("{"), HasSubstr("no valid JSON"));
  EXPECT_THAT(errorsOf("[]"), HasSubstr("must be an object with a list 'hints'"));
  EXPECT_THAT(errorsOf(R"({"hints": {}})"), HasSubstr("must be an object with a list 'hints'"));
  EXPECT_THAT(errorsOf(R"({"schemaVersion": 2, "hints": []})"), HasSubstr("schemaVersion must be 1"));
  EXPECT_THAT(errorsOf(fileOf(R"({"cut": null})")), HasSubstr("hint 1: has a number that is no integer"));
  EXPECT_THAT(errorsOf(fileOf(R"({"cut": "a"}, {"cut": 0.5})")), HasSubstr("hint 2: has a number"));
  EXPECT_THAT(errorsOf(fileOf("7")), HasSubstr("hint 1: must have one of the keys"));
  EXPECT_THAT(errorsOf(fileOf(R"({"cut": ""})")), HasSubstr("'cut' must name operators"));
  EXPECT_THAT(errorsOf(fileOf(R"({"cut": -1})")), HasSubstr("'cut' must name operators"));
  EXPECT_THAT(errorsOf(fileOf(R"({"cut": {"operator": 1, "nr": 2}})")), HasSubstr("'operation' and 'output'"));
  EXPECT_THAT(errorsOf(fileOf(R"({"cascade": ["a"], "ahead": 1})")), HasSubstr("'ahead' must be true or false"));
  EXPECT_THAT(errorsOf(fileOf(R"({"cascade": ["a"], "rows": true})")), HasSubstr("'rows' must be an integer"));
}

TEST_F(HintTextTest, EveryWrongHintIsReported) {
  EXPECT_THAT(errorsOf(fileOf(R"({"cut": ""}, {"cut": 1}, {"block": 1})")),
              AllOf(HasSubstr("hint 1:"), HasSubstr("hint 3:")));
}

TEST_F(HintTextTest, DeepNestingIsRefused) {
  EXPECT_THAT(errorsOf(std::string(1'000'000, '[')), HasSubstr("hints: line 1, column"));
}

} // namespace
} // namespace avocet::compiler::schedule

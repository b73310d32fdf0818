//===- ReduceTest.cpp - Tests of avocet reduce ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongNetwork.h"
#include "Sanitizer.h"
#include "ToolRunner.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/";
const std::string kFaultyCompiler =
    std::string(AVOCET_SOURCE_DIR) + "/tests/runtime/tools/avocet/reduce/faultyCompiler";

class ReduceTest : public ToolTest {
protected:
  /// The reduced model of a file in the directory.
  tflite::ModelT model(const std::string &name) const {
    const std::string bytes = read(name);
    tflite::ModelT result;
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    EXPECT_TRUE(tflite::VerifyModelBuffer(verifier));
    tflite::GetModel(bytes.data())->UnPackTo(&result);
    return result;
  }

  static size_t numOperators(const tflite::ModelT &model) { return model.subgraphs.at(0)->operators.size(); }

  /// "keeps an operator of this kind": the command of most tests, without the compiler.
  std::string importHas(const std::string &operation) const {
    return AVOCET_TOOL " compile {} --stop-after import -o - 2>/dev/null | grep -q '" + operation + " '";
  }
};

/// The requirement: at most 3 of 60 operators, in less than two minutes. faultyCompiler explains the fault.
TEST_F(ReduceTest, PlantedMiscompileIsReducedToThreeOperators) {
  write("long.tflite", fileOf(longNetwork(casesOf(60, 9)))); // starts programs, which take long with a sanitizer
  const auto start = std::chrono::steady_clock::now();
  const ToolResult result =
      run({"reduce", "long.tflite", "--test", kFaultyCompiler + " " AVOCET_TOOL " {}", "-o", "small.tflite"});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(result.exitCode, 0) << result.errors;
  std::printf("%s%.1f seconds\n", result.output.c_str(), time.count());
  EXPECT_LE(numOperators(model("small.tflite")), 3u);
  EXPECT_THAT(result.output, HasSubstr("SUB"));
  EXPECT_THAT(result.output, HasSubstr("MINIMUM"));
  if (!kHasSanitizer)
    EXPECT_LT(time.count(), 120);
}

TEST_F(ReduceTest, ResultDoesNotDependOnJobs) {
  for (std::string jobs : {"1", "3"}) {
    const ToolResult result = run(
        {"reduce", kDigits + "digits_int8.tflite", "--test", importHas("nn.softmax"), "-j", jobs, "-o", "jobs" + jobs});
    ASSERT_EQ(result.exitCode, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr("1 of 13 operators"));
  }
  EXPECT_EQ(read("jobs1"), read("jobs3"));
}

TEST_F(ReduceTest, ShrinksShapesConstantsAndAnnotations) {
  ASSERT_EQ(run({"reduce", kDigits + "digits_int8.tflite", "--test", importHas("nn.depthwise_conv_2d"), "-o", "small"})
                .exitCode,
            0);
  const tflite::ModelT small = model("small");
  EXPECT_EQ(numOperators(small), 1u);
  for (const auto &tensor : small.subgraphs[0]->tensors)
    for (int32_t extent : tensor->shape)
      EXPECT_EQ(extent, 1) << tensor->name;
  for (const auto &buffer : small.buffers)
    EXPECT_THAT(buffer->data, testing::Each(0));
  EXPECT_TRUE(small.signatures.empty());
  EXPECT_TRUE(small.description.empty());
}

TEST_F(ReduceTest, CommandThatFailsForOriginalIsError) {
  const ToolResult result =
      run({"reduce", kDigits + "digits_int8.tflite", "--test", "echo reason; test -d {}", "-o", "x"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("ended with exit code 1 for "));
  EXPECT_THAT(result.errors, HasSubstr("exit code 0 is needed to begin"));
  EXPECT_THAT(result.errors, HasSubstr("\n  reason"));
  EXPECT_EQ(listFiles(), std::vector<std::string>{});
}

TEST_F(ReduceTest, ExitOptionSelectsFailures) {
  const std::string model = kDigits + "digits_int8.tflite";
  EXPECT_EQ(run({"reduce", model, "--test", "exit 3 {}", "--exit", "3", "-o", "x"}).exitCode, 0);
  EXPECT_EQ(run({"reduce", model, "--test", "exit 3 {}", "--exit", "failure", "-o", "x"}).exitCode, 0);
  EXPECT_EQ(run({"reduce", model, "--test", "exit 3 {}", "--exit", "4", "-o", "x"}).exitCode, 1);
  EXPECT_EQ(run({"reduce", model, "--test", "kill -9 $$ {}", "--exit", "failure", "-o", "x"}).exitCode, 0);
  const ToolResult wrong = run({"reduce", model, "--test", "exit 3 {}", "--exit", "256", "-o", "x"});
  EXPECT_THAT(wrong.errors, HasSubstr("must be an exit code from 0 to 255, or 'failure'"));
}

TEST_F(ReduceTest, CommandWithoutPlaceIsRefused) {
  const ToolResult result = run({"reduce", kDigits + "digits_int8.tflite", "--test", "true"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("has no {}, which stands for the path of the candidate"));
}

TEST_F(ReduceTest, SlowCommandIsEndedWithItsChildren) {
  const ToolResult result = run({"reduce", kDigits + "digits_int8.tflite", "--test",
                                 "(sleep 1; touch late) & sleep 60; test {}", "--time-limit", "0.1", "-o", "x"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.errors, HasSubstr("did not end within the time limit"));
  EXPECT_THAT(result.errors, HasSubstr("--time-limit"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_EQ(listFiles(), std::vector<std::string>{});
}

TEST_F(ReduceTest, DamagedModelsAreRefused) {
  std::string bytes = fileOf(longNetwork(3));
  write("short.tflite", bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(run({"reduce", "short.tflite", "--test", "true {}"}).errors, HasSubstr("truncated or corrupt"));
  tflite::ModelT wrong = longNetwork(3);
  wrong.subgraphs[0]->operators[0]->inputs[0] = 1000;
  write("wrong.tflite", fileOf(wrong));
  EXPECT_THAT(run({"reduce", "wrong.tflite", "--test", "true {}"}).errors, HasSubstr("that the file does not have"));
}

} // namespace
} // namespace avocet::tool::test

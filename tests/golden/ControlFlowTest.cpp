//===- ControlFlowTest.cpp - Branches and loops, compiled and run -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Networks with branches and loops, through compiler, artefacts, runtime and simulator. Loops count with flags: each
// iteration shifts a vector of booleans by one element, and its first element is the condition.
//
//===----------------------------------------------------------------------===//

#include "Inference.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace avocet::golden {
namespace {

using Values = std::vector<float>;

/// A network as text; %f is tensor<8xi1>, %x tensor<4xf32>, the result is tensor<4xf32>.
std::string network(const std::string &body) {
  return "module attributes {avocet.phase = \"import\"} {\n"
         "func.func @main(%f: tensor<8xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {\n" +
         body + "}\n}\n";
}

/// A loop over flags. `body` computes %w from %v, %g (the flags) and %h (the flags of the next iteration).
std::string loop(const std::string &result, const std::string &flags, const std::string &init, const std::string &body,
                 const std::string &suffix = "") {
  auto named = [&](const char *name) { return std::string("%") + name + suffix; };
  const std::string g = named("g"), h = named("h"), s = named("s"), c = named("c"), v = named("v");
  return result + ":2 = nn.while " + flags + ", " + init +
         " : (tensor<8xi1>, tensor<4xf32>) -> (tensor<8xi1>, tensor<4xf32>) while {\n^bb0(" + g + ": tensor<8xi1>, " +
         v + ": tensor<4xf32>):\n" + c + " = nn.slice " + g +
         " begin [0] size [1] strides [1] : (tensor<8xi1>) -> tensor<1xi1>\nnn.yield " + c +
         " : tensor<1xi1>\n} do {\n^bb0(" + g + ": tensor<8xi1>, " + v + ": tensor<4xf32>):\n" + s + " = nn.slice " +
         g + " begin [1] size [7] strides [1] : (tensor<8xi1>) -> tensor<7xi1>\n" + h + " = nn.pad " + s +
         " low [0] high [1] value 0.0 : (tensor<7xi1>) -> tensor<8xi1>\n" + body + "nn.yield " + h + ", " + named("w") +
         " : tensor<8xi1>, tensor<4xf32>\n}\n";
}

std::string add(const std::string &result, const std::string &a, const std::string &b) {
  return result + " = nn.add " + a + ", " + b + " : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n";
}

std::string firstFlag(const std::string &result, const std::string &flags, int index = 0) {
  return result + " = nn.slice " + flags + " begin [" + std::to_string(index) +
         "] size [1] strides [1] : (tensor<8xi1>) -> tensor<1xi1>\n";
}

class ControlFlowTest : public testing::TestWithParam<std::string> {
protected:
  void compileText(const std::string &text) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("controlFlow." + std::to_string(getpid()) + ".mlir")).string();
    std::ofstream(path) << text;
    Result<session::LoadedModel> compiled = compile(path, GetParam());
    std::filesystem::remove(path);
    ASSERT_TRUE(compiled.isOk()) << compiled.status().toString();
    model_.emplace(std::move(*compiled));
    for (bool timing : {false, true}) {
      Result<Inference> inference = Inference::open(*model_, {.functional = true, .timing = timing});
      ASSERT_TRUE(inference.isOk()) << inference.status().toString();
      inferences_.push_back(std::move(*inference));
    }
  }

  /// Sets the first `ones` flags, and flag `extra` unless negative. Runs with and without timing must agree.
  Values run(uint32_t ones, const Values &x, int extra = -1) {
    Bytes flags(8, 0), input(16);
    std::fill_n(flags.begin(), ones, 1);
    if (extra >= 0)
      flags[extra] = 1;
    std::memcpy(input.data(), x.data(), 16);
    std::vector<Values> results;
    for (Inference &inference : inferences_) {
      auto outputs = inference.run({flags, input});
      if (!outputs.isOk()) {
        ADD_FAILURE() << outputs.status().toString();
        return {};
      }
      results.emplace_back(4);
      std::memcpy(results.back().data(), outputs->front().data(), 16);
    }
    EXPECT_EQ(results[0], results[1]);
    return results[0];
  }

  std::optional<session::LoadedModel> model_;
  std::vector<Inference> inferences_; ///< without and with timing
};

const Values kX = {1, -2, 0.5, 100};

Values times(const Values &values, float factor) {
  Values result = values;
  for (float &value : result)
    value *= factor;
  return result;
}

TEST_P(ControlFlowTest, TakesEitherBranch) {
  ASSERT_NO_FATAL_FAILURE(compileText(network(firstFlag("%c", "%f") + add("%d", "%x", "%x") +
                                              "%y = nn.if %c : (tensor<1xi1>) -> tensor<4xf32> {\n" +
                                              add("%a", "%d", "%x") + "nn.yield %a : tensor<4xf32>\n} else {\n" +
                                              "nn.yield %d : tensor<4xf32>\n}\nreturn %y : tensor<4xf32>\n")));
  EXPECT_EQ(run(1, kX), times(kX, 3));
  EXPECT_EQ(run(0, kX), times(kX, 2));
}

TEST_P(ControlFlowTest, BranchesYieldInputsAndConstants) {
  ASSERT_NO_FATAL_FAILURE(
      compileText(network("%k = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n" + firstFlag("%c", "%f") +
                          "%y = nn.if %c : (tensor<1xi1>) -> tensor<4xf32> {\nnn.yield %x : tensor<4xf32>\n} else {\n"
                          "nn.yield %k : tensor<4xf32>\n}\nreturn %y : tensor<4xf32>\n")));
  EXPECT_EQ(run(1, kX), kX);
  EXPECT_EQ(run(0, kX), (Values{1, 2, 3, 4}));
}

TEST_P(ControlFlowTest, LoopRunsOncePerSetFlag) {
  ASSERT_NO_FATAL_FAILURE(
      compileText(network(loop("%r", "%f", "%x", add("%w", "%v", "%x")) + "return %r#1 : tensor<4xf32>\n")));
  for (uint32_t turns : {0u, 1u, 2u, 7u, 8u, 3u})
    EXPECT_EQ(run(turns, kX), times(kX, 1 + float(turns))) << turns;
}

TEST_P(ControlFlowTest, NestedLoopsRunEveryIteration) {
  // The inner loop runs over the remaining flags: n outer iterations run n - 1, n - 2, ... inner ones.
  const std::string inner = loop("%q", "%h", "%v", add("%wi", "%vi", "%x"), "i") + add("%w", "%q#1", "%x");
  ASSERT_NO_FATAL_FAILURE(
      compileText(network(loop("%r", "%f", "%x", inner) + add("%y", "%r#1", "%r#1") + "return %y : tensor<4xf32>\n")));
  for (uint32_t turns : {0u, 1u, 4u}) {
    const uint32_t adds = turns * (turns + 1) / 2;
    EXPECT_EQ(run(turns, kX), times(kX, 2 * (1 + float(adds)))) << turns;
  }
}

TEST_P(ControlFlowTest, BranchInLoopFollowsItsFlag) {
  // Flag 7 is set only in the first iteration: each iteration shifts it towards the front.
  const std::string branch = firstFlag("%last", "%g", 7) + "%w = nn.if %last : (tensor<1xi1>) -> tensor<4xf32> {\n" +
                             add("%t", "%v", "%v") + add("%a", "%t", "%v") + "nn.yield %a : tensor<4xf32>\n} else {\n" +
                             add("%b", "%v", "%x") + "nn.yield %b : tensor<4xf32>\n}\n";
  ASSERT_NO_FATAL_FAILURE(compileText(network(loop("%r", "%f", "%x", branch) + "return %r#1 : tensor<4xf32>\n")));
  EXPECT_EQ(run(3, kX), times(kX, 4));
  EXPECT_EQ(run(3, kX, 7), times(kX, 3 + 2)); // tripled once, then two additions
}

TEST_P(ControlFlowTest, ResultOfLoopInBranchHasTwoUsers) {
  ASSERT_NO_FATAL_FAILURE(
      compileText(network(firstFlag("%e", "%f", 7) + "%y = nn.if %e : (tensor<1xi1>) -> tensor<4xf32> {\n" +
                          loop("%r", "%f", "%x", add("%w", "%v", "%x")) + "nn.yield %r#1 : tensor<4xf32>\n} else {\n" +
                          "nn.yield %x : tensor<4xf32>\n}\n" + add("%z", "%y", "%y") + add("%u", "%z", "%y") +
                          "return %u : tensor<4xf32>\n")));
  EXPECT_EQ(run(2, kX, 7), times(kX, 9));
  EXPECT_EQ(run(2, kX), times(kX, 3));
}

/// A loop that swaps two values must read both before it writes either.
TEST_P(ControlFlowTest, LoopSwapsItsValues) {
  ASSERT_NO_FATAL_FAILURE(compileText(network(
      add("%d", "%x", "%x") +
      "%r:3 = nn.while %f, %x, %d : (tensor<8xi1>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8xi1>, tensor<4xf32>, "
      "tensor<4xf32>) while {\n^bb0(%g: tensor<8xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>):\n" +
      firstFlag("%c", "%g") +
      "nn.yield %c : tensor<1xi1>\n} do {\n^bb0(%g: tensor<8xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>):\n"
      "%s = nn.slice %g begin [1] size [7] strides [1] : (tensor<8xi1>) -> tensor<7xi1>\n"
      "%h = nn.pad %s low [0] high [1] value 0.0 : (tensor<7xi1>) -> tensor<8xi1>\n"
      "nn.yield %h, %b, %a : tensor<8xi1>, tensor<4xf32>, tensor<4xf32>\n}\nreturn %r#1 : tensor<4xf32>\n")));
  for (uint32_t turns : {0u, 1u, 2u, 5u})
    EXPECT_EQ(run(turns, kX), times(kX, turns % 2 ? 2 : 1)) << turns;
}

INSTANTIATE_TEST_SUITE_P(Targets, ControlFlowTest, testing::Values("e256", "e256s", "m512", "p4096"),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace avocet::golden

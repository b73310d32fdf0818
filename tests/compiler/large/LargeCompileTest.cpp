//===- LargeCompileTest.cpp - Which large operations compile ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every large operation is scheduled for the smallest target. What is refused stands in a list with the reason, and
// must say so: operation, bytes, limit.
//
//===----------------------------------------------------------------------===//

#include "LargeNetworks.h"

#include "avocet/compiler/Loader.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace avocet::compiler {
namespace {

constexpr uint64_t kSramBytes = 384 * 1024;

/// What the device cannot do, with the rule that says why.
const std::map<std::string, std::string> kRefused = [] {
  const std::string memory = "bytes of on-chip memory for the smallest tile";
  std::map<std::string, std::string> refused = {
      // One line, which sums in the reference's order need whole.
      {"sum_axis0/rank1/f32", memory},
      {"log_softmax_axis0/rank1/f32", memory},
      {"softmax_axis0/rank1/f32", memory},
      {"l2_normalize_axis0/rank1/f32", memory},
      // Longer than the kernels' sums of integers go.
      {"softmax_axis0/rank1/i8", "softmax: input0.channels is 1048576, must be at most 4095"},
      {"l2_normalize_axis0/rank1/i8", "l2Normalize: axis is 1048576, must be at most 33024 for integers"},
      // The weights of one output channel are, or those and the part of the input that they meet.
      {"conv_2d/large_window/f32", memory},
      {"fully_connected/long_input/f32", memory},
      {"fully_connected/huge_input/f32", memory},
      {"fully_connected/huge_input/i8", memory},
  };
  for (const char *type : {"f32", "i8"})
    for (const char *name : {"max_axis0/rank1/", "mean_axis0/rank1/", "argmin_axis0/rank1/", "gather/long_line/"})
      refused[std::string(name) + type] = memory;
  return refused;
}();

const LoadedCompiler &compiler() {
  static const Result<LoadedCompiler> loaded = LoadedCompiler::load(AVOCET_COMPILER_FILE);
  if (!loaded.isOk()) {
    ADD_FAILURE() << loaded.status().toString();
    std::abort();
  }
  return *loaded;
}

CompileResult compileFor(const LargeNetwork &network, const char *target) {
  CompileRequest request;
  request.modelPath = network.name + ".mlir";
  request.modelBytes = {reinterpret_cast<const uint8_t *>(network.text.data()), network.text.size()};
  request.target = target;
  request.stopAfter = "allocate";
  return compiler().compile(request);
}

void expectRefusal(const CompileResult &result, const std::string &rule) {
  EXPECT_EQ(result.status.code(), StatusCode::Unsupported) << result.status.toString();
  ASSERT_EQ(result.refusals.size(), 1u);
  const Refusal &refusal = result.refusals[0];
  EXPECT_FALSE(refusal.operation.empty());
  EXPECT_EQ(refusal.rule, rule);
  if (refusal.limit.empty()) // a rule of the kernel, which has the numbers in its words
    return;
  EXPECT_EQ(refusal.limit, std::to_string(kSramBytes));
  EXPECT_GT(std::stoull(refusal.value), kSramBytes);
}

/// The operation is the part of the name in front of the first slash.
std::string operationOf(const std::string &name) { return name.substr(0, name.find('/')); }

std::vector<std::string> operations() {
  std::set<std::string> names;
  for (const LargeNetwork &network : largeNetworks())
    names.insert(operationOf(network.name));
  return {names.begin(), names.end()};
}

class LargeCompile : public testing::TestWithParam<std::string> {};

TEST_P(LargeCompile, TakesAllButWhatIsKnown) {
  for (const LargeNetwork &network : largeNetworks()) {
    if (operationOf(network.name) != GetParam())
      continue;
    SCOPED_TRACE(network.name);
    const CompileResult result = compileFor(network, "e256s");
    if (auto refused = kRefused.find(network.name); refused != kRefused.end())
      expectRefusal(result, refused->second);
    else
      EXPECT_TRUE(result.status.isOk()) << result.status.toString();
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, LargeCompile, testing::ValuesIn(operations()),
                         [](const auto &info) { return info.param; });

TEST(LargeCompileList, NamesOnlyNetworksThatThereAre) {
  std::set<std::string> names;
  for (const LargeNetwork &network : largeNetworks())
    EXPECT_TRUE(names.insert(network.name).second) << network.name << " is there twice";
  for (const auto &[name, rule] : kRefused)
    EXPECT_TRUE(names.count(name)) << name;
}

} // namespace
} // namespace avocet::compiler

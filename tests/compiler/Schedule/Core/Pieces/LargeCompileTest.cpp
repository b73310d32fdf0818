//===- LargeCompileTest.cpp - Which large operations compile ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every large operation is scheduled for the smallest target. A list has the refused ones with the reason. A refusal
// must name the operation, the bytes and the limit.
//
//===----------------------------------------------------------------------===//

#include "LargeNetworks.h"

#include "avocet/compiler/Loader.h"

#include <gtest/gtest.h>

#include <set>

namespace avocet::compiler {
namespace {

constexpr uint64_t kSramBytes = 384 * 1024, kLimitBytes = kSramBytes * 15 / 16;

const LoadedCompiler &compiler() {
  static const Result<LoadedCompiler> kLoaded = LoadedCompiler::load(AVOCET_COMPILER_FILE);
  if (!kLoaded.isOk()) {
    ADD_FAILURE() << kLoaded.status().toString();
    std::abort();
  }
  return *kLoaded;
}

CompileResult compileFor(const LargeNetwork &network, const char *target, bool isMapped = false) {
  CompileRequest request;
  request.modelPath = network.name + ".mlir";
  request.modelBytes = {reinterpret_cast<const uint8_t *>(network.text.data()), network.text.size()};
  request.target = target;
  request.stopAfter = isMapped ? "cmd" : "allocate"; // which checks the places of the source map
  request.sourceMap = isMapped;
  return compiler().compile(request);
}

void expectRefusal(const CompileResult &result, const std::string &rule) {
  EXPECT_EQ(result.status.code(), StatusCode::Unsupported) << result.status.toString();
  ASSERT_EQ(result.refusals.size(), 1u);
  const Refusal &refusal = result.refusals[0];
  EXPECT_FALSE(refusal.operation.empty());
  EXPECT_EQ(refusal.rule, rule);
  if (refusal.limit.empty()) // a rule of the kernel, whose text has the numbers
    return;
  EXPECT_EQ(refusal.limit, std::to_string(kLimitBytes));
  EXPECT_GT(std::stoull(refusal.value), kSramBytes);
}

/// The operation: the part of the name before the first slash.
std::string operationOf(const std::string &name) { return name.substr(0, name.find('/')); }

std::vector<std::string> operations() {
  std::set<std::string> names;
  for (const LargeNetwork &network : largeNetworks())
    names.insert(operationOf(network.name));
  return {names.begin(), names.end()};
}

class LargeCompile : public testing::TestWithParam<std::string> {};

TEST_P(LargeCompile, CompilesAllButListedRefusals) {
  for (const LargeNetwork &network : largeNetworks()) {
    if (operationOf(network.name) != GetParam())
      continue;
    SCOPED_TRACE(network.name);
    const CompileResult result = compileFor(network, "e256s");
    if (auto refused = refusedNetworks().find(network.name); refused != refusedNetworks().end())
      expectRefusal(result, refused->second);
    else
      EXPECT_TRUE(result.status.isOk()) << result.status.toString();
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, LargeCompile, testing::ValuesIn(operations()),
                         [](const auto &info) { return info.param; });

/// Networks of every operation in turn on all targets.
TEST(LargeCompileMap, PlacesTilesInsideTheirResults) {
  constexpr const char *kTargets[] = {"e256", "e256s", "m512", "p4096"};
  constexpr size_t kEach = 9; // no divisor of the shapes of an operation
  const std::vector<LargeNetwork> networks = largeNetworks();
  for (size_t i = 0; i < networks.size(); i += kEach) {
    if (refusedNetworks().count(networks[i].name))
      continue;
    const char *target = kTargets[i / kEach % std::size(kTargets)];
    SCOPED_TRACE(networks[i].name + " on " + target);
    const CompileResult result = compileFor(networks[i], target, true);
    EXPECT_TRUE(result.status.isOk()) << result.status.toString();
  }
}

TEST(LargeCompileList, NamesExistingNetworks) {
  std::set<std::string> names;
  for (const LargeNetwork &network : largeNetworks())
    EXPECT_TRUE(names.insert(network.name).second) << network.name << " is there twice";
  for (const auto &[name, rule] : refusedNetworks())
    EXPECT_TRUE(names.count(name)) << name;
}

} // namespace
} // namespace avocet::compiler

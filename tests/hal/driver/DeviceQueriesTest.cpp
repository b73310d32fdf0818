//===- DeviceQueriesTest.cpp - Constant answers of a device -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"

#include "avocet/firmware_iface/Target.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <set>

namespace avocet::hal {
namespace {

using namespace testing;

constexpr std::string_view kBegin = "<queries>", kEnd = "</queries>";

std::string describe(const PerformanceInfo &info) {
  return fmt::format("{:08x}/{:08x} ", std::bit_cast<uint32_t>(info.execTime),
                     std::bit_cast<uint32_t>(info.powerUsage));
}

std::string describe(const Capabilities &capabilities) {
  std::string text = describe(capabilities.relaxedFloat32toFloat16PerformanceScalar) +
                     describe(capabilities.relaxedFloat32toFloat16PerformanceTensor) +
                     describe(capabilities.ifPerformance) + describe(capabilities.whilePerformance);
  for (const OperandPerformance &entry : capabilities.operandPerformance)
    text += fmt::format("{}:{}", static_cast<int>(entry.type), describe(entry.info));
  return text;
}

std::string describe(const std::vector<Extension> &extensions) {
  std::string text;
  for (const Extension &extension : extensions) {
    text += extension.name + ":";
    for (const ExtensionOperandTypeInformation &type : extension.operandTypes)
      text += fmt::format("{}.{}.{},", type.type, type.isTensor, type.byteSize);
  }
  return text;
}

/// All queries of IDevice whose answers must not change, with every bit of each figure.
std::string describe(const IDevice &device) {
  const NumberOfCacheFiles files = device.numberOfCacheFilesNeeded();
  return fmt::format("{}|{}|{}|{}|{}|{}+{}|{}\n", device.name(), device.versionString(),
                     static_cast<int>(device.featureLevel()), static_cast<int>(device.type()),
                     describe(device.supportedExtensions()), files.numModelCache, files.numDataCache,
                     describe(device.capabilities()));
}

std::string describeTargets() {
  std::string text;
  for (const std::string &name : firmware::Target::shippedNames()) {
    DriverOptions options;
    options.target = name;
    Result<std::shared_ptr<IDevice>> device = openDevice(options);
    EXPECT_TRUE(device.isOk()) << device.error().message;
    text += device ? describe(**device) : "none\n";
  }
  return text;
}

/// Runs the test below in another process, which has other addresses and another hash seed.
std::string describeInAnotherProcess() {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::unique_ptr<FILE, int (*)(FILE *)> child(
      ::popen(("'" + self + "' --gtest_filter=DeviceQueries.PrintsAnswersForParentProcess 2>/dev/null").c_str(), "re"),
      ::pclose);
  std::string output;
  char piece[4096];
  while (child && std::fgets(piece, sizeof(piece), child.get()) != nullptr)
    output += piece;
  const size_t begin = output.find(kBegin), end = output.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos)
    return "the child said: " + output;
  return output.substr(begin + kBegin.size(), end - begin - kBegin.size());
}

TEST(DeviceQueries, PrintsAnswersForParentProcess) {
  const std::string text = describeTargets();
  EXPECT_GT(text.size(), 100u);
  std::fputs((std::string(kBegin) + text + std::string(kEnd) + "\n").c_str(), stdout);
}

TEST(DeviceQueries, AreEqualInEveryProcess) {
  const std::string first = describeInAnotherProcess();
  EXPECT_EQ(first, describeTargets());
  EXPECT_EQ(first, describeInAnotherProcess());
}

TEST(DeviceQueries, DifferBetweenTargets) {
  const std::string text = describeTargets();
  std::set<std::string> lines;
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.insert(text.substr(at, end - at));
  EXPECT_EQ(lines.size(), firmware::Target::shippedNames().size());
}

/// Artefacts of one target are not valid for another.
TEST(DeviceQueries, VersionsDifferBetweenTargets) {
  std::set<std::string> versions;
  for (const std::string &name : firmware::Target::shippedNames()) {
    DriverOptions options;
    options.target = name;
    Result<std::shared_ptr<IDevice>> device = openDevice(options);
    ASSERT_TRUE(device.isOk()) << device.error().message;
    versions.insert((*device)->versionString());
  }
  EXPECT_EQ(versions.size(), firmware::Target::shippedNames().size());
}

} // namespace
} // namespace avocet::hal

//===- OptionValidationTest.cpp - Rules of options and small values -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <string>
#include <vector>

#include <fcntl.h>

namespace avocet::hal::test {
namespace {

using std::chrono::nanoseconds;

TEST(OptionValidation, ChecksEnumerations) {
  EXPECT_EQ(*validate(Priority::Medium), Version::V1_0);
  EXPECT_EQ(*validate(Priority::High), Version::V1_3);
  EXPECT_EQ(*validate(ExecutionPreference::FastSingleAnswer), Version::V1_0);
  EXPECT_EQ(*validate(ExecutionPreference::LowPower), Version::V1_1);
  EXPECT_EQ(*validate(DeviceType::Accelerator), Version::V1_2);
  EXPECT_EQ(*validate(DeviceStatus::Offline), Version::V1_0);
  EXPECT_EQ(*validate(MeasureTiming::Yes), Version::V1_2);
  EXPECT_EQ(*validate(ErrorStatus::ResourceExhaustedPersistent), Version::V1_3);
  EXPECT_EQ(*validate(ErrorStatus::DeadObject), Version::V1_0);
  for (int32_t code : {-1, 5}) {
    EXPECT_EQ(validate(static_cast<Priority>(code)).code(), ErrorStatus::InvalidArgument);
    EXPECT_EQ(validate(static_cast<ExecutionPreference>(code)).code(), ErrorStatus::InvalidArgument);
    EXPECT_EQ(validate(static_cast<DeviceType>(code)).code(), ErrorStatus::InvalidArgument);
    EXPECT_EQ(validate(static_cast<DeviceStatus>(code)).code(), ErrorStatus::InvalidArgument);
    EXPECT_EQ(validate(static_cast<MeasureTiming>(code)).code(), ErrorStatus::InvalidArgument);
  }
  EXPECT_FALSE(validate(static_cast<ErrorStatus>(9)).isOk());
  EXPECT_EQ(validate(static_cast<Priority>(3)).error().message, "priority 3 does not exist");
}

TEST(OptionValidation, ChecksTimes) {
  EXPECT_EQ(*validate(OptionalTimePoint()), Version::V1_0);
  EXPECT_EQ(*validate(OptionalTimePoint(TimePoint(nanoseconds(0)))), Version::V1_3);
  EXPECT_FALSE(validate(OptionalTimePoint(TimePoint(nanoseconds(-1)))).isOk());
  EXPECT_EQ(*validate(OptionalDuration(nanoseconds(5))), Version::V1_3);
  EXPECT_FALSE(validate(OptionalDuration(nanoseconds(-2))).isOk());
  EXPECT_EQ(*validate(Timing()), Version::V1_0);
  EXPECT_EQ(*validate(Timing{nanoseconds(3), nanoseconds(3)}), Version::V1_2);
  EXPECT_FALSE(validate(Timing{nanoseconds(4), nanoseconds(3)}).isOk());
  EXPECT_FALSE(validate(Timing{nanoseconds(-4), std::nullopt}).isOk());
}

TEST(OptionValidation, RefusesLoopTimeoutsAboveMaximum) {
  EXPECT_EQ(*validateLoopTimeout(std::nullopt), Version::V1_0);
  EXPECT_EQ(*validateLoopTimeout(nanoseconds(0)), Version::V1_3);
  EXPECT_EQ(*validateLoopTimeout(kMaximumLoopTimeout), Version::V1_3);
  EXPECT_EQ(validateLoopTimeout(kMaximumLoopTimeout + nanoseconds(1)).error().message,
            "loop time-out of 15000000001 ns, must be at most 15000000000 ns");
  EXPECT_EQ(validateLoopTimeout(nanoseconds(-1)).code(), ErrorStatus::InvalidArgument);
}

TEST(OptionValidation, ChecksTokens) {
  EXPECT_EQ(*validate(CacheToken()), Version::V1_0);
  EXPECT_EQ(*validate(CacheToken{1}), Version::V1_2);
}

Capabilities validCapabilities() {
  PerformanceInfo half{0.5F, 0.5F};
  return {
      half, half, {{OperandType::Float32, half}, {OperandType::TensorQuant8AsymmSigned, {0.1F, FLT_MAX}}}, half, half};
}

TEST(OptionValidation, ChecksCapabilities) {
  EXPECT_EQ(*validate(validCapabilities()), Version::V1_3);
  using Change = void (*)(Capabilities &);
  for (Change change : std::initializer_list<Change>{
           [](Capabilities &changed) { changed.ifPerformance.execTime = 0; },
           [](Capabilities &changed) { changed.whilePerformance.powerUsage = -1; },
           [](Capabilities &changed) { changed.relaxedFloat32toFloat16PerformanceScalar = {}; },
           [](Capabilities &changed) { changed.operandPerformance[0].info.execTime = 0; },
           [](Capabilities &changed) { std::swap(changed.operandPerformance[0], changed.operandPerformance[1]); },
           [](Capabilities &changed) { changed.operandPerformance[1] = changed.operandPerformance[0]; },
           [](Capabilities &changed) { changed.operandPerformance[1].type = OperandType::Subgraph; },
           [](Capabilities &changed) { changed.operandPerformance[1].type = static_cast<OperandType>(16); }}) {
    Capabilities capabilities = validCapabilities();
    change(capabilities);
    EXPECT_EQ(validate(capabilities).code(), ErrorStatus::InvalidArgument);
  }
}

TEST(OptionValidation, ChecksExtensions) {
  std::vector<Extension> extensions = {{"vendor.a", {{0, true, 4}, {1, false, 8}}}, {"vendor.b_2", {}}};
  EXPECT_EQ(*validate(extensions), Version::V1_2);
  extensions.push_back({"vendor.a", {}});
  EXPECT_EQ(validate(extensions).error().message, "extension 'vendor.a' is listed twice");
  extensions.back() = {"vendor", {}};
  EXPECT_FALSE(validate(extensions).isOk());
  extensions.back() = {"vendor.c", {{0, true, 0}}};
  EXPECT_FALSE(validate(extensions).isOk());
  extensions.back() = {"vendor.c", {{3, true, 1}, {3, true, 1}}};
  EXPECT_EQ(validate(extensions).error().message, "type 3 of extension 'vendor.c' is listed twice");
}

TEST(OptionValidation, ChecksHints) {
  std::vector<TokenValuePair> hints = {{1, {}}, {2, {9}}};
  EXPECT_EQ(*validate(hints), Version::AidlV4);
  hints.push_back({1, {}});
  EXPECT_EQ(validate(hints).error().message, "hint 1 is given twice");
}

TEST(OptionValidation, ChecksPrefixesOfHints) {
  std::vector<TokenValuePair> hints = {{1, {}}, {7 << 16 | 2, {9}}};
  std::vector<ExtensionNameAndPrefix> names = {{"vendor.a", 7}, {"vendor.b", 0x7FFF}};
  EXPECT_EQ(*validate(hints, names), Version::AidlV4);
  const std::vector<TokenValuePair> noHints;
  const std::vector<ExtensionNameAndPrefix> noNames;
  EXPECT_EQ(*validate(noHints, noNames), Version::V1_0);
  EXPECT_EQ(*validate(noHints, names), Version::AidlV4);
  EXPECT_EQ(validate(hints, noNames).error().message,
            "hint 458754: extension prefix 7 is not in the list of extensions");
  names[1].prefix = 0x8000;
  EXPECT_EQ(validate(hints, names).error().message, "prefix 32768 of extension 'vendor.b', must be at most 32767");
  names[1].prefix = 0;
  EXPECT_EQ(validate(hints, names).error().message, "prefix 0 of extension 'vendor.b', must be positive");
  hints[1].token = -1;
  names[1].prefix = 3;
  EXPECT_FALSE(validate(hints, names).isOk());
}

SharedHandle open(int flags) { return std::make_shared<const FileDescriptor>(::open("/dev/null", flags)); }

TEST(OptionValidation, ChecksCacheFiles) {
  EXPECT_EQ(*validate(NumberOfCacheFiles{32, 32}), Version::V1_2);
  EXPECT_FALSE(validate(NumberOfCacheFiles{33, 0}).isOk());
  std::vector<SharedHandle> one = {open(O_RDWR)};
  std::vector<SharedHandle> two = {open(O_RDWR), open(O_RDWR)};
  NumberOfCacheFiles needed{1, 2};
  EXPECT_TRUE(validateCacheFiles(needed, one, two).isOk());
  EXPECT_EQ(validateCacheFiles(needed, two, two).error().message, "2 model cache files, must be 1");
  EXPECT_FALSE(validateCacheFiles(needed, one, {}).isOk());
  auto closed = std::make_shared<const FileDescriptor>(1 << 20);
  for (const SharedHandle &bad : {open(O_RDONLY), open(O_WRONLY), open(O_PATH), SharedHandle(),
                                  std::make_shared<const FileDescriptor>(), SharedHandle(closed)}) {
    two[1] = bad;
    Outcome outcome = validateCacheFiles(needed, one, two);
    ASSERT_FALSE(outcome.isOk());
    EXPECT_NE(outcome.error().message.find("data cache file 1 is not open"), std::string::npos);
  }
}

} // namespace
} // namespace avocet::hal::test

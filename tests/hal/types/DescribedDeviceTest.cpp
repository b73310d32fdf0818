//===- DescribedDeviceTest.cpp - Bases of devices ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/DescribedDevice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace avocet::hal {
namespace {

DeviceDescription description() {
  Capabilities figures;
  figures.ifPerformance = {2, 3};
  return {"npu", "7", Version::AidlV2, DeviceType::Gpu, {{"vendor.a", {}}}, figures, {4, 5}, {128, 32}};
}

/// Answers each call with an error that names the call and its argument.
class RefusingDevice final : public DescribedDevice {
public:
  RefusingDevice() : DescribedDevice(description()) {}
  DeviceStatus status() const override { return DeviceStatus::Busy; }
  Result<SupportedOperations> getSupportedOperations(const Model &model) const override {
    return invalidArgument("support " + std::to_string(model.operandValues.size()));
  }
  Result<std::shared_ptr<IPreparedModel>> prepareModel(const Model &model, const PrepareOptions &options) override {
    return invalidArgument("prepare " + std::to_string(model.operandValues.size()) + toText(options.priority));
  }
  ErrorStatus prepareModelAsynchronously(const Model &, const PrepareOptions &options,
                                         PreparedModelCallback callback) override {
    callback(options.priority == Priority::High ? ErrorStatus::DeviceUnavailable : ErrorStatus::None, nullptr);
    return ErrorStatus::MissedDeadlineTransient;
  }
  Result<std::shared_ptr<IPreparedModel>> prepareModelFromCache(const OptionalTimePoint &deadline,
                                                                const CacheFiles &cache) override {
    return invalidArgument("cache " + std::to_string(cache.token[0]) + (deadline ? " in time" : ""));
  }
  Result<std::shared_ptr<IBuffer>> allocate(const std::vector<uint32_t> &dimensions,
                                            const std::vector<BufferRole> &inputRoles,
                                            const std::vector<BufferRole> &outputRoles) override {
    return invalidArgument("buffer " + std::to_string(dimensions.size()) + std::to_string(inputRoles.size()) +
                           std::to_string(outputRoles.size()));
  }

private:
  static std::string toText(Priority priority) { return priority == Priority::High ? " soon" : ""; }
};

TEST(DescribedDeviceTest, HasThePropertiesOfItsDescription) {
  const DeviceDescription described = describe(RefusingDevice());
  EXPECT_EQ(described.name, "npu");
  EXPECT_EQ(described.version, "7");
  EXPECT_EQ(described.featureLevel, Version::AidlV2);
  EXPECT_EQ(described.type, DeviceType::Gpu);
  ASSERT_EQ(described.extensions.size(), 1u);
  EXPECT_EQ(described.extensions[0].name, "vendor.a");
  EXPECT_EQ(described.capabilities.ifPerformance.powerUsage, 3);
  EXPECT_EQ(described.cacheFiles.numDataCache, 5u);
  EXPECT_EQ(described.memory.alignment, 128u);
  EXPECT_EQ(described.memory.padding, 32u);
}

TEST(ForwardingDeviceTest, EachCallReachesTheOtherDevice) {
  ForwardingDevice device(std::make_shared<RefusingDevice>(), {.name = "other", .version = "8"});
  EXPECT_EQ(device.name(), "other");
  EXPECT_EQ(device.status(), DeviceStatus::Busy);
  Model model;
  model.operandValues.resize(3);
  PrepareOptions options;
  options.priority = Priority::High;
  EXPECT_EQ(device.getSupportedOperations(model).error().message, "support 3");
  EXPECT_EQ(device.prepareModel(model, options).error().message, "prepare 3 soon");
  ErrorStatus reported = ErrorStatus::None;
  const ErrorStatus launched = device.prepareModelAsynchronously(
      model, options, [&](ErrorStatus status, const std::shared_ptr<IPreparedModel> &) { reported = status; });
  EXPECT_EQ(launched, ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(reported, ErrorStatus::DeviceUnavailable);
  CacheFiles cache;
  cache.token[0] = 9;
  EXPECT_EQ(device.prepareModelFromCache(TimePoint(), cache).error().message, "cache 9 in time");
  EXPECT_EQ(device.allocate({1, 2}, {BufferRole()}, {}).error().message, "buffer 210");
}

} // namespace
} // namespace avocet::hal

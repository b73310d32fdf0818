//===- DevicesTest.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace avocet::nnapi::testing {
namespace {

TEST(LibraryTest, TellsItsLevelAndLoopTimeouts) {
  EXPECT_EQ(ANEURALNETWORKS_FEATURE_LEVEL_8, ANeuralNetworks_getRuntimeFeatureLevel());
  EXPECT_EQ(2'000'000'000U, ANeuralNetworks_getDefaultLoopTimeout());
  EXPECT_EQ(15'000'000'000U, ANeuralNetworks_getMaximumLoopTimeout());
}

TEST(DevicesTest, NullAndUnknownIndexAreRefused) {
  uint32_t count = 0;
  EXPECT_EQ(kNull, ANeuralNetworks_getDeviceCount(nullptr));
  ASSERT_EQ(kOk, ANeuralNetworks_getDeviceCount(&count));
  EXPECT_EQ(kNull, ANeuralNetworks_getDevice(0, nullptr));
  ANeuralNetworksDevice *device = nullptr;
  for (uint32_t index : {count, UINT32_MAX}) {
    EXPECT_EQ(kBadData, ANeuralNetworks_getDevice(index, &device));
    EXPECT_EQ(nullptr, device);
  }
}

TEST(DevicesTest, NamesDifferAndLastIsCpu) {
  std::set<std::string> names;
  int32_t type = -1;
  const char *name = nullptr;
  for (const ANeuralNetworksDevice *device : allDevices()) {
    ASSERT_EQ(kOk, ANeuralNetworksDevice_getName(device, &name));
    ASSERT_EQ(kOk, ANeuralNetworksDevice_getType(device, &type));
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_GE(names.size(), 2U); // TensorFlow Lite stays away from a single device
  EXPECT_STREQ("nnapi-reference", name);
  EXPECT_EQ(ANEURALNETWORKS_DEVICE_CPU, type);
}

TEST(DevicesTest, PropertiesAreGivenForEachDevice) {
  for (const ANeuralNetworksDevice *device : allDevices()) {
    const char *version = nullptr;
    int64_t level = 0;
    int32_t type = -1;
    EXPECT_EQ(kOk, ANeuralNetworksDevice_getVersion(device, &version));
    EXPECT_STRNE("", version);
    EXPECT_EQ(kOk, ANeuralNetworksDevice_getFeatureLevel(device, &level));
    EXPECT_GE(level, ANEURALNETWORKS_FEATURE_LEVEL_4);
    EXPECT_LE(level, ANeuralNetworks_getRuntimeFeatureLevel());
    EXPECT_EQ(kOk, ANeuralNetworksDevice_getType(device, &type));
    EXPECT_EQ(kOk, ANeuralNetworksDevice_wait(device));
  }
}

TEST(DevicesTest, GettersRefuseNull) {
  const ANeuralNetworksDevice *device = firstDevice();
  const char *text = nullptr;
  int32_t type = 0;
  int64_t level = 0;
  bool isSupported = false;
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getName(nullptr, &text));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getName(device, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getVersion(nullptr, &text));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getVersion(device, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getType(nullptr, &type));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getType(device, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getFeatureLevel(nullptr, &level));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getFeatureLevel(device, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_wait(nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getExtensionSupport(nullptr, "x", &isSupported));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getExtensionSupport(device, nullptr, &isSupported));
  EXPECT_EQ(kNull, ANeuralNetworksDevice_getExtensionSupport(device, "x", nullptr));
}

TEST(DevicesTest, ExtensionsAreFoundByName) {
  bool isSupported = true;
  ASSERT_EQ(kOk, ANeuralNetworksDevice_getExtensionSupport(firstDevice(), "no.such.extension", &isSupported));
  EXPECT_FALSE(isSupported);
  ASSERT_EQ(kOk, ANeuralNetworksDevice_getExtensionSupport(firstDevice(), "com.avocet.tflite", &isSupported));
  EXPECT_TRUE(isSupported);
}

TEST(DevicesTest, ThreadsThatStartTogetherSeeOneList) {
  std::vector<std::vector<const ANeuralNetworksDevice *>> lists(4);
  std::vector<std::jthread> threads;
  for (auto &list : lists)
    threads.emplace_back([&list] { list = allDevices(); });
  threads.clear();
  for (const auto &list : lists)
    EXPECT_EQ(lists.front(), list);
}

} // namespace
} // namespace avocet::nnapi::testing

//===- TestDevice.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestDevice.h"

#include "avocet/base/ScratchDirectory.h"

#include <cstdlib>

namespace avocet::hal::test {

void CapiTest::SetUpTestSuite() {
  static const auto kRecords = ScratchDirectory::make();
  ASSERT_TRUE(kRecords.isOk()) << kRecords.status().toString();
  ::setenv("AVOCET_NNAPI_DEVICES", "embedded", 1);
  ::setenv("AVOCET_NNAPI_RECORDS", kRecords->path().c_str(), 1);
  ::setenv("AVOCET_LOG", "off", 1);
}

void CapiTest::SetUp() {
  auto device = openCapiDevice({.library = AVOCET_NNAPI_LIBRARY, .device = ""});
  ASSERT_TRUE(device.isOk()) << device.error().message;
  device_ = *device;
}

std::shared_ptr<IPreparedModel> CapiTest::prepare(const Model &model, const CacheFiles &cache) {
  PrepareOptions options;
  options.cache = cache;
  auto prepared = device_->prepareModel(model, options);
  EXPECT_TRUE(prepared.isOk()) << prepared.error().message;
  return prepared ? *prepared : nullptr;
}

namespace {

std::vector<SharedHandle> memoryFiles(uint32_t count) {
  std::vector<SharedHandle> files;
  for (uint32_t i = 0; i < count; ++i)
    files.push_back(std::make_shared<const FileDescriptor>(std::move(*createMemoryFile("capiTest", 0))));
  return files;
}

} // namespace

CacheFiles emptyCacheFiles(const IDevice &device) {
  const NumberOfCacheFiles needed = device.numberOfCacheFilesNeeded();
  return {memoryFiles(needed.numModelCache), memoryFiles(needed.numDataCache), {1, 2, 3}};
}

} // namespace avocet::hal::test

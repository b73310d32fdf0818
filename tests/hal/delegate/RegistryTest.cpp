//===- RegistryTest.cpp - A device of a registry -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceProcess.h"

#include "plugin/TfliteDelegate.h"

#include <filesystem>
#include <gmock/gmock.h>

namespace avocet::delegate {
namespace {

using ::testing::HasSubstr;

TEST(DelegateRegistryTest, FolderOfServicesIsPlaceOfDevices) {
  ServiceProcess service;
  ASSERT_TRUE(service.start());
  const std::filesystem::path socket = service.socket();
  Options options;
  options.engine.socket = socket.parent_path();
  for (const std::string &device :
       {std::string("e256"), std::string("avocet-e256"), "avocet-e256@" + socket.filename().string(),
        "e256@" + socket.filename().string()}) {
    options.engine.device = device;
    const Status status = TfliteDelegate::create(options).status();
    EXPECT_TRUE(status.isOk()) << device << ": " << status.toString();
  }
  for (const char *device : {"m512", "e256@other"}) {
    options.engine.device = device;
    const Status status = TfliteDelegate::create(options).status();
    EXPECT_THAT(status.message(), HasSubstr("it has avocet-e256")) << device;
  }
}

} // namespace
} // namespace avocet::delegate

//===- RegistryTest.cpp - Devices of several services -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Its own program, since the library looks for its devices once.

#include "Objects.h"

#include "avocet/base/ScratchDirectory.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <cstdlib>
#include <gmock/gmock.h>

namespace avocet::nnapi::testing {
namespace {

using hal::ServiceProcess;

std::string nameOf(const ANeuralNetworksDevice *device) {
  const char *name = nullptr;
  NEED(ANeuralNetworksDevice_getName(device, &name));
  return name;
}

TEST(NnapiRegistryTest, DevicesOfLiveServicesRunModels) {
  auto folder = ScratchDirectory::make();
  ASSERT_TRUE(folder.isOk()) << folder.error().message();
  std::vector<ServiceProcess> services;
  for (const char *name : {"dead", "first", "second"}) {
    auto started = ServiceProcess::startInRegistry(AVOCETD, folder->path(), name, {});
    ASSERT_TRUE(started.isOk()) << started.error().message();
    services.push_back(std::move(*started));
  }
  services.front().kill();
  setenv("AVOCET_NNAPI_DEVICES", "service", 1);
  setenv("AVOCET_SOCKET", folder->path().c_str(), 1);

  std::vector<std::string> names;
  for (const ANeuralNetworksDevice *device : allDevices())
    names.push_back(nameOf(device));
  ASSERT_THAT(names, ::testing::ElementsAre("avocet-e256", "avocet-e256@second", "nnapi-reference"));
  for (size_t i = 0; i < 2; ++i) {
    const Model model = addModel();
    const Compilation compilation = compilationFor(model, {allDevices()[i]});
    NEED(ANeuralNetworksCompilation_finish(compilation.get()));
    Addition addition(compilation);
    NEED(ANeuralNetworksExecution_compute(addition.get()));
    EXPECT_TRUE(addition.isRight()) << names[i];
  }
}

} // namespace
} // namespace avocet::nnapi::testing

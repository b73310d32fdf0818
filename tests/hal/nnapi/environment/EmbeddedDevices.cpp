//===- EmbeddedDevices.cpp ----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Makes the library use the embedded device, whatever runs on the machine.

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

class EmbeddedDevices : public ::testing::Environment {
public:
  void SetUp() override { setenv("AVOCET_NNAPI_DEVICES", "embedded", 1); }
};

[[maybe_unused]] const auto *const kEnvironment = ::testing::AddGlobalTestEnvironment(new EmbeddedDevices);

} // namespace

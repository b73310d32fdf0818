//===- ApplicationTest.cpp - Tensors of TensorFlow Lite -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteApplication.h"

#include "../../../support/TemporaryFolder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace avocet::application {
namespace {

/// A library whose only tensor has four bytes, but no memory.
TfliteApi apiWithoutMemory() {
  static int tensor = 0;
  TfliteApi api{};
  api.inputTensor = [](const TfInterpreter *, int32_t) { return reinterpret_cast<TfTensor *>(&tensor); };
  api.outputTensor = [](const TfInterpreter *, int32_t) { return reinterpret_cast<const TfTensor *>(&tensor); };
  api.byteSize = [](const TfTensor *) { return size_t{4}; };
  api.data = [](const TfTensor *) -> void * { return nullptr; };
  return api;
}

TEST(ApplicationTest, TensorsWithoutMemoryAreErrors) {
  const test::TemporaryFolder folder("application");
  const std::string path = (folder.path() / "bytes").string();
  std::ofstream(path) << "four";
  TfliteApplication application(apiWithoutMemory(), {});
  EXPECT_NE(application.readInput(0, path).message().find("input 0 has no memory"), std::string::npos);
  EXPECT_NE(application.writeOutput(0, path).message().find("output 0 has no memory"), std::string::npos);
}

} // namespace
} // namespace avocet::application

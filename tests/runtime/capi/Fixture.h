//===- Fixture.h - Objects of the C library for tests -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_RUNTIME_CAPI_FIXTURE_H
#define AVOCET_TESTS_RUNTIME_CAPI_FIXTURE_H

#include "../../support/TemporaryFolder.h"
#include "avocet/avocet.h"

#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace avocet::capi::test {

template <typename Handle> using Owned = std::unique_ptr<Handle, void (*)(Handle *)>;

/// Code and message of an error, which ends.
struct Outcome {
  AvocetCode code = AVOCET_OK;
  std::string message;

  explicit Outcome(AvocetError *error) : code(avocetErrorCode(error)), message(avocetErrorMessage(error)) {
    avocetErrorDestroy(error);
  }
};

#define EXPECT_DONE(call)                                                                                              \
  do {                                                                                                                 \
    const Outcome outcome(call);                                                                                       \
    EXPECT_EQ(outcome.code, AVOCET_OK) << outcome.message;                                                             \
  } while (false)

inline const std::string kDigits = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";

/// y = 2 * (x + total), and total grows by x.
inline constexpr std::string_view kTotal = R"(module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x4xf32> {nn.name = "x"}, %s: tensor<1x4xf32> {nn.initial_state = dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>, nn.name = "total"}) -> (tensor<1x4xf32> {nn.name = "y"}, tensor<1x4xf32> {nn.name = "total"}) {
    %0 = nn.add %x, %s : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %1 = nn.add %0, %0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    return %1, %0 : tensor<1x4xf32>, tensor<1x4xf32>
  }
})";

/// Refused by e256s, which has too little memory, at one place.
inline constexpr std::string_view kRefused = R"(module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32> {
    %0 = nn.local_response_normalize %x radius 2 bias 1.0 alpha 1.0 beta 1.0 axis 3 : (tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    return %0 : tensor<1x1x1x65536xf32>
  }
})";

class CapiTest : public ::testing::Test {
protected:
  void SetUp() override { EXPECT_DONE(avocetOptionsCreate(&options_)); }
  void TearDown() override { avocetOptionsDestroy(options_); }

  void set(const char *name, const std::string &value) { EXPECT_DONE(avocetOptionsSet(options_, name, value.c_str())); }

  static Owned<AvocetNetwork> open(const std::string &path) {
    AvocetNetwork *network = nullptr;
    EXPECT_DONE(avocetNetworkOpen(path.c_str(), &network));
    return {network, avocetNetworkDestroy};
  }
  static Owned<AvocetNetwork> inMemory(std::string_view text, const char *name = "network.mlir") {
    AvocetNetwork *network = nullptr;
    EXPECT_DONE(avocetNetworkCreate(text.data(), text.size(), name, &network));
    return {network, avocetNetworkDestroy};
  }
  Owned<AvocetModel> compile(const AvocetNetwork *network) {
    AvocetModel *model = nullptr;
    EXPECT_DONE(avocetNetworkCompile(network, options_, &model));
    return {model, avocetModelDestroy};
  }
  Owned<AvocetModel> digits() { return compile(open(kDigits).get()); }
  Owned<AvocetRun> runOf(const AvocetModel *model, const AvocetDevice *device = nullptr) {
    AvocetRun *run = nullptr;
    EXPECT_DONE(avocetRunCreate(model, device, options_, &run));
    return {run, avocetRunDestroy};
  }
  Owned<AvocetDevice> device(const char *name) {
    AvocetDevice *device = nullptr;
    EXPECT_DONE(avocetDeviceOpen(name, options_, &device));
    return {device, avocetDeviceDestroy};
  }
  static AvocetTensor *tensor(const AvocetRun *run, AvocetRole role, size_t index = 0) {
    AvocetTensor *tensor = nullptr;
    EXPECT_DONE(avocetRunTensor(run, role, index, &tensor));
    return tensor;
  }
  static std::string bytesOf(const AvocetTensor *tensor) {
    return {static_cast<const char *>(avocetTensorData(tensor)), avocetTensorBytes(tensor)};
  }
  static std::string textOf(AvocetReport *report) {
    std::string text(avocetReportText(report), avocetReportSize(report));
    avocetReportDestroy(report);
    return text;
  }
  /// A folder for files, which ends with the test.
  std::string folder() {
    if (!folder_)
      folder_.emplace("avocetCapi-");
    return folder_->path();
  }

  AvocetOptions *options_ = nullptr;

private:
  std::optional<avocet::test::TemporaryFolder> folder_;
};

} // namespace avocet::capi::test

#endif // AVOCET_TESTS_RUNTIME_CAPI_FIXTURE_H

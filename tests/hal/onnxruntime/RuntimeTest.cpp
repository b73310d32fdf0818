//===- RuntimeTest.cpp - Runtimes that load the provider --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "abi/Runtime.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace avocet::ort {
namespace {

using testing::HasSubstr;

// A runtime whose tables have few functions. A status is a text.
struct FakeStatus {
  abi::ErrorCode code;
  std::string text;
};
const char *versionText = "";
uint32_t newest = 0;
std::array<void *, 424> api{}, epApi{};

abi::Status *createStatus(abi::ErrorCode code, const char *text) {
  return reinterpret_cast<abi::Status *>(new FakeStatus{code, text});
}
const char *errorMessage(const abi::Status *status) {
  return reinterpret_cast<const FakeStatus *>(status)->text.c_str();
}
void releaseStatus(abi::Status *status) { delete reinterpret_cast<FakeStatus *>(status); }
abi::Status *failToName(const abi::Node *, const char **) { return createStatus(abi::ErrorCode::Fail, "no name"); }
const void *getEpApi() { return epApi.data(); }
const void *getApi(uint32_t version) { return version <= newest ? api.data() : nullptr; }
const char *getVersion() { return versionText; }

abi::ApiBase fakeRuntime(const char *text, uint32_t version) {
  versionText = text;
  newest = version;
  api[0] = reinterpret_cast<void *>(createStatus);
  api[2] = reinterpret_cast<void *>(errorMessage);
  api[93] = reinterpret_cast<void *>(releaseStatus);
  api[317] = reinterpret_cast<void *>(getEpApi);
  api[349] = reinterpret_cast<void *>(failToName);
  return {getApi, getVersion};
}

FakeStatus taken(abi::Status *status) {
  FakeStatus copy = *reinterpret_cast<FakeStatus *>(status);
  releaseStatus(status);
  return copy;
}

TEST(ProviderRuntime, OpensVersion23AndLaterOnes) {
  EXPECT_FALSE(Runtime::open(fakeRuntime("1.23.2", 23))->hasVirtualDevices());
  EXPECT_TRUE(Runtime::open(fakeRuntime("1.24.0", 24))->hasVirtualDevices());
  EXPECT_TRUE(Runtime::open(fakeRuntime("1.100.0-dev", 100))->hasVirtualDevices());
}

TEST(ProviderRuntime, RefusesOthersByName) {
  for (const auto &[text, version] : std::vector<std::pair<const char *, uint32_t>>{
           {"1.22.1", 22}, {"1.23.0", 22}, {"2.0.0", 30}, {"", 30}, {"one", 30}}) {
    const abi::ApiBase base = fakeRuntime(text, version);
    const Status status = Runtime::open(base).status();
    EXPECT_THAT(status.message(), HasSubstr("needs ONNX Runtime 1.23 or later, this is " + std::string(text)));
    const FakeStatus shown = taken(Runtime::errorOf(base, status));
    EXPECT_EQ(shown.code, abi::ErrorCode::NotImplemented);
    EXPECT_EQ(shown.text, status.message());
  }
  EXPECT_EQ(Runtime::errorOf(fakeRuntime("", 0), unsupported("x")), nullptr);
}

TEST(ProviderRuntime, StatusesPassInBothDirections) {
  const Result<Runtime> runtime = Runtime::open(fakeRuntime("1.30.0", 28));
  ASSERT_TRUE(runtime);
  EXPECT_EQ(runtime->statusOf(Status::ok()), nullptr);
  const FakeStatus shown = taken(runtime->statusOf(invalidArgument("the reason")));
  EXPECT_EQ(shown.code, abi::ErrorCode::InvalidArgument);
  EXPECT_EQ(shown.text, "avocet: the reason");
  EXPECT_EQ(runtime->text<abi::NodeGetName>(static_cast<const abi::Node *>(nullptr)).status().message(),
            "ONNX Runtime: no name");
}

TEST(ProviderRuntime, ExceptionsBecomeStatuses) {
  const Result<Runtime> runtime = Runtime::open(fakeRuntime("1.30.0", 28));
  ASSERT_TRUE(runtime);
  EXPECT_THAT(taken(runtime->guarded([]() -> Status { throw std::bad_alloc(); })).text, HasSubstr("out of memory"));
  EXPECT_THAT(taken(runtime->guarded([]() -> Status { throw std::runtime_error("why"); })).text, HasSubstr("why"));
}

} // namespace
} // namespace avocet::ort

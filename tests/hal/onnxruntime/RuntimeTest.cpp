//===- RuntimeTest.cpp - Runtimes that load the provider --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeRuntime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace avocet::ort {
namespace {

using testing::HasSubstr;

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
  const FakeAttribute attribute{.name = "a"};
  auto type = abi::AttributeType::Int;
  const auto *handle = reinterpret_cast<const abi::OpAttr *>(&attribute);
  EXPECT_EQ(runtime->call<abi::OpAttrGetType>(handle, &type).message(), "ONNX Runtime: unexpected type");
}

TEST(ProviderRuntime, ExceptionsBecomeStatuses) {
  const Result<Runtime> runtime = Runtime::open(fakeRuntime("1.30.0", 28));
  ASSERT_TRUE(runtime);
  EXPECT_THAT(taken(runtime->guarded([]() -> Status { throw std::bad_alloc(); })).text, HasSubstr("out of memory"));
  EXPECT_THAT(taken(runtime->guarded([]() -> Status { throw std::runtime_error("why"); })).text, HasSubstr("why"));
}

} // namespace
} // namespace avocet::ort

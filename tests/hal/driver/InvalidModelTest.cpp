//===- InvalidModelTest.cpp - Broken models at each call of the device ----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include "Models.h"
#include "Mutations.h"

namespace avocet::hal {
namespace {

using testing::addConstantModel;
using testing::DeviceFixture;

/// Pools are opened, so that a broken one may be a general failure.
constexpr std::string_view kPools = "pool";

class InvalidModelTest : public DeviceFixture {
protected:
  /// The only status of a refused asynchronous preparation.
  ErrorStatus launch(const Model &model) {
    int calls = 0;
    ErrorStatus called = ErrorStatus::None;
    const ErrorStatus returned = device_->prepareModelAsynchronously(
        model, {}, [&](ErrorStatus status, const std::shared_ptr<IPreparedModel> &prepared) {
          EXPECT_EQ(prepared, nullptr);
          called = status;
          ++calls;
        });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(called, returned);
    return returned;
  }
  /// Addition of a constant in this memory.
  static Model withPool(MemoryHandle handle) {
    Model model = addConstantModel({1, 2, 3});
    model.pools = {std::make_shared<const Memory>(Memory{std::move(handle)})};
    return model;
  }
};

TEST_F(InvalidModelTest, EachMutationIsRefusedByEveryCall) {
  size_t count = 0;
  for (const test::NamedModel &base : test::baseModels()) {
    for (const test::Mutation &mutation : test::mutationsOf(base.model)) {
      if (mutation.family == kPools)
        continue;
      SCOPED_TRACE(base.name + " " + mutation.family + " " + mutation.place);
      Model model = base.model;
      mutation.apply(model);
      ASSERT_EQ(device_->getSupportedOperations(model).code(), ErrorStatus::InvalidArgument);
      ASSERT_EQ(device_->prepareModel(model, {}).code(), ErrorStatus::InvalidArgument);
      ASSERT_EQ(launch(model), ErrorStatus::InvalidArgument);
      ++count;
    }
  }
  EXPECT_GT(count, 1000u);
}

TEST_F(InvalidModelTest, UnusablePoolsFailPreparation) {
  const Model good = test::baseModels()[0].model;
  for (const test::Mutation &mutation : test::mutationsOf(good)) {
    if (mutation.family != kPools)
      continue;
    Model model = good;
    mutation.apply(model);
    const ErrorStatus status = device_->prepareModel(model, {}).code();
    EXPECT_TRUE(status == ErrorStatus::InvalidArgument || status == ErrorStatus::GeneralFailure) << toString(status);
    EXPECT_EQ(launch(model), status);
  }
  auto shortFile = std::make_shared<const FileDescriptor>(std::move(createMemoryFile("short", 4)).value());
  EXPECT_EQ(device_->prepareModel(withPool(UnknownHandle{"strange", {}, {}, 12}), {}).code(),
            ErrorStatus::GeneralFailure);
  EXPECT_EQ(device_->prepareModel(withPool(Ashmem{shortFile, 12}), {}).code(), ErrorStatus::GeneralFailure);
}

} // namespace
} // namespace avocet::hal

//===- ApplicationModelTest.cpp - Tensors of an application ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplicationModel.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::session {
namespace {

using ::testing::HasSubstr;

Result<ApplicationModel> modelWith(const nlohmann::json &tensor) {
  return ApplicationModel::read(nlohmann::json::array({tensor}), nlohmann::json::array());
}

TEST(ApplicationModelTest, TensorsAreOperands) {
  const auto model = modelWith({{"name", "image"}, {"type", "int8"}, {"shape", {1, 28, 28}}, {"bytes", 784}});
  ASSERT_TRUE(model.isOk()) << model.status().toString();
  ASSERT_EQ(model->numInputs(), 1U);
  EXPECT_EQ(model->input(0).name, "image");
  EXPECT_EQ(model->input(0).type, firmware::DataType::Int8);
  EXPECT_EQ(model->input(0).bytes, 784U);
}

TEST(ApplicationModelTest, TensorsWithoutFixedBytesAreRefused) {
  const auto text = modelWith({{"name", "words"}, {"type", "TfLiteType 5"}, {"shape", {1}}, {"bytes", 8}});
  EXPECT_THAT(text.status().message(), HasSubstr("'words' has elements of TfLiteType 5"));
  const auto open = modelWith({{"name", "boxes"}, {"type", "float32"}, {"shape", {10, 4}}, {"bytes", 0}});
  EXPECT_THAT(open.status().message(), HasSubstr("known only during a run"));
}

TEST(ApplicationModelTest, OpenExtentsOfInputsNeedAnOption) {
  const auto open = modelWith({{"name", "x"}, {"type", "float32"}, {"shape", {-1, 4}}, {"bytes", 0}});
  EXPECT_THAT(open.status().message(), HasSubstr("input 'x' of -1x4 has open extents (-1); set them with --dim"));
}

TEST(ApplicationModelTest, OutputsMayGetTheirShapeLater) {
  const auto list = nlohmann::json::array({{{"name", "boxes"}, {"type", "float32"}, {"shape", {10, 4}}, {"bytes", 0}}});
  auto model = ApplicationModel::read(nlohmann::json::array(), list);
  ASSERT_TRUE(model.isOk()) << model.status().toString();
  model->resizeOutput(0, 48);
  EXPECT_EQ(model->output(0).bytes, 48U);
}

} // namespace
} // namespace avocet::session

//===- ModelMetadataTest.cpp - Labels and normalization of files -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/ModelMetadata.h"
#include "PictureFiles.h"
#include "avocet/base/File.h"
#include "avocet/session/Answers.h"

#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <limits>

namespace avocet::session::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ModelMetadataTest, ReadsNormalizationAndLabels) {
  const std::string labels = "cat\r\ndog\n\nbird";
  const Result<ModelMetadata> metadata = readModelMetadata(labeledModel(&labels));
  ASSERT_TRUE(metadata.isOk()) << metadata.status().toString();
  ASSERT_TRUE(metadata->normalization.has_value());
  EXPECT_THAT(metadata->normalization->mean, ElementsAre(127.5f, 127.5f, 127.5f));
  EXPECT_THAT(metadata->normalization->scale, ElementsAre(1 / 128.0f, 1 / 128.0f, 1 / 128.0f));
  EXPECT_THAT(metadata->labels, ElementsAre("cat", "dog", "", "bird"));
}

TEST(ModelMetadataTest, ReadsARealFile) {
  const std::string path = AVOCET_SHARED_DATA "/models/mobilenet_v2_100_224_int8/model.tflite";
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << "the shared models are absent (AVOCET_SHARED_DATA)";
  const Result<ModelMetadata> metadata = readModelMetadata(readFile(path).value());
  ASSERT_TRUE(metadata.isOk()) << metadata.status().toString();
  EXPECT_EQ(metadata->labels.size(), 1001u);
  EXPECT_EQ(metadata->labels[1], "tench, Tinca tinca");
  EXPECT_TRUE(metadata->normalization.has_value());
}

TEST(ModelMetadataTest, RefusesDamagedFiles) {
  EXPECT_THAT(readModelMetadata(labeledModel(nullptr)).status().message(), HasSubstr("no archive follows"));
  EXPECT_EQ(readModelMetadata(Bytes(100, 7)).code(), StatusCode::DataLoss);
  EXPECT_EQ(readModelMetadata(Bytes()).code(), StatusCode::DataLoss);
  const std::string labels = "cat";
  Bytes bytes = labeledModel(&labels);
  bytes.resize(bytes.size() - 30);
  EXPECT_EQ(readModelMetadata(bytes).code(), StatusCode::DataLoss);
}

TEST(AnswersTest, TheBestComeFirst) {
  const float scores[] = {0.5f, std::numeric_limits<float>::quiet_NaN(), 2, 0.5f, -1};
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(scores), sizeof(scores));
  const cache::OperandView output{"y", firmware::DataType::Float32, {}, sizeof(scores), {}, {}, -1};
  const std::vector<Answer> answers = bestAnswers(output, bytes, {"a", "b", "c"}, 4);
  std::vector<std::string> names;
  for (const Answer &answer : answers)
    names.push_back(answer.name);
  EXPECT_THAT(names, ElementsAre("c", "a", "3", "4"));
  EXPECT_EQ(answers[0].score, 2);
  EXPECT_EQ(answers[1].label, 0u);
  EXPECT_EQ(bestAnswers(output, bytes, {}, 9).size(), 5u);
  EXPECT_TRUE(std::isnan(bestAnswers(output, bytes, {}, 9).back().score));
}

} // namespace
} // namespace avocet::session::test

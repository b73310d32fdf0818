//===- PartsTest.cpp - IDX files, pictures, names of layers ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SmallModel.h"
#include "avocet/cache/LayerNames.h"
#include "avocet/cache/ModelCacheWriter.h"
#include "classify/Accuracy.h"
#include "classify/LabeledImages.h"
#include "output/Picture.h"

#include <gtest/gtest.h>

namespace avocet::tool::test {
namespace {

std::vector<uint8_t> idx(std::initializer_list<uint8_t> bytes) { return bytes; }

TEST(IdxTest, ReadsPictures) {
  Result<IdxArray> array = parseIdx(idx({0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 10, 11, 12, 13}), "t");
  ASSERT_TRUE(array.isOk()) << array.status().toString();
  EXPECT_EQ(array->count(), 2u);
  EXPECT_EQ(array->itemBytes(), 2u);
  EXPECT_EQ(array->item(1)[0], 12);
}

TEST(IdxTest, RefusesMalformedFiles) {
  for (const auto &bytes :
       {idx({}), idx({0, 0, 8}), idx({1, 0, 8, 1, 0, 0, 0, 1, 5}), idx({0, 0, 9, 1, 0, 0, 0, 1, 5}), idx({0, 0, 8, 0}),
        idx({0, 0, 8, 5, 0, 0, 0, 1}), idx({0, 0, 8, 1, 0, 0, 0}), idx({0, 0, 8, 1, 0, 0, 0, 2, 5}),
        idx({0, 0, 8, 1, 0, 0, 0, 1, 5, 6}), idx({0, 0, 8, 1, 0, 0, 0, 0}),
        idx({0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255})}) {
    Result<IdxArray> array = parseIdx(bytes, "file.idx");
    ASSERT_FALSE(array.isOk());
    EXPECT_EQ(array.status().code(), StatusCode::DataLoss);
    EXPECT_EQ(array.status().message().find("file.idx"), 0u) << array.status().message();
  }
}

TEST(PictureTest, DrawsInTwoStyles) {
  const uint8_t pixels[] = {0, 255, 0, 255, 255, 255};
  PictureView view{pixels, 3, 2, 1};
  EXPECT_EQ(drawPicture(view, PictureStyle::Ascii, 80), (std::vector<std::string>{" @", "=="}));
  std::vector<std::string> blocks = drawPicture(view, PictureStyle::Blocks, 80);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_NE(blocks[0].find("▀"), std::string::npos);
  EXPECT_TRUE(blocks[0].ends_with("\x1b[0m"));
  EXPECT_EQ(drawPicture(view, PictureStyle::Ascii, 1).size(), 1u);
}

TEST(AccuracyTest, CountsRightAnswers) {
  ConfusionMatrix matrix(2);
  EXPECT_EQ(matrix.accuracy(), 0.0);
  matrix.add(0, 0);
  matrix.add(0, 1);
  matrix.add(1, 1);
  matrix.add(1, 1);
  EXPECT_EQ(matrix.accuracy(), 0.75);
  EXPECT_NE(matrix.toString({"cat", "dog"}).find("50.0%"), std::string::npos);
}

TEST(LayerNamesTest, DropsComponentsSharedByHalf) {
  EXPECT_EQ(cache::shortenNames({"net/a/conv1/Relu;net/a/conv1/BiasAdd", "net/a/conv2", "net/a/conv3/Relu", "out"}, 40),
            (std::vector<std::string>{"conv1/Relu", "conv2", "conv3/Relu", "out"}));
  EXPECT_EQ(cache::shortenNames({"block_one/expand/Relu6", "block_two/project/BiasAdd"}, 16),
            (std::vector<std::string>{"block_one/expand", "block_two"}));
  EXPECT_EQ(
      cache::shortenNames({"conv_3/expand/Relu6;x", "conv_3/depthwise/Relu6", "conv_4/a", "conv_5/a", "conv_6/a"}, 8),
      (std::vector<std::string>{"…/expand", "…pthwise", "conv_4/a", "conv_5/a", "conv_6/a"}));
  EXPECT_EQ(cache::shortenNames({"same", "same", "same"}, 10), (std::vector<std::string>{"same", "same", "same"}));
  EXPECT_EQ(cache::shortenNames({"häuser_12"}, 5), std::vector<std::string>{"…r_12"});
  EXPECT_EQ(cache::shortenNames({}, 10), std::vector<std::string>());
}

std::shared_ptr<const cache::ModelCache> modelWithLayers(const std::vector<std::string> &names) {
  cache::ModelDescription model = cache::smallModel();
  for (const std::string &name : names) {
    model.layers.push_back(model.layers.front());
    model.layers.back().name = name;
  }
  model.layers.erase(model.layers.begin());
  return cache::ModelCache::adopt(cache::writeModelCache(model).value(), "small").value();
}

TEST(LayerNamesTest, LayerIsFoundByNumberNameOrPart) {
  const auto model = modelWithLayers({"block1/conv", "block1/add", "conv", "2", "conv"});
  const auto find = [&](std::string_view text) { return cache::findLayers(*model, text); };
  EXPECT_EQ(find("1"), (std::vector<uint32_t>{1}));
  EXPECT_EQ(find("2"), (std::vector<uint32_t>{2})); // the number, though layer 3 has this name
  EXPECT_EQ(find("conv"), (std::vector<uint32_t>{2}));
  EXPECT_EQ(find("block1"), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(find("5"), (std::vector<uint32_t>{})); // there are five layers
  EXPECT_EQ(find("nosuch"), (std::vector<uint32_t>{}));
}

} // namespace
} // namespace avocet::tool::test

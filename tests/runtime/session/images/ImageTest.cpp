//===- ImageTest.cpp - Pictures in memory -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PictureFiles.h"
#include "avocet/session/ImageInput.h"
#include "avocet/session/Tensors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>

namespace avocet::session::test {
namespace {

using firmware::DataType;
using ::testing::HasSubstr;

TEST(ImageTest, DecodesPng) {
  const Image image = gradient(17, 5);
  const Result<Image> decoded = decodeImage(pngOf(image), "a.png");
  ASSERT_TRUE(decoded.isOk()) << decoded.status().toString();
  EXPECT_EQ(decoded->width, 17u);
  EXPECT_EQ(decoded->height, 5u);
  EXPECT_EQ(decoded->rgb, image.rgb);
  EXPECT_EQ(decodeImage(grayPngOf(2, 1, 77), "gray.png")->rgb, Bytes(6, 77));
}

TEST(ImageTest, DecodesJpeg) {
  const Image image = gradient(64, 48);
  const Result<Image> decoded = decodeImage(jpegOf(image, 95), "a.jpg");
  ASSERT_TRUE(decoded.isOk()) << decoded.status().toString();
  ASSERT_EQ(decoded->rgb.size(), image.rgb.size());
  for (size_t i = 0; i < image.rgb.size(); ++i)
    ASSERT_LE(std::abs(decoded->rgb[i] - image.rgb[i]), 8) << i;
}

TEST(ImageTest, RefusesOtherAndDamagedFiles) {
  const auto textOf = [](const Bytes &bytes) { return decodeImage(bytes, "f").status().toString(); };
  EXPECT_THAT(textOf({'G', 'I', 'F', '8'}), HasSubstr("neither a PNG nor a JPEG"));
  EXPECT_THAT(textOf({}), HasSubstr("neither a PNG nor a JPEG"));
  for (Bytes bytes : {pngOf(gradient(9, 9)), jpegOf(gradient(9, 9), 90)}) {
    bytes.resize(bytes.size() / 2);
    EXPECT_THAT(textOf(bytes), HasSubstr("f: is damaged"));
  }
}

TEST(ImageTest, RefusesHugeImagesBeforeTheyAreDecoded) {
  Bytes png = grayPngOf(1, 1, 0);
  png[16] = 0x01; // the width, whose checksum is wrong now too
  EXPECT_FALSE(decodeImage(png, "f").isOk());
  const Result<Image> wide = decodeImage(grayPngOf(kMostImageExtent + 1, 1, 0), "wide.png");
  EXPECT_EQ(wide.code(), StatusCode::ResourceExhausted);
  EXPECT_THAT(wide.status().message(), HasSubstr("wide.png: has 16385 x 1 pixels"));
}

TEST(ImageTest, ResizingKeepsConstantsAndMeans) {
  const Image gray{31, 17, Bytes(31 * 17 * 3, 90)};
  for (const auto [width, height] : {std::pair(7u, 5u), {64u, 40u}, {1u, 1u}, {31u, 3u}})
    EXPECT_EQ(resized(gray, width, height).rgb, Bytes(size_t{width} * height * 3, 90)) << width << "x" << height;
  const Image small = resized(gradient(256, 256), 16, 16);
  for (uint32_t x = 1; x < 15; ++x) // at the borders the triangle is cut
    EXPECT_NEAR(small.rgb[x * 3], 16 * x + 7.5, 1) << x;
}

TEST(ImageTest, EnlargingIsBilinear) {
  const Image two{2, 1, {0, 0, 0, 200, 200, 200}};
  const Image four = resized(two, 4, 1);
  EXPECT_EQ(four.rgb[0], 0);
  EXPECT_EQ(four.rgb[3], 50);
  EXPECT_EQ(four.rgb[6], 150);
  EXPECT_EQ(four.rgb[9], 200);
}

/// Stores `image` in an input and gives its numbers.
std::vector<double> inputOf(const Image &image, const ImageForm &form, DataType type, std::vector<int32_t> shape,
                            std::vector<float> scales = {}, std::vector<int32_t> zeroPoints = {}) {
  uint64_t elements = 1;
  for (int32_t extent : shape)
    elements *= static_cast<uint64_t>(extent);
  std::vector<uint8_t> bytes(elements * sizeOf(type));
  const cache::OperandView operand{"x", type, shape, bytes.size(), scales, zeroPoints, -1};
  const Status status = storeImage(image, form, operand, bytes);
  EXPECT_TRUE(status.isOk()) << status.toString();
  std::vector<double> numbers(elements);
  for (size_t i = 0; i < elements; ++i)
    numbers[i] = realValue(operand, bytes, i);
  return numbers;
}

const Image kOne{1, 1, {255, 0, 100}};

TEST(ImageInputTest, EightBitInputsUseTheirWholeRange) {
  EXPECT_EQ(inputOf(kOne, {}, DataType::UInt8, {1, 1, 1, 3}), (std::vector<double>{255, 0, 100}));
  EXPECT_EQ(inputOf(kOne, {}, DataType::Int8, {1, 1, 1, 3}, {0.5f}, {-128}), (std::vector<double>{127.5, 0, 50}));
}

TEST(ImageInputTest, OtherInputsAreBetween0And1) {
  const std::vector<double> numbers = inputOf(kOne, {}, DataType::Float32, {1, 3, 1, 1});
  EXPECT_EQ(numbers[0], 1);
  EXPECT_FLOAT_EQ(static_cast<float>(numbers[2]), 100 / 255.0f);
}

TEST(ImageInputTest, NormalizesEachColor) {
  ImageForm form;
  form.normalization = Normalization{{255, 10, 0}, {2, 3, 0.5f}};
  EXPECT_EQ(inputOf(kOne, form, DataType::Float32, {1, 1, 1, 3}), (std::vector<double>{0, -30, 50}));
  form.bgr = true;
  EXPECT_EQ(inputOf(kOne, form, DataType::Float32, {1, 1, 1, 3}), (std::vector<double>{50, -30, 0}));
}

TEST(ImageInputTest, GrayInputsGetTheLuma) {
  EXPECT_EQ(inputOf(kOne, {}, DataType::UInt8, {1, 1, 1, 1}), std::vector<double>{88}); // 0.299 * 255 + 0.114 * 100
}

TEST(ImageInputTest, PlacesChannelsFirstAndLast) {
  const Image image = gradient(3, 2);
  const std::vector<double> last = inputOf(image, {}, DataType::UInt8, {1, 2, 3, 3});
  EXPECT_TRUE(std::ranges::equal(last, image.rgb));
  const std::vector<double> first = inputOf(gradient(5, 2), {}, DataType::UInt8, {1, 3, 2, 5});
  EXPECT_EQ(first[4], 255);  // red at the right end of the first row
  EXPECT_EQ(first[15], 255); // green in the second row
  EXPECT_EQ(first[20], 100); // blue
}

TEST(ImageInputTest, CropsAndPads) {
  Image wide{4, 2, {}};
  for (int i = 0; i < 8; ++i)
    wide.rgb.insert(wide.rgb.end(), 3, static_cast<uint8_t>(i % 4 == 0 || i % 4 == 3 ? 10 : 200));
  ImageForm form;
  form.fit = Fit::Crop;
  EXPECT_EQ(inputOf(wide, form, DataType::UInt8, {1, 2, 2, 1}), std::vector<double>(4, 200));
  form.fit = Fit::Pad;
  const std::vector<double> padded = inputOf(wide, form, DataType::UInt8, {1, 4, 4, 1});
  EXPECT_EQ(padded, (std::vector<double>{0, 0, 0, 0, 10, 200, 200, 10, 10, 200, 200, 10, 0, 0, 0, 0}));
}

TEST(ImageInputTest, RefusesOtherInputs) {
  uint8_t bytes[64] = {};
  const auto refusal = [&](DataType type, std::vector<int32_t> shape) {
    return storeImage(kOne, {}, {"x", type, shape, sizeof(bytes), {}, {}, -1}, bytes);
  };
  EXPECT_THAT(refusal(DataType::UInt8, {1, 8, 8, 2}).message(), HasSubstr("the input is u8 1x8x8x2; pictures fit"));
  EXPECT_THAT(refusal(DataType::UInt8, {2, 4, 4, 3}).message(), HasSubstr("pictures fit"));
  EXPECT_EQ(refusal(DataType::Int64, {1, 1, 1, 1}).code(), StatusCode::Unsupported);
}

} // namespace
} // namespace avocet::session::test

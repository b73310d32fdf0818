//===- PicturesTest.cpp - avocet run --image --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PictureFiles.h"
#include "ToolRunner.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace avocet::tool::test {
namespace {

using ::testing::HasSubstr;

const std::string kDigits = AVOCET_SOURCE_DIR "/tests/models/digits/digits_int8.tflite";

class PicturesTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    put("gray.png", session::test::grayPngOf(28, 28, 200));
    put("large.jpg", session::test::jpegOf(session::test::gradient(100, 60), 90));
  }

  void put(const std::string &name, const session::test::Bytes &bytes) const {
    write(name, std::string(bytes.begin(), bytes.end()));
  }

  nlohmann::json classesOf(std::vector<std::string> options) const {
    options.insert(options.begin(), {"run", kDigits, "--report", "json"});
    const ToolResult result = run(options);
    EXPECT_EQ(result.exitCode, 0) << result.errors;
    const nlohmann::json document = nlohmann::json::parse(result.output);
    return document.value("classes", nlohmann::json());
  }

  std::string refusalOf(std::vector<std::string> options) const {
    options.insert(options.begin(), {"run", kDigits});
    const ToolResult result = run(options);
    EXPECT_NE(result.exitCode, 0);
    return result.errors;
  }
};

TEST_F(PicturesTest, APictureIsTheTensorOfItsPixels) {
  write("raw.bin", std::string(28 * 28, static_cast<char>(200 - 128)));
  ASSERT_EQ(run({"run", kDigits, "--image", "gray.png", "-o", "a"}).exitCode, 0);
  ASSERT_EQ(run({"run", kDigits, "--input", "raw.bin", "-o", "b"}).exitCode, 0);
  EXPECT_EQ(read("a/out0.bin"), read("b/out0.bin"));
}

TEST_F(PicturesTest, EachPictureHasItsBestClasses) {
  write("names.txt", "zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n");
  const nlohmann::json classes =
      classesOf({"--image", "gray.png", "--image", "large.jpg", "--labels", "names.txt", "--top", "2"});
  ASSERT_EQ(classes.size(), 4u);
  EXPECT_EQ(classes[0]["picture"], "gray.png");
  EXPECT_EQ(classes[2]["picture"], "large.jpg");
  EXPECT_GE(classes[0]["score"], classes[1]["score"]);
  EXPECT_THAT(classes[0]["name"].get<std::string>(), testing::MatchesRegex("[a-z]+"));
  const ToolResult table = run({"run", kDigits, "--image", "gray.png", "--labels", "names.txt"});
  EXPECT_THAT(table.output, HasSubstr(classes[0]["name"].get<std::string>()));
}

TEST_F(PicturesTest, NormalizationIsThatOfTheOptions) {
  ASSERT_EQ(run({"run", kDigits, "--image", "gray.png", "--mean", "200", "--scale", "1", "-o", "a"}).exitCode, 0);
  put("black.png", session::test::grayPngOf(28, 28, 0));
  ASSERT_EQ(run({"run", kDigits, "--image", "black.png", "--mean", "0", "--scale", "1,1,1", "-o", "b"}).exitCode, 0);
  EXPECT_EQ(read("a/out0.bin"), read("b/out0.bin"));
}

TEST_F(PicturesTest, RefusesWhatNoPictureFits) {
  EXPECT_THAT(refusalOf({"--image", "gray.png", "--mean", "1,2"}), HasSubstr("--mean: has 2 numbers"));
  write("text.png", "text");
  EXPECT_THAT(refusalOf({"--image", "text.png"}), HasSubstr("text.png: is neither a PNG nor a JPEG"));
  EXPECT_THAT(refusalOf({"--image", "gray.png", "--repeat", "2"}), HasSubstr("--image"));
  EXPECT_THAT(refusalOf({"--top", "2"}), HasSubstr("--image"));
}

} // namespace
} // namespace avocet::tool::test

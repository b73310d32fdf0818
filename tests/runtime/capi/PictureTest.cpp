//===- PictureTest.cpp - Pictures and classes of the C library ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../session/images/PictureFiles.h"
#include "Fixture.h"

#include <fstream>

namespace avocet::capi::test {
namespace {

using ::testing::HasSubstr;

class PictureTest : public CapiTest {
protected:
  std::string fileOf(const session::test::Bytes &bytes) {
    const std::string path = folder() + "/picture";
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), std::ssize(bytes));
    return path;
  }
  AvocetTensor *input() { return tensor(run().get(), AVOCET_INPUT); }
  const Owned<AvocetRun> &run() {
    if (!run_)
      run_ = runOf(digits().get());
    return run_;
  }
  Outcome classes(AvocetTensor *output) {
    AvocetReport *report = nullptr;
    Outcome outcome(avocetTensorClasses(output, options_, &report));
    if (report)
      outcome.message = textOf(report);
    return outcome;
  }

private:
  Owned<AvocetRun> run_{nullptr, avocetRunDestroy};
};

/// The digits have the scale 1/255 and the zero point -128: a byte is stored as itself less 128.
TEST_F(PictureTest, FillsAnInputFromAFile) {
  const std::string path = fileOf(session::test::grayPngOf(28, 28, 200));
  EXPECT_DONE(avocetTensorReadImage(input(), path.c_str(), nullptr));
  EXPECT_EQ(bytesOf(input()), std::string(28 * 28, static_cast<char>(200 - 128)));
}

TEST_F(PictureTest, FillsAnInputFromMemory) {
  const session::test::Bytes bytes = session::test::grayPngOf(56, 56, 3);
  EXPECT_DONE(avocetTensorDecodeImage(input(), bytes.data(), bytes.size(), nullptr));
  EXPECT_EQ(bytesOf(input()), std::string(28 * 28, static_cast<char>(3 - 128)));
}

TEST_F(PictureTest, FillsTheCallersMemory) {
  alignas(16) uint8_t memory[28 * 28] = {};
  uint8_t odd[28 * 28 + 1] = {};
  const std::string path = fileOf(session::test::grayPngOf(28, 28, 255));
  for (uint8_t *place : {memory, odd + 1}) { // used in place, and copied
    EXPECT_DONE(avocetTensorBind(input(), place, sizeof(memory)));
    EXPECT_DONE(avocetTensorReadImage(input(), path.c_str(), nullptr));
    EXPECT_EQ(place[100], 127);
  }
}

TEST_F(PictureTest, OptionsSayWhatAByteIs) {
  const std::string path = fileOf(session::test::grayPngOf(28, 28, 200));
  set("mean", "200");
  set("scale", "1");
  EXPECT_DONE(avocetTensorReadImage(input(), path.c_str(), options_));
  EXPECT_EQ(bytesOf(input()), std::string(28 * 28, '\x80')); // 0
}

TEST_F(PictureTest, PaddedPicturesHaveBlackBars) {
  const std::string path = fileOf(session::test::grayPngOf(28, 14, 255));
  set("fit", "pad");
  EXPECT_DONE(avocetTensorReadImage(input(), path.c_str(), options_));
  EXPECT_EQ(bytesOf(input()).substr(0, 28), std::string(28, '\x80'));
  EXPECT_EQ(bytesOf(input()).substr(10 * 28, 28), std::string(28, '\x7f'));
}

TEST_F(PictureTest, WrongOptionsSayWhatIsAccepted) {
  EXPECT_THAT(Outcome(avocetOptionsSet(options_, "mean", "1,2")).message,
              HasSubstr("option mean: has 2 numbers; give one, or one each for red, green and blue"));
  EXPECT_EQ(Outcome(avocetOptionsSet(options_, "scale", "big")).code, AVOCET_INVALID_ARGUMENT);
  EXPECT_THAT(Outcome(avocetOptionsSet(options_, "fit", "zoom")).message, HasSubstr("stretch or crop or pad"));
  EXPECT_EQ(Outcome(avocetOptionsSet(options_, "top", "0")).code, AVOCET_INVALID_ARGUMENT);
}

TEST_F(PictureTest, GivesTheBestClassesWithTheirNames) {
  EXPECT_EQ(classes(tensor(run().get(), AVOCET_OUTPUT)).code, AVOCET_FAILED_PRECONDITION);
  EXPECT_DONE(avocetRunExecute(run().get()));
  std::ofstream(folder() + "/labels") << "zero\none\n";
  set("top", "10");
  EXPECT_THAT(classes(tensor(run().get(), AVOCET_OUTPUT)).message, HasSubstr("\"name\": \"1\""));
  set("labels", folder() + "/labels");
  const std::string named = classes(tensor(run().get(), AVOCET_OUTPUT)).message;
  EXPECT_THAT(named, HasSubstr("\"name\": \"one\""));
  EXPECT_THAT(named, HasSubstr("\"name\": \"9\"")); // has no label
}

TEST_F(PictureTest, WrongTensorsAndFilesAreRefused) {
  const std::string path = fileOf(session::test::grayPngOf(4, 4, 1));
  AvocetTensor *output = tensor(run().get(), AVOCET_OUTPUT);
  EXPECT_EQ(Outcome(avocetTensorReadImage(output, path.c_str(), nullptr)).code, AVOCET_INVALID_ARGUMENT);
  EXPECT_EQ(Outcome(avocetTensorReadImage(nullptr, path.c_str(), nullptr)).code, AVOCET_INVALID_ARGUMENT);
  EXPECT_EQ(Outcome(avocetTensorReadImage(input(), nullptr, nullptr)).code, AVOCET_INVALID_ARGUMENT);
  EXPECT_EQ(Outcome(avocetTensorReadImage(input(), "/nowhere.png", nullptr)).code, AVOCET_NOT_FOUND);
  EXPECT_EQ(Outcome(avocetTensorDecodeImage(input(), nullptr, 3, nullptr)).code, AVOCET_INVALID_ARGUMENT);
  EXPECT_EQ(Outcome(avocetTensorDecodeImage(input(), "GIF89a", 6, nullptr)).code, AVOCET_INVALID_ARGUMENT);
  EXPECT_EQ(classes(input()).code, AVOCET_INVALID_ARGUMENT);
  const auto vectors = runOf(compile(inMemory(kTotal).get()).get());
  EXPECT_EQ(Outcome(avocetTensorReadImage(tensor(vectors.get(), AVOCET_INPUT), path.c_str(), nullptr)).code,
            AVOCET_INVALID_ARGUMENT);
}

} // namespace
} // namespace avocet::capi::test

//===- BenchmarkPageTest.cpp ---------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Browser.h"
#include "ToolRunner.h"
#include "avocet/base/ScratchDirectory.h"

#include <gmock/gmock.h>

#include <optional>

namespace avocet::tool::test {
namespace {

using avocet::test::Browser;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kModels = AVOCET_SOURCE_DIR "/tests/models/digits/";

class BenchmarkPageTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    const ToolResult result =
        run({"benchmark", kModels + "digits_int8.tflite", "--images", kModels + "test-images.idx3-ubyte", "--labels",
             kModels + "test-labels.idx1-ubyte", "--limit", "60", "--html", "page.html", "absent<b>.tflite"});
    ASSERT_EQ(result.exitCode, 1) << result.errors; // because of the second file
  }

  void openPage(const std::string &program, const std::string &profile) {
    auto started = Browser::start(program, profile);
    ASSERT_TRUE(started.isOk()) << started.status().toString();
    browser_ = std::move(*started);
    const Status opened = browser_->open(path("page.html"), "document.readyState === 'complete'");
    ASSERT_TRUE(opened.isOk()) << opened.toString();
  }

  Browser::Json value(const std::string &expression) {
    Result<Browser::Json> result = browser_->evaluate(expression);
    EXPECT_TRUE(result.isOk()) << expression << ": " << result.status().toString();
    return result ? *result : Browser::Json();
  }

  std::unique_ptr<Browser> browser_;
};

TEST_F(BenchmarkPageTest, NeedsNoScriptAndNoOtherFile) {
  const std::string page = read("page.html");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, Not(HasSubstr("@SECTIONS@")));
  EXPECT_THAT(page, HasSubstr("absent&lt;b&gt;.tflite: there is no such file"));
}

TEST_F(BenchmarkPageTest, PicturesAndTablesAreShownInBothThemes) {
  const std::string program = Browser::find();
  if (program.empty())
    GTEST_SKIP() << "there is no chromium; scripts/setup --browser installs it";
  auto profile = ScratchDirectory::make();
  ASSERT_TRUE(profile.isOk()) << profile.status().toString();
  openPage(program, profile->path());
  EXPECT_GE(value("document.querySelectorAll('svg rect.bar').length"), 3);
  EXPECT_EQ(value("document.querySelectorAll('svg .median').length"), 3); // two host times, one of the device
  EXPECT_EQ(value("document.querySelectorAll('table.confusion').length"), 2);
  EXPECT_EQ(value("document.querySelectorAll('table.confusion')[1].rows.length"), 11); // ten classes and the head
  EXPECT_EQ(
      value("[...document.querySelectorAll('table.confusion')[1].querySelectorAll('td')].reduce((sum, cell) => sum "
            "+ Number(cell.textContent), 0)"),
      60);
  // Nothing is drawn outside its picture, and text is on a background of another brightness.
  EXPECT_EQ(
      value("[...document.querySelectorAll('svg')].every((svg) => [...svg.querySelectorAll('rect, line')].every("
            "(part) => part.getBBox().x >= 0 && part.getBBox().x + part.getBBox().width <= svg.viewBox.baseVal.width"
            " + 1))"),
      true);
  constexpr const char *kColors = "getComputedStyle(document.body).backgroundColor + ' ' + "
                                  "getComputedStyle(document.querySelector('svg text.row')).fill";
  ASSERT_TRUE(browser_->preferTheme("light").isOk());
  EXPECT_EQ(value(kColors), "rgb(255, 255, 255) rgb(28, 32, 36)");
  ASSERT_TRUE(browser_->preferTheme("dark").isOk());
  EXPECT_EQ(value(kColors), "rgb(22, 25, 29) rgb(228, 232, 236)");
  EXPECT_THAT(browser_->takeMessages(), IsEmpty());
}

} // namespace
} // namespace avocet::tool::test

//===- ToolJsonTest.cpp - The library says what the commands print --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../session/images/PictureFiles.h"
#include "Fixture.h"

#include "avocet/hal/ipc/ServiceProcess.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

namespace avocet::capi::test {
namespace {

/// Without times of the host, which differ from run to run.
std::string withoutTimes(const std::string &text) {
  return std::regex_replace(text, std::regex("\"(host_compile_|host_run_|)ms\": ?[0-9.e+-]+"), "");
}

class ToolJsonTest : public CapiTest {
protected:
  /// What `avocet` prints; its exit code is not checked, since refusals are 1.
  static std::string printed(const std::string &arguments) {
    const std::string command = std::string(AVOCET_TOOL) + " " + arguments + " 2>/dev/null";
    FILE *pipe = ::popen(command.c_str(), "r"); // NOLINT(bugprone-command-processor): the arguments are those below
    std::string text;
    char buffer[4096];
    for (size_t count = 0; (count = std::fread(buffer, 1, sizeof(buffer), pipe)) != 0;)
      text.append(buffer, count);
    ::pclose(pipe);
    EXPECT_FALSE(text.empty()) << command;
    return text;
  }

  std::string explained(const std::string &path) {
    AvocetReport *report = nullptr;
    EXPECT_DONE(avocetNetworkExplain(open(path).get(), options_, &report));
    return textOf(report);
  }

  std::string refusedFile() {
    std::ofstream(folder() + "/refused.mlir") << kRefused;
    return folder() + "/refused.mlir";
  }
};

TEST_F(ToolJsonTest, ExplainsAsTheCommand) { EXPECT_EQ(explained(kDigits), printed("explain --json " + kDigits)); }

TEST_F(ToolJsonTest, ExplainsLayersAsTheCommand) {
  set("layer", "1");
  set("target", "m512");
  set("changes", "false");
  EXPECT_EQ(explained(kDigits), printed("explain --json --layer 1 --no-changes -t m512 " + kDigits));
}

TEST_F(ToolJsonTest, ExplainsRefusalsAsTheCommand) {
  set("target", "e256s");
  const std::string path = refusedFile();
  EXPECT_EQ(explained(path), printed("explain --json -t e256s " + path));
}

TEST_F(ToolJsonTest, ReportsDataAsTheCommand) {
  const std::string file = folder() + "/report.json";
  printed("report " + kDigits + " --optimize 2 --data " + file);
  std::ifstream stream(file);
  const std::string expected(std::istreambuf_iterator<char>(stream), {});
  set("optimize", "2");
  AvocetReport *report = nullptr;
  EXPECT_DONE(avocetNetworkReport(open(kDigits).get(), options_, &report));
  EXPECT_EQ(withoutTimes(textOf(report)), withoutTimes(expected));
}

TEST_F(ToolJsonTest, ReportsRunsAsTheCommand) {
  set("profile", "true");
  const auto run = runOf(digits().get());
  EXPECT_DONE(avocetRunExecute(run.get()));
  AvocetReport *report = nullptr;
  EXPECT_DONE(avocetRunReport(run.get(), &report));
  EXPECT_EQ(withoutTimes(textOf(report)), withoutTimes(printed("run --report json " + kDigits)));
}

TEST_F(ToolJsonTest, ReportsOperatorsOfTheHostAsTheCommand) {
  const std::string path = refusedFile();
  set("target", "e256s");
  set("fallback", "cpu");
  set("profile", "true");
  const auto run = runOf(compile(open(path).get()).get());
  EXPECT_DONE(avocetRunExecute(run.get()));
  AvocetReport *report = nullptr;
  EXPECT_DONE(avocetRunReport(run.get(), &report));
  const std::string text = textOf(report);
  EXPECT_THAT(text, ::testing::HasSubstr("\"host_operators\""));
  EXPECT_EQ(withoutTimes(text), withoutTimes(printed("run --report json --fallback cpu -t e256s " + path)));
}

TEST_F(ToolJsonTest, ListsTargetsAsTheCommand) {
  AvocetReport *report = nullptr;
  EXPECT_DONE(avocetTargetList(&report));
  EXPECT_EQ(textOf(report) + "\n", printed("targets --json"));
}

TEST_F(ToolJsonTest, ClassifiesPicturesAsTheCommand) {
  const session::test::Bytes bytes = session::test::jpegOf(session::test::gradient(100, 60), 90);
  const std::string picture = folder() + "/picture.jpg";
  std::ofstream(picture, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), std::ssize(bytes));
  set("fit", "crop");
  set("mean", "10");
  set("scale", "0.004");
  set("top", "3");
  const auto run = runOf(digits().get());
  EXPECT_DONE(avocetTensorReadImage(tensor(run.get(), AVOCET_INPUT), picture.c_str(), options_));
  EXPECT_DONE(avocetRunExecute(run.get()));
  AvocetReport *report = nullptr;
  EXPECT_DONE(avocetTensorClasses(tensor(run.get(), AVOCET_OUTPUT), options_, &report));
  auto expected = nlohmann::json::parse(
      printed("run --report json --fit crop --mean 10 --scale 0.004 --top 3 --image " + picture + " " + kDigits));
  ASSERT_EQ(expected["classes"].size(), 3u);
  for (auto &found : expected["classes"])
    found.erase("picture");
  EXPECT_EQ(nlohmann::json::parse(textOf(report))["classes"], expected["classes"]);
}

TEST_F(ToolJsonTest, ReportsServedRunsAsTheCommand) {
  const std::string socket = folder() + "/socket";
  auto service = hal::ServiceProcess::start(AVOCETD, socket, {"--target", "e256"}, folder() + "/log");
  ASSERT_TRUE(service.isOk()) << service.status().toString();
  set("socket", socket);
  AvocetReport *report = nullptr;
  {
    const auto model = digits();
    const auto run = runOf(model.get(), device("service:avocet-e256").get()), here = runOf(model.get());
    EXPECT_DONE(avocetRunExecute(run.get()));
    EXPECT_DONE(avocetRunExecute(here.get()));
    EXPECT_EQ(bytesOf(tensor(run.get(), AVOCET_OUTPUT)), bytesOf(tensor(here.get(), AVOCET_OUTPUT)));
    EXPECT_DONE(avocetRunReport(run.get(), &report));
  }
  const auto withoutNumbers = [](const std::string &text) {
    return std::regex_replace(text, std::regex("-?[0-9]+(\\.[0-9]+)?(e[+-]?[0-9]+)?"), "0");
  };
  EXPECT_EQ(withoutNumbers(textOf(report)),
            withoutNumbers(printed("run --report json --device avocet-e256 --socket " + socket + " " + kDigits)));
  EXPECT_TRUE(service->stop().isOk());
}

TEST_F(ToolJsonTest, DiagnosesAsTheCommand) {
  const std::string path = refusedFile();
  set("target", "e256s");
  AvocetModel *model = nullptr;
  AvocetError *error = avocetNetworkCompile(open(path).get(), options_, &model);
  EXPECT_EQ(avocetErrorJson(error), printed("compile --diagnostics json -t e256s -o " + folder() + "/out " + path));
  avocetErrorDestroy(error);
}

} // namespace
} // namespace avocet::capi::test

//===- OutputTest.cpp - Subcommands with failing standard streams ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs end with a documented exit code when the disk is full, a descriptor is closed or the reader of a pipe is
// gone. They also print a message if a stream still works. The subcommands are read from the program's own help.
//
//===----------------------------------------------------------------------===//

#include "LostOutput.h"
#include "ToolRunner.h"
#include "VectorBuilder.h"

#include "avocet/base/File.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <sstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;
using Arguments = std::vector<std::string>;
using Redirect = std::function<void()>;

const std::string kModels = AVOCET_SOURCE_DIR "/tests/models/digits/";

/// Arguments with which each subcommand succeeds and prints. A subcommand without a row fails the tests.
const std::map<std::string, Arguments> kWorking = {
    {"compile", {"compile", kModels + "digits_int8.tflite", "--stop-after", "import", "-o", "-"}},
    {"run", {"run", "model"}},
    {"report", {"report", "model", "-o", "-"}},
    {"inspect", {"inspect", "model"}},
    {"where", {"where", kModels + "digits_int8.tflite", "--cycle", "1000"}},
    {"explain", {"explain", kModels + "digits_int8.tflite", "--no-changes"}},
    {"compare", {"compare", kModels + "digits_int8.tflite", "--against", "reference"}},
    {"bisect",
     {"bisect", kModels + "digits_int8.tflite", "--options", "--good", "fuse-residuals=off", "--test",
      "grep -q 'residual1 + add1' {}/model.avom"}},
    {"graph", {"graph", "own.nntv"}},
    {"classify",
     {"classify", kModels + "digits_int8.tflite", "--images", kModels + "test-images.idx3-ubyte", "--labels",
      kModels + "test-labels.idx1-ubyte", "--limit", "2"}},
    {"benchmark", {"benchmark", kModels + "digits_int8.tflite", "--runs", "2", "--random", "2"}},
    {"replay", {"replay", "run.avor"}},
    {"reduce", {"reduce", kModels + "digits_int8.tflite", "--test", "test -s {}", "-o", "small.tflite"}},
    {"targets", {"targets"}},
    {"knobs", {"knobs"}},
    {"conformance", {"conformance", "own.nntv", "--kind", "general", "-q"}},
    {"random", {"random", "--graphs", "2", "--operations", "2"}},
    {"calibrate", {"calibrate", "--help"}}, // without --help it measures for seconds
    {"devices", {"devices", "--socket", "socket"}},
    {"doctor", {"doctor", "--socket", "socket"}},
    {"explore", {"explore", "--models", kModels + "digits_int8.tflite", "-o", "explored"}},
    {"completion", {"completion", "bash"}},
};

using avocet::test::closeIt;
using avocet::test::loseReader;

class OutputTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    full_ = path("full");
    hasFull_ = ::mknod(full_.c_str(), S_IFCHR | 0600, makedev(1, 7)) == 0 && isFull();
  }

  /// Exit code of a program in the directory, or minus the signal that ended it. `errors_` is its text on the standard
  /// error stream unless `setup` redirects that.
  int endOf(const std::string &program, const Arguments &arguments, const Redirect &setup = [] {}) {
    const std::string errors = directory_ + ".err";
    const pid_t pid = ::fork();
    if (pid == 0)
      become(program, arguments, errors, setup);
    int status = 0;
    ::waitpid(pid, &status, 0);
    const std::vector<uint8_t> bytes = readFile(errors).value();
    std::filesystem::remove(errors);
    errors_.assign(bytes.begin(), bytes.end());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  Redirect fillDisk(int descriptor) const {
    return [this, descriptor] { ::dup2(::open(full_.c_str(), O_WRONLY), descriptor); };
  }

  /// Ways to make writes to the standard output fail.
  std::map<std::string, Redirect> brokenOutputs() const {
    std::map<std::string, Redirect> ways = {{"closed", [] { closeIt(1); }}, {"reader gone", [] { loseReader(1); }}};
    if (hasFull_)
      ways["disk full"] = fillDisk(1);
    return ways;
  }
  std::map<std::string, Redirect> brokenErrors() const {
    std::map<std::string, Redirect> ways = {{"closed", [] { closeIt(2); }}, {"reader gone", [] { loseReader(2); }}};
    if (hasFull_)
      ways["disk full"] = fillDisk(2);
    return ways;
  }

  /// Writes all files that the rows of kWorking name.
  void writeInputs() {
    using namespace hal::conformance;
    writeCopyModel();
    ASSERT_EQ(run({"run", "model", "--backend", "recorder:run.avor"}).exitCode, 0);
    std::vector<vectors::CaseT> cases;
    cases.push_back(
        identityCase("first", hal::OperandType::TensorFloat32, bytesOf<float>({1, 2, 3}), vectors::Kind::General));
    const Bytes bytes = pack(std::move(cases));
    write("own.nntv", std::string(bytes.begin(), bytes.end()));
    auto started = hal::ServiceProcess::start(AVOCETD, path("socket"), {"--target", "e256"}, path("log"));
    ASSERT_TRUE(started.isOk()) << started.status().toString();
    service_.emplace(std::move(*started));
  }

  void TearDown() override {
    if (service_)
      (void)service_->stop();
    ToolTest::TearDown();
  }

  /// The names in the last section of the help.
  std::vector<std::string> subcommands() {
    const std::string help = run({"--help"}).output;
    std::istringstream lines(help.substr(help.find("Subcommands:\n") + 13));
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line) && !line.empty();)
      if (line[2] != ' ') // otherwise the description goes on
        names.push_back(line.substr(2, line.find(' ', 2) - 2));
    return names;
  }

  const Arguments &workingRow(const std::string &command) {
    static const Arguments kNone;
    auto row = kWorking.find(command);
    EXPECT_NE(row, kWorking.end()) << command << " has no row in kWorking";
    return row == kWorking.end() ? kNone : row->second;
  }

  std::string full_; ///< a private copy of /dev/full
  bool hasFull_ = false;
  std::string errors_;

private:
  bool isFull() const {
    const FileDescriptor file(::open(full_.c_str(), O_WRONLY | O_CLOEXEC));
    return file.isValid() && ::write(file.get(), "x", 1) < 0 && errno == ENOSPC;
  }

  [[noreturn]] void become(const std::string &program, const Arguments &arguments, const std::string &errors,
                           const Redirect &setup) const {
    std::vector<char *> pointers = {const_cast<char *>(program.c_str())};
    for (const std::string &argument : arguments)
      pointers.push_back(const_cast<char *>(argument.c_str()));
    pointers.push_back(nullptr);
    if (::chdir(directory_.c_str()) != 0)
      ::_exit(99);
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), 1);
    ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), 2);
    ::signal(SIGPIPE, SIG_DFL);
    setup();
    ::execv(program.c_str(), pointers.data());
    ::_exit(99);
  }

  std::optional<hal::ServiceProcess> service_;
};

TEST_F(OutputTest, EverySubcommandReportsFailedOutput) {
  writeInputs();
  const std::vector<std::string> commands = subcommands();
  EXPECT_GE(commands.size(), kWorking.size());
  for (const std::string &command : commands) {
    const Arguments &row = workingRow(command);
    ASSERT_EQ(endOf(AVOCET_TOOL, row), 0) << command << ": " << errors_;
    for (const auto &[way, setup] : brokenOutputs()) {
      EXPECT_EQ(endOf(AVOCET_TOOL, row, setup), 1) << command << ", output " << way;
      EXPECT_THAT(errors_, HasSubstr("the standard output: ")) << command << ", output " << way;
    }
  }
  if (!hasFull_)
    GTEST_SKIP() << "no full disk: device nodes cannot be made here";
}

TEST_F(OutputTest, EverySubcommandSucceedsWithoutErrorStream) {
  writeInputs();
  for (const std::string &command : subcommands())
    for (const auto &[way, setup] : brokenErrors())
      EXPECT_EQ(endOf(AVOCET_TOOL, workingRow(command), setup), 0) << command << ", errors " << way;
}

TEST_F(OutputTest, EverySubcommandFailsWithoutStreams) {
  writeInputs();
  for (const std::string &command : subcommands())
    EXPECT_EQ(endOf(AVOCET_TOOL, workingRow(command), [] { closeIt(1), closeIt(2); }), 1) << command;
}

TEST_F(OutputTest, EverySubcommandEndsWhenHeadDoes) {
  writeInputs();
  const char *const script = R"("$@" | head -1 >/dev/null; echo "${PIPESTATUS[0]}" >code)";
  for (const std::string &command : subcommands()) {
    Arguments line = {"-c", script, "bash", AVOCET_TOOL};
    line.insert(line.end(), workingRow(command).begin(), workingRow(command).end());
    EXPECT_EQ(endOf("/bin/bash", line), 0);
    EXPECT_THAT(read("code"), testing::AnyOf("0\n", "1\n")) << command; // 0 if head read all of the output
  }
}

TEST_F(OutputTest, EverySubcommandRefusesWrongOptionsAndKnobs) {
  for (const std::string &command : subcommands()) {
    for (const auto &[way, setup] : brokenErrors())
      EXPECT_EQ(endOf(AVOCET_TOOL, {command, "--no-such-option"}, setup), 2) << command << ", errors " << way;
    EXPECT_EQ(endOf(AVOCET_TOOL, {command, "--no-such-option"}), 2) << command;
    if (command == "calibrate")
      continue; // its row has --help, which works with every knob
    EXPECT_EQ(endOf(AVOCET_TOOL, workingRow(command), [] { ::setenv("AVOCET_LOG", "junk", 1); }), 2) << command;
    EXPECT_THAT(errors_, HasSubstr("AVOCET_LOG holds 'junk'; it accepts one of: trace, debug")) << command;
  }
}

TEST_F(OutputTest, HelpOfEveryProgramReportsFailedOutput) {
  Arguments programs = {AVOCET_TOOL, AVOCETD};
  for (auto name : {"avocetStress", "avocet-opt", "avocet-reduce", "avocet-translate", "serviceBench"})
    if (std::filesystem::exists(std::string(AVOCET_PROGRAMS "/") + name))
      programs.push_back(std::string(AVOCET_PROGRAMS "/") + name);
  for (const std::string &program : programs) {
    EXPECT_EQ(endOf(program, {"--help"}), 0) << program;
    for (const auto &[way, setup] : brokenOutputs())
      EXPECT_EQ(endOf(program, {"--help"}, setup), 1) << program << ", output " << way;
    for (const auto &[way, setup] : brokenErrors())
      EXPECT_EQ(endOf(program, {"--help"}, setup), 0) << program << ", errors " << way;
  }
}

/// CLI11's own conversions accept -1, NaN and numbers for names; their type names appear in the help.
TEST_F(OutputTest, HelpShowsNoUncheckedOption) {
  auto check = [&](const std::string &program, const Arguments &arguments) {
    const std::string output = path("help");
    EXPECT_EQ(endOf(program, arguments, [&] { ::dup2(::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1); }),
              0);
    for (auto type : {" UINT", " INT", " FLOAT", " ENUM", "UINT:", "INT:", "FLOAT:"})
      EXPECT_THAT(read("help"), testing::Not(HasSubstr(type))) << program << " " << arguments[0];
  };
  for (const std::string &command : subcommands())
    check(AVOCET_TOOL, {command, "--help"});
  check(AVOCETD, {"--help"});
  if (std::filesystem::exists(AVOCET_PROGRAMS "/avocetStress"))
    check(AVOCET_PROGRAMS "/avocetStress", {"--help"});
}

TEST_F(OutputTest, NumbersOfEveryKindAreChecked) {
  writeCopyModel();
  const std::vector<Arguments> lines = {{"run", "model", "--seed", "-1"},
                                        {"run", "model", "--repeat", "1e3"},
                                        {"run", "m", "--device", "d", "--deadline", "nan"},
                                        {"classify", "m", "--images", "i", "--labels", "l", "--scale", "nan"},
                                        {"classify", "m", "--images", "i", "--labels", "l", "--limit", "-1"},
                                        {"calibrate", "--cpu-watts", "inf"},
                                        {"conformance", ".", "--jobs", "-1"},
                                        {"devices", "--timeout", "-1"}};
  for (const Arguments &line : lines) {
    EXPECT_EQ(endOf(AVOCET_TOOL, line), 2) << line[0] << " " << line.back();
    EXPECT_THAT(errors_, HasSubstr("'" + line.back() + "' must be")) << line[0];
  }
  for (const Arguments &line : {Arguments{"--max-objects", "-1"}, {"--max-memory", "16777216T"}, {"--max-calls", "0"}})
    EXPECT_EQ(endOf(AVOCETD, line), 2) << line[0];
}

TEST_F(OutputTest, OutputFilesOnFullDisksAreErrors) {
  if (!hasFull_)
    GTEST_SKIP() << "device nodes cannot be made here";
  writeCopyModel();
  const std::string model = kModels + "digits_int8.tflite";
  for (const Arguments &line : {Arguments{"compile", model, "--stop-after", "import", "-o", "full"},
                                {"run", "model", "--report", "none", "--trace", "full"}}) {
    EXPECT_EQ(endOf(AVOCET_TOOL, line), 1) << line[0];
    EXPECT_THAT(errors_, HasSubstr("full")) << line[0];
    EXPECT_TRUE(std::filesystem::is_character_file(full_)) << line[0];
  }
}

} // namespace
} // namespace avocet::tool::test

//===- GrowthBench.cpp - How the cost of compiling grows --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   growthBench [--target NAME] [--command compile-g] [--first 1000] [--last 8000] [--rounds N] [KIND...]
//
// For each kind of thing that a network can have many of: networks with growing counts of it, which `avocet` compiles
// in processes of their own. Prints processor time (which other work on the machine changes little) and peak memory of
// each process, and the growth of the last doubling over a linear one. Growth is that of what the count costs: the cost
// of a network with a count of 2 is subtracted. Exit code 1: some growth is above --limit, or a network does not
// compile.
//
//===----------------------------------------------------------------------===//

#include "GrowingNetwork.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/File.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

extern char **environ;

namespace {

using namespace avocet;
using namespace avocet::bench;
namespace fs = std::filesystem;

struct Options {
  std::string target = "e256";
  std::string command = "compile";
  std::vector<std::string> kinds;
  uint64_t first = 1000, last = 8000;
  double limit = 1.3;
  double seconds = 600;
  uint32_t rounds = 1;
};

struct Cost {
  double seconds = 0;
  double mebibytes = 0;
};

/// Writes the network and deletes it and the output of the compiler at the end.
class Workspace {
public:
  Workspace() : folder_(fs::temp_directory_path() / fmt::format("growthBench.{}", getpid())) {
    fs::create_directories(folder_);
  }
  ~Workspace() {
    std::error_code none;
    fs::remove_all(folder_, none);
  }
  std::string path(const char *name) const { return (folder_ / name).string(); }

private:
  fs::path folder_;
};

std::vector<std::string> commandLine(const Options &options, const Workspace &workspace) {
  std::vector<std::string> line = {(fs::read_symlink("/proc/self/exe").parent_path() / "avocet").string()};
  if (options.command == "explain")
    line.insert(line.end(), {"explain", workspace.path("model.tflite")});
  else
    line.insert(line.end(), {"compile", workspace.path("model.tflite"), "-o", workspace.path("out")});
  if (options.command == "compile-g")
    line.emplace_back("-g");
  line.insert(line.end(), {"--target", options.target});
  return line;
}

/// Costs of a process with this command line; its output is dropped, its errors are shown.
Result<Cost> costOf(std::vector<std::string> line, double limitSeconds) {
  std::vector<char *> pointers;
  for (std::string &argument : line)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0)
    return internalError("no process can be started");
  if (pid == 0) {
    const int none = ::open("/dev/null", O_WRONLY);
    ::dup2(none, STDOUT_FILENO);
    const rlimit limit = {static_cast<rlim_t>(limitSeconds), static_cast<rlim_t>(limitSeconds) + 1};
    ::setrlimit(RLIMIT_CPU, &limit);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage = {};
  if (::wait4(pid, &status, 0, &usage) != pid || status != 0)
    return internalError(fmt::format("{} ended with status {:#x}", line[1], status));
  auto seconds = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return Cost{seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

Result<Cost> measure(const GrowingKind &kind, uint64_t count, const Options &options, const Workspace &workspace) {
  AVOCET_RETURN_IF_ERROR(writeFile(workspace.path("model.tflite"), kind.network(static_cast<uint32_t>(count))));
  fs::remove_all(workspace.path("out"));
  AVOCET_ASSIGN_OR_RETURN(Cost least, costOf(commandLine(options, workspace), options.seconds));
  for (uint32_t round = 1; round < options.rounds; ++round) {
    fs::remove_all(workspace.path("out"));
    AVOCET_ASSIGN_OR_RETURN(const Cost cost, costOf(commandLine(options, workspace), options.seconds));
    least = {std::min(least.seconds, cost.seconds), std::min(least.mebibytes, cost.mebibytes)};
  }
  return least;
}

/// Of a doubling from `before` to `after`, relative to a linear one. Costs below `noise` count as that.
double growth(double base, double before, double after, double noise) {
  return (after - base) / std::max(before - base, noise) / 2;
}

/// Prints the row of a kind and returns its greatest growth.
Result<double> printKind(const GrowingKind &kind, const Options &options, const Workspace &workspace) {
  constexpr double kSecondsNoise = 0.1, kMebibytesNoise = 8;
  AVOCET_ASSIGN_OR_RETURN(const Cost base, measure(kind, 2, options, workspace));
  std::vector<Cost> costs;
  std::string text;
  for (uint64_t count = options.first; count <= options.last; count *= 2) {
    AVOCET_ASSIGN_OR_RETURN(const Cost cost, measure(kind, count, options, workspace));
    costs.push_back(cost);
    text += fmt::format(" {:.2f} s, {:.0f} MiB |", cost.seconds, cost.mebibytes);
  }
  double time = 0, memory = 0;
  for (size_t i = 1; i < costs.size(); ++i) {
    time = std::max(time, growth(base.seconds, costs[i - 1].seconds, costs[i].seconds, kSecondsNoise));
    memory = std::max(memory, growth(base.mebibytes, costs[i - 1].mebibytes, costs[i].mebibytes, kMebibytesNoise));
  }
  printOut("| {}: {} |{} {:.2f} | {:.2f} |\n", kind.name, kind.what, text, time, memory);
  return std::max(time, memory);
}

bool isChosen(const GrowingKind &kind, const Options &options) {
  return options.kinds.empty() || std::ranges::find(options.kinds, kind.name) != options.kinds.end();
}

Status runBench(const Options &options) {
  const Workspace workspace;
  std::string head = "| count |", rule = "|---|";
  for (uint64_t count = options.first; count <= options.last; count *= 2) {
    head += fmt::format(" {} |", count);
    rule += "--:|";
  }
  printOut("{} time over linear | memory over linear |\n{}--:|--:|\n", head, rule);
  std::string above;
  for (const GrowingKind &kind : growingKinds()) {
    if (!isChosen(kind, options))
      continue;
    const Result<double> greatest = printKind(kind, options, workspace);
    if (!greatest)
      printErr("{}: {}\n", kind.name, greatest.status().toString());
    if (!greatest || *greatest > options.limit)
      above += fmt::format(" {}", kind.name);
  }
  return above.empty() ? Status::ok()
                       : internalError(fmt::format("above {} times linear, or failed:{}", options.limit, above));
}

} // namespace

static int runMain(int argc, char **argv) {
  CommandLine app("How the cost of compiling grows with each count of a network");
  Options options;
  app.addText("--target", options.target, "profile or target file").showDefault();
  app.addText("--command", options.command, "compile, compile-g or explain").showDefault();
  addNumber(app, "--first", options.first, "the smallest count", uint64_t{1}, uint64_t{1} << 20).showDefault();
  addNumber(app, "--last", options.last, "the largest count; each is twice the one before", uint64_t{1},
            uint64_t{1} << 20)
      .showDefault();
  addNumber(app, "--rounds", options.rounds, "processes for each count; the least is reported", 1u, 100u).showDefault();
  addNumber(app, "--limit", options.limit, "the greatest growth of a doubling over a linear one", 1.0, 100.0)
      .showDefault();
  addNumber(app, "--seconds", options.seconds, "the longest compilation, in processor time", 1.0, 1e5).showDefault();
  app.addTexts("kinds", options.kinds, "kinds of counts; default: all");
  return runProgram(app, argc, argv, [&] { return runBench(options); });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }

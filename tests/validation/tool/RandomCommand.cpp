//===- RandomCommand.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../runtime/tools/avocet/programs/SubcommandProgram.h"
#include "ExplainedArtefacts.h"
#include "FmqBurst.h"
#include "RandomReport.h"
#include "avocet/base/File.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/validation/RandomGraphs.h"
#include "devices/ChosenDevice.h"
#include "output/Progress.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <thread>

namespace avocet::tool {
namespace {

using namespace hal::conformance;

struct RandomOptions {
  RandomGraphOptions graphs;
  unsigned seconds = 0; ///< 0: no limit
  unsigned caseSeconds = 60;
  std::vector<RunKind> kinds;
  std::string jsonFile;
  DeviceChoice device;
};

constexpr const char *kExamples = R"(Examples:
  avocet random                               100 graphs on e256, against the CPU
  avocet random -t m512 --seed 7 --seconds 600 --graphs 1000000
                                              as many graphs as 10 minutes allow
  avocet random --seconds 60 --graphs 1000000 --stop
                                              until the first failure, at most a minute
  avocet random --first 1234 --graphs 1       one graph of seed 1 again
  avocet random --save failures               write failing graphs, reduced, as vectors
  avocet conformance failures/seed1-1234.nntv run one of them again
  avocet graph failures/seed1-1234.nntv       see it as a graph
  avocet random --through service --kind general --kind burst --kind caching
Each operation is computed alone by the CPU device, the whole graph by the device. All results must have the same bits.
In this process each graph is also compiled with a source map, which 'report' and 'explain' must be able to read. Their
figures must add up, and keep the other rules of figures.
A difference is reduced to the operations that it needs. The exit code is 1 if there is one.)";

/// Kinds that graphs have; others need special vectors.
Choices<RunKind> kindNames() {
  Choices<RunKind> names;
  for (RunKind kind : {RunKind::General, RunKind::Caching, RunKind::Reusable, RunKind::Asynchronous, RunKind::Burst,
                       RunKind::FmqBurst, RunKind::Fenced, RunKind::DeviceMemory})
    names.emplace_back(toString(kind), kind);
  return names;
}

RandomGraphOptions graphOptions(const RandomOptions &options, const ChosenDevice &device, Progress &progress) {
  RandomGraphOptions made = options.graphs;
  made.runner.kinds = KindSet();
  for (RunKind kind : options.kinds)
    made.runner.kinds.add(kind);
  if (options.kinds.empty())
    made.runner.kinds.add(RunKind::General);
  made.runner.caseLimit = std::chrono::seconds(options.caseSeconds);
  made.runner.fmqBurst = fmqBurstOf(device);
  if (options.seconds > 0)
    made.timeLimit = std::chrono::seconds(options.seconds);
  made.progress = [&progress, total = made.numGraphs](uint64_t done, uint64_t failed) {
    progress.count(failed == 0 ? "graphs" : fmt::format("graphs, {} failed", failed), done, total);
  };
  return made;
}

Status report(const RandomGraphSummary &summary, const RandomOptions &options) {
  printOut("{}", randomTable(summary));
  if (!options.jsonFile.empty())
    AVOCET_RETURN_IF_ERROR(writeFile(options.jsonFile, randomJson(summary, options.graphs.seed)));
  if (!summary.failures.empty())
    return internalError(fmt::format("{} of {} graphs failed", summary.failures.size(), summary.graphs));
  if (summary.operations == 0)
    return internalError("no graph has an operation: the device or the reference refuses all of them");
  return Status::ok();
}

Status makeSaveDirectory(const std::string &path) {
  std::error_code error;
  if (!path.empty())
    std::filesystem::create_directories(path, error);
  return error ? invalidArgument(fmt::format("--save {}: {}", path, error.message())) : Status::ok();
}

Status run(const RandomOptions &options) {
  AVOCET_RETURN_IF_ERROR(makeSaveDirectory(options.graphs.saveDirectory));
  DeviceChoice choice = options.device;
  choice.inspect = checkExplained;
  AVOCET_ASSIGN_OR_RETURN(ChosenDevice device, ChosenDevice::open(choice));
  auto reference = hal::openCpuDevice({.compilerLibrary = "", .cacheDirectory = "", .threads = 1});
  if (!reference)
    return internalError(reference.error().message);
  Progress progress;
  auto summary = runRandomGraphs(device.device(), **reference, graphOptions(options, device, progress));
  progress.clear();
  if (!summary)
    return summary.status();
  return report(*summary, options);
}

} // namespace

void addRandomCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<RandomOptions>();
  options->graphs.jobs = std::max(1u, std::thread::hardware_concurrency());
  CommandLine command = addSubcommandOf(app, "random");
  command.setFooter(kExamples);
  addNumber(command, "--seed", options->graphs.seed, "Which graphs; default: 1", 0, UINT32_MAX);
  addNumber(command, "--first", options->graphs.firstGraph, "Number of the first graph; default: 0", 0, UINT32_MAX);
  addNumber(command, "--graphs", options->graphs.numGraphs, "How many; default: 100", 1, UINT32_MAX);
  addNumber(command, "--seconds", options->seconds, "Start no graph after this time; default: no limit", 1, 604'800);
  command.addFlag("--stop", options->graphs.stopsAtFailure, "Start no graph after one that failed");
  addNumber(command, "--operations", options->graphs.maxOperations, "Most operations of a graph; default: 20", 1, 1000);
  addChoice(command, "--kind", options->kinds, "Kind of run; repeatable; default: general", kindNames()).oneEach();
  command.addText("--save", options->graphs.saveDirectory, "Folder for failing graphs, reduced, as .nntv files");
  command.addText("--json", options->jsonFile, "Write counts and failures into this file");
  addDeviceOptions(command, options->device);
  addNumber(command, "-j,--jobs", options->graphs.jobs, "Threads; default: one for each processor", 1, 256);
  addNumber(command, "--case-limit", options->caseSeconds, "Time limit of a graph in seconds; default: 60", 1, 86'400);
  addWideOption(command);
  command.onSelected([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace avocet::tool

//===- ConformanceCommand.cpp --------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../runtime/tools/avocet/programs/SubcommandProgram.h"
#include "ConformanceReport.h"
#include "FmqBurst.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/validation/Runner.h"
#include "devices/ChosenDevice.h"
#include "onnx/OnnxConformance.h"
#include "output/Progress.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <regex>
#include <thread>

namespace avocet::tool {
namespace {

using namespace hal::conformance;

struct ConformanceOptions {
  std::string path; ///< of vectors; empty: models of ONNX run
  OnnxConformanceOptions onnx;
  std::string filter;
  std::vector<std::string> operations;
  std::vector<RunKind> kinds;
  std::string jsonFile;
  DeviceChoice device;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  unsigned every = 1;
  unsigned seconds = 120;
  bool quiet = false;
};

constexpr const char *kExamples = R"(Examples:
  avocet conformance vectors                          all cases in all kinds, tables on the standard output
  avocet conformance vectors --filter 'conv2d.*nchw'  cases whose name bucket/spec/case matches
  avocet conformance vectors --operation SOFTMAX      cases about one operation
  avocet conformance vectors --kind general --kind caching
  avocet conformance vectors --through service        the same through a driver service in another process
  avocet conformance vectors --through service --kind burst --kind fenced --kind deviceMemory
  avocet conformance vectors --socket /run/avocet/avocetd.sock --device avocet-e256
  avocet conformance vectors --through nnapi          as an application of the NNAPI C library
  avocet conformance vectors --through nnapi --device nnapi-reference
  avocet conformance vectors --json result.json       the counts and all failures for a program
  avocet conformance --onnx /usr/share/libonnx-testdata/data -t e256
                                                      ONNX's own tests: folders test_NAME with model.onnx and its data
  avocet conformance --onnx data --check list.tsv     1 if a model does not do what the list says, else 0
The exit code is 1 if a run failed. What is unsupported or skipped is no failure; it is counted, with the reasons.)";

Result<std::regex> parseFilter(const std::string &text) {
  try {
    return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error &error) {
    return invalidArgument(fmt::format("--filter '{}' is no regular expression: {}", text, error.what()));
  }
}

bool isAbout(const CaseInfo &info, const std::vector<std::string> &operations) {
  return operations.empty() || std::ranges::find(operations, info.primaryOperation) != operations.end();
}

KindSet kindsOf(const ConformanceOptions &options) {
  KindSet kinds;
  for (RunKind kind : options.kinds)
    kinds.add(kind);
  return options.kinds.empty() ? KindSet::all() : kinds;
}

bool isNamed(const CaseInfo &info, const ConformanceOptions &options, const std::regex &filter) {
  return isAbout(info, options.operations) && std::regex_search(info.name, filter);
}

bool isChosen(const CaseInfo &info, const ConformanceOptions &options, const std::regex &filter) {
  return !(info.kinds & kindsOf(options)).isEmpty() && isNamed(info, options, filter);
}

/// The cases that the command line selects.
Result<std::vector<CaseRef>> selectCases(const ConformanceOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(const std::regex filter, parseFilter(options.filter));
  AVOCET_ASSIGN_OR_RETURN(std::vector<CaseRef> all, findCases(options.path));
  std::vector<CaseRef> chosen;
  size_t matches = 0;
  for (CaseRef &ref : all) {
    if (isChosen(ref.file->info(ref.index), options, filter) && matches++ % options.every == 0)
      chosen.push_back(std::move(ref));
  }
  if (chosen.empty())
    return notFound(fmt::format("no case in {} is chosen by the filters", options.path));
  return chosen;
}

auto showFailures(const ConformanceOptions &options, Progress &progress) {
  return [&progress, &options](const CaseResult &result, size_t done, size_t total) {
    if (!options.quiet && result.verdict() == Verdict::Failed) {
      progress.clear();
      printErr("{}", conformanceFailures({result}));
    }
    progress.count("conformance", done, total);
  };
}

RunnerOptions runnerOptions(const ConformanceOptions &options, Progress &progress) {
  RunnerOptions made;
  made.jobs = options.jobs;
  made.caseLimit = std::chrono::seconds(options.seconds);
  made.kinds = kindsOf(options);
  made.progress = showFailures(options, progress);
  return made;
}

Status report(const std::vector<CaseResult> &cases, const ConformanceOptions &options) {
  const Summary summary = summarize(cases);
  printOut("{}", conformanceTable(summary));
  if (!options.jsonFile.empty())
    AVOCET_RETURN_IF_ERROR(writeFile(options.jsonFile, conformanceJson(summary, cases)));
  if (!options.onnx.list.empty())
    return checkOnnxList(options.onnx, cases,
                         options.filter.empty() && options.operations.empty() && options.every == 1);
  if (summary.total.failed > 0)
    return internalError(fmt::format("{} of {} cases failed", summary.total.failed, summary.total.cases));
  return Status::ok();
}

/// Ends the process without destructors: threads that are still blocked in the device would crash during them.
[[noreturn]] void leaveAtOnce() {
  printErr("avocet: error: some cases have not ended; exiting without joining their threads\n");
  std::_Exit(kExitFailed);
}

Status runOnnx(const ConformanceOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(const std::regex filter, parseFilter(options.filter));
  OnnxConformanceOptions onnx = options.onnx;
  size_t matches = 0;
  onnx.isChosen = [&](const CaseInfo &info) {
    return isNamed(info, options, filter) && matches++ % options.every == 0;
  };
  Progress progress;
  onnx.runner = {.target = options.device.target.empty() ? knobText(knobs::kTarget) : options.device.target,
                 .jobs = options.jobs,
                 .caseLimit = std::chrono::seconds(options.seconds),
                 .progress = showFailures(options, progress)};
  AVOCET_ASSIGN_OR_RETURN(const std::vector<CaseResult> cases, runOnnxConformance(onnx));
  progress.clear();
  return report(cases, options);
}

Status run(const ConformanceOptions &options) {
  if (options.path.empty() == options.onnx.folder.empty())
    return invalidArgument("give either a folder with .nntv files, or --onnx and a folder with tests of ONNX");
  if (options.path.empty())
    return runOnnx(options);
  AVOCET_ASSIGN_OR_RETURN(std::vector<CaseRef> cases, selectCases(options));
  AVOCET_ASSIGN_OR_RETURN(ChosenDevice device, ChosenDevice::open(options.device));
  Progress progress;
  RunnerOptions runner = runnerOptions(options, progress);
  runner.fmqBurst = fmqBurstOf(device);
  const RunnerResult result = runCases(device.device(), std::move(cases), runner);
  progress.clear();
  Status status = report(result.cases, options);
  if (result.abandoned > 0) {
    device.removeTraces();
    leaveAtOnce();
  }
  return status;
}

Choices<RunKind> kindNames() {
  Choices<RunKind> names;
  for (size_t i = 0; i < kNumRunKinds; ++i)
    names.emplace_back(toString(static_cast<RunKind>(i)), static_cast<RunKind>(i));
  return names;
}

} // namespace

void addConformanceCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<ConformanceOptions>();
  CommandLine command = addSubcommandOf(app, "conformance");
  command.setFooter(kExamples);
  CommandOption path = command.addText("path", options->path, "Folder with .nntv files, or one of them");
  CommandOption onnx = command.addText("--onnx", options->onnx.folder,
                                       "Run ONNX's own tests, which are below this folder, on the simulator");
  onnx.excludes(path);
  CommandOption check = command.addText("--check", options->onnx.list,
                                        "List of the models that are unsupported, or differ for a known reason; any "
                                        "other result is an error");
  check.needs(onnx);
  command.addFlag("--update", options->onnx.update, "Write the list").needs(check);
  command.addText("--filter", options->filter, "Regular expression that occurs in the case's name");
  command.addTexts("--operation", options->operations, "Cases about this operation; repeatable").oneEach();
  addChoice(command, "--kind", options->kinds, "Run this kind only; repeatable; default: all", kindNames()).oneEach();
  addNumber(command, "--every", options->every, "Only every N-th of the chosen cases; default: 1", 1, 1'000'000);
  command.addText("--json", options->jsonFile, "Write counts and failures into this file");
  addDeviceOptions(command, options->device);
  for (const char *ofVectors : {"--kind", "--through", "--socket", "--device"})
    onnx.excludes(command.option(ofVectors));
  addNumber(command, "-j,--jobs", options->jobs, "Threads; default: one for each processor", 1, 256);
  addNumber(command, "--case-limit", options->seconds, "Time limit of a case in seconds; default: 120", 1, 86'400);
  command.addFlag("-q,--quiet", options->quiet, "Do not list failures while they happen");
  addWideOption(command);
  command.onSelected([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace avocet::tool

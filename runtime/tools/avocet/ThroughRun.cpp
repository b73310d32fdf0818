//===- ThroughRun.cpp - avocet run --through ------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThroughRun.h"

#include "RunSteps.h"
#include "ThroughCounters.h"
#include "ThroughPlaces.h"
#include "ThroughSession.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/conformance/ServiceProcess.h"

#include <numeric>
#include <regex>

namespace avocet::tool {
namespace {

using hal::conformance::ScratchDirectory;

bool isServed(const RunOptions &options) { return !options.served.device.empty(); }

std::string targetOf(const RunOptions &options) {
  return options.target.empty() ? knobText(knobs::kTarget) : options.target;
}

/// What the libraries would ignore or report only in their logs.
Status checkThrough(const RunOptions &options) {
  if (isServed(options) && !options.target.empty())
    return invalidArgument("--target with --device: the device of the service has its own target; leave out one");
  if (options.report == ReportFormat::Csv)
    return invalidArgument("--report csv with --through: an application has no figures of layers; use table or json");
  if (options.through == Through::Nnapi && options.served.priority != hal::Priority::Medium)
    return invalidArgument("--priority with --through nnapi: TensorFlow Lite sets the priority of its compilations "
                           "itself; use --through delegate");
  return isServed(options) ? Status::ok() : firmware::Target::load(targetOf(options)).status();
}

/// A regular expression that matches only this text.
std::string literally(const std::string &text) {
  return std::regex_replace(text, std::regex(R"([.^$|()\[\]{}*+?\\])"), R"(\$&)");
}

/// The settings of libneuralnetworks.so, which has no other way to get them.
void setNnapi(ApplicationStart &start, const RunOptions &options) {
  start.arguments.emplace_back("--nnapi");
  start.environment[std::string(knobs::kNnapiDevices.name)] = isServed(options) ? "service" : "embedded";
  if (isServed(options)) {
    start.environment[std::string(knobs::kSocket.name)] = options.served.socket;
    start.environment[std::string(knobs::kNnEnabledDevices.name)] = literally(options.served.device);
  } else {
    start.environment[std::string(knobs::kTarget.name)] = targetOf(options);
  }
}

void setDelegate(ApplicationStart &start, const RunOptions &options, const std::string &libraries,
                 const std::string &counters) {
  auto add = [&](const std::string &option) { start.arguments.insert(start.arguments.end(), {"--option", option}); };
  start.arguments.insert(start.arguments.end(), {"--delegate", libraries + "/libavocet_delegate.so"});
  add("profile=" + counters);
  add("priority=" + std::string(priorityName(options.served.priority)));
  add("device=" + (isServed(options) ? options.served.device : targetOf(options)));
  if (isServed(options))
    add("socket=" + options.served.socket);
}

/// For the dynamic linker of the application: TensorFlow Lite loads libneuralnetworks.so by its name.
std::string searchPath(const std::string &libraries) {
  const char *inherited = std::getenv("LD_LIBRARY_PATH");
  return inherited == nullptr ? libraries : libraries + ":" + inherited;
}

Result<ApplicationStart> startFor(const RunOptions &options, const std::string &counters) {
  ApplicationStart start;
  AVOCET_ASSIGN_OR_RETURN(const std::string tflite, findTflite(options.clients));
  AVOCET_ASSIGN_OR_RETURN(const std::string libraries, findLibraries(options.through));
  start.program = hal::conformance::programBeside("avocetApplication");
  start.arguments = {tflite, options.model};
  start.environment["LD_LIBRARY_PATH"] = searchPath(libraries);
  start.environment[std::string(knobs::kNnapiCounters.name)] = counters;
  start.environment[std::string(knobs::kTrace.name)] = options.traceFile;
  if (!options.backend.empty())
    start.environment[std::string(knobs::kBackend.name)] = options.backend;
  if (options.through == Through::Nnapi)
    setNnapi(start, options);
  else
    setDelegate(start, options, libraries, counters);
  return start;
}

/// Returns the milliseconds of each run.
Result<std::vector<double>> runAll(ThroughSession &session, const RunOptions &options, Progress &progress) {
  std::vector<double> times;
  auto runOnce = [&](uint32_t) -> Status {
    if (options.runs == 0)
      AVOCET_RETURN_IF_ERROR(session.reset());
    AVOCET_ASSIGN_OR_RETURN(const double time, session.run());
    times.push_back(time);
    return Status::ok();
  };
  const uint32_t runs = numRuns(session, options);
  if (runs == 1) {
    AVOCET_RETURN_IF_ERROR(fillInputs(session, options));
    AVOCET_RETURN_IF_ERROR(repeatRuns(session, options, progress, runOnce));
    AVOCET_RETURN_IF_ERROR(writeResults(session, options));
    return times;
  }
  for (uint32_t number = 0; number < runs; ++number) {
    progress.count("running", number, runs);
    AVOCET_RETURN_IF_ERROR(fillInputs(session, options, number));
    AVOCET_RETURN_IF_ERROR(runOnce(number));
    AVOCET_RETURN_IF_ERROR(writeResults(session, options, fmt::format("/run{}", number)));
  }
  progress.clear();
  return times;
}

/// The name of the device that the libraries make of a target, which may be a file.
std::string embeddedDevice(const RunOptions &options) {
  const auto target = firmware::Target::load(targetOf(options));
  return target ? "avocet-" + (*target)->name() : targetOf(options);
}

ThroughFigures figuresOf(const RunOptions &options, const std::vector<double> &times) {
  ThroughFigures figures;
  figures.model = options.model;
  figures.through = options.through;
  figures.device = isServed(options) ? options.served.device : embeddedDevice(options);
  figures.socket = isServed(options) ? options.served.socket : "";
  figures.runs = static_cast<uint32_t>(times.size());
  figures.firstMs = times.front();
  figures.invokeMs = spreadOf(times);
  figures.time.total = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  return figures;
}

} // namespace

Status runThrough(const RunOptions &options) {
  AVOCET_RETURN_IF_ERROR(checkThrough(options));
  AVOCET_ASSIGN_OR_RETURN(const uint64_t operators, countOperators(options.model));
  AVOCET_ASSIGN_OR_RETURN(ScratchDirectory folder, ScratchDirectory::make());
  const std::string counters = folder.path() + "/counters.json";
  AVOCET_ASSIGN_OR_RETURN(ApplicationStart start, startFor(options, counters));
  AVOCET_ASSIGN_OR_RETURN(ServiceCounters service, ServiceCounters::start(options.served));
  Progress progress;
  progress.stage("preparing");
  AVOCET_ASSIGN_OR_RETURN(auto session, ThroughSession::open(std::move(start), std::move(folder)));
  AVOCET_ASSIGN_OR_RETURN(const std::vector<double> times, runAll(*session, options, progress));
  AVOCET_RETURN_IF_ERROR(service.stop());
  AVOCET_ASSIGN_OR_RETURN(const std::string messages, session->finish());
  printErr("{}", messages);
  ThroughFigures figures = figuresOf(options, times);
  figures.operators = operators;
  figures.ownOperators = session->ownNodes();
  figures.partitions = session->delegatedNodes();
  figures.prepareMs = session->prepareMs();
  AVOCET_RETURN_IF_ERROR(addCounters(figures, counters, service));
  if (options.report != ReportFormat::None)
    printOut("{}", options.report == ReportFormat::Json ? throughJson(figures) : throughTable(figures));
  return Status::ok();
}

} // namespace avocet::tool

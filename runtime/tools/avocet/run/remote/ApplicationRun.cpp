//===- ApplicationRun.cpp - avocet run --through ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThroughFigures.h"
#include "ThroughPlaces.h"
#include "Ways.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/ProgramBeside.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/wire/ServiceTotals.h"
#include "avocet/session/ApplicationSession.h"
#include "avocet/session/ServedSession.h"
#include "devices/ServedList.h"
#include "run/RunPlace.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <regex>

namespace avocet::tool {
namespace {

/// The growth of a service's sums during the runs.
class ServiceCounters {
public:
  /// Without a device of a service it counts nothing. Errors: the service does not answer, or has no such device.
  static Result<ServiceCounters> start(const session::ServedOptions &options);
  Status stop();

  bool hasService() const { return !socket_.empty(); }
  /// Nothing: there is no service, or this user may not read its totals.
  std::optional<CountedTimes> growth() const;
  double simulatedNanoseconds() const;
  /// Whether clients other than this process were connected.
  bool hasOthers() const { return hasOthers_; }

private:
  std::string socket_;
  std::optional<hal::ServiceTotals> before_, after_;
  bool hasOthers_ = false;
};

using Json = nlohmann::json;

/// Nothing: they are not for this user.
Result<std::optional<hal::ServiceTotals>> totalsOf(const std::string &socket) {
  hal::Result<std::optional<hal::ServiceTotals>> totals = totalsAt(socket, hal::kRegistryPatience);
  if (!totals)
    return notReached(totals.error());
  return std::move(*totals);
}

/// The socket of the device's service.
Result<std::string> socketOf(const session::ServedOptions &options) {
  hal::Result<hal::FoundDevices> all = hal::findDevices(options.socket, hal::kRegistryPatience);
  if (!all)
    return notReached(all.error());
  if (const hal::FoundDevice *device = hal::deviceIn(*all, options.device))
    return device->socket;
  return notFound(hal::absenceOf(options.socket, options.device, *all));
}

uint64_t countOf(const Json &json, const char *name) { return json.value(name, uint64_t{0}); }

void addOperations(ThroughFigures &figures, const Json &json) {
  const bool isNnapi = figures.through == Through::Nnapi;
  if (figures.through == Through::Onnxruntime) { // which shows its own nodes to the provider, after optimizations
    figures.operators = countOf(json, "nodes");
    figures.ownOperators = figures.operators - std::min(figures.operators, countOf(json, "nodesOnDevice"));
    figures.partitions = countOf(json, "partitions");
  }
  figures.operations = countOf(json, isNnapi ? "operations" : "nodes");
  figures.operationsOnDevice = countOf(json, isNnapi ? "operationsOnDevice" : "nodesOnDevice");
  figures.steps = isNnapi ? countOf(json, "partitions") : 0;
  figures.cpuFallbacks = countOf(json, "cpuFallbacks");
  figures.copiedBytes = countOf(json, "copiedBytes");
  for (const Json &reason : json.value("reasons", Json::array()))
    figures.reasons.emplace_back(reason.value("node", ""), reason.value("reason", ""));
  if (figures.operationsOnDevice == 0)
    figures.notes.emplace_back(isNnapi ? "no operation ran on the device; AVOCET_LOG=info shows why"
                                       : "no operation ran on the device");
}

void addNotes(ThroughFigures &figures, const ServiceCounters &service) {
  if (service.hasService() && !service.growth())
    figures.notes.emplace_back("the service shows its figures only to root and to its own user: the row of the service "
                               "includes driver and device");
  if (service.hasOthers())
    figures.notes.emplace_back(
        "the service had other clients: the rows of driver and device include what it did for them");
}

Result<ServiceCounters> ServiceCounters::start(const session::ServedOptions &options) {
  ServiceCounters counters;
  if (options.device.empty())
    return counters;
  AVOCET_ASSIGN_OR_RETURN(counters.socket_, socketOf(options));
  AVOCET_ASSIGN_OR_RETURN(counters.before_, totalsOf(counters.socket_));
  if (counters.before_)
    counters.hasOthers_ = std::ranges::any_of(counters.before_->devices,
                                              [](const hal::DeviceTotals &device) { return device.clients != 0; });
  return counters;
}

Status ServiceCounters::stop() {
  if (!before_)
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(after_, totalsOf(socket_));
  return Status::ok();
}

std::optional<CountedTimes> ServiceCounters::growth() const {
  if (!before_ || !after_)
    return std::nullopt;
  CountedTimes times;
  times.driver = static_cast<double>(after_->driverNanoseconds - before_->driverNanoseconds);
  times.device = static_cast<double>(after_->deviceNanoseconds - before_->deviceNanoseconds);
  return times;
}

double ServiceCounters::simulatedNanoseconds() const {
  return before_ && after_ ? static_cast<double>(after_->simulatedNanoseconds - before_->simulatedNanoseconds) : 0;
}

/// Completes `figures`, whose total and number of runs are known, from the file that the library wrote.
Status addCounters(ThroughFigures &figures, const std::string &path, const ServiceCounters &service) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  const Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!json.is_object())
    return internalError("the library's counters are no JSON");
  addOperations(figures, json);
  addNotes(figures, service);
  const Json times = json.value("executionNanoseconds", Json::object());
  auto timeOf = [&](const char *name) { return times.value(name, 0.0); };
  const CountedTimes counted{timeOf("library"), timeOf("ipc"), timeOf("driver"), timeOf("device"), timeOf("cpu")};
  figures.time = splitTime(figures.time.total, figures.runs, counted, service.hasService(), service.growth());
  if (!service.hasService())
    figures.simulatedMs = timeOf("simulated") / 1e6 / figures.runs;
  else if (service.growth())
    figures.simulatedMs = service.simulatedNanoseconds() / 1e6 / figures.runs;
  return Status::ok();
}

using session::ApplicationSession;
using session::ApplicationStart;

bool isServed(const RunOptions &options) { return !options.served.device.empty(); }

std::string targetOf(const RunOptions &options) {
  return options.target.empty() ? knobText(knobs::kTarget) : options.target;
}

Status checkTflite(const RunOptions &options) {
  const char *name = wayOf(options.through).name;
  auto refused = [&](const char *option, const char *reason) {
    return invalidArgument(fmt::format("{} with --through {}: {}", option, name, reason));
  };
  if (!options.open.shapes.empty())
    return refused("--shape", "the inputs have the shapes of the file");
  if (!options.open.extents.empty())
    return refused("--dim", "only .onnx files have named extents");
  if (options.served.deadlineMs != 0)
    return refused("--deadline", "TensorFlow Lite's calls have no deadlines");
  if (options.through != Through::Nnapi)
    return Status::ok();
  if (!options.cacheDirectory.empty())
    return refused("--cache-dir", "TensorFlow Lite's C interface has no setting for it; use --through delegate");
  if (options.served.priority != hal::Priority::Medium)
    return refused("--priority",
                   "TensorFlow Lite sets the priority of its compilations itself; use --through delegate");
  return Status::ok();
}

Status checkOnnxruntime(const RunOptions &options) {
  if (options.served.deadlineMs != std::floor(options.served.deadlineMs))
    return invalidArgument(
        fmt::format("--deadline {} with --through onnxruntime: must be whole milliseconds", options.served.deadlineMs));
  compiler::CompileRequest ignored; // the arguments have the form that the compiler accepts
  return network::apply(options.open, ignored);
}

/// What the libraries would ignore or report only in their logs.
Status checkThrough(const RunOptions &options) {
  if (isServed(options) && !options.target.empty())
    return invalidArgument("--target with --device: the device of the service has its own target; leave out one");
  if (options.report == ReportFormat::Csv)
    return invalidArgument("--report csv with --through: an application has no figures of layers; use table or json");
  AVOCET_RETURN_IF_ERROR(options.through == Through::Onnxruntime ? checkOnnxruntime(options) : checkTflite(options));
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

/// The delegate and the provider have the same options.
void setPlugin(ApplicationStart &start, const RunOptions &options, const std::string &libraries,
               const std::string &counters) {
  auto give = [&](const char *name, const std::string &value) {
    start.arguments.insert(start.arguments.end(), {name, value});
  };
  auto add = [&](const std::string &option) { give("--option", option); };
  give(options.through == Through::Delegate ? "--delegate" : "--provider",
       fmt::format("{}/{}", libraries, wayOf(options.through).library));
  add("profile=" + counters);
  add("priority=" + std::string(session::priorityName(options.served.priority)));
  add("device=" + (isServed(options) ? options.served.device : targetOf(options)));
  if (isServed(options))
    add("socket=" + options.served.socket);
  if (!options.cacheDirectory.empty())
    add("cache_dir=" + options.cacheDirectory);
  if (options.served.deadlineMs != 0)
    add(fmt::format("deadline_ms={}", static_cast<uint64_t>(options.served.deadlineMs)));
  for (const std::string &shape : options.open.shapes)
    give("--shape", shape);
  for (const std::string &extent : options.open.extents)
    give("--dim", extent);
}

/// For the dynamic linker of the application: TensorFlow Lite loads libneuralnetworks.so by its name.
std::string searchPath(const std::string &libraries) {
  const char *inherited = std::getenv("LD_LIBRARY_PATH");
  return inherited == nullptr ? libraries : libraries + ":" + inherited;
}

Result<ApplicationStart> startFor(const RunOptions &options, const std::string &folder, const std::string &counters) {
  ApplicationStart start;
  start.folder = folder;
  AVOCET_ASSIGN_OR_RETURN(const std::string framework, findFramework(options.through, options.clients));
  AVOCET_ASSIGN_OR_RETURN(const std::string libraries, findLibraries(options.through, isServed(options)));
  start.framework = wayOf(options.through).framework;
  start.program = programBeside("avocetApplication");
  start.arguments = {framework, options.model};
  start.environment["LD_LIBRARY_PATH"] = searchPath(libraries);
  start.environment[std::string(knobs::kNnapiCounters.name)] = counters;
  start.environment[std::string(knobs::kTrace.name)] = options.traceFile;
  if (!options.backend.empty())
    start.environment[std::string(knobs::kBackend.name)] = options.backend;
  if (options.through == Through::Nnapi)
    setNnapi(start, options);
  else
    setPlugin(start, options, libraries, counters);
  return start;
}

/// The name of the device that the libraries make of a target, which may be a file.
std::string embeddedDevice(const RunOptions &options) {
  const auto target = firmware::Target::load(targetOf(options));
  return target ? "avocet-" + (*target)->name() : targetOf(options);
}

class ApplicationRun final : public RunPlace {
public:
  explicit ApplicationRun(const RunOptions &options) : options_(options) {}

  Result<std::unique_ptr<session::Session>> open(Progress &progress) override;
  Status note(uint32_t number, session::RunRecord record) override;
  Status report(std::vector<analysis::ClassReport> classes) override;

private:
  ThroughFigures figures() const;
  std::string counters() const { return folder_->path() + "/counters.json"; }

  const RunOptions &options_;
  std::optional<ScratchDirectory> folder_;
  std::optional<ServiceCounters> service_;
  ApplicationSession *session_ = nullptr; ///< of open()
  uint64_t operators_ = 0;                ///< of the file; of an .onnx file, the provider counts them
  std::vector<double> times_;             ///< milliseconds of each run
};

Result<std::unique_ptr<session::Session>> ApplicationRun::open(Progress &progress) {
  AVOCET_RETURN_IF_ERROR(checkThrough(options_));
  if (options_.through == Through::Onnxruntime) {
    AVOCET_RETURN_IF_ERROR(checkOnnxFile(options_.model));
  } else {
    AVOCET_ASSIGN_OR_RETURN(operators_, countOperators(options_.model));
  }
  AVOCET_ASSIGN_OR_RETURN(ScratchDirectory folder, ScratchDirectory::make());
  folder_.emplace(std::move(folder));
  AVOCET_ASSIGN_OR_RETURN(const ApplicationStart start, startFor(options_, folder_->path(), counters()));
  AVOCET_ASSIGN_OR_RETURN(service_, ServiceCounters::start(options_.served));
  progress.stage("preparing");
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<ApplicationSession> session, ApplicationSession::open(start));
  session_ = session.get();
  return std::unique_ptr<session::Session>(std::move(session));
}

Status ApplicationRun::note(uint32_t, session::RunRecord record) {
  times_.push_back(record.hostMs);
  return Status::ok();
}

ThroughFigures ApplicationRun::figures() const {
  ThroughFigures figures;
  figures.model = options_.model;
  figures.through = options_.through;
  figures.device = isServed(options_) ? options_.served.device : embeddedDevice(options_);
  figures.socket = isServed(options_) ? options_.served.socket : "";
  figures.runs = static_cast<uint32_t>(times_.size());
  figures.firstMs = times_.front();
  figures.invokeMs = analysis::spreadOf(times_);
  figures.time.total = std::accumulate(times_.begin(), times_.end(), 0.0) / static_cast<double>(times_.size());
  figures.operators = operators_;
  figures.ownOperators = session_->ownNodes();
  figures.partitions = session_->delegatedNodes();
  figures.prepareMs = session_->prepareMs();
  return figures;
}

Status ApplicationRun::report(std::vector<analysis::ClassReport> /*classes*/) {
  AVOCET_RETURN_IF_ERROR(service_->stop());
  AVOCET_RETURN_IF_ERROR(session_->finish());
  printErr("{}", session_->messages());
  ThroughFigures through = figures();
  AVOCET_RETURN_IF_ERROR(addCounters(through, counters(), *service_));
  if (options_.report != ReportFormat::None)
    printOut("{}", options_.report == ReportFormat::Json ? throughJson(through) : throughTable(through));
  return Status::ok();
}

} // namespace

std::unique_ptr<RunPlace> runInApplication(const RunOptions &options) {
  return std::make_unique<ApplicationRun>(options);
}

} // namespace avocet::tool

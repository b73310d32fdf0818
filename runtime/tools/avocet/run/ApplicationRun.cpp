//===- ApplicationRun.cpp - avocet run --through ------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunPlace.h"
#include "ThroughCounters.h"
#include "ThroughPlaces.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/ProgramBeside.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/session/ApplicationSession.h"

#include <numeric>
#include <regex>

namespace avocet::tool {
namespace {

using session::ApplicationSession;
using session::ApplicationStart;

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
  add("priority=" + std::string(session::priorityName(options.served.priority)));
  add("device=" + (isServed(options) ? options.served.device : targetOf(options)));
  if (isServed(options))
    add("socket=" + options.served.socket);
}

/// For the dynamic linker of the application: TensorFlow Lite loads libneuralnetworks.so by its name.
std::string searchPath(const std::string &libraries) {
  const char *inherited = std::getenv("LD_LIBRARY_PATH");
  return inherited == nullptr ? libraries : libraries + ":" + inherited;
}

Result<ApplicationStart> startFor(const RunOptions &options, const std::string &folder, const std::string &counters) {
  ApplicationStart start;
  start.folder = folder;
  AVOCET_ASSIGN_OR_RETURN(const std::string tflite, findTflite(options.clients));
  AVOCET_ASSIGN_OR_RETURN(const std::string libraries, findLibraries(options.through));
  start.program = programBeside("avocetApplication");
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
  Status report() override;

private:
  ThroughFigures figures() const;
  std::string counters() const { return folder_->path() + "/counters.json"; }

  const RunOptions &options_;
  std::optional<ScratchDirectory> folder_;
  std::optional<ServiceCounters> service_;
  ApplicationSession *session_ = nullptr; ///< of open()
  uint64_t operators_ = 0;
  std::vector<double> times_; ///< milliseconds of each run
};

Result<std::unique_ptr<session::Session>> ApplicationRun::open(Progress &progress) {
  AVOCET_RETURN_IF_ERROR(checkThrough(options_));
  AVOCET_ASSIGN_OR_RETURN(operators_, countOperators(options_.model));
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
  figures.invokeMs = spreadOf(times_);
  figures.time.total = std::accumulate(times_.begin(), times_.end(), 0.0) / static_cast<double>(times_.size());
  figures.operators = operators_;
  figures.ownOperators = session_->ownNodes();
  figures.partitions = session_->delegatedNodes();
  figures.prepareMs = session_->prepareMs();
  return figures;
}

Status ApplicationRun::report() {
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

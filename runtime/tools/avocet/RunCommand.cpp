//===- RunCommand.cpp - avocet run ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Optimisation.h"
#include "RunSteps.h"
#include "ServedRun.h"
#include "ThroughRun.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/hal/wire/Listener.h"
#include "avocet/runtime/IndexCheck.h"
#include "trace/RunTrace.h"

#include <algorithm>

namespace avocet::tool {
namespace {

constexpr const char *kExamples = R"(Examples:
  avocet run model.tflite                             random inputs, table of layers
  avocet run model.tflite -t m512 --report json       figures for a program
  avocet run model.tflite --report csv > layers.csv   figures of the layers for a spreadsheet
  avocet run out --input image.bin --output-dir res   writes res/out0.bin, res/out1.bin, ...
  avocet run out --trace run.json                     open run.json in https://ui.perfetto.dev
  avocet run out --repeat 3                           run three times, check that nothing changes
  avocet run out --runs 3 -o res                      run three times in sequence: states (variables of the network)
                                                      advance; writes res/run0/out0.bin, ..., res/state0.bin, ...
  avocet run out --state counter=res/state0.bin       start with this value of the state 'counter'
  avocet run model.tflite --device avocet-e256        on a device of a driver service (see avocet devices)
  avocet run model.tflite --device avocet-e256 --burst --repeat 100
                                                      times of a hundred runs in quick succession
  avocet run model.tflite --device avocet-e256 --priority high --deadline 5
                                                      runs before jobs of lower priority; an error after 5 ms
  avocet run model.tflite --device avocet-e256 --preference low-power
                                                      slower, with less energy
  avocet run model.tflite --through delegate --repeat 20
                                                      in TensorFlow Lite with our delegate: where the time goes
  avocet run model.tflite --through nnapi --device avocet-e256 --socket /tmp/avocetd.sock
                                                      in TensorFlow Lite through NNAPI, on a device of a service
  avocet run out --backend recorder:run.avor          record all requests to the device (see avocet replay)
Inputs and outputs are raw little-endian tensors in graph order: row-major elements, no header.
Columns of the table: MACs and roofline are properties of network and target, the same for every schedule. The roofline of a
layer is the least time for its computation or its weights, that of the total the larger of all computation and of all bytes that
must cross the off-chip port once, so the column does not add up. Cycles, stalls, bound (what took the time) and bytes are those
of this run; r+w: read and written. KiB and MiB are 1024 and 1024 x 1024 bytes; k and M of MACs are 1000 and 1000 x 1000.)";

/// The initial values, and those that the user gives.
Status prepareStates(Session &session, const RunOptions &options) {
  runtime::ModelState &state = session.state();
  state.reset();
  for (const std::string &text : options.states) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos)
      return invalidArgument(fmt::format("--state {}: must be the name of a state, '=', and a file", text));
    AVOCET_ASSIGN_OR_RETURN(size_t index, state.find(text.substr(0, equals)));
    AVOCET_RETURN_IF_ERROR(readTensor(text.substr(equals + 1), state.description(index), index, state.bytes(index)));
  }
  return Status::ok();
}

/// Returns the shortest of all runs; every run must take the same cycles.
Result<RunRecord> runRepeatedly(Session &session, const RunOptions &options, Progress &progress) {
  RunRecord first;
  auto runOnce = [&](uint32_t number) -> Status {
    AVOCET_RETURN_IF_ERROR(prepareStates(session, options));
    AVOCET_ASSIGN_OR_RETURN(RunRecord record, session.run());
    if (number == 0) {
      first = std::move(record);
      return Status::ok();
    }
    const uint64_t cycles = record.outcome.counters.cycles, expected = first.outcome.counters.cycles;
    first.hostMs = std::min(first.hostMs, record.hostMs);
    if (cycles == expected)
      return Status::ok();
    return internalError(fmt::format("run {} took {} cycles, the first took {}", number + 1, cycles, expected));
  };
  AVOCET_RETURN_IF_ERROR(repeatRuns(session, options, progress, runOnce));
  return first;
}

/// Runs once for each set of inputs. The states of one run are the input of the next; the record is that of the last.
Result<RunRecord> runInSequence(Session &session, const RunOptions &options, Progress &progress) {
  RunRecord last;
  const uint32_t runs = numRuns(session, options);
  for (uint32_t number = 0; number < runs; ++number) {
    progress.count("running", number, runs);
    AVOCET_RETURN_IF_ERROR(fillInputs(session, options, number));
    AVOCET_ASSIGN_OR_RETURN(last, session.run());
    AVOCET_RETURN_IF_ERROR(writeResults(session, options, fmt::format("/run{}", number)));
  }
  progress.clear();
  return last;
}

Status writeStates(Session &session, const RunOptions &options) {
  runtime::ModelState &state = session.state();
  if (options.outputDirectory.empty() || state.count() == 0)
    return Status::ok();
  std::vector<std::span<const uint8_t>> states;
  for (size_t i = 0; i < state.count(); ++i)
    states.push_back(state.bytes(i));
  return writeTensors(options.outputDirectory, "state", states);
}

Result<RunRecord> runAsAsked(Session &session, const RunOptions &options, Progress &progress) {
  AVOCET_RETURN_IF_ERROR(prepareStates(session, options));
  if (numRuns(session, options) > 1)
    return runInSequence(session, options, progress);
  AVOCET_RETURN_IF_ERROR(fillInputs(session, options));
  AVOCET_ASSIGN_OR_RETURN(RunRecord record, runRepeatedly(session, options, progress));
  AVOCET_RETURN_IF_ERROR(writeResults(session, options));
  return record;
}

Status writeTrace(const Trace &trace, const RunRecord &record, const LoadedModel &model, const RunOptions &options) {
  if (record.profile.spans.empty())
    return writeFile(options.traceFile, trace.toJson()); // the back end or the mode counts no cycles
  const TracedJob job(record.profile, *model.artefacts.model, *model.target);
  return writeFile(options.traceFile, runTrace(trace, record.submitted, job));
}

/// All steps after parsing.
Status runModel(const RunOptions &options, Trace &trace, bool traced) {
  Progress progress;
  AVOCET_ASSIGN_OR_RETURN(LoadedModel model, loadModel({options.model, options.target, options.signature,
                                                        options.shapes, options.optimise, options.trustData},
                                                       options.diagnostics, progress));
  SessionOptions sessionOptions;
  sessionOptions.backend = options.backend;
  sessionOptions.functional = options.mode != Mode::Timing;
  sessionOptions.timing = options.mode != Mode::Functional;
  sessionOptions.threads = options.threads;
  sessionOptions.profile = sessionOptions.timing && (traced || options.report != ReportFormat::None);
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                          Session::open(model, withInputsOf(options, model, sessionOptions)));
  AVOCET_ASSIGN_OR_RETURN(RunRecord record, runAsAsked(*session, options, progress));
  AVOCET_RETURN_IF_ERROR(writeStates(*session, options));
  if (traced)
    AVOCET_RETURN_IF_ERROR(writeTrace(trace, record, model, options));
  Report report = makeReport(model, session->device(), record);
  report.runs = std::max(options.repeat, numRuns(*session, options));
  if (const Status indices = runtime::checkIndices(record.outcome, session->model()); !indices.isOk())
    report.notes.push_back(fmt::format(
        "random inputs: {}; it was replaced by the nearest one; give valid indices by --input", indices.message()));
  printReport(report, options.report);
  return session->finish();
}

Status run(RunOptions options) {
  if (options.served.socket.empty())
    options.served.socket = hal::defaultSocketPath();
  if (options.traceFile.empty())
    options.traceFile = knobText(knobs::kTrace);
  if (options.through != Through::None)
    return runThrough(options);
  bool traced = !options.traceFile.empty();
  Trace trace;
  Trace::activate(traced ? &trace : nullptr);
  const bool isServed = !options.served.device.empty();
  Status status = isServed ? runServed(options) : runModel(options, trace, traced);
  Trace::activate(nullptr);
  if (isServed && traced && status.isOk())
    return writeFile(options.traceFile, trace.toJson());
  return status;
}

/// Options of runs on a driver service.
void addServedOptions(CommandLine &command, ServedOptions &served) {
  constexpr const char *kGroup = "On a device of a driver service";
  CommandOption device = command.addText("--device", served.device,
                                         "Run a .tflite file on this device of a service, NAME or in a registry also "
                                         "NAME@SERVICE; see 'avocet devices'");
  device.group(kGroup);
  for (const char *local : {"--backend", "--mode", "--threads"})
    device.excludes(command.option(local));
  auto belong = [&](CommandOption option) { return option.needs(device).group(kGroup); };
  belong(command.addText(
      "--socket", served.socket,
      "Where the service listens, or the folder of a registry of several; default: knob AVOCET_SOCKET, or " +
          hal::defaultSocketPath()));
  belong(addChoiceFlag(command, "--burst", served.burst,
                       "Keep memory and jobs between runs. With =queues requests go through shared memory, with "
                       "=calls through the socket; without a value: queues, or calls with --deadline",
                       {{"true", BurstUse::Fastest}, {"queues", BurstUse::Queues}, {"calls", BurstUse::Calls}}))
      .valueName("[=queues|=calls]");
  belong(addChoice(command, "--priority", served.priority,
                   "Priority of the runs; a job of higher priority preempts running jobs; default: medium",
                   {{"low", hal::Priority::Low}, {"medium", hal::Priority::Medium}, {"high", hal::Priority::High}}));
  belong(addChoice(command, "--preference", served.preference,
                   "What the driver chooses the clock level for: least power, one answer as soon as possible, or a "
                   "stream of answers; default: fast",
                   {{"low-power", hal::ExecutionPreference::LowPower},
                    {"fast", hal::ExecutionPreference::FastSingleAnswer},
                    {"sustained", hal::ExecutionPreference::SustainedSpeed}}));
  belong(addNumber(command, "--deadline", served.deadlineMs,
                   "Time limit of each run in milliseconds, from its call on; a run that cannot meet it is refused, a "
                   "run that exceeds it is cancelled; both are errors",
                   0.001, 1e9))
      .valueName("MS");
}

/// Options of runs in an application. What TensorFlow Lite or the libraries decide themselves is excluded.
void addThroughOptions(CommandLine &command, RunOptions &options) {
  constexpr const char *kGroup = "In an application";
  CommandOption through = addChoice(
      command, "--through", options.through,
      "Run a .tflite file in TensorFlow Lite, unmodified, through NNAPI (libneuralnetworks.so) or as the delegate "
      "(libavocet_delegate.so), and report where the time goes; the device is in the application's process, or with "
      "--device that of a service",
      {{"nnapi", Through::Nnapi}, {"delegate", Through::Delegate}});
  through.group(kGroup);
  for (const char *own : {"--signature", "--shape", "--optimise", "--mode", "--threads", "--state", "--burst",
                          "--preference", "--deadline"})
    through.excludes(command.option(own));
  command
      .addText("--clients", options.clients,
               "Folder of 'scripts/setup --clients' with TensorFlow Lite; default: knob AVOCET_CLIENTS, or clients/ "
               "beside the build")
      .needs(through)
      .group(kGroup);
}

} // namespace

void addRunCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<RunOptions>();
  CommandLine command = app.addSubcommand("run", "Run a model once and report what the device did");
  command.setFooter(kExamples);
  command.addText("model", options->model, "Model file (.tflite, .mlir) or directory of artefacts").required();
  command.addText("-t,--target", options->target, kRunTargetHelp);
  command.addText("--signature", options->signature, kSignatureHelp);
  command.addTexts("--shape", options->shapes, kShapeHelp).oneEach().valueName("NAME=EXTENTS");
  command.addText("--optimise", options->optimise, kOptimiseHelp).valueName("LEVEL|SECONDS");
  addTrustDataOption(command, options->trustData);
  command
      .addTexts("-i,--input", options->inputs,
                "Raw tensor for the next input, in graph order; repeatable; for a network with states, several sets of "
                "inputs are runs in sequence")
      .oneEach();
  command.addText("-o,--output-dir", options->outputDirectory, "Write out0.bin, out1.bin, ... into this directory");
  addChoice(command, "--report", options->report,
            "Form of the report; csv: the layers, for spreadsheets; default: table",
            {{"table", ReportFormat::Table},
             {"json", ReportFormat::Json},
             {"csv", ReportFormat::Csv},
             {"none", ReportFormat::None}});
  addChoice(command, "--mode", options->mode, "Compute values, count cycles, or both; default: both",
            {{"functional", Mode::Functional}, {"timing", Mode::Timing}, {"both", Mode::Both}});
  addNumber(command, "--threads", options->threads,
            "Host threads that compute values; results and cycles are the same; default: 1", 1, 64);
  command.addText("--trace", options->traceFile,
                  "Write a trace of host and device for Perfetto; with --device: of this process, see also "
                  "avocetd --trace");
  command.addText(
      "--backend", options->backend,
      "Back end: sim, kernel (a device of the kernel driver), kernel:NODE, null, recorder:FILE; default: sim");
  addServedOptions(command, options->served);
  addNumber(command, "--seed", options->seed, "Seed of the random inputs; default: 1");
  addNumber(command, "--repeat", options->repeat,
            "Run N times and check that outputs (and cycles, without --device) are the same", 1, 1'000'000);
  addNumber(command, "--runs", options->runs,
            "Run N times in sequence; each run continues with the states of the one before", 1, 1'000'000)
      .excludes(command.option("--repeat"));
  command.addTexts("--state", options->states, "Value of a state before the first run, a raw tensor; repeatable")
      .oneEach()
      .valueName("NAME=FILE");
  addChoice(command, "--diagnostics", options->diagnostics, "Form of compile errors; default: text",
            {{"text", DiagnosticsFormat::Text}, {"json", DiagnosticsFormat::Json}});
  addThroughOptions(command, *options);
  addWideOption(command);
  command.onSelected([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace avocet::tool

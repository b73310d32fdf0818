//===- RunCommand.cpp - avocet run ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "DeviceTrace.h"
#include "ReportJson.h"
#include "ReportTable.h"
#include "ServedSession.h"
#include "Tensors.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/hal/Channel.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

enum class ReportFormat { Table, Json, None };
enum class Mode { Functional, Timing, Both };

struct RunOptions {
  std::string model;
  std::string target;
  std::vector<std::string> inputs;
  std::string outputDirectory;
  ReportFormat report = ReportFormat::Table;
  DiagnosticsFormat diagnostics = DiagnosticsFormat::Text;
  Mode mode = Mode::Both;
  std::string traceFile;
  std::string backend;
  ServedDeviceName served = {hal::defaultSocketPath(), ""};
  uint64_t seed = 1;
  uint32_t repeat = 1;
};

constexpr const char *kExamples = R"(Examples:
  avocet run model.tflite                             random inputs, table of layers
  avocet run model.tflite -t m512 --report json       figures for a program
  avocet run out --input image.bin --output-dir res   writes res/out0.bin, res/out1.bin, ...
  avocet run out --trace run.json                     open run.json in https://ui.perfetto.dev
  avocet run out --repeat 3                           run three times, check that nothing changes
  avocet run model.tflite --device avocet-e256        on a device of a driver service (see avocet devices)
  avocet run out --backend recorder:run.avor          record what the device is asked (see avocet replay)
Inputs and outputs are raw little-endian tensors in graph order: row-major elements, no header.)";

template <typename AnySession> Status fillInputs(AnySession &session, const RunOptions &options) {
  size_t count = session.model().numInputs();
  if (!options.inputs.empty() && options.inputs.size() != count)
    return invalidArgument(
        fmt::format("{} input files were given, but the model has {} inputs; give one --input for each, "
                    "in graph order, or none for random data",
                    options.inputs.size(), count));
  for (size_t i = 0; i < count; ++i) {
    cache::OperandView operand = session.model().input(i);
    if (options.inputs.empty())
      fillRandom(operand.type, options.seed + i, session.input(i));
    else
      AVOCET_RETURN_IF_ERROR(readTensor(options.inputs[i], operand, i, session.input(i)));
  }
  return Status::ok();
}

template <typename AnySession> std::vector<std::vector<uint8_t>> copyOutputs(const AnySession &session) {
  std::vector<std::vector<uint8_t>> outputs;
  for (size_t i = 0; i < session.model().numOutputs(); ++i)
    outputs.emplace_back(session.output(i).begin(), session.output(i).end());
  return outputs;
}

/// The first run, repeated as often as asked for; every run must give the same cycles and the same bytes.
template <typename AnySession>
Result<RunRecord> runRepeatedly(AnySession &session, const RunOptions &options, Progress &progress) {
  progress.stage("running");
  AVOCET_ASSIGN_OR_RETURN(RunRecord first, session.run());
  std::vector<std::vector<uint8_t>> outputs = copyOutputs(session);
  for (uint32_t i = 1; i < options.repeat; ++i) {
    progress.count("running", i, options.repeat);
    AVOCET_ASSIGN_OR_RETURN(RunRecord next, session.run());
    if (next.outcome.counters.cycles != first.outcome.counters.cycles)
      return internalError(fmt::format("run {} took {} cycles, the first took {}", i + 1, next.outcome.counters.cycles,
                                       first.outcome.counters.cycles));
    if (copyOutputs(session) != outputs)
      return internalError(fmt::format("the outputs of run {} differ from those of the first", i + 1));
    first.hostMs = std::min(first.hostMs, next.hostMs);
  }
  progress.clear();
  return first;
}

template <typename AnySession> Status writeResults(const AnySession &session, const RunOptions &options) {
  if (options.outputDirectory.empty())
    return Status::ok();
  std::vector<std::span<const uint8_t>> outputs;
  for (size_t i = 0; i < session.model().numOutputs(); ++i)
    outputs.push_back(session.output(i));
  return writeOutputs(options.outputDirectory, outputs);
}

void printReport(const LoadedModel &model, const runtime::DeviceProperties &device, const RunRecord &record,
                 const RunOptions &options, std::vector<std::string> notes = {}) {
  if (options.report == ReportFormat::None)
    return;
  Report report = makeReport(model, device, record);
  report.notes = std::move(notes);
  report.runs = options.repeat;
  fmt::print("{}", options.report == ReportFormat::Json ? renderJson(report) : renderTable(report));
}

/// Everything between the command line and the trace file.
Status runModel(const RunOptions &options, Trace &trace, bool traced) {
  Progress progress;
  AVOCET_ASSIGN_OR_RETURN(LoadedModel model, loadModel(options.model, options.target, options.diagnostics, progress));
  SessionOptions sessionOptions;
  sessionOptions.backend = options.backend;
  sessionOptions.functional = options.mode != Mode::Timing;
  sessionOptions.timing = options.mode != Mode::Functional;
  sessionOptions.profile = sessionOptions.timing && (traced || options.report != ReportFormat::None);
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::open(model, sessionOptions));
  AVOCET_RETURN_IF_ERROR(fillInputs(*session, options));
  AVOCET_ASSIGN_OR_RETURN(RunRecord record, runRepeatedly(*session, options, progress));
  AVOCET_RETURN_IF_ERROR(writeResults(*session, options));
  if (traced)
    addDeviceSpans(trace, record.profile, model);
  printReport(model, session->device(), record, options);
  return Status::ok();
}

/// The same on a device of a service, which gives the outputs and two times, but no profile.
Status runServed(const RunOptions &options) {
  if (!options.model.ends_with(".tflite"))
    return invalidArgument(options.model + ": a driver service compiles for itself; give it a .tflite file");
  Progress progress;
  std::string target = options.target;
  if (target.empty()) {
    AVOCET_ASSIGN_OR_RETURN(target, targetOfDevice(options.served.device));
  }
  AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> file, readFile(options.model));
  AVOCET_ASSIGN_OR_RETURN(LoadedModel model, loadModel(options.model, target, options.diagnostics, progress));
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<ServedSession> session, ServedSession::open(model, file, options.served));
  AVOCET_RETURN_IF_ERROR(fillInputs(*session, options));
  AVOCET_ASSIGN_OR_RETURN(RunRecord record, runRepeatedly(*session, options, progress));
  AVOCET_RETURN_IF_ERROR(writeResults(*session, options));
  double deviceMs = model.target->nanoseconds(record.outcome.counters.cycles) / 1e6;
  printReport(
      model, session->properties(model), record, options,
      {fmt::format("the service prepared the model in {:.1f} ms; the device took {:.3f} ms, the driver {:.3f} ms",
                   session->prepareMs(), deviceMs, session->driverMs()),
       "cycles of layers and engines are not to be had from a service; run without --device for them"});
  return Status::ok();
}

Status run(RunOptions options) {
  if (!options.served.device.empty())
    return runServed(options);
  if (options.traceFile.empty())
    options.traceFile = knobText(knobs::kTrace);
  bool traced = !options.traceFile.empty();
  Trace trace;
  Trace::activate(traced ? &trace : nullptr);
  Status status = runModel(options, trace, traced);
  Trace::activate(nullptr);
  AVOCET_RETURN_IF_ERROR(status);
  return traced ? writeFile(options.traceFile, trace.toJson()) : Status::ok();
}

} // namespace

void addRunCommand(CLI::App &app, Action &action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *command = app.add_subcommand("run", "Run a model once and report what the device did");
  command->footer(kExamples);
  command->add_option("model", options->model, "Model file (.tflite, .mlir) or directory of artefacts")->required();
  command->add_option("-t,--target", options->target,
                      "Device: a name from 'avocet targets' or a target file; default: the artefacts' own, or e256");
  command->add_option("-i,--input", options->inputs, "Raw tensor for the next input, in graph order; repeatable")
      ->allow_extra_args(false);
  command->add_option("-o,--output-dir", options->outputDirectory, "Write out0.bin, out1.bin, ... into this directory");
  command->add_option("--report", options->report, "Form of the report; default: table")
      ->option_text("table|json|none")
      ->transform(CLI::CheckedTransformer(std::map<std::string, ReportFormat>{
          {"table", ReportFormat::Table}, {"json", ReportFormat::Json}, {"none", ReportFormat::None}}));
  command->add_option("--mode", options->mode, "Compute values, count cycles, or both; default: both")
      ->option_text("functional|timing|both")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Mode>{
          {"functional", Mode::Functional}, {"timing", Mode::Timing}, {"both", Mode::Both}}));
  command->add_option("--trace", options->traceFile, "Write a trace of host and device for Perfetto");
  command->add_option("--backend", options->backend, "Back end: sim, null, recorder:FILE; default: sim");
  auto *device = command->add_option("--device", options->served.device,
                                     "Run on this device of a driver service; see 'avocet devices'");
  command->add_option("--socket", options->served.socket, "Where the service listens; default: knob AVOCET_SOCKET")
      ->needs(device);
  for (const char *local : {"--trace", "--backend", "--mode"})
    device->excludes(command->get_option(local));
  command->add_option("--seed", options->seed, "Seed of the random inputs; default: 1");
  command->add_option("--repeat", options->repeat, "Run N times and check that cycles and outputs are the same")
      ->option_text("N")
      ->check(CLI::Range(1u, 1000000u));
  command->add_option("--diagnostics", options->diagnostics, "Form of compile errors; default: text")
      ->option_text("text|json")
      ->transform(CLI::CheckedTransformer(std::map<std::string, DiagnosticsFormat>{{"text", DiagnosticsFormat::Text},
                                                                                   {"json", DiagnosticsFormat::Json}}));
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

} // namespace avocet::tool

//===- RunCommand.cpp - avocet run ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunPlace.h"
#include "Runs.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "model/HintFiles.h"
#include "model/Optimization.h"
#include "programs/ProgramCommands.h"

namespace avocet::tool {
namespace {

constexpr const char *kExamples = R"(Examples:
  avocet run model.tflite                             random inputs, table of layers
  avocet run model.tflite -t m512 --report json       figures for a program
  avocet run model.tflite --report csv > layers.csv   figures of the layers for a spreadsheet
  avocet run out --input image.bin --output-dir res   writes res/out0.bin, res/out1.bin, ...
  avocet run model.tflite --image cat.jpg --top 3     the best classes of a picture; labels and normalization are those of the
                                                      file's metadata, or of --labels, --mean and --scale
  avocet run model.tflite --fallback cpu              operators that the target refuses on the CPU, each with its time
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
  avocet run model.onnx --through onnxruntime --dim batch=1
                                                      in ONNX Runtime with our execution provider: also what stays with
                                                      the runtime, and why
  avocet run model.tflite --through nnapi --device avocet-e256 --socket /tmp/avocetd.sock
                                                      in TensorFlow Lite through NNAPI, on a device of a service
  avocet run out --backend recorder:run.avor          record all requests to the device (see avocet replay)
Inputs and outputs are raw little-endian tensors in graph order: row-major elements, no header.
Columns of the table: MACs and roofline are properties of network and target, the same for every schedule. The roofline of a
layer is the least time for its computation or its weights, that of the total the larger of all computation and of all bytes that
must cross the off-chip port once, so the column does not add up. The line "device" has the bound with all limits of the
device, which tells what the schedule loses from what the device costs. Cycles, stalls, bound (what took the time) and bytes are those
of this run; r+w: read and written. A cycle belongs to the layer of the command on the MAC array, else on the DSP, else to the
layer that waits next. DSP hidden: cycles in which the DSP worked for the layer while the array worked, part of no other column. KiB and MiB are 1024 and 1024 x 1024 bytes; k and M of MACs are 1000 and 1000 x 1000.)";

/// Null: the program does not contain the place.
std::unique_ptr<RunPlace> placeOf(const RunOptions &options, RemotePlace *remote) {
  if (options.through == Through::None && options.served.device.empty())
    return runInProcess(options, Trace::active() != nullptr);
  return remote != nullptr ? remote(options) : nullptr;
}

Status runAt(RunPlace &place, const RunOptions &options) {
  Progress progress;
  AVOCET_ASSIGN_OR_RETURN(const std::unique_ptr<session::Session> session, place.open(progress));
  AVOCET_ASSIGN_OR_RETURN(const Pictures pictures, Pictures::open(options.pictures, options.model));
  std::vector<analysis::ClassReport> classes;
  AVOCET_RETURN_IF_ERROR(runAll(*session, options, pictures, progress, [&](uint32_t number, session::RunRecord record) {
    if (number < options.pictures.files.size()) // further runs repeat the first
      std::ranges::move(pictures.classesOf(*session, number), std::back_inserter(classes));
    return place.note(number, std::move(record));
  }));
  return place.report(std::move(classes));
}

Status run(RunOptions options, RemotePlace *remote) {
  if (options.served.socket.empty())
    options.served.socket = knobText(knobs::kSocket);
  if (options.traceFile.empty())
    options.traceFile = knobText(knobs::kTrace);
  // The libraries in an application write the trace themselves.
  const bool traced = !options.traceFile.empty() && options.through == Through::None;
  Trace trace;
  Trace::activate(traced ? &trace : nullptr);
  const std::unique_ptr<RunPlace> place = placeOf(options, remote);
  const Status status =
      place ? runAt(*place, options) : unsupported("this program runs networks in its own process only");
  Trace::activate(nullptr);
  return traced && status.isOk() ? writeFile(options.traceFile, place->traceJson(trace)) : status;
}

/// Options of runs on a driver service.
void addServedOptions(CommandLine &command, session::ServedOptions &served) {
  constexpr const char *kGroup = "On a device of a driver service";
  CommandOption device = command.addText("--device", served.device,
                                         "Run a .tflite file on this device of a service, NAME or in a registry also "
                                         "NAME@SERVICE; see 'avocet devices'");
  device.group(kGroup);
  for (const char *local : {"--backend", "--mode", "--threads", "--fallback"})
    device.excludes(command.option(local));
  auto belong = [&](CommandOption option) { return option.needs(device).group(kGroup); };
  belong(command.addText(
      "--socket", served.socket,
      "Where the service listens, or the folder of a registry of several; default: knob AVOCET_SOCKET, or " +
          knobText(knobs::kSocket)));
  belong(addChoiceFlag(command, "--burst", served.burst,
                       "Keep memory and jobs between runs. With =queues requests go through shared memory, with "
                       "=calls through the socket; without a value: queues, or calls with --deadline",
                       {{"true", session::BurstUse::Fastest},
                        {"queues", session::BurstUse::Queues},
                        {"calls", session::BurstUse::Calls}}))
      .valueName("[=queues|=calls]");
  addChoice(
      command, "--priority", served.priority,
      "Priority of the runs, also with --through; a job of higher priority preempts running jobs; default: medium",
      {{"low", hal::Priority::Low}, {"medium", hal::Priority::Medium}, {"high", hal::Priority::High}})
      .group(kGroup);
  belong(addChoice(command, "--preference", served.preference,
                   "What the driver chooses the clock level for: least power, one answer as soon as possible, or a "
                   "stream of answers; default: fast",
                   {{"low-power", hal::ExecutionPreference::LowPower},
                    {"fast", hal::ExecutionPreference::FastSingleAnswer},
                    {"sustained", hal::ExecutionPreference::SustainedSpeed}}));
  addNumber(command, "--deadline", served.deadlineMs,
            "Time limit of each run in milliseconds, from its call on, also with --through onnxruntime; a run that "
            "cannot meet it is refused, a "
            "run that exceeds it is cancelled; both are errors",
            0.001, 1e9)
      .group(kGroup)
      .valueName("MS");
}

/// Options of runs in an application. What frameworks or the libraries decide themselves is excluded.
void addThroughOptions(CommandLine &command, RunOptions &options) {
  constexpr const char *kGroup = "In an application";
  CommandOption through = addChoice(
      command, "--through", options.through,
      "Run a .tflite file in TensorFlow Lite, unmodified, through NNAPI (libneuralnetworks.so) or as the delegate "
      "(libavocet_delegate.so), or an .onnx file in ONNX Runtime with the execution provider "
      "(libavocet_onnxruntime.so), and report where the time goes; the device is in the application's process, or "
      "with --device that of a service",
      {{"nnapi", Through::Nnapi}, {"delegate", Through::Delegate}, {"onnxruntime", Through::Onnxruntime}});
  through.group(kGroup);
  for (const char *own : {"--image", "--signature", "--value", "--layout", "--optimize", "--hints", "--mode",
                          "--threads", "--fallback", "--state", "--burst", "--preference"})
    through.excludes(command.option(own));
  for (const char *either : {"--priority", "--deadline"})
    command.option(either).needsOneOf(command.option("--device"), through);
  command
      .addText("--cache-dir", options.cacheDirectory,
               "Folder for compiled networks and the compiler's answers, of a delegate or provider; default: none")
      .needs(through)
      .group(kGroup);
  command
      .addText("--clients", options.clients,
               "Folder of 'scripts/setup --clients' with the frameworks; default: knob AVOCET_CLIENTS, or clients/ "
               "beside the build")
      .needs(through)
      .group(kGroup);
}

} // namespace

void addRunCommandWith(RemotePlace *remote, CommandLine &app, Action &action) {
  auto options = std::make_shared<RunOptions>();
  CommandLine command = addSubcommandOf(app, "run");
  command.setFooter(kExamples);
  command.addText("model", options->model, "Model file (.tflite, .onnx, .tosa, .mlir) or directory of artefacts")
      .required();
  command.addText("-t,--target", options->target, kRunTargetHelp);
  command.addText("--signature", options->signature, kSignatureHelp);
  addOptions(command, options->open);
  command.addText("--optimize", options->optimize, kOptimizeHelp).valueName("LEVEL|SECONDS");
  command.addText("--hints", options->hints, kHintsHelp).valueName("FILE");
  addTrustDataOption(command, options->trustData);
  command
      .addTexts("-i,--input", options->inputs.files,
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
  command.addText("--backend", options->backend,
                  "Back end: sim, kernel (a device of the kernel driver), kernel:NODE, null, recorder:FILE, or a "
                  "plug-in: its path, "
                  "or its name with AVOCET_BACKENDS; default: sim");
  addChoice(command, "--fallback", options->fallback,
            "Where operators run that the target refuses; cpu: on the host, each with its time in the report; default: "
            "none, such networks are refused",
            {{"none", false}, {"cpu", true}});
  addServedOptions(command, options->served);
  addNumber(command, "--seed", options->inputs.seed, "Seed of the random inputs; default: 1");
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
  addPictureOptions(command, options->pictures);
  for (const char *count : {"--repeat", "--runs", "--state"})
    command.option("--image").excludes(command.option(count));
  addThroughOptions(command, *options);
  addWideOption(command);
  command.onSelected([options, remote, &action] { action = [options, remote] { return run(*options, remote); }; });
}

void addRunCommand(CommandLine &app, Action &action) { addRunCommandWith(nullptr, app, action); }

} // namespace avocet::tool

//===- BenchmarkCommand.cpp - avocet benchmark ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchmarkReport.h"
#include "Requirement.h"
#include "avocet/base/CleanText.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/session/ServedSession.h"
#include "devices/ChosenDevice.h"
#include "model/Networks.h"
#include "programs/SubcommandProgram.h"

#include <array>
#include <fmt/format.h>

namespace avocet::tool {
namespace {

struct CommandOptions {
  std::vector<std::string> models;
  BenchmarkOptions benchmark;
  DeviceChoice device;
  std::vector<std::string> also;
  std::vector<CallKind> calls;
  std::vector<std::string> require;
  std::string htmlFile;
  std::string jsonFile;
};

constexpr const char *kExamples = R"(Examples:
  avocet benchmark nets                       every network in nets, on e256 and on the CPU
  avocet benchmark net.tflite -t m512 --also p4096 --html out.html --json out.json
                                              two targets and the CPU; a page and a file for programs
  avocet benchmark digits.tflite --images test-images.idx3-ubyte --labels test-labels.idx1-ubyte --require top1=97
                                              accuracy on labeled images; fails below 97 %
  avocet benchmark net.tflite --data cases --require golden=100
                                              on inputs and expected outputs of your own
  avocet benchmark net.tflite --through service --seconds 10
                                              as an application sees it through a driver service
  avocet benchmark net.tflite --through service --call single --call burst
                                              two ways of execution
Each network runs through the NN HAL on the device and on nnapi-reference, NNAPI's device on the CPU, in turns.
Cases: --images and --labels; or --data, a folder with raw tensors ID.in0.bin, ... and, if known, ID.out0.bin, ... and
labels.txt with a line "ID CLASS" for each labeled case (DIR/NETWORK is preferred); or such files beside the network; or
random inputs.
"host ms" is the time of a call on this host, which simulates the device. "over CPU" is the median of that time over the
CPU's in the same round. "device ms" is simulated time, and "speed-up" the CPU's median over it. "tolerated" is the least
share of values within the tolerance of NNAPI's tests, "same bits" that of outputs that equal the expected ones.
)";

struct Devices {
  std::vector<ChosenDevice> opened; ///< keep services alive
  std::vector<BenchmarkDevice> all; ///< the CPU first
};

std::string wayOf(const DeviceChoice &choice) {
  using Through = DeviceChoice::Through;
  if (choice.through == Through::Nnapi)
    return "NNAPI's C library";
  if (!choice.socket.empty() || choice.through == Through::Service)
    return "a driver service";
  return "in this process";
}

/// Empty: the device is no simulated one, or its target is not known.
std::string targetOf(const DeviceChoice &choice, const std::string &name) {
  if (choice.through == DeviceChoice::Through::Cpu || name == hal::kCpuDeviceName)
    return "";
  if (choice.socket.empty())
    return choice.target.empty() ? knobText(knobs::kTarget) : choice.target;
  const Result<std::string> target = session::targetOfDevice(name);
  return target ? *target : "";
}

/// Once for each kind of calls.
Status openDevice(const DeviceChoice &choice, std::span<const CallKind> calls, Devices &devices) {
  AVOCET_ASSIGN_OR_RETURN(ChosenDevice opened, ChosenDevice::open(choice));
  BenchmarkDevice device;
  device.device = opened.device();
  const std::string name = device.device->name();
  device.way = wayOf(choice);
  device.target = targetOf(choice, name);
  // A service has a compilation cache of its own.
  device.preparations = device.way == "in this process" ? 3 : 1;
  for (const CallKind call : calls) {
    device.name = call == CallKind::Single ? name : fmt::format("{} ({})", name, toString(call));
    device.call = call;
    devices.all.push_back(device);
  }
  devices.opened.push_back(std::move(opened));
  return Status::ok();
}

Result<Devices> openDevices(const CommandOptions &options) {
  Devices devices;
  DeviceChoice cpu;
  cpu.through = DeviceChoice::Through::Cpu;
  constexpr std::array kSingle{CallKind::Single};
  const std::span<const CallKind> calls = options.calls.empty() ? std::span<const CallKind>(kSingle) : options.calls;
  AVOCET_RETURN_IF_ERROR(openDevice(cpu, kSingle, devices));
  AVOCET_RETURN_IF_ERROR(openDevice(options.device, calls, devices));
  for (const std::string &target : options.also) {
    DeviceChoice further;
    further.target = target;
    AVOCET_RETURN_IF_ERROR(openDevice(further, calls, devices));
  }
  return devices;
}

Choices<CallKind> callNames() {
  Choices<CallKind> names;
  for (const CallKind kind : kCallKinds)
    names.emplace_back(toString(kind), kind);
  return names;
}

Status writeFiles(const BenchmarkReport &report, const CommandOptions &options) {
  if (!options.jsonFile.empty())
    AVOCET_RETURN_IF_ERROR(writeFile(options.jsonFile, benchmarkJson(report)));
  if (!options.htmlFile.empty())
    AVOCET_RETURN_IF_ERROR(writeFile(options.htmlFile, benchmarkPage(report)));
  return Status::ok();
}

/// One network that cannot be measured does not keep the others from it.
BenchmarkReport measure(const CommandOptions &options, const Devices &devices) {
  BenchmarkReport report;
  Progress progress;
  std::vector<Status> unreadable;
  const auto networks = findNetworks(options.models, &unreadable);
  for (const Status &status : unreadable)
    report.problems.push_back(status.message());
  for (const Network &network : networks.value()) { // all problems are in the list
    auto result = benchmarkNetwork(network.name, network.path, network.bytes, devices.all, options.benchmark, progress);
    progress.clear();
    if (result)
      report.networks.push_back(std::move(*result));
    else
      report.problems.push_back(fmt::format("{}: {}", network.path, result.status().message()));
  }
  return report;
}

Status verdictOf(const BenchmarkReport &report) {
  for (const auto *messages : {&report.problems, &report.broken})
    for (const std::string &message : *messages)
      printErr("avocet: error: {}\n", cleanMessage(message));
  if (!report.broken.empty())
    return failedPrecondition(fmt::format("{} of the limits of --require are not met", report.broken.size()));
  if (!report.problems.empty())
    return failedPrecondition(
        fmt::format("{} network{} no result", report.problems.size(), report.problems.size() == 1 ? " has" : "s have"));
  return Status::ok();
}

Status benchmark(const CommandOptions &options) {
  std::vector<Requirement> requirements;
  for (const std::string &text : options.require) {
    AVOCET_ASSIGN_OR_RETURN(Requirement requirement, parseRequirement(text));
    requirements.push_back(std::move(requirement));
  }
  AVOCET_ASSIGN_OR_RETURN(const Devices devices, openDevices(options));
  BenchmarkReport report = measure(options, devices);
  report.broken = brokenRequirements(requirements, report.networks);
  printOut("{}", benchmarkTables(report));
  AVOCET_RETURN_IF_ERROR(writeFiles(report, options));
  return verdictOf(report);
}

void addCaseOptions(CommandLine &command, CaseOptions &options) {
  CommandOption data = command.addText("--data", options.folder, "Folder of inputs, expected outputs and labels");
  data.valueName("DIR");
  ImageFileOptions files = addImageOptions(command, options.images);
  files.images.needs(files.labels).excludes(data);
  files.labels.needs(files.images);
  addNumber(command, "--limit", options.images.limit, "Use the first N cases only", 1, SIZE_MAX);
  addNumber(command, "--random", options.randomCases, "Cases with random inputs; default: 8", 1, 100'000);
  addNumber(command, "--seed", options.seed, "Seed of the random inputs; default: 1");
}

} // namespace

void addBenchmarkCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<CommandOptions>();
  CommandLine command = addSubcommandOf(app, "benchmark");
  command.setFooter(std::string(kExamples) + kImageHelp);
  command.addTexts("models", options->models, "Networks (.tflite), or folders with .tflite files")
      .required()
      .valueName("DIR|FILE...");
  addCaseOptions(command, options->benchmark.cases);
  addDeviceOptions(command, options->device);
  command.addTexts("--also", options->also, "A further target, in this process; repeatable")
      .oneEach()
      .valueName("TARGET");
  addChoice(command, "--call", options->calls,
            "How devices are executed: single: a call each (default); reusable: an execution that is made once; burst; "
            "fenced: a call and its fence; repeatable, to compare them; the CPU gets single calls",
            callNames())
      .oneEach();
  CommandOption runs =
      addNumber(command, "--runs", options->benchmark.runs,
                "Runs of each network on each device; at least one of each case; default: 50", 1, 1'000'000);
  addNumber(command, "--seconds", options->benchmark.seconds, "Run each network for this time instead", 0.001, 86'400)
      .excludes(runs);
  command.addTexts("--require", options->require, kRequireHelp).oneEach().valueName("FIGURE=LIMIT");
  command.addText("--html", options->htmlFile, "Write a page with all figures and pictures into this file");
  command.addText("--json", options->jsonFile, "Write all figures into this file");
  addWideOption(command);
  command.onSelected([options, &action] { action = [options] { return benchmark(*options); }; });
}

} // namespace avocet::tool

//===- OptionTable.cpp - The options of the C library ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"

#include "avocet/base/File.h"
#include "avocet/base/ParseNumber.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <limits>
#include <ranges>

namespace avocet::capi {
namespace {

template <auto member> Status setText(Options &options, const std::string &value) {
  options.*member = value;
  return Status::ok();
}

template <auto member> Status setChoiceText(Options &options, const std::string &value) {
  options.choice.*member = value;
  return Status::ok();
}

template <auto member> Status addInput(Options &options, const std::string &value) {
  (options.choice.inputs.*member).push_back(value);
  return Status::ok();
}

template <typename T> struct Named {
  std::string_view name;
  T value;
};

template <typename T, size_t count>
Status choose(const Named<T> (&choices)[count], const std::string &value, T &chosen) {
  const auto found = std::ranges::find(choices, value, &Named<T>::name);
  if (found == std::end(choices)) {
    std::vector<std::string_view> names;
    std::ranges::transform(choices, std::back_inserter(names), &Named<T>::name);
    return invalidArgument(fmt::format("is '{}', must be {}", value, fmt::join(names, " or ")));
  }
  chosen = found->value;
  return Status::ok();
}

Status toSwitch(const std::string &value, bool &chosen) {
  constexpr Named<bool> kSwitches[] = {{"true", true}, {"false", false}};
  return choose(kSwitches, value, chosen);
}

Status addTargetChange(Options &options, const std::string &value) {
  const size_t equals = value.find('=');
  if (equals == 0 || equals == std::string::npos)
    return invalidArgument(fmt::format("is '{}', must be a figure of a target file, '=', and a value, such as "
                                       "sram.bytes=1048576",
                                       value));
  firmware::TargetChange change{value.substr(0, equals), value.substr(equals + 1)};
  AVOCET_RETURN_IF_ERROR(firmware::normalTargetValue(change).status());
  options.targetChanges.push_back(std::move(change));
  return Status::ok();
}

Status setFit(Options &options, const std::string &value) {
  using session::Fit;
  constexpr Named<Fit> kFits[] = {{"stretch", Fit::Stretch}, {"crop", Fit::Crop}, {"pad", Fit::Pad}};
  return choose(kFits, value, options.pictures.fit);
}

Status setColors(Options &options, const std::string &value) {
  constexpr Named<bool> kOrders[] = {{"rgb", false}, {"bgr", true}};
  return choose(kOrders, value, options.pictures.bgr);
}

/// "N", or "R,G,B".
template <auto member> Status setNumbersOfColors(Options &options, const std::string &value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  std::vector<double> numbers;
  for (const auto &part : std::views::split(std::string_view(value), ',')) {
    AVOCET_ASSIGN_OR_RETURN(const double number, parseReal(std::string_view(part.begin(), part.end()), -kMost, kMost));
    numbers.push_back(number);
  }
  AVOCET_ASSIGN_OR_RETURN(options.pictures.*member, session::numbersOfColors(numbers));
  return Status::ok();
}

Status setTop(Options &options, const std::string &value) {
  AVOCET_ASSIGN_OR_RETURN(options.top, parseUnsigned(value, 1, 1000));
  return Status::ok();
}

Status setFormat(Options &options, const std::string &value) {
  using compiler::InputFormat;
  constexpr Named<InputFormat> kFormats[] = {{"auto", InputFormat::Auto},
                                             {"tflite", InputFormat::Tflite},
                                             {"onnx", InputFormat::Onnx},
                                             {"tosa", InputFormat::Tosa},
                                             {"mlir", InputFormat::Mlir}};
  return choose(kFormats, value, options.choice.format);
}

Status setMode(Options &options, const std::string &value) {
  enum class Mode { Functional, Timing, Both };
  constexpr Named<Mode> kModes[] = {{"functional", Mode::Functional}, {"timing", Mode::Timing}, {"both", Mode::Both}};
  Mode mode = Mode::Both;
  AVOCET_RETURN_IF_ERROR(choose(kModes, value, mode));
  options.local.functional = mode != Mode::Timing;
  options.local.timing = mode != Mode::Functional;
  return Status::ok();
}

Status setFallback(Options &options, const std::string &value) {
  constexpr Named<bool> kPlaces[] = {{"none", false}, {"cpu", true}};
  return choose(kPlaces, value, options.choice.fallback);
}

Status setThreads(Options &options, const std::string &value) {
  AVOCET_ASSIGN_OR_RETURN(const uint64_t threads, parseUnsigned(value, 1, 1024));
  options.local.threads = static_cast<uint32_t>(threads);
  return Status::ok();
}

Status setDeadline(Options &options, const std::string &value) {
  AVOCET_ASSIGN_OR_RETURN(options.served.deadlineMs, parseReal(value, 0.001, 1e9));
  return Status::ok();
}

Status setBurst(Options &options, const std::string &value) {
  using session::BurstUse;
  constexpr Named<BurstUse> kUses[] = {{"none", BurstUse::None},
                                       {"fastest", BurstUse::Fastest},
                                       {"queues", BurstUse::Queues},
                                       {"calls", BurstUse::Calls}};
  return choose(kUses, value, options.served.burst);
}

Status setPriority(Options &options, const std::string &value) {
  constexpr Named<hal::Priority> kPriorities[] = {
      {"low", hal::Priority::Low}, {"medium", hal::Priority::Medium}, {"high", hal::Priority::High}};
  return choose(kPriorities, value, options.served.priority);
}

Status setPreference(Options &options, const std::string &value) {
  using hal::ExecutionPreference;
  constexpr Named<ExecutionPreference> kPreferences[] = {{"low-power", ExecutionPreference::LowPower},
                                                         {"fast", ExecutionPreference::FastSingleAnswer},
                                                         {"sustained", ExecutionPreference::SustainedSpeed}};
  return choose(kPreferences, value, options.served.preference);
}

using network::ModelChoice;
using network::OpenInputs;

constexpr std::string_view kFormerOptimize = "optimise"; ///< a name that programs may use for ever

constexpr OptionEntry kOptions[] = {
    {"target",
     "Name of a shipped target, or path of a target file; default: the artefacts' own, or the knob "
     "AVOCET_TARGET (e256)",
     setChoiceText<&ModelChoice::target>},
    {"target-text", "Text of a target file; instead of target", setTargetText},
    {"target-change",
     "Another value of a figure of the target, by its name in the target file, such as "
     "sram.bytes=1048576; may be repeated",
     addTargetChange},
    {"format", "Format of a network: auto (default), tflite, onnx, tosa or mlir", setFormat},
    {"signature", "Entry point of a .tflite file: the key of its signature; default: the first subgraph",
     setChoiceText<&ModelChoice::signature>},
    {"shape", "Shape of an input of a .tflite or .onnx file, such as input=1x224x224x3; may be repeated",
     addInput<&OpenInputs::shapes>},
    {"dim", "Extent that an .onnx file calls by a name, such as batch=1; may be repeated",
     addInput<&OpenInputs::extents>},
    {"value",
     "Value of an input of an .onnx file that determines the program: NAME=FILE, a raw tensor; may be repeated",
     addInput<&OpenInputs::values>},
    {"layout",
     "Order of the axes of an input or output of a .tflite, .tosa or .onnx file for the caller, such as input=NHWC, or "
     "NHWC for all with four axes; may be repeated",
     addInput<&OpenInputs::layouts>},
    {"optimize", "Effort for the schedule: 0, 1 (default), 2 or 3, or a time such as 30s",
     setChoiceText<&ModelChoice::optimize>},
    {"fallback",
     "Where operators run that the target refuses: none (default: the network is refused), or cpu: on the host, and "
     "those of avocetOptionsSetOperator() in the application",
     setFallback},
    {"hints", "Path of a file with schedule hints", setChoiceText<&ModelChoice::hints>},
    {"source-map", "true: artefacts say where each command comes from; default: false",
     [](Options &options, const std::string &value) { return toSwitch(value, options.choice.sourceMap); }},
    {"trust-data", "true: the constants of artefacts are not compared with their hash; default: false",
     [](Options &options, const std::string &value) { return toSwitch(value, options.choice.trustData); }},
    {"mode", "What runs in this process do: functional (values), timing (cycles) or both (default)", setMode},
    {"threads", "Threads of the host that compute values in this process: 1 (default) to 1024", setThreads},
    {"profile", "true: runs in this process measure layers and commands; default: false",
     [](Options &options, const std::string &value) { return toSwitch(value, options.local.profile); }},
    {"socket",
     "Where a driver service listens, or the folder of a registry of several; default: the knob AVOCET_SOCKET",
     [](Options &options, const std::string &value) {
       options.served.socket = value;
       return Status::ok();
     }},
    {"burst", "How requests reach a service: none (default), fastest, queues or calls", setBurst},
    {"priority", "Priority of runs on a service: low, medium (default) or high", setPriority},
    {"preference", "What a service chooses the clock level for: low-power, fast (default) or sustained", setPreference},
    {"deadline", "Time limit of each run on a service or the CPU, in milliseconds; default: none", setDeadline},
    {"fit", "Pictures of another aspect ratio: stretch (default), crop their borders, or pad them with black", setFit},
    {"colors", "Order of the channels of a picture: rgb (default) or bgr", setColors},
    {"mean", "Subtracted from the bytes of a picture: one number, or R,G,B; default: of the .tflite file's metadata",
     setNumbersOfColors<&session::PictureChoice::mean>},
    {"scale",
     "Factor of the difference: one number, or R,G,B; default: of the .tflite file's metadata; without any, 8-bit "
     "inputs use their whole range, and others 0 to 1",
     setNumbersOfColors<&session::PictureChoice::scale>},
    {"labels",
     "Path of a file with the names of the classes, one per line; default: of the .tflite file's metadata, or numbers",
     [](Options &options, const std::string &value) {
       options.pictures.labels = value;
       return Status::ok();
     }},
    {"top", "How many of the best classes are given: 1 to 1000; default: 5", setTop},
    {"layer", "Layer or refused operator that is explained: its number, its name or a part of it; default: none",
     setText<&Options::layer>},
    {"changes", "false: an explanation tries no other targets; default: true",
     [](Options &options, const std::string &value) { return toSwitch(value, options.triesChanges); }},
    {"ir", "false: a report has no IR of the compiler; default: true",
     [](Options &options, const std::string &value) { return toSwitch(value, options.withIr); }},
};

} // namespace

Status setTargetText(Options &options, const std::string &value) {
  AVOCET_RETURN_IF_ERROR(firmware::Target::parse(value, "target-text").status());
  AVOCET_ASSIGN_OR_RETURN(ScratchDirectory folder, ScratchDirectory::make());
  std::string path = folder.path() + "/target.toml";
  AVOCET_RETURN_IF_ERROR(writeFile(path, std::string_view(value)));
  options.choice.target = path;
  options.targetText = std::make_shared<const TargetText>(TargetText{std::move(folder), std::move(path)});
  return Status::ok();
}

std::span<const OptionEntry> optionTable() { return kOptions; }

Status setOption(Options &options, std::string_view name, const std::string &value) {
  if (name == kFormerOptimize)
    return setOption(options, "optimize", value);
  const auto found =
      std::ranges::find(kOptions, name, [](const OptionEntry &entry) -> std::string_view { return entry.name; });
  if (found != std::end(kOptions))
    return found->set(options, value).withContext("option " + std::string(name));
  std::vector<std::string_view> names;
  std::ranges::transform(kOptions, std::back_inserter(names), &OptionEntry::name);
  return notFound(fmt::format("there is no option '{}'; the options are {}", name, fmt::join(names, ", ")));
}

} // namespace avocet::capi

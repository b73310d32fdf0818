//===- Calibration.cpp - Figures of the device relative to a processor ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibration.h"

#include "CpuReference.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/firmware_iface/Target.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/types/Utils.h"
#include "programs/SubcommandProgram.h"

#include <atomic>
#include <ctime>
#include <fmt/core.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

using namespace hal;

constexpr ConvWorkload kConv{28, 32};
constexpr ElementWorkload kElements{1 << 14};

Operand tensorOf(OperandType type, std::vector<uint32_t> dimensions, OperandLifeTime lifetime) {
  Operand operand;
  operand.type = type;
  operand.dimensions = std::move(dimensions);
  operand.lifetime = lifetime;
  const OperandTypeInfo *info = findOperandType(type);
  if (info != nullptr && info->scale == ScaleRule::Required)
    operand.scale = 0.5f;
  return operand;
}

/// Appends zeros as an operand's value.
Operand constantOf(Model &model, OperandType type, std::vector<uint32_t> dimensions) {
  Operand operand = tensorOf(type, std::move(dimensions), OperandLifeTime::ConstantCopy);
  uint64_t bytes = getNonExtensionSize(operand).value_or(0);
  operand.location = {0, model.operandValues.size(), bytes, 0};
  model.operandValues.resize(model.operandValues.size() + bytes);
  return operand;
}

Operand integerOf(Model &model, int32_t value) {
  Operand operand = constantOf(model, OperandType::Int32, {});
  std::copy_n(reinterpret_cast<const uint8_t *>(&value), sizeof(value),
              model.operandValues.begin() + static_cast<ptrdiff_t>(operand.location.offset));
  return operand;
}

Model convModel(OperandType type) {
  Model model;
  bool isQuantised = isQuantized(type);
  std::vector<uint32_t> shape = {1, kConv.extent, kConv.extent, kConv.channels};
  Operand bias = constantOf(model, isQuantised ? OperandType::TensorInt32 : type, {kConv.channels});
  bias.scale = isQuantised ? 0.25f : 0.0f;
  Operand output = tensorOf(type, shape, OperandLifeTime::SubgraphOutput);
  output.scale *= 2;
  model.main.operands = {tensorOf(type, shape, OperandLifeTime::SubgraphInput),
                         constantOf(model, type, {kConv.channels, 3, 3, kConv.channels}),
                         bias,
                         integerOf(model, 1),
                         integerOf(model, 1),
                         integerOf(model, 1),
                         integerOf(model, 0),
                         output};
  model.main.operations = {{OperationType::Conv2d, {0, 1, 2, 3, 4, 5, 6}, {7}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {7};
  return model;
}

Model elementModel(OperandType type, OperationType operation) {
  Model model;
  std::vector<uint32_t> shape = {1, 1, kElements.elements / 16, 16};
  Operand input = tensorOf(type, shape, OperandLifeTime::SubgraphInput);
  model.main.operands = {input, input, tensorOf(type, shape, OperandLifeTime::SubgraphOutput)};
  model.main.operations = {{operation, {0, 1}, {2}}};
  if (operation == OperationType::Add) {
    model.main.operands.push_back(integerOf(model, 0));
    model.main.operations[0].inputs.push_back(3);
  }
  model.main.inputIndexes = {0, 1};
  model.main.outputIndexes = {2};
  return model;
}

/// A convolution whose filter has a scale for each output channel.
Model perChannelModel() {
  Model model = convModel(OperandType::TensorQuant8Asymm);
  Operand &filter = model.main.operands[1], &bias = model.main.operands[2];
  filter.type = OperandType::TensorQuant8SymmPerChannel;
  filter.scale = bias.scale = 0;
  filter.extraParams = SymmPerChannelQuantParams{std::vector<float>(kConv.channels, 0.5f), 0};
  return model;
}

/// An operation of one operand, from one type to another.
Model conversionModel(OperandType from, OperandType to, OperationType operation) {
  Model model;
  std::vector<uint32_t> shape = {1, 1, kElements.elements / 16, 16};
  model.main.operands = {tensorOf(from, shape, OperandLifeTime::SubgraphInput),
                         tensorOf(to, shape, OperandLifeTime::SubgraphOutput)};
  model.main.operations = {{operation, {0}, {1}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {1};
  return model;
}

/// No arithmetic of NNAPI has operands of this type alone: a copy shows what moving them costs.
Model copyModel(OperandType type) { return conversionModel(type, type, OperationType::Cast); }

struct Workload {
  OperandType type;
  std::string name;
  Model model;
  double (*cpu)();
};

std::vector<Workload> workloads() {
  std::string conv = fmt::format("CONV_2D 3x3, {0}x{0}x{1} to the same", kConv.extent, kConv.channels);
  std::string elements = fmt::format(" of {} elements", kElements.elements);
  return {
      {OperandType::TensorFloat32, conv, convModel(OperandType::TensorFloat32),
       [] { return cpuNanosecondsOf<float, float>(kConv); }},
      {OperandType::TensorFloat16, conv + " (the processor in float32)", convModel(OperandType::TensorFloat16),
       [] { return cpuNanosecondsOf<float, float>(kConv); }},
      {OperandType::TensorQuant8Asymm, conv, convModel(OperandType::TensorQuant8Asymm),
       [] { return cpuNanosecondsOf<uint8_t, int32_t>(kConv); }},
      {OperandType::TensorQuant8AsymmSigned, conv, convModel(OperandType::TensorQuant8AsymmSigned),
       [] { return cpuNanosecondsOf<int8_t, int32_t>(kConv); }},
      {OperandType::TensorInt32, "ADD" + elements, elementModel(OperandType::TensorInt32, OperationType::Add),
       [] { return cpuNanosecondsOf<int32_t>(kElements); }},
      {OperandType::TensorBool8, "LOGICAL_AND" + elements,
       elementModel(OperandType::TensorBool8, OperationType::LogicalAnd),
       [] { return cpuNanosecondsOf<uint8_t>(kElements); }},
      {OperandType::TensorQuant8SymmPerChannel, conv + ", filter with a scale for each channel", perChannelModel(),
       [] { return cpuNanosecondsOf<uint8_t, int32_t>(kConv); }},
      {OperandType::TensorQuant8Symm, "DEQUANTIZE" + elements,
       conversionModel(OperandType::TensorQuant8Symm, OperandType::TensorFloat32, OperationType::Dequantize),
       [] { return cpuNanosecondsOfConversion<int8_t>(kElements, [](int8_t stored) { return 0.5f * stored; }); }},
      {OperandType::TensorQuant16Symm, "CAST" + elements, copyModel(OperandType::TensorQuant16Symm),
       [] { return cpuNanosecondsOfConversion<int16_t>(kElements, [](int16_t stored) { return stored; }); }},
      {OperandType::TensorQuant16Asymm, "CAST" + elements, copyModel(OperandType::TensorQuant16Asymm),
       [] { return cpuNanosecondsOfConversion<uint16_t>(kElements, [](uint16_t stored) { return stored; }); }},
  };
}

SharedMemory poolOf(uint64_t bytes) {
  avocet::Result<FileDescriptor> file = createMemoryFile("calibration", bytes);
  if (!file)
    return nullptr;
  return std::make_shared<Memory>(Memory{Ashmem{std::make_shared<const FileDescriptor>(std::move(*file)), bytes}});
}

Request requestFor(const Model &model) {
  Request request;
  uint64_t inputs = 0, outputs = 0;
  auto place = [&](uint32_t operand, uint32_t pool, uint64_t &end) {
    uint64_t bytes = getNonExtensionSize(model.main.operands[operand]).value_or(0);
    end += bytes;
    return RequestArgument{false, {pool, end - bytes, bytes, 0}, {}};
  };
  for (uint32_t operand : model.main.inputIndexes)
    request.inputs.push_back(place(operand, 0, inputs));
  for (uint32_t operand : model.main.outputIndexes)
    request.outputs.push_back(place(operand, 1, outputs));
  request.pools = {poolOf(inputs), poolOf(outputs)};
  return request;
}

/// Fills in the device's figures; false if the device does not support the workload.
bool measureDevice(IDevice &device, const Workload &work, CalibrationFigure &figure,
                   const std::atomic<uint64_t> &picojoules) {
  hal::Result<std::shared_ptr<IPreparedModel>> prepared = device.prepareModel(work.model, {});
  if (!prepared)
    return false;
  ExecutionOutcome outcome = (*prepared)->execute(requestFor(work.model), {MeasureTiming::Yes, {}, {}, {}});
  if (!outcome.isOk() || !outcome.timing.timeOnDevice)
    return false;
  figure.deviceNanoseconds = static_cast<double>(outcome.timing.timeOnDevice->count());
  figure.deviceNanojoules = static_cast<double>(picojoules) * 1e-3;
  return true;
}

std::string today() {
  std::time_t now = std::time(nullptr);
  std::tm utc = {};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

std::string processorName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

} // namespace

avocet::Result<Calibration> calibrate(const std::string &target, Progress &progress) {
  auto picojoules = std::make_shared<std::atomic<uint64_t>>(0);
  DriverOptions options;
  options.target = target;
  options.profileSink = [picojoules](const firmware::JobProfile &profile) {
    *picojoules = profile.record.counters.energyPicojoules;
  };
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const firmware::Target> description, firmware::Target::load(target));
  hal::Result<std::shared_ptr<IDevice>> device = openDevice(options);
  if (!device)
    return internalError(device.error().message);
  Calibration result{description->name(), description->fingerprint(), (*device)->versionString(), {}};
  for (const Workload &work : workloads()) {
    progress.stage("measuring " + work.name);
    CalibrationFigure figure{work.type, work.name, 0, 0, 0};
    if (!measureDevice(**device, work, figure, *picojoules))
      continue;
    figure.cpuNanoseconds = work.cpu();
    result.figures.push_back(figure);
  }
  progress.clear();
  return result;
}

std::string toJson(const Calibration &calibration, double cpuWatts) {
  nlohmann::ordered_json json;
  json["target"] = calibration.target;
  json["fingerprint"] = fmt::format("{:016x}", calibration.fingerprint);
  json["driver"] = calibration.driver;
  json["date"] = today();
  json["reference"] = "plain loops on one thread of: " + processorName();
  json["referenceWatts"] = cpuWatts;
  for (const CalibrationFigure &figure : calibration.figures) {
    nlohmann::ordered_json entry;
    entry["type"] = toString(figure.type);
    entry["code"] = static_cast<int32_t>(figure.type);
    entry["workload"] = figure.workload;
    entry["deviceNanoseconds"] = static_cast<int64_t>(figure.deviceNanoseconds);
    entry["cpuNanoseconds"] = static_cast<int64_t>(figure.cpuNanoseconds);
    entry["execTime"] = figure.deviceNanoseconds / figure.cpuNanoseconds;
    entry["powerUsage"] = figure.deviceNanojoules / (figure.cpuNanoseconds * cpuWatts);
    json["figures"].push_back(entry);
  }
  return json.dump(2) + "\n";
}

namespace {

struct CalibrateOptions {
  std::string target;
  std::string output = "-";
  double cpuWatts = 2.0;
};

constexpr double kLeastWatts = 1e-3, kMostWatts = 1e6;

constexpr const char *kExamples = R"(Examples:
  avocet calibrate -t m512                                        the figures of m512 on the standard output
  avocet calibrate -t m512 -o hal/driver/data/capabilities-m512.json
The driver is built with the files in hal/driver/data. Measure on an idle machine, with a release build.)";

Status runCalibration(const CalibrateOptions &options) {
  std::string target = options.target.empty() ? knobText(knobs::kTarget) : options.target;
  Progress progress;
  AVOCET_ASSIGN_OR_RETURN(Calibration calibration, calibrate(target, progress));
  return writeFile(options.output, toJson(calibration, options.cpuWatts));
}

} // namespace

void addCalibrateCommand(CommandLine &app, Action &action) {
  CommandLine command = addSubcommandOf(app, "calibrate");
  command.setFooter(kExamples);
  auto options = std::make_shared<CalibrateOptions>();
  command.addText("-t,--target", options->target, "target to measure (default: $AVOCET_TARGET)");
  command.addText("-o,--output", options->output, "file to write, - for the standard output");
  addNumber(command, "--cpu-watts", options->cpuWatts, "power of the processor core that energy is relative to",
            kLeastWatts, kMostWatts)
      .showDefault();
  command.onSelected([&action, options] { action = [options] { return runCalibration(*options); }; });
}

} // namespace avocet::tool

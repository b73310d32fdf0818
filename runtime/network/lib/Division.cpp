//===- Division.cpp - Networks with operators on the host -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/network/Division.h"

#include "DivisionPlan.h"
#include "HeldAnswers.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/cache/ModelCacheWriter.h"
#include "avocet/runtime/Processor.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <memory>

namespace avocet::network {
namespace {

using session::DividedNetwork;
using session::DividedStep;
using session::LoadedModel;
using session::StepPlace;

/// Where the files of a division are: in the compiler's memory, or in a folder. `read` gives the bytes of one.
struct DivisionFiles {
  std::function<Result<std::vector<uint8_t>>(const std::string &name)> read;
  compiler::InputFormat format; ///< of the networks
};

class Division {
public:
  Division(const ModelChoice &choice, const DivisionFiles &files, DivisionPlan plan, Observer &observer)
      : choice_(choice), files_(files), plan_(std::move(plan)), observer_(observer) {}

  Result<LoadedModel> load() {
    const auto start = std::chrono::steady_clock::now();
    LoadedModel loaded;
    const std::string target = choice_.target.empty() ? knobText(knobs::kTarget) : choice_.target;
    AVOCET_ASSIGN_OR_RETURN(loaded.target, firmware::Target::load(target));
    for (const PlannedStep &step : plan_.steps)
      AVOCET_RETURN_IF_ERROR(addStep(step));
    AVOCET_RETURN_IF_ERROR(problems());
    AVOCET_RETURN_IF_ERROR(addValues());
    AVOCET_ASSIGN_OR_RETURN(loaded.artefacts.model, describe(*loaded.target));
    loaded.name = std::string(loaded.artefacts.model->modelName());
    loaded.divided = std::move(network_);
    loaded.compileMs = session::millisecondsSince(start);
    return loaded;
  }

private:
  Status addStep(const PlannedStep &planned) {
    DividedStep step;
    step.inputs = planned.inputs;
    step.outputs = planned.outputs;
    step.kind = planned.kind;
    step.reason = planned.reason;
    step.number = planned.number;
    AVOCET_RETURN_IF_ERROR(planned.network.empty() ? placeOperator(planned, step)
                                                   : compile(planned.network, choice_.target, planned, step));
    network_->steps.push_back(std::move(step));
    return Status::ok();
  }

  Status placeOperator(const PlannedStep &planned, DividedStep &step) {
    if (const auto known = choice_.operators.find(planned.custom); known != choice_.operators.end())
      return placeInApplication(planned, known->second, step);
    if (planned.alone.empty())
      return noteProblem(planned, adviceFor(planned));
    step.place = StepPlace::Cpu;
    const Status status = compile(planned.alone, std::string(runtime::kProcessorTarget), planned, step);
    return status.code() == StatusCode::Unsupported ? noteProblem(planned, "the CPU cannot run it, either") : status;
  }

  Status placeInApplication(const PlannedStep &planned, const session::HostOperator &compute, DividedStep &step) {
    for (const auto *values : {&planned.inputs, &planned.outputs})
      for (const size_t value : *values)
        if (const PlannedTensor &tensor = plan_.values[value].tensor; !tensor.isKnown)
          return noteProblem(planned, fmt::format("the file does not record the type and shape of '{}'; add them (in "
                                                  "an ONNX file to value_info)",
                                                  tensor.operand.name));
    step.place = StepPlace::Application;
    step.compute = compute;
    step.custom = planned.custom;
    AVOCET_ASSIGN_OR_RETURN(step.attributes, files_.read(planned.attributes));
    return Status::ok();
  }

  static std::string adviceFor(const PlannedStep &planned) {
    if (planned.custom.empty())
      return "the CPU cannot run it, either: " + planned.reason;
    return fmt::format("neither the target nor the CPU runs it; register a call-back for '{}' "
                       "(avocetOptionsSetOperator() in C, operators= in Python)",
                       planned.custom);
  }

  Status noteProblem(const PlannedStep &planned, const std::string &what) {
    const std::string number = planned.number ? fmt::format("operator {} ", *planned.number) : "";
    problems_.push_back(fmt::format("{}{}: {}", number, planned.kind, what));
    return Status::ok();
  }

  /// All are Unsupported.
  Status problems() const {
    if (problems_.empty())
      return Status::ok();
    const std::string more =
        problems_.size() > 1 ? fmt::format(" (and {} more of the kind)", problems_.size() - 1) : "";
    return unsupported(problems_.front() + more);
  }

  Status compile(const std::string &file, const std::string &target, const PlannedStep &planned, DividedStep &step) {
    AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, files_.read(file));
    ModelChoice part;
    part.path = file;
    part.bytes = bytes;
    part.format = files_.format;
    part.target = target;
    part.optimize = choice_.optimize;
    part.sourceMap = choice_.sourceMap;
    part.remark = choice_.remark;
    AVOCET_ASSIGN_OR_RETURN(step.model, loadModel(part, observer_));
    return checkBorder(*step.model.artefacts.model, planned).withContext(file);
  }

  /// The files may be of different divisions.
  Status checkBorder(const cache::ModelCache &model, const PlannedStep &planned) const {
    if (model.numInputs() != planned.inputs.size() || model.numOutputs() != planned.outputs.size() ||
        model.numStates() != 0)
      return dataLoss("its inputs and outputs are not those that the description has");
    for (size_t i = 0; i < planned.inputs.size(); ++i)
      AVOCET_RETURN_IF_ERROR(checkTensor(model.input(i), planned.inputs[i]));
    for (size_t i = 0; i < planned.outputs.size(); ++i)
      AVOCET_RETURN_IF_ERROR(checkTensor(model.output(i), planned.outputs[i]));
    return Status::ok();
  }

  Status checkTensor(const cache::OperandView &view, size_t value) const {
    const cache::Operand &known = plan_.values[value].tensor.operand;
    const bool isSame = view.type == known.type && std::ranges::equal(view.shape, known.shape);
    return isSame ? Status::ok()
                  : dataLoss(fmt::format("'{}' has another type or shape in the description", view.name));
  }

  Status addValues() {
    for (const PlannedValue &planned : plan_.values) {
      session::DividedValue value{planned.tensor.operand, {}};
      value.tensor.isState = false;
      if (!planned.constant.empty()) {
        AVOCET_ASSIGN_OR_RETURN(value.constant, files_.read(planned.constant));
        if (value.constant.size() != value.tensor.bytes)
          return dataLoss(fmt::format("{} has {} bytes, must have {}", planned.constant, value.constant.size(),
                                      value.tensor.bytes));
      }
      network_->values.push_back(std::move(value));
    }
    network_->inputs = plan_.inputs;
    network_->outputs = plan_.outputs;
    return Status::ok();
  }

  /// A model cache without a program: names, types and shapes of inputs, outputs and states.
  Result<std::shared_ptr<const cache::ModelCache>> describe(const firmware::Target &target) const {
    cache::ModelDescription model;
    model.modelName = plan_.model;
    model.targetName = target.name();
    model.targetFingerprint = target.fingerprint();
    for (const DividedStep &step : network_->steps)
      if (step.place == StepPlace::Device)
        model.predictedCycles += step.model.artefacts.model->predictedCycles();
    for (const size_t value : plan_.inputs) {
      AVOCET_ASSIGN_OR_RETURN(cache::Operand operand, describeInput(plan_.values[value].tensor));
      addRegion(cache::RegionKind::Input, model.inputs.size(), operand, model);
      model.inputs.push_back(std::move(operand));
    }
    for (const PlannedTensor &result : plan_.results) {
      if (!result.isKnown)
        return unsupported(
            fmt::format("the file does not say the type and shape of the output '{}'", result.operand.name));
      addRegion(cache::RegionKind::Output, model.outputs.size(), result.operand, model);
      model.outputs.push_back(result.operand);
      model.outputs.back().isState = false;
    }
    AVOCET_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, cache::writeModelCache(model));
    return cache::ModelCache::adopt(std::move(bytes), plan_.model);
  }

  Result<cache::Operand> describeInput(const PlannedTensor &tensor) const {
    cache::Operand operand = tensor.operand;
    if (!tensor.initial.empty()) {
      AVOCET_ASSIGN_OR_RETURN(operand.initial, files_.read(tensor.initial));
    }
    return operand;
  }

  static void addRegion(cache::RegionKind kind, size_t index, const cache::Operand &operand,
                        cache::ModelDescription &model) {
    model.regions.push_back({kind, static_cast<uint32_t>(index), operand.bytes});
  }

  const ModelChoice &choice_;
  const DivisionFiles &files_;
  const DivisionPlan plan_;
  Observer &observer_;
  std::shared_ptr<DividedNetwork> network_ = std::make_shared<DividedNetwork>();
  std::vector<std::string> problems_;
};

/// Files in the answer of the compiler.
DivisionFiles filesOf(const compiler::DivideResult &divided) {
  return {[&divided](const std::string &name) -> Result<std::vector<uint8_t>> {
            const auto found = std::ranges::find(divided.files, name, &compiler::NamedFile::name);
            if (found == divided.files.end())
              return notFound(name + ": the division has no such file");
            return std::vector<uint8_t>(found->bytes.begin(), found->bytes.end());
          },
          compiler::InputFormat::Bytecode};
}

DivisionFiles filesIn(const std::string &folder) {
  return {[folder](const std::string &name) -> Result<std::vector<uint8_t>> {
            if (name.empty() || name.find('/') != std::string::npos)
              return dataLoss(fmt::format("'{}' is no name of a file in the folder", name));
            return readFile(folder + "/" + name);
          },
          compiler::InputFormat::Mlir};
}

Result<LoadedModel> loadDivision(const ModelChoice &choice, const DivisionFiles &files, Observer &observer) {
  const std::string name(compiler::kPartitionFile);
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> text, files.read(name));
  Result<DivisionPlan> plan = parseDivisionPlan(text);
  if (!plan)
    return plan.status().withContext(choice.path + ": " + name);
  return Division(choice, files, std::move(*plan), observer).load();
}

} // namespace

Result<LoadedModel> loadDivided(const ModelChoice &choice, Observer &observer) {
  if (!choice.hints.empty())
    return invalidArgument(choice.path + ": operators on the host divide the network, and hints are for whole ones; "
                                         "leave out --hints");
  AVOCET_ASSIGN_OR_RETURN(const compiler::CompileRequest request, requestOf(choice));
  AVOCET_ASSIGN_OR_RETURN(const compiler::DivideResult divided,
                          divideModel({request, compiler::IrFormat::Bytecode, {}}, observer));
  return loadDivision(choice, filesOf(divided), observer);
}

bool isDivisionDir(const std::string &path) {
  std::error_code error;
  return std::filesystem::is_regular_file(std::filesystem::path(path) / compiler::kPartitionFile, error);
}

Result<LoadedModel> loadDivisionDir(const ModelChoice &choice, Observer &observer) {
  if (!choice.fallback)
    return invalidArgument(choice.path + ": some operators of this network run on the host; add --fallback cpu");
  if (!choice.signature.empty() || choice.inputs.any() || !choice.hints.empty())
    return invalidArgument(choice.path + ": the network was divided for one entry point and fixed shapes; leave out "
                                         "--signature, --shape, --dim, --value and --hints");
  return loadDivision(choice, filesIn(choice.path), observer);
}

} // namespace avocet::network

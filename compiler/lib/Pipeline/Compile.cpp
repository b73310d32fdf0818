//===- Compile.cpp - Models to artefacts, or to a phase ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Emit/Artefacts.h"
#include "Output.h"
#include "PassObserver.h"
#include "RemarkStream.h"
#include "Schedule/Hints/Hints.h"
#include "Schedule/Schedule.h"
#include "StepFilter.h"
#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Pipeline/Phases.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/UnusedConstants.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <fstream>
#include <string>
#include <string_view>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The borders of the phases are left out: they check the schedule that wins.
Result<uint64_t> simulate(ModuleOp module, const CompileRequest &request, const TargetPtr &target) {
  ArtefactBytes artefacts;
  if (failed(allocateModule(module, target)) || failed(convertNpuToCmd(module, *target)) ||
      failed(emitArtefacts(module, artefacts)))
    return isCancelled() ? Status(StatusCode::Aborted, "cancelled") : internalError("the schedule gives no artefacts");
  llvm::ArrayRef<char> data = artefacts.data.getData();
  return request.simulate(artefacts.model, {reinterpret_cast<const uint8_t *>(data.data()), data.size()});
}

std::function<bool()> timeLimit(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  return [end] { return Clock::now() >= end; };
}

/// The search of a checked request; its time starts now. A simulation runs the phases after schedule on its module.
/// The first error of a simulation is stored in `failure`. All arguments are borrowed. Loads the dialects of those
/// phases into the context.
ScheduleSearch searchOf(const CompileRequest &request, const TargetPtr &target, MLIRContext &context, Status &failure) {
  if (request.simulate)
    context.loadDialect<cmd::CmdDialect>(); // the pass that writes it has not run
  ScheduleSearch search;
  search.effort.level = request.optimize;
  search.effort.threads = request.threads;
  if (request.optimizeSeconds > 0)
    search.effort.isOver = timeLimit(request.optimizeSeconds);
  search.simulate = [&](ModuleOp module) {
    Result<uint64_t> cycles = simulate(module, request, target);
    if (!cycles && failure.isOk())
      failure = cycles.status();
    return cycles;
  };
  if (request.alternative)
    search.report = [&](const schedule::Alternative &made) {
      request.alternative({made.what, made.predictedCycles, made.simulatedCycles, made.isKept});
    };
  return search;
}

/// Time since construction and peak memory of the process.
class ResourceUse {
public:
  PhaseCost finish(std::string_view phase) const;

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// From /proc, because getrusage() also counts the process image before exec. 0 without /proc.
uint64_t peakMemoryBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

PhaseCost ResourceUse::finish(std::string_view phase) const {
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start_;
  return {std::string(phase), time.count(), peakMemoryBytes()};
}

/// How far a compilation goes.
struct Extent {
  Phase last = kLastPhase;
  bool isOnlyParsed = false;
  bool isEmitted = true; ///< it goes on to the artefacts

  /// Of CompileRequest::progress.
  uint32_t numSteps() const { return static_cast<uint32_t>(last) + (isEmitted ? 2 : 1); }
};

Status checkSearch(const CompileRequest &request) {
  if (request.optimize > kMostOptimize)
    return invalidArgument("optimization level " + std::to_string(request.optimize) +
                           " does not exist; the highest is " + std::to_string(kMostOptimize));
  if (!(request.optimizeSeconds >= 0) || request.optimizeSeconds > kMostOptimizeSeconds)
    return invalidArgument("the time of a search must be between 0 and a day");
  if ((request.optimize > kDefaultOptimize || request.optimizeSeconds > 0) && !request.simulate)
    return invalidArgument("optimization above level 1 needs a simulation, which this program does not provide");
  return Status::ok();
}

/// Checks what a request asks for, apart from its model.
Result<Extent> checkedExtent(const CompileRequest &request) {
  AVOCET_RETURN_IF_ERROR(checkSearch(request));
  Extent extent{.isOnlyParsed = request.stopAfter == kParseStep, .isEmitted = request.stopAfter.empty()};
  if (!extent.isEmitted && !extent.isOnlyParsed) {
    AVOCET_ASSIGN_OR_RETURN(extent.last, phaseNamed(request.stopAfter));
  }
  return extent;
}

Status checkStart(const CompileRequest &request, const InputFile &input) {
  if (!input.isModel() || request.startAt.empty() || request.startAt == nameOf(Phase::Import))
    return Status::ok();
  return invalidArgument(request.modelPath + ": " + titleOf(input.format) + " must start at the phase import, found " +
                         request.startAt);
}

/// Refuses a search on a module that has its schedule.
Status checkSearchAfter(const CompileRequest &request, Phase done) {
  if (done < Phase::Schedule || (request.optimize == kDefaultOptimize && request.optimizeSeconds == 0))
    return Status::ok();
  return invalidArgument(request.modelPath + ": the module has passed phase " + std::string(nameOf(done)) +
                         ", so its schedule is made; optimize from a module of phase " +
                         std::string(nameOf(Phase::Place)) + " or earlier");
}

Status checkOrder(const CompileRequest &request, Phase done, const Extent &extent) {
  if (done <= extent.last)
    return Status::ok();
  const std::string name(nameOf(done));
  return invalidArgument(request.modelPath + ": is IR of the phase " + name + ", which comes after " +
                         request.stopAfter + "; stop after " + name + " or later");
}

class Compilation : Call {
public:
  Compilation(const CompileRequest &request, CompileContext &context)
      : Call(request, context, result_), request_(request), observer_(request), stepFilter_(request, mlir()) {}

  CompileResult run() && {
    result_.status = compile();
    return std::move(result_);
  }

private:
  Status compile() {
    AVOCET_ASSIGN_OR_RETURN(extent_, checkedExtent(request_));
    AVOCET_RETURN_IF_ERROR(open(extent_.numSteps()));
    AVOCET_RETURN_IF_ERROR(checkStart(request_, input_));
    AVOCET_RETURN_IF_ERROR(input_.isModel() ? readModel() : readModule());
    if (extent_.isOnlyParsed)
      return input_.isModel() ? invalidArgument(request_.modelPath + ": only MLIR can be read without a phase")
                              : print();
    AVOCET_RETURN_IF_ERROR(checkOrder(request_, first_, extent_));
    AVOCET_RETURN_IF_ERROR(runPhases());
    return extent_.isEmitted ? emit() : print();
  }

  Status readModel() {
    ResourceUse use;
    ImportNeeds needs;
    module_ = importModel(mlir(), input_, request_, needs,
                          {.maxElements = request_.isSpecialized ? kMaxOpenElements : UINT64_MAX});
    if (needs.specialization)
      return noteNeeds(std::move(needs));
    AVOCET_RETURN_IF_ERROR(checkRead(needs));
    input_.buffer.reset(); // constants keep it as long as they need its bytes
    noteSourceMap();
    AVOCET_RETURN_IF_ERROR(noteHints());
    observer_.note(Phase::Import, "import", *module_);
    Status status = runPasses(Phase::Import);
    result_.phases.push_back(use.finish("import"));
    return status;
  }

  /// Reads a module, and checks it against the contract of its phase.
  Status readModule() {
    ResourceUse use;
    AVOCET_RETURN_IF_ERROR(parse());
    AVOCET_ASSIGN_OR_RETURN(first_, startPhase());
    noteSourceMap();
    AVOCET_RETURN_IF_ERROR(checkSearchAfter(request_, first_));
    AVOCET_RETURN_IF_ERROR(noteHints());
    observer_.note(first_, kParseStep, *module_);
    Status status = checkBorder(first_);
    result_.phases.push_back(use.finish(kParseStep));
    return status;
  }

  void noteSourceMap() {
    if (request_.sourceMap)
      (*module_)->setAttr(attrs::kSourceMap, UnitAttr::get(mlir()));
  }

  /// Adds the hints of the request to those that the module has.
  Status noteHints() {
    if (request_.hints.empty())
      return Status::ok();
    if (first_ >= Phase::Schedule)
      return invalidArgument(request_.modelPath + ": the module has passed phase " + std::string(nameOf(first_)) +
                             ", so its schedule is made; give hints with a module of phase " +
                             std::string(nameOf(Phase::Place)) + " or earlier");
    FailureOr<ArrayAttr> hints = schedule::parseHints(module_->getLoc(), request_.hints);
    if (failed(hints))
      return errorOf(StatusCode::InvalidArgument, "the hints cannot be read");
    llvm::SmallVector<Attribute> all(hints->begin(), hints->end());
    if (auto known = (*module_)->getAttrOfType<ArrayAttr>(attrs::kHints))
      all.insert(all.begin(), known.begin(), known.end());
    (*module_)->setAttr(attrs::kHints, ArrayAttr::get(mlir(), all));
    return Status::ok();
  }

  /// Refuses, before the first execution, operations that some execution could not run.
  Status noteNeeds(ImportNeeds needs) {
    result_.needsSpecialization = true;
    result_.valueInputs = std::move(needs.valueInputs);
    result_.valueNames = std::move(needs.valueNames);
    if (input_.format == InputFormat::Nnapi)
      AVOCET_RETURN_IF_ERROR(judgeOperations());
    if (!result_.valueNames.empty())
      return failedPrecondition(request_.modelPath + ": the program depends on the values of inputs " +
                                llvm::join(result_.valueNames, ", ") + "; give them (--value NAME=FILE)");
    return failedPrecondition(request_.modelPath + ": dimensions or values of inputs are not known yet");
  }

  Result<Phase> startPhase() {
    if (!request_.startAt.empty())
      return phaseNamed(request_.startAt);
    FailureOr<Phase> phase = phaseOf(*module_);
    if (failed(phase))
      return errorOf(StatusCode::InvalidArgument, "");
    return *phase;
  }

  Status runPhases() {
    for (auto next = static_cast<uint32_t>(first_) + 1; next <= static_cast<uint32_t>(extent_.last); ++next) {
      if (isCancelled())
        return Status(StatusCode::Aborted, "cancelled");
      auto phase = static_cast<Phase>(next);
      announce(nameOf(phase), next, extent_.numSteps());
      ResourceUse use;
      Status status = runPasses(phase);
      result_.phases.push_back(use.finish(nameOf(phase)));
      AVOCET_RETURN_IF_ERROR(status);
    }
    return Status::ok();
  }

  Status runPasses(Phase phase) {
    stepFilter_.enter(phase);
    Status simulated;
    PhaseOptions options{request_.threads, {}, /*freesConstants=*/true};
    const bool hasHints = (*module_)->hasAttr(attrs::kHints);
    if (phase == Phase::Schedule)
      options.search = searchOf(request_, target_, *mlir(), simulated);
    PassManager manager(mlir(), ModuleOp::getOperationName());
    buildPhase(manager, phase, target_, options);
    // The phase's border runs the verifiers once, for all its passes; who observes passes wants to see which one is
    // wrong.
    manager.enableVerifier(observer_.isOn());
    observer_.observe(manager, phase);
    if (succeeded(manager.run(*module_))) {
      // The phases place and cmd free what they write anew.
      if (phase == Phase::Nn || phase == Phase::Place)
        freeUnusedConstants(*module_);
      return Status::ok();
    }
    if (!simulated.isOk())
      return errorOf(simulated.code(), "the compilation failed");
    // What the importer wrote follows from the user's file.
    return phase == Phase::Import ? errorOf(StatusCode::InvalidArgument, "the model cannot be read")
                                  : failureOf(nameOf(phase), blame(phase == Phase::Schedule && hasHints));
  }

  /// A schedule in a file may have been edited: its form was checked, but not that it fits the device. Hints may ask
  /// for a schedule that does not exist.
  Blame blame(bool followsHints = false) const {
    return first_ >= Phase::Schedule || followsHints ? Blame::Input : Blame::Compiler;
  }

  Status emit() {
    announce("emit", extent_.numSteps() - 1, extent_.numSteps());
    ResourceUse use;
    auto artefacts = std::make_shared<ArtefactBytes>();
    LogicalResult emitted = emitArtefacts(*module_, *artefacts);
    result_.phases.push_back(use.finish("emit"));
    if (failed(emitted))
      return failureOf("emit", blame());
    result_.modelCache = artefacts->model;
    if (!input_.isModel())
      artefacts->input = input_.buffer;
    llvm::ArrayRef<char> data = artefacts->data.getData();
    result_.dataCache = {reinterpret_cast<const uint8_t *>(data.data()), data.size()};
    result_.storage = std::move(artefacts);
    warnOfLongRun();
    return Status::ok();
  }

  /// A network of seconds usually has a reason that its author can remove.
  void warnOfLongRun() {
    constexpr double kLongNanoseconds = 1e9;
    const auto cycles = programOf(*module_).getHeader().getAs<IntegerAttr>("predictedCycles");
    const double nanoseconds = cycles ? target_->nanoseconds(cycles.getValue().getZExtValue()) : 0;
    if (nanoseconds > kLongNanoseconds)
      result_.diagnostics.push_back(
          {Severity::Warning, request_.modelPath,
           llvm::formatv(
               "one run is predicted to take {0:F1} s of device time ({1} cycles); 'avocet explain' says which "
               "layers take it and why",
               nanoseconds / 1e9, cycles.getValue().getZExtValue())
               .str()});
  }

  Status print() {
    auto text = std::make_shared<std::string>();
    if (failed(printModule(*module_, request_.irFormat, *text)))
      return errorOf(StatusCode::Internal, "the module cannot be written");
    result_.ir = bytesOf(*text);
    result_.storage = std::move(text);
    return Status::ok();
  }

  const CompileRequest &request_;
  CompileResult result_;
  PassObserver observer_;
  StepFilter stepFilter_;
  Extent extent_;
  Phase first_ = Phase::Import;
};

} // namespace

CompileResult compile(const CompileRequest &request) {
  const Cancellation cancellation(request.cancelled);
  CompileContext context;
  if (request.remark)
    streamRemarks(context.mlir(), request.remark);
  return unlessCancelled(request, Compilation(request, context).run());
}

} // namespace avocet::compiler

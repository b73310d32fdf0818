//===- Compile.cpp - The compiler as one function ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Compiler.h"
#include "avocet/compiler/Support/Cancel.h"

#include "Alternatives.h"
#include "CompileContext.h"
#include "Input.h"
#include "Output.h"
#include "Partition.h"
#include "PassObserver.h"
#include "RemarkStream.h"
#include "ResourceUse.h"
#include "StepFilter.h"
#include "TargetCache.h"

#include "avocet/compiler/Conversion/NnToNpu.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Emit/Artefacts.h"
#include "avocet/compiler/Pipeline/Phases.h"
#include "avocet/compiler/Refusal.h"
#include "avocet/compiler/Schedule/Schedule.h"
#include "avocet/compiler/Support/ProgramAttrs.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;

namespace avocet::compiler {
namespace {

Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  case DiagnosticSeverity::Remark:
    return Severity::Remark;
  case DiagnosticSeverity::Note:
    return Severity::Note;
  }
  return Severity::Error;
}

constexpr size_t kMostMessageBytes = 4096;

/// Name of the phase schedule as a pass of avocet-opt.
constexpr llvm::StringLiteral kScheduleStep = "npu-schedule";

/// One compilation: context, module and reported diagnostics.
class Compilation {
public:
  Compilation(const CompileRequest &request, CompileContext &context)
      : request_(request), context_(context), observer_(request), stepFilter_(request, mlir()),
        handler_(mlir(), [this](mlir::Diagnostic &diagnostic) { return record(diagnostic); }) {}

  CompileResult run() && {
    Cancellation cancellation(request_.cancelled);
    if (request_.remark && !request_.supportOnly)
      streamRemarks(*mlir(), request_.remark);
    result_.status = compile();
    if (isCancelled())
      giveUp();
    return std::move(result_);
  }

private:
  MLIRContext *mlir() const { return &context_.mlir(); }

  /// Discards all diagnostics, which come from unfinished work, and sets the status Aborted.
  void giveUp() {
    result_ = {};
    result_.status = Status(StatusCode::Aborted, request_.modelPath + ": the compilation was cancelled");
  }

  Status compile() {
    if (request_.supportOnly && (!request_.stopAfter.empty() || !request_.startAt.empty()))
      return invalidArgument("a support query runs no phases; leave startAt and stopAfter empty");
    AVOCET_RETURN_IF_ERROR(checkSearch(request_));
    Phase last = kLastPhase;
    const bool isOnlyParsed = request_.stopAfter == kParseStep;
    if (!request_.stopAfter.empty() && !isOnlyParsed) {
      AVOCET_ASSIGN_OR_RETURN(last, phaseNamed(request_.stopAfter));
    }
    steps_ = static_cast<uint32_t>(last) + (request_.stopAfter.empty() ? 2 : 1);
    AVOCET_ASSIGN_OR_RETURN(target_, cachedTarget(request_.target));
    AVOCET_RETURN_IF_ERROR(read());
    if (isOnlyParsed)
      return input_.isModel() ? invalidArgument(request_.modelPath + ": only MLIR can be read without a phase")
                              : print();
    if (request_.supportOnly && !module_)
      return Status::ok(); // checked operation by operation
    if (request_.supportOnly)
      return first_ == Phase::Import ? succeeded(judge(*module_)) ? Status::ok() : failureOf("place")
                                     : invalidArgument("a support query must start at the phase import");
    if (request_.partition)
      return divide();
    if (first_ > last)
      return invalidArgument(std::string(request_.modelPath) + ": is IR of the phase " + std::string(nameOf(first_)) +
                             ", which comes after " + request_.stopAfter + "; stop after " +
                             std::string(nameOf(first_)) + " or later");
    AVOCET_RETURN_IF_ERROR(runPhases(last));
    return request_.stopAfter.empty() ? emit() : print();
  }

  /// Reads the model or module, and checks it against the contract of its phase.
  Status read() {
    AVOCET_ASSIGN_OR_RETURN(input_, openInput(request_));
    context_.noteModel(input_.buffer->getBufferSize());
    announce(nameOf(Phase::Import), 0);
    ResourceUse use;
    NnapiNeeds needs;
    const NnapiOptions options{request_.supportOnly, request_.isSpecialised ? kMaxOpenElements : UINT64_MAX};
    module_ =
        input_.isModel() ? importModel(mlir(), input_, request_.pools, needs, options) : parseModule(mlir(), input_);
    if (needs.specialisation)
      return noteNeeds(std::move(needs));
    result_.isTooLarge = needs.tooLarge;
    if (needs.tooLarge)
      return resourceExhausted(errorOf(StatusCode::ResourceExhausted, "").message());
    if (!module_)
      return errorOf(StatusCode::DataLoss, "the model cannot be read");
    Result<Phase> phase = input_.isModel() ? Result<Phase>(Phase::Import) : startPhase();
    if (!phase)
      return phase.status();
    first_ = *phase;
    if (request_.sourceMap)
      (*module_)->setAttr(attrs::kSourceMap, UnitAttr::get(mlir()));
    AVOCET_RETURN_IF_ERROR(checkSearchAfter(request_, first_));
    if (request_.supportOnly && input_.isModel())
      return Status::ok(); // the import has verified the module, and a support query runs no phases
    if (request_.partition)
      return Status::ok(); // its function has stand-ins, which the border refuses
    observer_.note(first_, input_.isModel() ? "import" : "parse", *module_);
    Status status = input_.isModel() ? runPasses(Phase::Import) : checkBorder();
    result_.phases.push_back(use.finish(input_.isModel() ? "import" : "parse"));
    return status;
  }

  /// Refuses, before the first execution, operations that some execution could not run.
  Status noteNeeds(NnapiNeeds needs) {
    result_.needsSpecialisation = !request_.supportOnly;
    if (!request_.supportOnly)
      result_.valueInputs = std::move(needs.valueInputs);
    auto judgeOne = [this](ModuleOp module) { return judge(module); };
    Status status = judged(queryNnapi(mlir(), input_.buffer, request_.pools, judgeOne));
    if (request_.supportOnly || !status.isOk())
      return status;
    return failedPrecondition(request_.modelPath + ": dimensions or values of inputs are not known yet");
  }

  /// Whether the target can run a module of phase import: places it, without the bytes of weights, and checks that each
  /// operation fits.
  LogicalResult judge(ModuleOp module) {
    if (failed(context_.runNn(module)) || failed(convertNnToNpu(module, *target_, ConstantContents::Omitted)))
      return failure();
    return checkSchedulable(module, target_);
  }

  Status judged(LogicalResult answer) const {
    return succeeded(answer) ? Status::ok() : errorOf(StatusCode::DataLoss, "the model cannot be judged");
  }

  Result<Phase> startPhase() {
    if (!request_.startAt.empty())
      return phaseNamed(request_.startAt);
    FailureOr<Phase> phase = phaseOf(*module_);
    if (failed(phase))
      return errorOf(StatusCode::InvalidArgument, "");
    return *phase;
  }

  /// Checks the target, too: a schedule fits only the target that it was made for.
  Status checkBorder() {
    for (auto program : module_->getOps<npu::ProgramOp>())
      if (program.getTarget() != target_->name())
        return invalidArgument(request_.modelPath + ": is IR for target '" + program.getTarget().str() +
                               "', but the request names '" + std::string(target_->name()) +
                               "'; choose the target of the IR (-t " + program.getTarget().str() + ")");
    if (succeeded(verifyBorder(*module_, first_, target_)))
      return Status::ok();
    return errorOf(StatusCode::InvalidArgument, "the module does not have the form that the phase writes");
  }

  Status runPhases(Phase last) {
    for (auto next = static_cast<uint32_t>(first_) + 1; next <= static_cast<uint32_t>(last); ++next) {
      if (isCancelled())
        return Status(StatusCode::Aborted, "cancelled");
      auto phase = static_cast<Phase>(next);
      announce(nameOf(phase), next);
      ResourceUse use;
      Status status = runPasses(phase);
      result_.phases.push_back(use.finish(nameOf(phase)));
      AVOCET_RETURN_IF_ERROR(status);
    }
    return Status::ok();
  }

  /// The phase schedule, which looks at alternatives.
  Status runSchedule() {
    Status failure;
    const LogicalResult scheduled = scheduleModule(*module_, target_, searchOf(request_, target_, failure));
    if (succeeded(scheduled) && succeeded(verifyBorder(*module_, Phase::Schedule, target_))) {
      notePhase(*module_, Phase::Schedule);
      observer_.note(Phase::Schedule, kScheduleStep, *module_);
      return Status::ok();
    }
    observer_.noteFailure(Phase::Schedule, kScheduleStep);
    return failure.isOk() ? failureOf(nameOf(Phase::Schedule)) : errorOf(failure.code(), "the compilation failed");
  }

  Status runPasses(Phase phase) {
    stepFilter_.enter(phase);
    if (phase == Phase::Schedule)
      return runSchedule();
    PassManager manager(mlir(), ModuleOp::getOperationName());
    buildPhase(manager, phase, target_, request_.threads);
    // The phase's border runs the verifiers once, for all its passes; who observes passes wants to see which one is
    // wrong.
    manager.enableVerifier(observer_.isOn());
    observer_.observe(manager, phase);
    if (succeeded(manager.run(*module_)))
      return Status::ok();
    // What the importer wrote follows from the user's file.
    return phase == Phase::Import ? errorOf(StatusCode::InvalidArgument, "the model cannot be read")
                                  : failureOf(nameOf(phase));
  }

  /// Divides the module until all networks can be placed: operations that the placement refuses are unsupported, too.
  Status divide() {
    auto reasonOf = [this](Operation *operation) { return reasonOfRefusal(operation->getLoc()); };
    for (;;) {
      const size_t refused = reasons_.size();
      auto divided = std::make_shared<Partition>(partition(*module_, reasonOf));
      for (PartitionPart &part : divided->parts)
        if (failed(place(*part.module)) && reasons_.size() == refused)
          return errorOf(StatusCode::Internal, part.name + " cannot be compiled");
      if (reasons_.size() == refused)
        return publish(std::move(divided));
    }
  }

  std::string reasonOfRefusal(Location location) const {
    auto reason = reasons_.find(describeLocation(location));
    return reason == reasons_.end() ? std::string() : reason->second;
  }

  /// Places a copy, and checks that each operation fits.
  LogicalResult place(ModuleOp module) {
    OwningOpRef<ModuleOp> copy = module.clone();
    PassManager manager(mlir(), ModuleOp::getOperationName());
    for (Phase phase : {Phase::Import, Phase::Nn, Phase::Place})
      buildPhase(manager, phase, target_);
    return failed(manager.run(*copy)) ? failure() : checkSchedulable(*copy, target_);
  }

  Status publish(std::shared_ptr<Partition> divided) {
    struct Files {
      std::shared_ptr<Partition> partition;
      std::vector<std::string> texts;
    };
    auto files = std::make_shared<Files>(Files{divided, {}});
    for (PartitionPart &part : divided->parts)
      if (failed(printModule(*part.module, request_.irFormat, files->texts.emplace_back())))
        return errorOf(StatusCode::Internal, "the networks cannot be written");
    auto add = [&](const std::string &name, const auto &bytes) {
      result_.files.push_back({name, {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}});
    };
    for (size_t i = 0; i < files->texts.size(); ++i) {
      divided->parts[i].module = nullptr; // the context ends before the result
      add(divided->parts[i].name, files->texts[i]);
    }
    for (const PartitionConstant &constant : divided->constants)
      add(constant.name, constant.bytes);
    add("partition.json", divided->description);
    result_.storage = std::move(files);
    return Status::ok();
  }

  Status emit() {
    announce("emit", steps_ - 1);
    ResourceUse use;
    auto artefacts = std::make_shared<ArtefactBytes>();
    LogicalResult emitted = emitArtefacts(*module_, *artefacts);
    result_.phases.push_back(use.finish("emit"));
    if (failed(emitted))
      return failureOf("emit");
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
    result_.ir = {reinterpret_cast<const uint8_t *>(text->data()), text->size()};
    result_.storage = std::move(text);
    return Status::ok();
  }

  void announce(std::string_view name, uint32_t index) const {
    if (request_.progress)
      request_.progress(name, index, steps_);
  }

  LogicalResult record(mlir::Diagnostic &diagnostic) {
    add(diagnostic);
    const std::optional<Refusal> refusal = refusalOf(diagnostic);
    if (refusal && request_.partition) {
      result_.diagnostics.back().severity = Severity::Warning;
      reasons_.try_emplace(refusal->location, diagnostic.str());
    }
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      add(note);
    if (refusal)
      result_.refusals.push_back(*refusal);
    return success();
  }

  /// Attributes and types in a message may have thousands of elements.
  void add(mlir::Diagnostic &diagnostic) {
    std::string message = diagnostic.str();
    if (message.size() > kMostMessageBytes)
      message.replace(kMostMessageBytes, std::string::npos, " ...");
    result_.diagnostics.push_back(
        {severityOf(diagnostic.getSeverity()), describeLocation(diagnostic.getLocation()), std::move(message)});
  }

  /// The first error at an operation that the user's file names; otherwise the first error, or null.
  const Diagnostic *firstError() const {
    const Diagnostic *first = nullptr;
    for (const Diagnostic &diagnostic : result_.diagnostics) {
      if (diagnostic.severity != Severity::Error)
        continue;
      if (diagnostic.location.find(':') != std::string::npos) // "file:operation"
        return &diagnostic;
      first = first ? first : &diagnostic;
    }
    return first;
  }

  /// The status of a step that failed on a module which an earlier step wrote or checked: an error of the compiler
  /// unless an operation was refused.
  Status failureOf(std::string_view step) const {
    const Diagnostic *error = firstError();
    if (!result_.refusals.empty())
      return errorOf(StatusCode::Unsupported, "");
    const std::string place = error && !error->location.empty() ? error->location : request_.modelPath;
    return internalError(place + ": internal error of the compiler in phase " + std::string(step) +
                         (error ? ": " + error->message : ""));
  }

  /// The status of a failure that diagnostics describe: Unsupported if there are refusals, otherwise `code`. Its
  /// message is that of the first error.
  Status errorOf(StatusCode code, const std::string &fallback) const {
    if (!result_.refusals.empty())
      return unsupported(std::to_string(result_.refusals.size()) + " operation(s) of the model cannot run on target '" +
                         request_.target + "'");
    for (const Diagnostic &diagnostic : result_.diagnostics)
      if (diagnostic.severity == Severity::Error)
        return Status(code, (diagnostic.location.empty() ? request_.modelPath : diagnostic.location) + ": " +
                                diagnostic.message);
    return Status(code, request_.modelPath + ": " + fallback);
  }

  const CompileRequest &request_;
  CompileResult result_;
  InputFile input_; ///< the module's constants may refer to its bytes
  CompileContext &context_;
  PassObserver observer_;
  StepFilter stepFilter_;
  ScopedDiagnosticHandler handler_;
  std::shared_ptr<const firmware::Target> target_;
  OwningOpRef<ModuleOp> module_;
  Phase first_ = Phase::Import;
  std::map<std::string, std::string> reasons_; ///< of refusals, by location; for a partition
  uint32_t steps_ = 0; ///< phases from import up to the last one, plus one if artefacts are emitted
};

/// An exception destroys the context, too.
CompileResult answer(const CompileRequest &request) {
  std::unique_ptr<CompileContext> context = takeQuestionContext();
  CompileResult result = Compilation(request, *context).run();
  keepQuestionContext(std::move(context));
  return result;
}

} // namespace

CompileResult compile(const CompileRequest &request) {
  if (request.supportOnly)
    return answer(request);
  CompileContext context;
  return Compilation(request, context).run();
}

} // namespace avocet::compiler

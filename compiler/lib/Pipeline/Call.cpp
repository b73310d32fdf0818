//===- Call.cpp - One call of the facade ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include "Schedule/Schedule.h"
#include "avocet/base/Status.h"
#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/Refusal.h"
#include "avocet/firmware_iface/Target.h"

#include "mlir/IR/Verifier.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// As firmware::Target::load(), but loads each name or path once per process. A process that has given up its right to
/// open files can still compile for targets loaded before. Failures are not cached. Thread-safe.
Result<std::shared_ptr<const firmware::Target>> cachedTarget(const std::string &nameOrPath) {
  static std::mutex mutex; // guards targets; held while a file is read, because all callers need the result
  static std::map<std::string, std::shared_ptr<const firmware::Target>> targets;
  std::lock_guard lock(mutex);
  std::shared_ptr<const firmware::Target> &target = targets[nameOrPath];
  if (target == nullptr) {
    Result<std::shared_ptr<const firmware::Target>> loaded = firmware::Target::load(nameOrPath);
    if (!loaded) {
      targets.erase(nameOrPath);
      return loaded;
    }
    target = *loaded;
  }
  return target;
}

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

} // namespace

Call::Call(const ModelRequest &request, CompileContext &context, Verdict &verdict)
    : request_(request), context_(context), verdict_(verdict),
      handler_(mlir(), [this](mlir::Diagnostic &diagnostic) { return record(diagnostic); }) {}

Status Call::open(uint32_t steps) {
  AVOCET_ASSIGN_OR_RETURN(target_, cachedTarget(request_.target));
  AVOCET_ASSIGN_OR_RETURN(input_, openInput(request_));
  context_.noteModel(input_.buffer->getBufferSize());
  announce(nameOf(Phase::Import), 0, steps);
  return Status::ok();
}

Status Call::checkRead(const ImportNeeds &needs) {
  verdict_.isTooLarge = needs.tooLarge;
  if (needs.tooLarge)
    return resourceExhausted(errorOf(StatusCode::ResourceExhausted, "").message());
  return module_ ? Status::ok() : errorOf(StatusCode::DataLoss, "the model cannot be read");
}

Status Call::parse() {
  AVOCET_RETURN_IF_ERROR(checkBytecode(request_, input_.format));
  module_ = parseModule(mlir(), input_);
  AVOCET_RETURN_IF_ERROR(checkRead({}));
  if (hasTosa(*module_)) {
    if (failed(verify(*module_)) || failed(convertTosaToNn(*module_)))
      return errorOf(StatusCode::InvalidArgument, "the TOSA network cannot be read");
    notePhase(*module_, Phase::Import);
  }
  return request_.prefersTargetOfModule ? chooseTargetOfModule() : Status::ok();
}

Status Call::chooseTargetOfModule() {
  for (auto program : module_->getOps<npu::ProgramOp>()) {
    if (program.getTarget() == target_->name())
      continue;
    Result<TargetPtr> target = cachedTarget(program.getTarget().str());
    if (!target)
      return invalidArgument(request_.modelPath + ": is IR for target '" + program.getTarget().str() +
                             "', which is none of the shipped ones; give its file (-t FILE)");
    target_ = *target;
  }
  return Status::ok();
}

Status Call::checkBorder(Phase phase) {
  for (auto program : module_->getOps<npu::ProgramOp>())
    if (program.getTarget() != target_->name())
      return invalidArgument(request_.modelPath + ": is IR for target '" + program.getTarget().str() +
                             "', but the request names '" + std::string(target_->name()) +
                             "'; choose the target of the IR (-t " + program.getTarget().str() + ")");
  if (succeeded(verifyBorder(*module_, phase, target_)))
    return Status::ok();
  return errorOf(StatusCode::InvalidArgument, "the module does not have the form that the phase writes");
}

LogicalResult Call::judgeModule(ModuleOp module) {
  if (failed(context_.runGraphPasses(module)) || failed(convertNnToNpu(module, *target_, ConstantContents::Omitted)))
    return failure();
  return checkSchedulable(module, target_);
}

Status Call::judgeOperations() {
  auto judgeOne = [this](ModuleOp module) { return judgeModule(module); };
  if (succeeded(queryNnapi(mlir(), input_.buffer, request_.pools, judgeOne)))
    return Status::ok();
  return errorOf(StatusCode::DataLoss, "the model cannot be judged");
}

void Call::announce(std::string_view name, uint32_t index, uint32_t steps) const {
  if (request_.progress)
    request_.progress(name, index, steps);
}

LogicalResult Call::record(mlir::Diagnostic &diagnostic) {
  const std::optional<Refusal> refusal = refusalOf(diagnostic);
  add(diagnostic, refusal && !refuses(diagnostic, *refusal));
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    add(note);
  if (refusal)
    verdict_.refusals.push_back(*refusal);
  return success();
}

/// Attributes and types in a message may have thousands of elements.
void Call::add(mlir::Diagnostic &diagnostic, bool isWarning) {
  std::string message = diagnostic.str();
  if (message.size() > kMostMessageBytes)
    message.replace(kMostMessageBytes, std::string::npos, " ...");
  verdict_.diagnostics.push_back({isWarning ? Severity::Warning : severityOf(diagnostic.getSeverity()),
                                  describeLocation(diagnostic.getLocation()), std::move(message)});
}

/// The first error at an operation that the user's file names; otherwise the first error, or null.
const Diagnostic *Call::firstError() const {
  const Diagnostic *first = nullptr;
  for (const Diagnostic &diagnostic : verdict_.diagnostics) {
    if (diagnostic.severity != Severity::Error)
      continue;
    if (diagnostic.location.find(':') != std::string::npos) // "file:operation"
      return &diagnostic;
    first = first ? first : &diagnostic;
  }
  return first;
}

Status Call::failureOf(std::string_view step, Blame blame) const {
  const Diagnostic *error = firstError();
  if (!verdict_.refusals.empty())
    return errorOf(StatusCode::Unsupported, "");
  if (blame == Blame::Input)
    return errorOf(StatusCode::InvalidArgument, "the module does not get through phase " + std::string(step));
  const std::string place = error && !error->location.empty() ? error->location : request_.modelPath;
  return internalError(place + ": internal error of the compiler in phase " + std::string(step) +
                       (error ? ": " + error->message : ""));
}

Status Call::errorOf(StatusCode code, const std::string &fallback) const {
  if (!verdict_.refusals.empty())
    return unsupported(std::to_string(verdict_.refusals.size()) + " operation(s) of the model cannot run on target '" +
                       std::string(target_ ? target_->name() : request_.target) + "'");
  for (const Diagnostic &diagnostic : verdict_.diagnostics)
    if (diagnostic.severity == Severity::Error)
      return Status(code, (diagnostic.location.empty() ? request_.modelPath : diagnostic.location) + ": " +
                              diagnostic.message);
  return Status(code, request_.modelPath + ": " + fallback);
}

} // namespace avocet::compiler

//===- Divide.cpp - Networks between unsupported operators ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Import/Common/KeptOperator.h"
#include "Output.h"
#include "Partition.h"
#include "RemarkStream.h"

#include "Schedule/Schedule.h"
#include "avocet/compiler/Support/Refusal.h"

#include "mlir/Pass/PassManager.h"

#include <map>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The bytes of an answer's files.
struct DividedFiles {
  Partition partition;
  std::vector<std::string> texts; ///< of its parts, then of its operators
};

class Division : Call {
public:
  Division(const DivideRequest &request, CompileContext &context)
      : Call(request, context, answer_), request_(request) {}

  DivideResult run() && {
    answer_.status = divide();
    return std::move(answer_);
  }

private:
  bool refuses(mlir::Diagnostic &diagnostic, const Refusal &refusal) override {
    reasons_.try_emplace(refusal.location, Unsupported{refusal.operation, diagnostic.str()});
    return false;
  }

  Status divide() {
    AVOCET_RETURN_IF_ERROR(open(/*steps=*/1));
    AVOCET_RETURN_IF_ERROR(input_.isModel() ? readModel() : readModule());
    return divideModule();
  }

  Status readModel() {
    if (input_.format == InputFormat::Nnapi)
      return invalidArgument(request_.modelPath + ": NNAPI models are divided by their clients (hal/partition)");
    ImportNeeds needs;
    module_ = importModel(mlir(), input_, request_, needs, {}, RefusedOperators::Keep);
    return checkRead(needs);
  }

  Status readModule() {
    AVOCET_RETURN_IF_ERROR(parse());
    const FailureOr<Phase> phase = phaseOf(*module_);
    if (failed(phase))
      return errorOf(StatusCode::InvalidArgument, "");
    if (*phase != Phase::Import)
      return invalidArgument(request_.modelPath + ": only modules of phase import can be divided");
    return checkBorder(*phase);
  }

  /// Divides the module until all networks can be placed: operations that the placement refuses are unsupported, too.
  Status divideModule() {
    const auto find = [this](Operation *operation) { return unsupportedIn(operation); };
    for (;;) {
      const size_t refused = reasons_.size();
      Partition divided = partition(*module_, find);
      for (PartitionPart &part : divided.parts)
        if (failed(place(*part.module)) && reasons_.size() == refused)
          return errorOf(StatusCode::Internal, part.name + " cannot be compiled");
      if (reasons_.size() == refused)
        return publish(std::move(divided));
    }
  }

  /// Why the operation, or one in its regions, cannot be compiled.
  std::optional<Unsupported> unsupportedIn(Operation *operation) const {
    std::optional<Unsupported> found;
    operation->walk([&](Operation *each) {
      found = unsupported(each);
      if (found && each != operation)
        found->kind = operation->getName().stripDialect().upper() + " with " + found->kind;
      return found ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  }

  std::optional<Unsupported> unsupported(Operation *operation) const {
    if (const auto reason = reasons_.find(describeLocation(operation->getLoc())); reason != reasons_.end())
      return reason->second;
    if (const auto kept = keptOperator(operation))
      return Unsupported{kept->kind, "an operator in its branches or its body cannot be compiled"};
    if (isa<UnrealizedConversionCastOp>(operation)) // an importer left it out
      return Unsupported{"operator", "it reads the result of an operator whose type and shape are not known"};
    return std::nullopt;
  }

  /// Places a copy, and checks that each operation fits.
  LogicalResult place(ModuleOp module) {
    OwningOpRef<ModuleOp> copy = module.clone();
    PassManager manager(mlir(), ModuleOp::getOperationName());
    for (Phase phase : {Phase::Import, Phase::Nn, Phase::Place})
      buildPhase(manager, phase, target_);
    return failed(manager.run(*copy)) ? failure() : checkSchedulable(*copy, target_);
  }

  Status publish(Partition divided) {
    auto files = std::make_shared<DividedFiles>(DividedFiles{std::move(divided), {}});
    Partition &made = files->partition;
    std::vector<std::string> names;
    for (std::vector<PartitionPart> *parts : {&made.parts, &made.operators})
      for (PartitionPart &part : *parts) {
        if (failed(printModule(*part.module, request_.irFormat, files->texts.emplace_back())))
          return errorOf(StatusCode::Internal, "the networks cannot be written");
        names.push_back(part.name);
        part.module = nullptr; // the context ends before the result
      }
    for (const auto &[name, text] : llvm::zip_equal(names, files->texts))
      answer_.files.push_back({name, bytesOf(text)});
    for (const PartitionData &each : made.data)
      answer_.files.push_back({each.name, each.bytes});
    answer_.files.push_back({std::string(kPartitionFile), bytesOf(made.description)});
    answer_.storage = std::move(files);
    return Status::ok();
  }

  const DivideRequest &request_;
  DivideResult answer_;
  std::map<std::string, Unsupported> reasons_; ///< of refusals, by location
};

} // namespace

DivideResult divide(const DivideRequest &request) {
  const Cancellation cancellation(request.cancelled);
  CompileContext context;
  if (request.remark)
    streamRemarks(context.mlir(), request.remark);
  return unlessCancelled(request, Division(request, context).run());
}

} // namespace avocet::compiler

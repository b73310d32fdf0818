//===- Divide.cpp - Networks between unsupported operators ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
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
  std::vector<std::string> texts; ///< of its parts
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
    reasons_.try_emplace(refusal.location, diagnostic.str());
    return false;
  }

  Status divide() {
    AVOCET_RETURN_IF_ERROR(open(/*steps=*/1));
    if (input_.format != InputFormat::Tflite)
      return invalidArgument(request_.modelPath + ": only TFLite models can be partitioned");
    ImportNeeds none;
    module_ = importModel(mlir(), input_, request_, none, {}, RefusedOperators::Keep);
    AVOCET_RETURN_IF_ERROR(checkRead(none));
    return divideModule();
  }

  /// Divides the module until all networks can be placed: operations that the placement refuses are unsupported, too.
  Status divideModule() {
    auto reasonOf = [this](Operation *operation) { return reasonOfRefusal(operation->getLoc()); };
    for (;;) {
      const size_t refused = reasons_.size();
      Partition divided = partition(*module_, reasonOf);
      for (PartitionPart &part : divided.parts)
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

  Status publish(Partition divided) {
    auto files = std::make_shared<DividedFiles>(DividedFiles{std::move(divided), {}});
    for (PartitionPart &part : files->partition.parts) {
      if (failed(printModule(*part.module, request_.irFormat, files->texts.emplace_back())))
        return errorOf(StatusCode::Internal, "the networks cannot be written");
      part.module = nullptr; // the context ends before the result
    }
    for (const auto &[part, text] : llvm::zip(files->partition.parts, files->texts))
      answer_.files.push_back({part.name, bytesOf(text)});
    for (const PartitionConstant &constant : files->partition.constants)
      answer_.files.push_back({constant.name, constant.bytes});
    answer_.files.push_back({"partition.json", bytesOf(files->partition.description)});
    answer_.storage = std::move(files);
    return Status::ok();
  }

  const DivideRequest &request_;
  DivideResult answer_;
  std::map<std::string, std::string> reasons_; ///< of refusals, by location
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

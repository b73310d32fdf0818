//===- Judge.cpp - What a target cannot run ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

class Judging : Call {
public:
  Judging(const JudgeRequest &request, CompileContext &context) : Call(request, context, answer_) {}

  Verdict run() && {
    answer_.status = judge();
    return std::move(answer_);
  }

private:
  Status judge() {
    AVOCET_RETURN_IF_ERROR(open(/*steps=*/1));
    AVOCET_RETURN_IF_ERROR(input_.isModel() ? readModel() : readModule());
    if (!module_)
      return judgeOperations();
    return succeeded(judgeModule(*module_)) ? Status::ok() : failureOf(nameOf(Phase::Place));
  }

  /// No module: the model leaves extents or values open. The import has verified it otherwise.
  Status readModel() {
    ImportNeeds needs;
    module_ = importModel(mlir(), input_, request_, needs, {.isQuery = true});
    return needs.specialization ? Status::ok() : checkRead(needs);
  }

  Status readModule() {
    AVOCET_RETURN_IF_ERROR(parse());
    const FailureOr<Phase> phase = phaseOf(*module_);
    if (failed(phase))
      return errorOf(StatusCode::InvalidArgument, "");
    AVOCET_RETURN_IF_ERROR(checkBorder(*phase));
    return *phase == Phase::Import ? Status::ok() : invalidArgument("a support query must start at the phase import");
  }

  Verdict answer_;
};

} // namespace

/// An exception destroys the context, too.
Verdict judge(const JudgeRequest &request) {
  const Cancellation cancellation(request.cancelled);
  std::unique_ptr<CompileContext> context = takeQuestionContext();
  Verdict answer = unlessCancelled(request, Judging(request, *context).run());
  keepQuestionContext(std::move(context));
  return answer;
}

} // namespace avocet::compiler

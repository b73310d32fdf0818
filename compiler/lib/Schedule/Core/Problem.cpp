//===- Problem.cpp - Rules of a well-formed problem -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/Problem.h"

#include <string>

namespace avocet::compiler::schedule {

namespace {

class Checker {
public:
  explicit Checker(const Problem &problem) : problem_(problem), written_(problem.tensors.size(), false) {
    for (size_t i = 0; i < problem.tensors.size(); ++i)
      written_[i] = problem.tensors[i].networkInput != kNone;
  }

  Status run() {
    if (!problem_.target)
      return invalidArgument("problem: no target");
    for (const Tensor &tensor : problem_.tensors)
      if (tensor.shape.bytes() == 0)
        return invalidArgument("problem: a tensor has no bytes");
    for (size_t i = 0; i < problem_.operations.size(); ++i)
      if (Status status = checkOperation(problem_.operations[i]); !status.isOk())
        return std::move(status).withContext("operation " + std::to_string(i));
    return checkOutputs();
  }

private:
  Status checkOperation(const Operation &op) {
    if (op.outputs.empty() || op.window.stride == 0 || op.window.reach == 0)
      return invalidArgument("has no output or an empty row window");
    for (const Operand &input : op.inputs)
      AVOCET_RETURN_IF_ERROR(checkInput(input));
    for (uint32_t constant : {op.weights, op.records, op.table})
      if (constant != kNone && constant >= problem_.constants.size())
        return invalidArgument("refers to a constant that does not exist");
    if (op.hasWeightsInput() && op.outputs[0].shape.height % op.inputs[Operation::kWeightsInput].shape.height != 0)
      return invalidArgument("has rows that do not fall into its sets of weights");
    if (op.dynamicScale != kNone && (op.dynamicScale >= written_.size() || !written_[op.dynamicScale]))
      return invalidArgument("reads its dynamic scale before it is written");
    for (const Operand &output : op.outputs)
      AVOCET_RETURN_IF_ERROR(checkOutput(output));
    return Status::ok();
  }

  Status checkInput(const Operand &input) {
    size_t count = input.isConstant ? problem_.constants.size() : problem_.tensors.size();
    if (input.id >= count)
      return invalidArgument("reads a tensor or constant that does not exist");
    uint64_t have = input.isConstant ? problem_.constants[input.id].bytes : problem_.tensors[input.id].shape.bytes();
    if (have != input.shape.bytes())
      return invalidArgument("reads " + std::to_string(input.shape.bytes()) + " of " + std::to_string(have) + " bytes");
    if (!input.isConstant && !written_[input.id])
      return invalidArgument("reads tensor " + std::to_string(input.id) + " before it is written");
    return Status::ok();
  }

  Status checkOutput(const Operand &output) {
    if (output.isConstant || output.id >= problem_.tensors.size() || problem_.tensors[output.id].shape != output.shape)
      return invalidArgument("writes a tensor that does not exist or has another shape");
    if (written_[output.id])
      return invalidArgument("writes tensor " + std::to_string(output.id) + " again");
    written_[output.id] = true;
    return Status::ok();
  }

  Status checkOutputs() const {
    for (size_t i = 0; i < problem_.tensors.size(); ++i)
      if (!problem_.tensors[i].networkOutputs.empty() && !written_[i])
        return invalidArgument("network output tensor " + std::to_string(i) + " is never written");
    return Status::ok();
  }

  const Problem &problem_;
  std::vector<bool> written_;
};

} // namespace

Status Problem::check() const { return Checker(*this).run(); }

} // namespace avocet::compiler::schedule

//===- Problem.cpp - Rules of a well-formed problem -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/Problem.h"

#include <algorithm>
#include <span>
#include <string>

namespace avocet::compiler::schedule {

namespace {

/// An operation's output in a tensor.
struct Writer {
  uint32_t operation = 0;
  const Operand *operand = nullptr;
};

class Checker {
public:
  explicit Checker(const Problem &problem) : problem_(problem), writers_(problem.tensors.size()) {}

  Status run() {
    if (!problem_.target)
      return invalidArgument("problem: no target");
    for (const Tensor &tensor : problem_.tensors)
      if (tensor.shape.bytes() == 0)
        return invalidArgument("problem: a tensor has no bytes");
    for (bool outputs : {true, false}) // what is read depends on all that is written
      for (uint32_t i = 0; i < problem_.operations.size(); ++i)
        if (Status status = outputs ? checkOutputs(i) : checkInputs(i); !status.isOk())
          return std::move(status).withContext("operation " + std::to_string(i));
    return checkTensors();
  }

private:
  Status checkInputs(uint32_t index) {
    const Operation &op = problem_.operations[index];
    if (op.window.stride == 0 || op.window.reach == 0)
      return invalidArgument("has an empty row window");
    for (const Operand &input : op.inputs)
      AVOCET_RETURN_IF_ERROR(checkInput(index, input));
    for (uint32_t constant : {op.weights, op.records, op.table})
      if (constant != kNone && constant >= problem_.constants.size())
        return invalidArgument("refers to a constant that does not exist");
    if (op.hasWeightsInput())
      AVOCET_RETURN_IF_ERROR(checkSets(op));
    if (op.hasAddend())
      AVOCET_RETURN_IF_ERROR(checkAddend(op));
    if (op.dynamicScale == kNone)
      return Status::ok();
    if (op.dynamicScale >= problem_.tensors.size())
      return invalidArgument("has a dynamic scale that does not exist");
    return checkWritten(index, {false, op.dynamicScale, problem_.tensors[op.dynamicScale].shape});
  }

  static Status checkSets(const Operation &op) {
    const Operand &weights = op.inputs[Operation::kWeightsInput];
    if (op.outputs[0].shape.height % weights.shape.height != 0)
      return invalidArgument("has rows that do not fall into its sets of weights");
    return weights.isDense() ? Status::ok() : invalidArgument("has weights with gaps");
  }

  static Status checkAddend(const Operation &op) {
    if (op.inputs[Operation::kAddendInput].shape != op.outputs[0].shape)
      return invalidArgument("adds a tensor of another shape or type than its result's");
    return op.table == kNone ? Status::ok() : invalidArgument("has a table and an addend");
  }

  Status checkInput(uint32_t index, const Operand &input) {
    const size_t count = input.isConstant ? problem_.constants.size() : problem_.tensors.size();
    if (input.id >= count)
      return invalidArgument("reads a tensor or constant that does not exist");
    if (!input.isConstant) {
      AVOCET_RETURN_IF_ERROR(checkPlace(input));
      return checkWritten(index, input);
    }
    const uint64_t have = problem_.constants[input.id].bytes;
    if (have != input.shape.bytes() || input.offset != 0 || !input.isDense())
      return invalidArgument("reads " + std::to_string(input.shape.bytes()) + " of " + std::to_string(have) + " bytes");
    return Status::ok();
  }

  /// Whether the operand lies in its tensor, and its elements are apart and aligned.
  Status checkPlace(const Operand &operand) const {
    const uint64_t bytes = problem_.tensors[operand.id].shape.bytes(), element = sizeOf(operand.shape.type);
    if (operand.shape.bytes() == 0)
      return invalidArgument("has an operand without bytes");
    if ((operand.shape.width > 1 && operand.pixelStep() < operand.shape.pixelBytes()) ||
        (operand.shape.height > 1 && operand.rowStep() < operand.rowSpan()))
      return invalidArgument("has an operand whose rows or pixels overlap");
    if (operand.offset % element || operand.pixelStep() % element || operand.rowStep() % element)
      return invalidArgument("has an operand whose elements are not aligned");
    if (operand.offset > bytes || operand.span() > bytes - operand.offset)
      return invalidArgument("has an operand of " + std::to_string(operand.span()) + " bytes from byte " +
                             std::to_string(operand.offset) + " of a tensor of " + std::to_string(bytes));
    return Status::ok();
  }

  Status checkWritten(uint32_t index, const Operand &input) const {
    const Tensor &tensor = problem_.tensors[input.id];
    bool isWritten = tensor.networkInput != kNone || !writers_[input.id].empty();
    for (const Writer &writer : writers_[input.id])
      isWritten &= writer.operation < index || !mayOverlap(tensor.shape, input, *writer.operand);
    return isWritten ? Status::ok()
                     : invalidArgument("reads tensor " + std::to_string(input.id) + " before it is written");
  }

  Status checkOutputs(uint32_t index) {
    if (problem_.operations[index].outputs.empty())
      return invalidArgument("has no output");
    for (const Operand &output : problem_.operations[index].outputs) {
      if (output.isConstant || output.id >= problem_.tensors.size())
        return invalidArgument("writes a tensor that does not exist");
      AVOCET_RETURN_IF_ERROR(checkPlace(output));
      const MapShape &shape = problem_.tensors[output.id].shape;
      if (output.fill >= 0 && (output.shape.bytes() != shape.bytes() || !output.isDense()))
        return invalidArgument("fills a part of a tensor");
      bool isFree = problem_.tensors[output.id].networkInput == kNone;
      for (const Writer &other : writers_[output.id])
        isFree &= !mayOverlap(shape, output, *other.operand);
      if (!isFree)
        return invalidArgument("writes tensor " + std::to_string(output.id) + " again");
      writers_[output.id].push_back({index, &output});
    }
    return Status::ok();
  }

  /// What is written must be whole.
  Status checkTensors() const {
    for (size_t i = 0; i < problem_.tensors.size(); ++i) {
      const Tensor &tensor = problem_.tensors[i];
      uint64_t written = tensor.networkInput != kNone ? tensor.shape.bytes() : 0;
      for (const Writer &writer : writers_[i])
        written += writer.operand->shape.bytes();
      if (written == 0 && !tensor.networkOutputs.empty())
        return invalidArgument("network output tensor " + std::to_string(i) + " is never written");
      if (written != 0 && written != tensor.shape.bytes())
        return invalidArgument("tensor " + std::to_string(i) + " is written in part");
    }
    return Status::ok();
  }

  const Problem &problem_;
  std::vector<std::vector<Writer>> writers_; ///< by tensor
};

} // namespace

bool usesBothEngines(const Problem &problem, uint32_t first, uint32_t end) {
  const auto operations = std::span(problem.operations).subspan(first, end - first);
  return std::ranges::any_of(operations, &Operation::isOnDsp) && !std::ranges::all_of(operations, &Operation::isOnDsp);
}

Status Problem::check() const { return Checker(*this).run(); }

} // namespace avocet::compiler::schedule

//===- ControlFlowRules.cpp - Rules about branches and loops --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <string>

namespace avocet::hal {

using enum Version;

namespace {

/// A subgraph that an operation refers to. The indices of its inputs and outputs have not been checked yet.
class SubgraphView {
public:
  /// `operand` has type SUBGRAPH, and its index has been checked.
  SubgraphView(const OperationView &operation, size_t position)
      : subgraph_(operation.model().referenced[operation.input(position).location.offset]) {}

  size_t numInputs() const { return subgraph_.inputIndexes.size(); }
  size_t numOutputs() const { return subgraph_.outputIndexes.size(); }
  const Operand *input(size_t position) const { return operandAt(subgraph_.inputIndexes[position]); }
  const Operand *output(size_t position) const { return operandAt(subgraph_.outputIndexes[position]); }

private:
  const Operand *operandAt(uint32_t index) const {
    return index < subgraph_.operands.size() ? &subgraph_.operands[index] : nullptr;
  }
  const avocet::hal::Subgraph &subgraph_;
};

} // namespace

/// The difference between two operands that must agree; empty if there is none.
static std::string differenceOf(const Operand &a, const Operand &b) {
  if (a.type != b.type)
    return fmt::format("{} and {}", toString(a.type), toString(b.type));
  if (!combineDimensions(a.dimensions, b.dimensions))
    return fmt::format("shapes {} and {}", toString(a.dimensions), toString(b.dimensions));
  if (a.scale != b.scale || a.zeroPoint != b.zeroPoint)
    return fmt::format("scales {} and {}, zero points {} and {}", a.scale, b.scale, a.zeroPoint, b.zeroPoint);
  return a.extraParams == b.extraParams ? "" : "different channel quantization";
}

/// `what` names the pair ("input 2 and input 0 of subgraph input 1").
static Outcome checkAgree(const Operand *a, const Operand *b, const std::string &what) {
  if (a == nullptr || b == nullptr)
    return invalidArgument(fmt::format("{}: operand index out of range", what));
  std::string difference = differenceOf(*a, *b);
  return difference.empty() ? success() : invalidArgument(fmt::format("{} disagree: {}", what, difference));
}

static Outcome checkCondition(const Operand *operand, const std::string &what) {
  if (operand == nullptr || operand->type != OperandType::TensorBool8 || operand->dimensions.size() != 1 ||
      operand->dimensions[0] != 1)
    return invalidArgument(fmt::format("{} must be TENSOR_BOOL8 of shape [1]", what));
  return success();
}

static Outcome checkCount(size_t actual, size_t expected, const std::string &what) {
  return actual == expected ? success() : invalidArgument(fmt::format("{} {}, must be {}", actual, what, expected));
}

/// Checks that the operation's inputs from `first` on are the inputs of the subgraph at input `graph`.
static Outcome checkPassedInputs(const OperationView &operation, size_t graph, size_t first) {
  SubgraphView inner(operation, graph);
  AVOCET_RETURN_IF_ERROR(checkCount(inner.numInputs(), operation.numInputs() - first,
                                    fmt::format("inputs of the subgraph at input {}", graph)));
  for (size_t i = 0; i < inner.numInputs(); ++i)
    AVOCET_RETURN_IF_ERROR(
        checkAgree(&operation.input(first + i), inner.input(i),
                   fmt::format("input {} and input {} of the subgraph at input {}", first + i, i, graph)));
  return success();
}

/// Checks that the operation's outputs are the first outputs of the subgraph at input `graph`.
static Outcome checkPassedOutputs(const OperationView &operation, size_t graph) {
  SubgraphView inner(operation, graph);
  for (size_t i = 0; i < operation.numOutputs(); ++i)
    AVOCET_RETURN_IF_ERROR(checkAgree(&operation.output(i), inner.output(i),
                                      fmt::format("output {} and output {} of the subgraph at input {}", i, i, graph)));
  return success();
}

Result<Version> checkIf(const OperationView &operation) {
  AVOCET_RETURN_IF_ERROR(checkCondition(&operation.input(0), "input 0"));
  for (size_t branch : {1, 2}) {
    AVOCET_RETURN_IF_ERROR(checkPassedInputs(operation, branch, 3));
    AVOCET_RETURN_IF_ERROR(checkCount(SubgraphView(operation, branch).numOutputs(), operation.numOutputs(),
                                      fmt::format("outputs of the subgraph at input {}", branch)));
    AVOCET_RETURN_IF_ERROR(checkPassedOutputs(operation, branch));
  }
  return V1_3;
}

/// The body's outputs become the inputs of the next iteration.
static Outcome checkCarried(const SubgraphView &body) {
  for (size_t i = 0; i < body.numOutputs(); ++i)
    AVOCET_RETURN_IF_ERROR(
        checkAgree(body.input(i), body.output(i), fmt::format("input {} and output {} of the body", i, i)));
  return success();
}

Result<Version> checkWhile(const OperationView &operation) {
  SubgraphView condition(operation, 0);
  SubgraphView body(operation, 1);
  AVOCET_RETURN_IF_ERROR(checkPassedInputs(operation, 0, 2));
  AVOCET_RETURN_IF_ERROR(checkCount(condition.numOutputs(), 1, "outputs of the condition"));
  AVOCET_RETURN_IF_ERROR(checkCondition(condition.output(0), "output 0 of the condition"));
  AVOCET_RETURN_IF_ERROR(checkPassedInputs(operation, 1, 2));
  if (body.numOutputs() < operation.numOutputs() || body.numOutputs() > body.numInputs())
    return invalidArgument(fmt::format("{} outputs of the body, must be {} (outputs of the loop) to {} (its inputs)",
                                       body.numOutputs(), operation.numOutputs(), body.numInputs()));
  AVOCET_RETURN_IF_ERROR(checkPassedOutputs(operation, 1));
  AVOCET_RETURN_IF_ERROR(checkCarried(body));
  return V1_3;
}

} // namespace avocet::hal

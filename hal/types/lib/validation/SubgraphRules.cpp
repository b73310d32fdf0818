//===- SubgraphRules.cpp - Rules of one subgraph --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>

namespace avocet::hal {

using enum Version;

static Outcome checkCounts(const Subgraph &subgraph) {
  if (subgraph.operands.empty() || subgraph.operands.size() > kMaxCount)
    return invalidArgument(fmt::format("{} operands, must be 1 to {}", subgraph.operands.size(), kMaxCount));
  if (subgraph.operations.empty() || subgraph.operations.size() > kMaxCount)
    return invalidArgument(fmt::format("{} operations, must be 1 to {}", subgraph.operations.size(), kMaxCount));
  return success();
}

static Result<Version> validateOperands(const ModelContext &context, const Subgraph &subgraph) {
  Version version = V1_0;
  for (size_t i = 0; i < subgraph.operands.size(); ++i) {
    Result<Version> needed = validateOperand(context, subgraph.operands[i]);
    if (!needed)
      return at(needed.error(), "operand {}", i);
    version = std::max(version, *needed);
  }
  return version;
}

static Outcome checkIndices(const Subgraph &subgraph, const std::vector<uint32_t> &indices, std::string_view what) {
  for (size_t i = 0; i < indices.size(); ++i)
    if (indices[i] >= subgraph.operands.size())
      return invalidArgument(fmt::format("{} {} is operand {} of {}", what, i, indices[i], subgraph.operands.size()));
  return success();
}

static Result<Version> validateOperation(const ModelContext &context, const Subgraph &subgraph,
                                         const Operation &operation) {
  AVOCET_RETURN_IF_ERROR(checkIndices(subgraph, operation.inputs, "input"));
  AVOCET_RETURN_IF_ERROR(checkIndices(subgraph, operation.outputs, "output"));
  if (isExtension(operation.type))
    return validatePrefix(context, extensionPrefix(operation.type));
  if (operation.type == kOemOperation)
    return V1_0;
  const OperationSignature *signature = findSignature(operation.type);
  if (signature == nullptr)
    return invalidArgument("this operation does not exist");
  return checkSignature(*signature, OperationView(context.model, subgraph, operation));
}

static Result<Version> validateOperations(const ModelContext &context, const Subgraph &subgraph) {
  Version version = V1_0;
  for (size_t i = 0; i < subgraph.operations.size(); ++i) {
    const Operation &operation = subgraph.operations[i];
    Result<Version> needed = validateOperation(context, subgraph, operation);
    if (!needed)
      return at(needed.error(), "operation {} ({})", i, operationName(operation.type));
    version = std::max(version, *needed);
  }
  return version;
}

/// Checks that `indices` are exactly the operands of `lifetime`, each once.
static Outcome checkList(const Subgraph &subgraph, const std::vector<uint32_t> &indices, OperandLifeTime lifetime,
                         std::string_view what) {
  AVOCET_RETURN_IF_ERROR(checkIndices(subgraph, indices, what));
  std::vector<bool> isListed(subgraph.operands.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    OperandLifeTime actual = subgraph.operands[indices[i]].lifetime;
    if (actual != lifetime)
      return invalidArgument(fmt::format("{} {}: operand {} has lifetime {}, must be {}", what, i, indices[i],
                                         toString(actual), toString(lifetime)));
    if (isListed[indices[i]])
      return invalidArgument(fmt::format("{} {}: operand {} is in the list twice", what, i, indices[i]));
    isListed[indices[i]] = true;
  }
  for (size_t i = 0; i < subgraph.operands.size(); ++i)
    if (subgraph.operands[i].lifetime == lifetime && !isListed[i])
      return invalidArgument(
          fmt::format("operand {}: lifetime {}, but not in the list of {}s", i, toString(lifetime), what));
  return success();
}

static bool isWritten(const Operand &operand) {
  return operand.lifetime == OperandLifeTime::TemporaryVariable || operand.lifetime == OperandLifeTime::SubgraphOutput;
}

/// Marks the outputs of one operation as known; its inputs must be.
static Outcome executeOne(const Subgraph &subgraph, const Operation &operation, std::vector<bool> &isKnown) {
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    if (!isKnown[operation.inputs[i]])
      return invalidArgument(fmt::format("input {}: operand {} is read before it is written", i, operation.inputs[i]));
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    uint32_t index = operation.outputs[i];
    if (!isWritten(subgraph.operands[index]))
      return invalidArgument(fmt::format("output {}: operand {} has lifetime {} and cannot be written", i, index,
                                         toString(subgraph.operands[index].lifetime)));
    if (isKnown[index])
      return invalidArgument(fmt::format("output {}: operand {} is written twice", i, index));
    isKnown[index] = true;
  }
  return success();
}

static Outcome checkOrder(const Subgraph &subgraph) {
  std::vector<bool> isKnown(subgraph.operands.size());
  for (size_t i = 0; i < isKnown.size(); ++i)
    isKnown[i] = !isWritten(subgraph.operands[i]);
  for (size_t i = 0; i < subgraph.operations.size(); ++i)
    if (Outcome outcome = executeOne(subgraph, subgraph.operations[i], isKnown); !outcome)
      return at(outcome.error(), "operation {} ({})", i, operationName(subgraph.operations[i].type));
  for (size_t i = 0; i < isKnown.size(); ++i)
    if (!isKnown[i])
      return invalidArgument(
          fmt::format("operand {}: {} is never written", i, toString(subgraph.operands[i].lifetime)));
  return success();
}

Result<Version> validateSubgraph(const ModelContext &context, const Subgraph &subgraph) {
  AVOCET_RETURN_IF_ERROR(checkCounts(subgraph));
  AVOCET_ASSIGN_OR_RETURN(Version version, validateOperands(context, subgraph));
  AVOCET_ASSIGN_OR_RETURN(Version forOperations, validateOperations(context, subgraph));
  AVOCET_RETURN_IF_ERROR(checkList(subgraph, subgraph.inputIndexes, OperandLifeTime::SubgraphInput, "input"));
  AVOCET_RETURN_IF_ERROR(checkList(subgraph, subgraph.outputIndexes, OperandLifeTime::SubgraphOutput, "output"));
  AVOCET_RETURN_IF_ERROR(checkOrder(subgraph));
  return std::max(version, forOperations);
}

} // namespace avocet::hal

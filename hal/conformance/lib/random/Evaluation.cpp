//===- Evaluation.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"

#include "../Compare.h"
#include "../RequestBuffers.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace avocet::hal::conformance {
namespace {

constexpr double kMaxMagnitude = 1e6;
/// The system has no memory file: not the fault of the operation.
Error noMemory(const Status &status) { return generalFailure(status.toString()); }

/// A scalar has one size.
uint64_t roomFor(OperandType type) { return (isTensor(type) ? kMaxResultElements : 1) * elementBytes(type); }

Outcome checkValues(const Value &value) {
  const uint64_t count = value.numElements();
  if (count == 0)
    return generalFailure("a result without elements");
  if (value.type != OperandType::TensorFloat32 && value.type != OperandType::TensorFloat16)
    return success();
  for (size_t i = 0; i < count; ++i)
    if (!(std::fabs(elementAt(value.type, value.bytes, i)) <= kMaxMagnitude))
      return generalFailure("a result that is not finite, or too large");
  return success();
}

Outcome store(Value &value, const OutputShape &shape, std::span<const uint8_t> bytes) {
  value.dimensions = shape.dimensions;
  const uint64_t size = value.numElements() * elementBytes(value.type);
  if (size > bytes.size())
    return generalFailure(fmt::format("a result of {} bytes, above {}", size, bytes.size()));
  value.bytes.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
  return checkValues(value);
}

} // namespace

Graph lastAlone(const Graph &graph) {
  Graph alone = graph;
  const Operation last = graph.operations.back();
  alone.operations = {last};
  for (uint32_t input : last.inputs)
    if (alone.values[input].role == ValueRole::Result)
      alone.values[input].role = ValueRole::Input;
  alone.outputs = last.outputs;
  return pruned(alone);
}

Outcome evaluateLast(Graph &graph, IDevice &reference) {
  const Operation last = graph.operations.back();
  for (uint32_t output : last.outputs)
    graph.values[output].bytes.assign(roomFor(graph.values[output].type), 0);
  auto test = caseOf(lastAlone(graph), "operation");
  auto made = test.file->make(test.index, Form::AsWritten);
  if (!made)
    return noMemory(made.status());
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<IPreparedModel> model, reference.prepareModel(made->model, {}));
  auto buffers = RequestBuffers::make(*made);
  if (!buffers)
    return noMemory(buffers.status());
  const ExecutionOutcome outcome = model->execute(buffers->request(), {});
  if (!outcome.isOk())
    return Error{outcome.status, outcome.message};
  for (size_t i = 0; i < last.outputs.size(); ++i)
    AVOCET_RETURN_IF_ERROR(store(graph.values[last.outputs[i]], outcome.outputShapes[i], buffers->output(i)));
  return success();
}

hal::Result<Unsupported> supportOfLast(const Graph &graph, const IDevice &device) {
  auto test = caseOf(lastAlone(graph), "operation");
  auto made = test.file->make(test.index, Form::AsWritten);
  if (!made)
    return noMemory(made.status());
  AVOCET_ASSIGN_OR_RETURN(SupportedOperations answer, device.getSupportedOperations(made->model));
  if (answer.supported.size() != 1 || answer.reasons.size() != 1)
    return generalFailure("the device does not answer for each operation");
  if (!answer.supported.front() && answer.reasons.front().rule.empty())
    answer.reasons.front().rule = "not supported";
  return answer.reasons.front();
}

} // namespace avocet::hal::conformance

//===- Evaluation.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"

#include "../Compare.h"
#include "../RequestBuffers.h"
#include "ControlFlow.h"
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

Graph aloneOf(const Graph &graph, const Operation &operation) {
  Graph alone = graph;
  alone.operations = {operation};
  for (uint32_t input : operation.inputs)
    if (alone.values[input].role == ValueRole::Result)
      alone.values[input].role = ValueRole::Input;
  alone.outputs = operation.outputs;
  return pruned(alone);
}

Outcome evaluateAlone(Graph &graph, const Operation &operation, IDevice &reference) {
  for (uint32_t output : operation.outputs) {
    Value &value = graph.values[output];
    std::ranges::fill(value.dimensions, 0u);
    value.bytes.assign(roomFor(value.type), 0);
  }
  auto test = caseOf(aloneOf(graph, operation), "operation");
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
  for (size_t i = 0; i < operation.outputs.size(); ++i)
    AVOCET_RETURN_IF_ERROR(store(graph.values[operation.outputs[i]], outcome.outputShapes[i], buffers->output(i)));
  return success();
}

Outcome evaluateOperation(Graph &graph, const Operation &operation, IDevice &reference);

Outcome checkExtents(const Value &value, const Dimensions &expected) {
  return value.dimensions == expected ? success() : generalFailure("a subgraph with a value of other extents");
}

/// The outputs of a subgraph for these inputs.
hal::Result<std::vector<Bytes>> runSubgraph(const Graph &subgraph, const std::vector<Value> &passed,
                                            IDevice &reference) {
  Graph run = subgraph;
  const std::vector<uint32_t> inputs = inputsOf(run);
  for (size_t i = 0; i < inputs.size(); ++i) {
    AVOCET_RETURN_IF_ERROR(checkExtents(passed[i], run.values[inputs[i]].dimensions));
    run.values[inputs[i]].bytes = passed[i].bytes;
  }
  AVOCET_RETURN_IF_ERROR(evaluateAll(run, reference));
  for (size_t i = 0; i < run.values.size(); ++i)
    AVOCET_RETURN_IF_ERROR(checkExtents(run.values[i], subgraph.values[i].dimensions));
  std::vector<Bytes> outputs;
  for (uint32_t output : run.outputs)
    outputs.push_back(std::move(run.values[output].bytes));
  return outputs;
}

std::vector<Value> passedValues(const Graph &graph, const ControlFlow &flow) {
  std::vector<Value> values;
  for (uint32_t value : flow.passed)
    values.push_back(graph.values[value]);
  return values;
}

Outcome evaluateIf(Graph &graph, const ControlFlow &flow, IDevice &reference) {
  const Graph &taken = flow.graphs[graph.values[*flow.chooser].bytes[0] != 0 ? 0 : 1];
  AVOCET_ASSIGN_OR_RETURN(std::vector<Bytes> outputs, runSubgraph(taken, passedValues(graph, flow), reference));
  for (size_t i = 0; i < outputs.size(); ++i) {
    graph.values[flow.outputs[i]].dimensions = taken.values[taken.outputs[i]].dimensions;
    graph.values[flow.outputs[i]].bytes = std::move(outputs[i]);
  }
  return success();
}

/// The states and the other passed values after the last iteration.
hal::Result<std::vector<Value>> iterate(const Graph &graph, const ControlFlow &flow, IDevice &reference) {
  std::vector<Value> values = passedValues(graph, flow);
  for (uint32_t iteration = 0; iteration <= kMaxIterations; ++iteration) {
    AVOCET_ASSIGN_OR_RETURN(std::vector<Bytes> truth, runSubgraph(flow.condition(), values, reference));
    if (truth.front().front() == 0)
      return values;
    AVOCET_ASSIGN_OR_RETURN(std::vector<Bytes> next, runSubgraph(flow.body(), values, reference));
    for (size_t i = 0; i < next.size(); ++i)
      values[i].bytes = std::move(next[i]);
  }
  return generalFailure(fmt::format("a loop of more than {} iterations", kMaxIterations));
}

Outcome evaluateWhile(Graph &graph, const ControlFlow &flow, IDevice &reference) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<Value> values, iterate(graph, flow, reference));
  for (size_t i = 0; i < flow.outputs.size(); ++i) {
    graph.values[flow.outputs[i]].dimensions = values[i].dimensions;
    graph.values[flow.outputs[i]].bytes = std::move(values[i].bytes);
  }
  return success();
}

Outcome evaluateOperation(Graph &graph, const Operation &operation, IDevice &reference) {
  if (!isControlFlow(operation.type))
    return evaluateAlone(graph, operation, reference);
  const ControlFlow flow = controlFlowOf(graph, operation);
  return flow.isLoop() ? evaluateWhile(graph, flow, reference) : evaluateIf(graph, flow, reference);
}

} // namespace

Graph lastAlone(const Graph &graph) { return aloneOf(graph, graph.operations.back()); }

Outcome evaluateLast(Graph &graph, IDevice &reference) {
  const Operation last = graph.operations.back();
  return evaluateOperation(graph, last, reference);
}

Outcome evaluateAll(Graph &graph, IDevice &reference) {
  const std::vector<Operation> operations = graph.operations;
  for (const Operation &operation : operations)
    AVOCET_RETURN_IF_ERROR(evaluateOperation(graph, operation, reference));
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

bool isSupported(const Graph &graph, const IDevice &device) {
  auto test = caseOf(graph, "graph");
  auto made = test.file->make(test.index, Form::AsWritten);
  if (!made)
    return false;
  auto answer = device.getSupportedOperations(made->model);
  return answer.isOk() && std::ranges::count(answer->supported, false) == 0;
}

} // namespace avocet::hal::conformance

//===- PlanRun.cpp - One execution of all steps ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run/PlanRun.h"

#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <algorithm>

namespace avocet::hal::partition {

Frame PlanRun::makeFrame(uint32_t subgraph) const {
  const size_t count = plan_.subgraph(subgraph).operands.size();
  return {std::vector<Value>(count), std::vector<std::optional<Destination>>(count)};
}

Frame PlanRun::bind(const Request &request, const std::vector<int64_t> &identifiers) const {
  const Subgraph &main = plan_.model->main;
  Frame frame = makeFrame(0);
  auto identifierOf = [&](uint32_t pool) { return pool < identifiers.size() ? identifiers[pool] : -1; };
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const RequestArgument &argument = request.inputs[i];
    Value &value = frame.values[main.inputIndexes[i]];
    value.state = argument.hasNoValue ? Value::State::Omitted : Value::State::Set;
    value.dimensions =
        argument.dimensions.empty() ? main.operands[main.inputIndexes[i]].dimensions : argument.dimensions;
    if (argument.hasNoValue)
      continue;
    value.pool = request.pools[argument.location.poolIndex];
    value.identifier = identifierOf(argument.location.poolIndex);
    value.location = argument.location;
  }
  for (size_t i = 0; i < request.outputs.size(); ++i)
    if (const RequestArgument &argument = request.outputs[i]; !argument.hasNoValue)
      frame.destinations[main.outputIndexes[i]] =
          Destination{request.pools[argument.location.poolIndex], identifierOf(argument.location.poolIndex),
                      argument.location, argument.dimensions};
  return frame;
}

Outcome PlanRun::checkDeadline() const {
  if (options_.deadline && BootClock::now() >= *options_.deadline)
    return error(ErrorStatus::MissedDeadlineTransient, "the deadline passed during the execution");
  return success();
}

Value PlanRun::valueOf(uint32_t subgraph, uint32_t operand, const Frame &frame) const {
  const auto constant = plan_.constants.find({subgraph, operand});
  return constant != plan_.constants.end() ? constant->second : frame.values[operand];
}

Outcome PlanRun::runSubgraph(uint32_t subgraph, Frame &frame) {
  for (PreparedStep &step : plan_.subgraphs[subgraph]) {
    AVOCET_RETURN_IF_ERROR(checkDeadline());
    AVOCET_RETURN_IF_ERROR(runStep(subgraph, step, frame));
    for (uint32_t operand : step.plan.released)
      frame.values[operand] = Value();
  }
  return success();
}

Outcome PlanRun::runStep(uint32_t subgraph, PreparedStep &step, Frame &frame) {
  if (step.plan.kind == StepDescription::Kind::Device)
    return StepRun(context_, step, frame).run();
  const Operation &operation = plan_.subgraph(subgraph).operations[step.plan.operations.front()];
  return step.plan.kind == StepDescription::Kind::If ? runBranch(subgraph, operation, frame)
                                                     : runLoop(subgraph, operation, frame);
}

static uint32_t referencedBy(const Subgraph &subgraph, uint32_t operand) {
  return static_cast<uint32_t>(subgraph.operands[operand].location.offset) + 1;
}

Outcome PlanRun::runBranch(uint32_t subgraph, const Operation &operation, Frame &frame) {
  const Subgraph &graph = plan_.subgraph(subgraph);
  AVOCET_ASSIGN_OR_RETURN(const uint8_t condition, firstByte(valueOf(subgraph, operation.inputs[0], frame)));
  const uint32_t branch = referencedBy(graph, operation.inputs[condition != 0 ? 1 : 2]);
  const Subgraph &inner = plan_.subgraph(branch);
  Frame branchFrame = makeFrame(branch);
  for (size_t i = 0; i < inner.inputIndexes.size(); ++i)
    branchFrame.values[inner.inputIndexes[i]] = valueOf(subgraph, operation.inputs[i + 3], frame);
  for (size_t i = 0; i < inner.outputIndexes.size(); ++i)
    branchFrame.destinations[inner.outputIndexes[i]] = frame.destinations[operation.outputs[i]];
  AVOCET_RETURN_IF_ERROR(runSubgraph(branch, branchFrame));
  for (size_t i = 0; i < inner.outputIndexes.size(); ++i)
    frame.values[operation.outputs[i]] = std::move(branchFrame.values[inner.outputIndexes[i]]);
  return success();
}

Result<std::vector<Value>> PlanRun::call(uint32_t subgraph, const std::vector<Value> &inputs) {
  const Subgraph &graph = plan_.subgraph(subgraph);
  Frame frame = makeFrame(subgraph);
  for (size_t i = 0; i < graph.inputIndexes.size(); ++i)
    frame.values[graph.inputIndexes[i]] = inputs[i];
  AVOCET_RETURN_IF_ERROR(runSubgraph(subgraph, frame));
  std::vector<Value> outputs;
  for (uint32_t output : graph.outputIndexes)
    outputs.push_back(std::move(frame.values[output]));
  return outputs;
}

Result<bool> PlanRun::holds(uint32_t condition, const std::vector<Value> &state) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<Value> outputs, call(condition, state));
  AVOCET_ASSIGN_OR_RETURN(const uint8_t value, firstByte(outputs.front()));
  return value != 0;
}

Outcome PlanRun::runLoop(uint32_t subgraph, const Operation &operation, Frame &frame) {
  const TimePoint begin = BootClock::now();
  const Duration limit = options_.loopTimeoutDuration.value_or(kDefaultLoopTimeout);
  const Subgraph &graph = plan_.subgraph(subgraph);
  const uint32_t condition = referencedBy(graph, operation.inputs[0]);
  const uint32_t body = referencedBy(graph, operation.inputs[1]);
  std::vector<Value> state;
  for (size_t i = 2; i < operation.inputs.size(); ++i)
    state.push_back(valueOf(subgraph, operation.inputs[i], frame));
  for (;;) {
    auto continues = holds(condition, state);
    if (!continues)
      return continues.error();
    if (!*continues)
      return finishLoop(operation, state, frame);
    if (BootClock::now() - begin >= limit)
      return error(ErrorStatus::MissedDeadlineTransient,
                   fmt::format("WHILE: not ended within its time-out of {} ns", limit.count()));
    auto outputs = call(body, state);
    if (!outputs)
      return outputs.error();
    std::ranges::move(*outputs, state.begin());
  }
}

/// The loop's results replace each other in the arena; only the last ones go to the caller's regions. Values that do
/// not fit stay in the arena, so that they are reported.
Outcome PlanRun::finishLoop(const Operation &operation, const std::vector<Value> &state, Frame &frame) const {
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    Value &value = frame.values[operation.outputs[i]] = state[i];
    value.isAtDestination = false;
    const auto &destination = frame.destinations[operation.outputs[i]];
    if (!destination || value.state != Value::State::Set || value.location.length > destination->location.length)
      continue;
    AVOCET_RETURN_IF_ERROR(copyTo(*destination, value));
    const uint64_t length = value.location.length;
    value.area.reset();
    value.pool = destination->pool;
    value.identifier = destination->identifier;
    value.location = destination->location;
    value.location.length = length;
    value.isAtDestination = true;
  }
  return success();
}

ExecutionOutcome PlanRun::outcomeOf(const Request &request, const Frame &frame) const {
  ExecutionOutcome outcome;
  for (size_t i = 0; i < plan_.model->main.outputIndexes.size(); ++i) {
    const Value &value = frame.values[plan_.model->main.outputIndexes[i]];
    const bool isSufficient =
        value.isAtDestination || value.state == Value::State::Empty || request.outputs[i].hasNoValue;
    outcome.outputShapes.push_back({value.dimensions, isSufficient});
    if (isSufficient)
      continue;
    outcome.status = ErrorStatus::OutputInsufficientSize;
    outcome.message = fmt::format("output {} needs {} bytes, which its region does not have", i, value.location.length);
  }
  if (outcome.isOk() && options_.measure == MeasureTiming::Yes && context_.isTimed)
    outcome.timing = context_.timing;
  return outcome;
}

ExecutionOutcome PlanRun::run(const Request &request, const std::vector<int64_t> &identifiers) {
  Frame frame = bind(request, identifiers);
  Outcome ran = runSubgraph(0, frame);
  return ran ? outcomeOf(request, frame) : ExecutionOutcome{ran.code(), ran.error().message, {}, {}};
}

} // namespace avocet::hal::partition

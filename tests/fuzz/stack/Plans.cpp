//===- Plans.cpp - Valid requests, and what they must give -------------------- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Require.h"
#include "World.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace avocet::fuzz {

using hal::ErrorStatus;
using State = Value::State;

namespace {

constexpr uint32_t kPoolFloats = 64;

std::vector<uint8_t> bytesOf(const std::vector<float> &numbers, bool isCondition) {
  if (isCondition)
    return {numbers[0] != 0};
  const auto *first = reinterpret_cast<const uint8_t *>(numbers.data());
  return {first, first + numbers.size() * sizeof(float)};
}

/// Whether the numbers have one right result: integers that float32, or float16 if the model is relaxed, holds exactly.
bool isPredictable(const Value &value, bool isRelaxed) {
  const float limit = isRelaxed ? 8 : 65536;
  return value.state == State::Known && std::ranges::all_of(value.numbers, [limit](float number) {
           return std::fabs(number) <= limit && number == std::trunc(number);
         });
}

bool isLate(const hal::ExecutionOptions &options) {
  return options.deadline && *options.deadline <= hal::BootClock::time_point();
}

} // namespace

Value resultOf(const Plan &plan, const std::vector<std::shared_ptr<Value>> &inputs) {
  const Graph &graph = *plan.model->graph;
  const bool isRelaxed =
      graph.isRelaxed || (graph.kind == Graph::Kind::If && (graph.yes->isRelaxed || graph.no->isRelaxed));
  std::vector<std::vector<uint8_t>> bytes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool isRight = graph.isCondition(i) || inputs[i]->extent == plan.extent;
    if (!isRight || !isPredictable(*inputs[i], isRelaxed))
      return {State::Any, plan.extent};
    bytes.push_back(bytesOf(inputs[i]->numbers, graph.isCondition(i)));
  }
  return {State::Known, plan.extent, graph.evaluate(bytes)};
}

void requireResult(const Plan &plan) {
  const Value &value = *plan.output->value;
  if (value.state != State::Known)
    return;
  hal::testing::TestPool copy(value.extent * sizeof(float));
  if (plan.output->buffer != nullptr)
    expect("copyTo after a run", plan.output->buffer->copyTo(copy.memory()), {ErrorStatus::None});
  else
    std::ranges::copy(plan.output->pool->as<float>().first(value.extent), copy.as<float>().begin());
  for (size_t i = 0; i < value.extent; ++i)
    require(copy.as<float>()[i] == value.numbers[i],
            fmt::format("wrong result of {}: element {} is {} instead of {}", plan.model->graph->fingerprint(), i,
                        copy.as<float>()[i], value.numbers[i]));
}

/// Small integers, of few bytes of the input.
void World::fill(Cell &cell, uint32_t extent) {
  std::vector<float> numbers(extent);
  const int first = static_cast<int>(bytes_.below(17)) - 8, step = static_cast<int>(bytes_.below(4));
  for (uint32_t i = 0; i < extent; ++i)
    numbers[i] = static_cast<float>((first + 8 + step * static_cast<int>(i)) % 17 - 8);
  std::ranges::copy(numbers, cell.pool->as<float>().begin());
  cell.value = std::make_shared<Value>(Value{State::Known, extent, std::move(numbers)});
}

std::shared_ptr<Cell> World::conditionCell() {
  const uint32_t condition = bytes_.below(2);
  std::shared_ptr<Cell> &cell = conditions_[condition];
  if (cell == nullptr) {
    cell = std::make_shared<Cell>();
    cell->identifier = static_cast<int64_t>(nextNumber_++);
    cell->pool.emplace(1);
    cell->pool->bytes()[0] = static_cast<uint8_t>(condition);
    cell->value = std::make_shared<Value>(Value{State::Known, 1, {static_cast<float>(condition)}});
  }
  return cell;
}

/// A pool that the plan does not use yet; one with another extent is filled if no run uses it. Null: there is none.
std::shared_ptr<Cell> World::poolFor(uint32_t extent, const Plan &plan) {
  constexpr size_t kMaxPools = 6;
  const size_t first = bytes_.below(kMaxPools);
  for (size_t i = 0; i < kMaxPools; ++i) {
    const size_t index = (first + i) % kMaxPools;
    if (index >= pools_.size()) {
      pools_.push_back(std::make_shared<Cell>());
      pools_.back()->identifier = static_cast<int64_t>(nextNumber_++);
      pools_.back()->pool.emplace(kPoolFloats * sizeof(float));
    }
    const std::shared_ptr<Cell> &cell = index < pools_.size() ? pools_[index] : pools_.back();
    if (std::ranges::find(plan.inputs, cell) != plan.inputs.end())
      continue;
    if (cell->users.empty() && (cell->value->extent != extent || bytes_.oneIn(3)))
      fill(*cell, extent);
    if (cell->value->extent == extent)
      return cell;
  }
  return nullptr;
}

/// A buffer with the role; its extent is that of the plan, but for one in sixteen. Null: there is none.
std::shared_ptr<Cell> World::bufferFor(const Plan &plan, const Cell::Role &role) {
  if (buffers_.empty() || bytes_.oneIn(3))
    return nullptr;
  const bool isWrongAllowed = bytes_.oneIn(16);
  const size_t first = bytes_.below(static_cast<uint32_t>(buffers_.size()));
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const std::shared_ptr<Cell> &cell = buffers_[(first + i) % buffers_.size()];
    if (!cell->roles.contains(role) || (cell->fixedExtent != 0 && cell->fixedExtent != plan.extent))
      continue;
    if (role.isOutput ? std::ranges::find(plan.inputs, cell) != plan.inputs.end()
                      : cell->value->extent != plan.extent && !isWrongAllowed)
      continue;
    return cell;
  }
  return nullptr;
}

namespace {

/// A pool for each argument, in order.
void makeRequest(Plan &plan) {
  const Graph &graph = *plan.model->graph;
  auto add = [&](const Cell &cell, bool isCondition, bool isOutput) {
    const auto pool = static_cast<uint32_t>(plan.request.pools.size());
    hal::RequestArgument argument;
    argument.location = {pool, 0, isCondition ? 1 : plan.extent * sizeof(float), 0};
    if (cell.buffer != nullptr)
      argument.location = {pool, 0, 0, 0};
    if (graph.isOpen)
      argument.dimensions = {plan.extent};
    (isOutput ? plan.request.outputs : plan.request.inputs).push_back(argument);
    cell.buffer != nullptr ? plan.request.pools.emplace_back(cell.buffer->token())
                           : plan.request.pools.emplace_back(cell.pool->memory());
    plan.identifiers.push_back(cell.identifier);
  };
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    add(*plan.inputs[i], graph.isCondition(i), false);
  add(*plan.output, false, true);
}

} // namespace

std::optional<Plan> World::choosePlan() {
  static constexpr uint32_t kExtents[] = {1, 2, 3, 8, 40};
  Plan plan;
  plan.model = any(models_);
  if (plan.model == nullptr)
    return std::nullopt;
  const Graph &graph = *plan.model->graph;
  plan.extent = graph.isOpen ? bytes_.pick(kExtents) : graph.length;
  for (uint32_t i = 0; i < graph.numInputs(); ++i) {
    std::shared_ptr<Cell> cell =
        graph.isCondition(i) ? conditionCell() : bufferFor(plan, {plan.model->number, false, i});
    if (cell == nullptr)
      cell = poolFor(plan.extent, plan);
    if (cell == nullptr)
      return std::nullopt;
    plan.inputs.push_back(std::move(cell));
  }
  plan.output = bufferFor(plan, {plan.model->number, true, 0});
  if (plan.output == nullptr)
    plan.output = poolFor(plan.extent, plan);
  if (plan.output == nullptr)
    return std::nullopt;
  makeRequest(plan);
  return plan;
}

std::optional<Plan> World::choosePlanFor(const std::shared_ptr<Prepared> &model) {
  const std::vector<std::shared_ptr<Prepared>> all = std::exchange(models_, {model});
  std::optional<Plan> plan = choosePlan();
  models_ = all;
  return plan;
}

/// Waits for the runs in flight whose accesses conflict. False: one of them waits for a gate, or missed its deadline.
bool World::settleConflicts(const Plan &plan) {
  std::vector<std::shared_ptr<Flight>> conflicts = plan.output->users;
  for (const auto &input : plan.inputs)
    std::ranges::copy_if(input->users, std::back_inserter(conflicts),
                         [&](const auto &user) { return user->plan.output == input; });
  if (std::ranges::any_of(conflicts, [](const auto &flight) { return flight->isBlocked(); }))
    return false;
  for (const auto &flight : conflicts)
    settle(flight);
  return std::ranges::none_of(conflicts, [](const auto &flight) { return flight->hasMissed; });
}

/// A deadline at the start of the clock is late in any case; a tight one may pass or not.
hal::ExecutionOptions World::chooseOptions(const Plan &plan) {
  hal::ExecutionOptions options;
  options.measure = static_cast<hal::MeasureTiming>(bytes_.below(2));
  switch (bytes_.below(16)) {
  case 13:
    options.deadline = hal::BootClock::time_point();
    break;
  case 14:
    options.deadline = hal::BootClock::now() + std::chrono::microseconds(10 * bytes_.byte());
    break;
  case 15:
    options.deadline = hal::BootClock::now() + std::chrono::hours(1);
    break;
  default:
    break;
  }
  if (plan.model->graph->isEndless())
    options.loopTimeoutDuration = std::chrono::microseconds(bytes_.byte());
  else if (bytes_.oneIn(8))
    options.loopTimeoutDuration = hal::kMaximumLoopTimeout;
  return options;
}

/// The statuses that a run may have, of a plan without conflicts.
Statuses World::forecast(const Plan &plan, const hal::ExecutionOptions &options) const {
  if (isLate(options))
    return {ErrorStatus::MissedDeadlinePersistent};
  Statuses refusals, allowed = {ErrorStatus::None};
  if (plan.model->graph->isEndless())
    allowed = {ErrorStatus::MissedDeadlineTransient};
  if (options.deadline)
    allowed.insert(allowed.end(), {ErrorStatus::MissedDeadlineTransient, ErrorStatus::MissedDeadlinePersistent});
  for (const auto &input : plan.inputs) {
    if (input->buffer == nullptr)
      continue;
    const Value &value = *input->value;
    if (value.state == State::Lost)
      refusals.push_back(ErrorStatus::GeneralFailure);
    else if (value.state == State::Doubtful)
      allowed.insert(allowed.end(), {ErrorStatus::GeneralFailure, ErrorStatus::InvalidArgument});
    else if (value.extent != plan.extent)
      refusals.push_back(ErrorStatus::InvalidArgument);
  }
  if (refusals.empty())
    return allowed;
  if (options.deadline)
    refusals.insert(refusals.end(), {ErrorStatus::MissedDeadlineTransient, ErrorStatus::MissedDeadlinePersistent});
  return refusals;
}

void World::noteEnd(const Plan &plan, const hal::ExecutionOutcome &outcome, const Statuses &allowed) {
  expectStatus("a run", outcome.status, outcome.message, allowed);
  if (outcome.isOk()) {
    std::vector<std::shared_ptr<Value>> inputs;
    for (const auto &input : plan.inputs)
      inputs.push_back(input->value);
    plan.output->value = std::make_shared<Value>(resultOf(plan, inputs));
    require(outcome.outputShapes.size() == 1 && outcome.outputShapes[0].isSufficient &&
                outcome.outputShapes[0].dimensions == std::vector<uint32_t>{plan.extent},
            "a run: wrong output shapes");
    return requireResult(plan);
  }
  if (std::ranges::find(allowed, ErrorStatus::None) == allowed.end() && !plan.model->graph->isEndless())
    return; // refused before it wrote anything
  Value written{State::Any, plan.extent};
  if (plan.output->buffer != nullptr)
    written.state = State::Doubtful;
  plan.output->value = std::make_shared<Value>(written);
}

} // namespace avocet::fuzz

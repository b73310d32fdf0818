//===- RunSteps.cpp - Runs that the caller waits for -------------------------- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include "Require.h"

#include <algorithm>
#include <atomic>
#include <future>

namespace avocet::fuzz {

using hal::ErrorStatus;

void World::runAtOnce() {
  const std::optional<Plan> plan = choosePlan();
  if (!plan || !settleConflicts(*plan))
    return;
  const hal::ExecutionOptions options = chooseOptions(*plan);
  const Statuses allowed = forecast(*plan, options);
  noteEnd(*plan, plan->model->model->execute(plan->request, options), allowed);
}

void World::runAsynchronously() {
  const std::optional<Plan> plan = choosePlan();
  if (!plan || !settleConflicts(*plan))
    return;
  const hal::ExecutionOptions options = chooseOptions(*plan);
  const Statuses allowed = forecast(*plan, options);
  struct Answers {
    std::atomic<int> count{0};
    std::promise<hal::ExecutionOutcome> first;
  };
  auto answers = std::make_shared<Answers>();
  (void)plan->model->model->executeAsynchronously(plan->request, options,
                                                  [answers](const hal::ExecutionOutcome &outcome) {
                                                    require(++answers->count == 1, "a second answer of a run");
                                                    answers->first.set_value(outcome);
                                                  });
  noteEnd(*plan, answers->first.get_future().get(), allowed);
}

void World::openBurst() {
  constexpr size_t kMaxBursts = 3;
  const std::shared_ptr<Prepared> model = any(models_);
  if (model == nullptr || bursts_.size() >= kMaxBursts)
    return;
  auto burst = model->model->configureBurst();
  expect("configureBurst", burst, {ErrorStatus::None});
  bursts_.push_back(std::make_shared<BurstSlot>(BurstSlot{model, *burst}));
}

void World::runBurst() {
  const std::shared_ptr<BurstSlot> slot = any(bursts_);
  if (slot == nullptr)
    return;
  std::optional<Plan> plan = choosePlanFor(slot->model);
  if (!plan || !settleConflicts(*plan))
    return;
  for (int64_t &identifier : plan->identifiers)
    identifier = bytes_.oneIn(5) ? -1 : identifier;
  const hal::ExecutionOptions options = chooseOptions(*plan);
  const Statuses allowed = forecast(*plan, options);
  noteEnd(*plan, slot->burst->execute(plan->request, plan->identifiers, options), allowed);
}

/// Two memories of one request with one identifier, which may also be that of another memory.
void World::runBurstWithStaleIdentifier() {
  const std::shared_ptr<BurstSlot> slot = any(bursts_);
  if (slot == nullptr)
    return;
  std::optional<Plan> plan = choosePlanFor(slot->model);
  const auto isPool = [](const std::shared_ptr<Cell> &cell) { return cell->buffer == nullptr; };
  if (!plan || !std::ranges::all_of(plan->inputs, isPool) || !isPool(plan->output) || !settleConflicts(*plan))
    return;
  std::ranges::fill(plan->identifiers, plan->identifiers[bytes_.below(2)]);
  const hal::ExecutionOutcome outcome = slot->burst->execute(plan->request, plan->identifiers, {});
  expectStatus("a burst with one identifier for several memories", outcome.status, outcome.message,
               {ErrorStatus::InvalidArgument});
  // It may stand for either memory now.
  expect("releaseMemoryResource", slot->burst->releaseMemoryResource(plan->identifiers[0]), {ErrorStatus::None});
}

void World::releaseIdentifier() {
  const std::shared_ptr<BurstSlot> slot = any(bursts_);
  const std::shared_ptr<Cell> cell = any(pools_);
  if (slot == nullptr || cell == nullptr)
    return;
  expect("releaseMemoryResource", slot->burst->releaseMemoryResource(cell->identifier), {ErrorStatus::None});
}

void World::makeReusable() {
  constexpr size_t kMaxReusables = 4;
  std::optional<Plan> plan = choosePlan();
  if (!plan || reusables_.size() >= kMaxReusables)
    return;
  auto slot = std::make_shared<ReusableSlot>();
  slot->options = chooseOptions(*plan);
  slot->options.deadline.reset(); // each run has its own
  auto execution = plan->model->model->createReusableExecution(plan->request, slot->options);
  expect("createReusableExecution", execution, {ErrorStatus::None});
  slot->plan = std::move(*plan);
  slot->execution = *execution;
  reusables_.push_back(std::move(slot));
}

void World::runReusable() {
  const std::shared_ptr<ReusableSlot> slot = any(reusables_);
  if (slot == nullptr)
    return;
  hal::ExecutionOptions options = slot->options;
  options.deadline = chooseOptions(slot->plan).deadline;
  if (slot->last != nullptr && slot->last->isBlocked())
    return slot->last->mayHaveFailed()
               ? void()
               : expectStatus("compute during a run", slot->execution->compute(options.deadline).status, "",
                              {ErrorStatus::InvalidArgument});
  if (slot->last != nullptr)
    settle(slot->last);
  if (!settleConflicts(slot->plan) || std::ranges::find(reusables_, slot) == reusables_.end())
    return;
  const Statuses allowed = forecast(slot->plan, options);
  noteEnd(slot->plan, slot->execution->compute(options.deadline), allowed);
}

} // namespace avocet::fuzz

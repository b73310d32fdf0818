//===- FenceSteps.cpp - Fenced runs and their fences -------------------------- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include "Require.h"

#include <algorithm>
#include <sys/eventfd.h>
#include <unistd.h>

namespace avocet::fuzz {

using hal::ErrorStatus;
using hal::FenceState;
using State = Value::State;

void Gate::signal() {
  const uint64_t one = 1;
  if (signaler)
    signaler->signal();
  else
    require(::write(event.get(), &one, sizeof(one)) == sizeof(one), "an event cannot be signaled");
  state = State::Signaled;
}

void Gate::fail(bool isDeath) {
  if (!signaler)
    return signal();
  if (!isDeath)
    signaler->fail();
  signaler.reset();
  state = State::Failed;
}

bool Flight::isBlocked() const {
  return !isOver && std::ranges::any_of(gates, [](const auto &gate) { return gate->state == Gate::State::Closed; });
}

bool Flight::hasFailedGate() const {
  return std::ranges::any_of(gates, [](const auto &gate) { return gate->state == Gate::State::Failed; });
}

bool Flight::mayHaveFailed() const {
  return mayFail || mustFail || hasFailedGate() || std::ranges::any_of(after, [](const auto &other) {
           return other->isOver ? !other->isRight : other->mayHaveFailed();
         });
}

void World::makeGate() {
  constexpr size_t kMaxGates = 4;
  if (gates_.size() >= kMaxGates)
    return;
  auto gate = std::make_shared<Gate>();
  if (bytes_.oneIn(3)) {
    gate->event = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
    auto copy = gate->event.duplicate();
    require(copy.isOk(), "an event cannot be duplicated");
    gate->fence = *hal::SyncFence::adopt(std::make_shared<const FileDescriptor>(std::move(*copy)));
  } else {
    auto made = hal::FenceSignaler::create();
    expect("FenceSignaler::create", made, {ErrorStatus::None});
    gate->fence = made->first;
    gate->signaler.emplace(std::move(made->second));
  }
  gates_.push_back(std::move(gate));
}

void World::decideGate() {
  const std::shared_ptr<Gate> gate = any(gates_);
  if (gate == nullptr)
    return;
  const uint32_t kind = bytes_.below(4);
  kind < 2 ? gate->signal() : gate->fail(kind == 2);
  std::erase(gates_, gate);
}

/// Fences of the runs whose accesses conflict, and any others; notes in `flight` what follows from them.
std::vector<hal::SyncFence> World::chooseFences(Flight &flight) {
  std::vector<std::shared_ptr<Flight>> after = flight.plan.output->users;
  for (const auto &input : flight.plan.inputs)
    std::ranges::copy_if(input->users, std::back_inserter(after),
                         [&](const auto &user) { return user->plan.output == input; });
  for (uint32_t count = bytes_.below(3); count != 0; --count)
    if (const auto other = any(flights_))
      after.push_back(other);
  std::vector<hal::SyncFence> fences;
  for (uint32_t count = bytes_.below(3); count != 0; --count)
    if (const auto gate = any(gates_)) {
      flight.gates.push_back(gate);
      fences.push_back(gate->fence);
    }
  for (const auto &other : after) {
    flight.gates.insert(flight.gates.end(), other->gates.begin(), other->gates.end());
    fences.push_back(other->launch.fence);
  }
  flight.after = std::move(after);
  return fences;
}

/// A launch may be refused for what is known at once; what its fences bring is an error of the run.
void World::expectRefusal(const Flight &flight, const hal::Error &refusal, const Statuses &allowed) const {
  Statuses also = allowed;
  std::erase(also, ErrorStatus::None);
  if (std::ranges::any_of(flight.after,
                          [](const auto &other) { return other->launch.fence.state() == FenceState::Error; }))
    also.insert(also.end(), {ErrorStatus::InvalidArgument, ErrorStatus::GeneralFailure});
  expectStatus("a launch", refusal.code, refusal.message, also);
}

void World::launch(const Plan &plan, const hal::ExecutionOptions &options, ReusableSlot *reusable) {
  auto flight = std::make_shared<Flight>();
  flight->plan = plan;
  const Statuses allowed = forecast(plan, options);
  flight->mustFail = std::ranges::find(allowed, ErrorStatus::None) == allowed.end();
  const std::vector<hal::SyncFence> fences = chooseFences(*flight);
  hal::OptionalDuration timeout;
  if (bytes_.oneIn(6))
    timeout = bytes_.oneIn(2) ? hal::Duration(std::chrono::hours(1)) : std::chrono::microseconds(10 * bytes_.byte());
  flight->mayFail = allowed.size() > 1 || (timeout && *timeout < std::chrono::hours(1));
  auto launched = reusable != nullptr ? reusable->execution->computeFenced(fences, options.deadline, timeout)
                                      : plan.model->model->executeFenced(plan.request, fences, {options, timeout});
  if (!launched)
    return expectRefusal(*flight, launched.error(), allowed);
  flight->launch = *launched;
  for (const auto &input : plan.inputs) {
    flight->inputs.push_back(input->value);
    input->users.push_back(flight);
  }
  flight->output = std::make_shared<Value>(Value{State::Pending, plan.extent});
  plan.output->value = flight->output;
  plan.output->users.push_back(flight);
  flights_.push_back(flight);
  if (reusable != nullptr)
    reusable->last = flight;
}

void World::launchFenced() {
  constexpr size_t kMaxFlights = 8;
  if (flights_.size() >= kMaxFlights)
    return;
  if (const std::optional<Plan> plan = choosePlan())
    launch(*plan, chooseOptions(*plan), nullptr);
}

void World::launchReusable() {
  const std::shared_ptr<ReusableSlot> slot = any(reusables_);
  if (slot == nullptr)
    return;
  if (slot->last != nullptr && slot->last->isBlocked())
    return slot->last->mayHaveFailed()
               ? void()
               : expect("computeFenced during a run", slot->execution->computeFenced({}, {}, {}),
                        {ErrorStatus::InvalidArgument});
  if (slot->last != nullptr)
    settle(slot->last);
  if (std::ranges::find(reusables_, slot) == reusables_.end())
    return;
  hal::ExecutionOptions options = slot->options;
  options.deadline = chooseOptions(slot->plan).deadline;
  launch(slot->plan, options, slot.get());
}

void World::settleOne() {
  if (const std::shared_ptr<Flight> flight = any(flights_))
    settle(flight);
}

/// The fence of a run that misses its deadline fails at once, while its job may still write the output for a moment.
void World::retire(const std::shared_ptr<Cell> &cell) {
  std::erase(buffers_, cell);
  std::erase(pools_, cell);
  std::erase_if(reusables_, [&](const auto &slot) {
    return slot->plan.output == cell || std::ranges::find(slot->plan.inputs, cell) != slot->plan.inputs.end();
  });
}

/// Signals the gates before the run, waits for its end, and checks it.
void World::settle(std::shared_ptr<Flight> flight) {
  if (flight->isOver)
    return;
  for (const auto &gate : flight->gates)
    if (gate->state == Gate::State::Closed) {
      gate->signal();
      std::erase(gates_, gate);
    }
  for (const auto &other : flight->after)
    settle(other);
  flight->isRight = flight->launch.fence.wait(std::nullopt) == FenceState::Signaled;
  flight->isOver = true;
  const auto info = flight->launch.info->executionInfo();
  require(info.isOk() == flight->isRight, "the fence of a run and its info differ");
  // A predecessor's deadline may pass when the device has already started this run.
  const bool mustFail =
      flight->mustFail || flight->hasFailedGate() || std::ranges::any_of(flight->after, [](const auto &other) {
        return !other->isRight && !(other->hasMissed && other->mayFail);
      });
  const bool hasFailedBefore = std::ranges::any_of(flight->after, [](const auto &other) { return !other->isRight; });
  require(!mustFail || !flight->isRight, "a fenced run succeeds that must fail");
  require(mustFail || hasFailedBefore || flight->mayFail || flight->isRight,
          "a fenced run fails: " + (info ? std::string() : info.error().message));
  const Plan plan = flight->plan;
  for (const auto &input : plan.inputs)
    std::erase(input->users, flight);
  std::erase(plan.output->users, flight);
  std::erase(flights_, flight);
  if (flight->isRight)
    *flight->output = hasFailedBefore ? Value{State::Any, plan.extent} : resultOf(plan, flight->inputs);
  else
    flight->output->state = plan.output->buffer != nullptr ? State::Doubtful : State::Any;
  if (flight->isRight && plan.output->value == flight->output && plan.output->users.empty())
    requireResult(plan);
  flight->hasMissed = info.code() == ErrorStatus::MissedDeadlineTransient;
  if (flight->hasMissed)
    retire(plan.output);
  flight->after.clear(); // else the chain of all runs would be kept
}

} // namespace avocet::fuzz

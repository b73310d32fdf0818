//===- RunActions.cpp - Executions of all kinds ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Actions.h"
#include "Pool.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace avocet::stress {
namespace {

using namespace hal;
using namespace std::chrono_literals;

constexpr auto kLate = {ErrorStatus::MissedDeadlineTransient, ErrorStatus::MissedDeadlinePersistent};

/// Two pools of a model, the input filled.
struct Arguments {
  Pool input, output;
  Request request;
};

std::optional<Arguments> argumentsFor(Client &client, const StressModel &model) {
  auto input = Pool::make(model.bytes()), output = Pool::make(model.bytes());
  if (!input || !output) {
    client.add(Count::Refused);
    return std::nullopt;
  }
  input->fill(model.input);
  output->clear();
  Request request = requestOf(*input, *output);
  return Arguments{std::move(*input), std::move(*output), std::move(request)};
}

void prepareOne(Client &client) {
  static constexpr Priority kPriorities[] = {Priority::Low, Priority::Medium, Priority::High};
  PrepareOptions options;
  options.priority = kPriorities[client.random().below(3)];
  if (client.random().oneIn(4))
    options.deadline = BootClock::now() + std::chrono::microseconds(client.random().below(5000));
  if (client.prepare(client.anyModel(), options))
    client.haveEffect();
}

void drop(Client &client) {
  if (!client.held().empty())
    client.drop(client.random().below(client.held().size()));
  client.haveEffect();
  client.tick();
}

void run(Client &client) {
  const auto held = client.anyHeld();
  auto arguments = held ? argumentsFor(client, *held->model) : std::nullopt;
  if (!arguments)
    return;
  ExecutionOptions options;
  options.measure = client.random().oneIn(2) ? MeasureTiming::Yes : MeasureTiming::No;
  const ExecutionOutcome outcome = held->prepared->execute(arguments->request, options);
  if (client.judge("execute", outcome.status, outcome.message))
    client.compare("execute", *held->model, 1, arguments->output.copy());
}

void runInTime(Client &client) {
  const auto held = client.anyHeld();
  auto arguments = held ? argumentsFor(client, *held->model) : std::nullopt;
  if (!arguments)
    return;
  ExecutionOptions options;
  options.deadline = BootClock::now() + std::chrono::microseconds(client.random().below(2000));
  const ExecutionOutcome outcome = held->prepared->execute(arguments->request, options);
  if (std::ranges::find(kLate, outcome.status) != kLate.end())
    client.haveEffect();
  if (client.judge("execute with a deadline", outcome.status, outcome.message, kLate))
    client.compare("execute with a deadline", *held->model, 1, arguments->output.copy());
}

void reuse(Client &client) {
  const auto held = client.anyHeld();
  auto arguments = held ? argumentsFor(client, *held->model) : std::nullopt;
  if (!arguments)
    return;
  auto execution = held->prepared->createReusableExecution(arguments->request, {});
  if (!client.judge("createReusableExecution", execution))
    return;
  for (uint64_t i = 0, count = 1 + client.random().below(5); i < count; ++i) {
    arguments->output.clear();
    const ExecutionOutcome outcome = (*execution)->compute({});
    if (!client.judge("compute", outcome.status, outcome.message))
      return;
    client.compare("compute", *held->model, 1, arguments->output.copy());
  }
}

void burst(Client &client) {
  const auto held = client.anyHeld();
  auto arguments = held ? argumentsFor(client, *held->model) : std::nullopt;
  if (!arguments)
    return;
  auto burst = held->prepared->configureBurst();
  if (!client.judge("configureBurst", burst))
    return;
  for (uint64_t i = 0, count = 1 + client.random().below(20); i < count; ++i) {
    const bool isNamed = !client.random().oneIn(4);
    arguments->output.clear();
    const ExecutionOutcome outcome =
        (*burst)->execute(arguments->request, isNamed ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{-1, -1}, {});
    if (!client.judge("burst", outcome.status, outcome.message))
      return;
    client.compare("burst", *held->model, 1, arguments->output.copy());
    if (client.random().oneIn(6))
      (void)(*burst)->releaseMemoryResource(static_cast<int64_t>(1 + client.random().below(2)));
  }
}

/// Counts call-backs; outlives the action if a call-back comes late.
struct Callbacks {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<ExecutionOutcome> outcomes;
};

/// Several asynchronous executions at once. Waits without a limit: an answer that never comes is a hang.
void runAtOnce(Client &client) {
  const auto held = client.anyHeld();
  if (!held)
    return;
  auto box = std::make_shared<Callbacks>();
  std::vector<Arguments> all;
  for (uint64_t i = 0, count = 2 + client.random().below(6); i < count; ++i) {
    auto arguments = argumentsFor(client, *held->model);
    if (!arguments)
      break;
    all.push_back(std::move(*arguments));
    (void)held->prepared->executeAsynchronously(all.back().request, {}, [box](const ExecutionOutcome &outcome) {
      std::lock_guard lock(box->mutex);
      box->outcomes.push_back(outcome);
      box->changed.notify_all();
    });
  }
  if (client.random().oneIn(5))
    return; // abandons the executions
  std::unique_lock lock(box->mutex);
  box->changed.wait(lock, [&] { return box->outcomes.size() == all.size(); });
  bool allRight = true;
  for (const ExecutionOutcome &outcome : box->outcomes)
    allRight &= client.judge("asynchronous", outcome.status, outcome.message);
  for (const Arguments &arguments : all)
    if (allRight)
      client.compare("asynchronous", *held->model, 1, arguments.output.copy());
}

void ask(Client &client) {
  auto answer = client.device().getSupportedOperations(client.anyModel().model);
  if (!client.judge("getSupportedOperations", answer))
    return;
  if (std::ranges::find(answer->supported, false) != answer->supported.end())
    client.fail("an operation became unsupported");
  client.haveEffect();
}

void sleep(Client &client) {
  std::this_thread::sleep_for(std::chrono::milliseconds(client.random().below(20)));
  client.haveEffect();
  client.tick();
}

/// Disconnects, possibly with executions in flight, and connects again.
void reconnect(Client &client) {
  bool isInFlight = false;
  if (const auto held = client.anyHeld())
    if (auto arguments = argumentsFor(client, *held->model))
      isInFlight = held->prepared->executeAsynchronously(arguments->request, {}, [](const ExecutionOutcome &) {}) ==
                   ErrorStatus::None;
  client.connect();
  if (isInFlight)
    client.haveEffect();
}

constexpr Action kActions[] = {{"prepare", 6, prepareOne},     {"drop", 3, drop},     {"run", 10, run},
                               {"deadline", 5, runInTime},     {"reuse", 5, reuse},   {"burst", 8, burst},
                               {"asynchronous", 6, runAtOnce}, {"supported", 2, ask}, {"sleep", 2, sleep},
                               {"reconnect", 1, reconnect}};

} // namespace

std::span<const Action> runActions() { return kActions; }

} // namespace avocet::stress

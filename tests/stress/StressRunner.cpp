//===- StressRunner.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StressRunner.h"

#include "Pool.h"
#include "Watch.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/ipc/Client.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::stress {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using hal::ServiceProcess;

constexpr auto kTick = 2ms;

Status statusOf(const hal::Error &error) { return internalError(error.message); }

/// Half of all clients behave well.
Role chooseRole(Random &random) {
  static constexpr Role kRoles[] = {Role::Worker, Role::Worker, Role::Worker, Role::Suicide, Role::Suicide,
                                    Role::Poor,   Role::Greedy, Role::Vandal, Role::Patient, Role::Patient};
  return kRoles[random.below(std::size(kRoles))];
}

} // namespace

StressRunner::StressRunner(const Settings &settings, ScratchDirectory scratch, SharedState state)
    : settings_(settings), scratch_(std::move(scratch)), state_(std::move(state)), random_(settings.seed),
      socket_(scratch_.path() + "/socket"), log_(scratch_.path() + "/log"), goldens_(scratch_.path() + "/goldens"),
      lives_(settings.clients) {}

StressRunner::~StressRunner() { killAll(); }

Result<std::unique_ptr<StressRunner>> StressRunner::create(const Settings &settings) {
  AVOCET_ASSIGN_OR_RETURN(ScratchDirectory scratch, ScratchDirectory::make());
  AVOCET_ASSIGN_OR_RETURN(SharedState state, SharedState::create());
  std::unique_ptr<StressRunner> made(new StressRunner(settings, std::move(scratch), std::move(state)));
  hal::DriverOptions driver;
  driver.target = settings.target;
  auto device = hal::openDevice(driver);
  if (!device)
    return statusOf(device.error());
  std::vector<StressModel> models = makeModels(settings.seed, settings.models);
  if (hal::Outcome outcome = computeGoldens(**device, models); !outcome)
    return statusOf(outcome.error());
  AVOCET_RETURN_IF_ERROR(writeFile(made->goldens_, packGoldens(models)));
  AVOCET_RETURN_IF_ERROR(made->startService());
  return made;
}

/// The C library keeps freed memory in an arena for each of many threads. With one arena, growth of resident memory is
/// a leak.
Status StressRunner::startService() {
  (void)::setenv("MALLOC_ARENA_MAX", "1", /*overwrite=*/0);
  std::vector<std::string> arguments = {"--target", settings_.target};
  if (!settings_.hasWorkers)
    arguments.emplace_back("--compile-in-process");
  auto service = ServiceProcess::start(settings_.service, socket_, arguments, log_);
  if (!service)
    return service.status();
  service_.emplace(std::move(*service));
  auto names = hal::listDevices(socket_);
  if (!names || names->empty())
    return notFound("the service has no device");
  device_ = names->front();
  return Status::ok();
}

Status StressRunner::restartService() {
  auto note = [this] {
    state_.content().lastKill =
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now().time_since_epoch()).count();
  };
  ++state_.content().serviceKills;
  note();
  service_->kill();
  Status status = startService();
  note();
  return status;
}

/// The child executes this program again, so that no memory of the runner is in it.
void StressRunner::start(Life &life, uint32_t slot, const Scenario &scenario) {
  life = {};
  life.role = chooseRole(random_);
  setText(state_.content().slots[slot].failure, "");
  const std::string state = std::to_string(state_.descriptor());
  std::vector<std::string> line = {"avocetStress",   "--client",
                                   "--shared-state", state,
                                   "--slot",         std::to_string(slot),
                                   "--seed",         std::to_string(random_.next() >> 1),
                                   "--model-seed",   std::to_string(settings_.seed),
                                   "--models",       std::to_string(settings_.models),
                                   "--steps",        std::to_string(settings_.steps),
                                   "--role",         std::to_string(static_cast<int>(life.role)),
                                   "--socket",       socket_,
                                   "--device",       device_,
                                   "--goldens",      goldens_};
  std::vector<char *> pointers;
  for (std::string &argument : line)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const Clock::time_point now = Clock::now();
  life.killAt = life.stopAt = life.continueAt = Clock::time_point::max();
  if (scenario.deaths > 0 && !random_.oneIn(4))
    life.killAt = now + std::chrono::microseconds(random_.below(200000));
  if (random_.oneIn(10))
    life.stopAt = now + std::chrono::microseconds(random_.below(100000));
  life.pid = ::fork();
  if (life.pid != 0)
    return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)::fcntl(state_.descriptor(), F_SETFD, 0);
  ::execv("/proc/self/exe", pointers.data());
  ::_exit(127);
}

void StressRunner::act(Life &life, Clock::time_point now) {
  if (life.pid < 0)
    return;
  if (now >= life.killAt && !life.isKilled) {
    life.isKilled = true;
    (void)::kill(life.pid, SIGKILL);
  }
  if (now >= life.stopAt && !life.isStopped) {
    life.isStopped = true;
    (void)::kill(life.pid, SIGSTOP); // a stopped client does not read its socket
    life.continueAt = now + std::chrono::milliseconds(random_.below(500));
  }
  if (now >= life.continueAt) {
    life.continueAt = Clock::time_point::max();
    (void)::kill(life.pid, SIGCONT);
  }
}

void StressRunner::reap(Life &life, uint32_t slot, ScenarioResult &result) {
  int status = 0;
  if (life.pid < 0 || ::waitpid(life.pid, &status, WNOHANG) != life.pid)
    return;
  life.pid = -1;
  ++result.lives;
  const bool isDead = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  // A poor client may run out of memory: operator new then ends the process. That is no failure.
  const bool isStarved = life.role == Role::Poor && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  if (isDead || isStarved) {
    ++result.deaths;
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    ++result.ends;
  } else if (result.outcome == Outcome::Success) {
    result.outcome = WIFSIGNALED(status) ? Outcome::Crash : Outcome::Failure;
    const Slot &place = state_.content().slots[slot];
    result.reason = WIFSIGNALED(status) ? fmt::format("a {} client ends by signal {} at {}", toString(life.role),
                                                      WTERMSIG(status), place.action)
                                        : fmt::format("a {} client: {}", toString(life.role), place.failure);
  }
}

uint64_t StressRunner::totalProgress() {
  uint64_t total = 0;
  for (const Slot &slot : state_.content().slots)
    total += slot.progress;
  return total;
}

void StressRunner::killAll() {
  for (Life &life : lives_)
    if (life.pid >= 0) {
      ::kill(life.pid, SIGKILL);
      ::waitpid(life.pid, nullptr, 0);
      life.pid = -1;
    }
}

ScenarioResult StressRunner::run(const Scenario &scenario) {
  ScenarioResult result;
  result.scenario = scenario;
  const Clock::time_point begin = Clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  auto isMore = [&] {
    return result.deaths < scenario.deaths || result.restarts < scenario.restarts || seconds() < scenario.seconds;
  };
  for (Slot &slot : state_.content().slots)
    for (auto &count : slot.counts)
      count = 0;
  Watch watch(state_.content(), settings_);
  Clock::time_point restartAt = begin + 200ms;
  auto isAlive = [](const Life &life) { return life.pid >= 0; };
  while (result.outcome == Outcome::Success && (isMore() || std::ranges::any_of(lives_, isAlive))) {
    const Clock::time_point now = Clock::now();
    for (uint32_t i = 0; i < lives_.size(); ++i) {
      act(lives_[i], now);
      reap(lives_[i], i, result);
      if (lives_[i].pid < 0 && isMore()) {
        start(lives_[i], i, scenario);
        watch.begins(i);
      }
      watch.setAlive(i, lives_[i].pid >= 0);
    }
    if (auto how = service_->death(); how && result.outcome == Outcome::Success) {
      result.outcome = Outcome::Crash;
      result.reason = "the service " + *how;
    }
    if (const std::vector<std::string> hanging = watch.look(); !hanging.empty() && result.outcome == Outcome::Success) {
      result.outcome = Outcome::Hang;
      result.reason = fmt::format("{}", fmt::join(hanging, "; "));
      result.lostAnswers = hanging.size();
    }
    if (result.outcome == Outcome::Success && result.restarts < scenario.restarts && now >= restartAt) {
      if (Status status = restartService(); !status.isOk()) {
        result.outcome = Outcome::Crash;
        result.reason = status.toString();
      }
      ++result.restarts;
      restartAt = Clock::now() + std::chrono::milliseconds(50 + random_.below(400));
    }
    showProgress(result);
    std::this_thread::sleep_for(kTick);
  }
  killAll();
  for (const Slot &slot : state_.content().slots)
    for (size_t i = 0; i < kNumCounts; ++i)
      result.counts[i] += slot.counts[i];
  result.seconds = seconds();
  return result;
}

void StressRunner::showProgress(const ScenarioResult &result) {
  if (!settings_.showProgress || Clock::now() - lastShown_ < 1s)
    return;
  lastShown_ = Clock::now();
  printErr("{}: {} lives, {} deaths, {} restarts, {} calls\n", result.scenario.name, result.lives, result.deaths,
           result.restarts, totalProgress());
}

/// One execution after a fence of this process.
static void runAfterFence(hal::IPreparedModel &prepared, const StressModel &model) {
  const auto file = std::make_shared<const FileDescriptor>(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const auto fence = hal::SyncFence::adopt(file);
  const auto input = Pool::make(model.bytes()), output = Pool::make(model.bytes());
  if (!fence || !input || !output)
    return;
  const auto launch = prepared.executeFenced(requestOf(*input, *output), {*fence}, {});
  (void)::eventfd_write(file->get(), 1);
  if (launch)
    (void)launch->fence.wait({});
}

/// Two measurements agree only if all that the service makes once exists. It keeps the last worker of each of two pairs
/// of files until the next compilation, so there are two; it starts a thread for fences with the first one, and keeps
/// it.
ServiceState StressRunner::measure() {
  const std::vector<StressModel> models = makeModels(settings_.seed, 2);
  if (auto device = hal::connectDevice(socket_, device_))
    for (const StressModel &model : models)
      if (auto prepared = (*device)->prepareModel(model.model, {}))
        runAfterFence(**prepared, model);
  return settle(service_->pid(), log_);
}

void StressRunner::markQuiet() { mark_ = measure(); }

std::vector<Leak> StressRunner::leaksSinceMark() {
  std::vector<Leak> leaks;
  const ServiceState now = measure();
  for (const auto &[figure, before] : mark_) {
    const auto after = now.find(figure);
    leaks.push_back({figure, before, after == now.end() ? UINT64_MAX : after->second, allowance(figure, before)});
  }
  return leaks;
}

Result<std::string> StressRunner::stop() {
  killAll();
  return service_->stop();
}

} // namespace avocet::stress

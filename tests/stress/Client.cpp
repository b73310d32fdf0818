//===- Client.cpp ---------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include "Actions.h"
#include "Sanitizer.h"
#include "avocet/hal/ipc/ResilientDevice.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace avocet::stress {

using namespace hal;
using namespace std::chrono_literals;

std::string_view toString(Role role) {
  static constexpr std::array<std::string_view, kNumRoles> kNames = {"worker",  "suicide", "poor",
                                                                     "patient", "greedy",  "vandal"};
  return kNames[static_cast<size_t>(role)];
}

Client::Client(const ClientOptions &options, SharedStateContent &state, std::vector<StressModel> models)
    : options_(options), state_(state), slot_(state.slots[options.slot]), random_(options.seed),
      models_(std::move(models)) {}

void Client::fail(const std::string &why) {
  setText(slot_.failure, fmt::format("{}: {}", slot_.action, why));
  ::_exit(kFailed);
}

void Client::connect() {
  begin("connect");
  held_.clear();
  device_.reset();
  isGone_ = false;
  for (;;) {
    killsSeen_ = state_.serviceKills;
    auto device = open();
    if (device) {
      device_ = *device;
      return tick();
    }
    if (device.code() != ErrorStatus::DeadObject && device.code() != ErrorStatus::ResourceExhaustedTransient)
      fail(std::string(hal::toString(device.code())) + " " + device.error().message);
    std::this_thread::sleep_for(5ms); // the runner detects a service that does not come back
  }
}

hal::Result<std::shared_ptr<IDevice>> Client::open() const {
  if (options_.role == Role::Patient)
    return connectResilientDevice(options_.socket, options_.device);
  const BurstKind kind = options_.seed % 2 ? BurstKind::Queues : BurstKind::Calls;
  return connectDevice(options_.socket, options_.device, {.burst = kind});
}

/// A patient client cannot tell which of its calls was the first after a death.
bool Client::isServiceKilled() const {
  constexpr int64_t kAftermath = 30;
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now().time_since_epoch());
  if (options_.role == Role::Patient)
    return state_.lastKill >= 0 && now.count() - state_.lastKill < kAftermath;
  return state_.serviceKills != killsSeen_;
}

bool Client::judge(std::string_view what, ErrorStatus status, const std::string &message,
                   std::initializer_list<ErrorStatus> allowed) {
  tick();
  switch (status) {
  case ErrorStatus::None:
    return true;
  case ErrorStatus::ResourceExhaustedTransient:
  case ErrorStatus::ResourceExhaustedPersistent:
    add(Count::Refused);
    return false;
  case ErrorStatus::DeadObject:
    isGone_ = options_.role != Role::Patient;
    add(Count::Dead);
    // A message that a poor client cannot receive ends its connection.
    if (!isServiceKilled() && options_.role != Role::Poor)
      fail(fmt::format("{}: DEAD_OBJECT, but the service was not killed: {}", what, message));
    return false;
  default:
    break;
  }
  if (std::ranges::find(allowed, status) != allowed.end()) {
    const bool isLate =
        status == ErrorStatus::MissedDeadlineTransient || status == ErrorStatus::MissedDeadlinePersistent;
    add(isLate ? Count::Missed : Count::Failed);
    return false;
  }
  if (message.find("the device offers no") != std::string::npos ||
      message.find("the device allocates no") != std::string::npos) {
    add(Count::NotOffered);
    return false;
  }
  // Buffers of a dead service are empty; outputs that were to be written to them are lost.
  const bool isAftermath = options_.role == Role::Patient && isServiceKilled();
  if ((options_.role == Role::Poor || isAftermath) && status == ErrorStatus::GeneralFailure) {
    add(isAftermath ? Count::Dead : Count::Refused);
    return false;
  }
  fail(fmt::format("{}: {} {}", what, hal::toString(status), message));
}

void Client::compare(std::string_view what, const StressModel &model, size_t applications,
                     std::span<const uint8_t> bytes) {
  const Bytes &golden = model.golden[applications - 1];
  const auto [right, wrong] = std::ranges::mismatch(golden, bytes);
  if (right != golden.end() || wrong != bytes.end())
    fail(fmt::format("{}: WRONG RESULT of {} at byte {}", what, model.name, right - golden.begin()));
  add(Count::Right);
}

bool Client::prepare(const StressModel &model, const PrepareOptions &options) {
  const bool isLimited = options.deadline.has_value();
  auto prepared = device_->prepareModel(model.model, options);
  const bool isOk = isLimited ? judge("prepareModel", prepared,
                                      {ErrorStatus::MissedDeadlineTransient, ErrorStatus::MissedDeadlinePersistent})
                              : judge("prepareModel", prepared);
  if (isOk)
    held_.push_back({&model, *prepared});
  return isOk;
}

std::optional<Held> Client::anyHeld() {
  if (held_.empty() && !prepare(anyModel()))
    return std::nullopt;
  return held_[random_.below(held_.size())];
}

void Client::perform(const Action &action) {
  begin(action.name);
  hasEffect_ = false;
  action.run(*this);
  if (isGone_ || isServiceKilled())
    return;
  ActionCounts &counts = state_.actions.at(numberOf(action));
  ++counts.runs;
  counts.effects += hasEffect_ ? 1 : 0;
}

void Client::drop(size_t index) { held_.erase(held_.begin() + static_cast<ptrdiff_t>(index)); }

namespace {

constexpr rlim_t kPoorDescriptors = 40;
constexpr rlim_t kPoorAddressSpace = rlim_t(512) << 20;

/// Without a limit on address space under sanitizers, which reserve more than any limit.
void impoverish() {
  const rlimit descriptors = {kPoorDescriptors, kPoorDescriptors};
  (void)::setrlimit(RLIMIT_NOFILE, &descriptors);
  if (kHasSanitizer)
    return;
  const rlimit memory = {kPoorAddressSpace, kPoorAddressSpace};
  (void)::setrlimit(RLIMIT_AS, &memory);
}

/// Ends the process from another thread after a random delay, as kill -9 does, in the middle of an action.
void dieSoon(Random &random) {
  const auto delay = std::chrono::microseconds(random.below(random.oneIn(2) ? 3000 : 200));
  std::thread([delay] {
    std::this_thread::sleep_for(delay);
    (void)::kill(::getpid(), SIGKILL);
  }).detach();
}

avocet::Result<std::vector<StressModel>> readModels(const ClientOptions &options) {
  std::vector<StressModel> models = makeModels(options.modelSeed, options.models);
  AVOCET_ASSIGN_OR_RETURN(const Bytes goldens, readFile(options.goldens));
  if (!unpackGoldens(goldens, models))
    return dataLoss("the golden bits are of other models");
  return models;
}

} // namespace

int runClient(const ClientOptions &options) {
  auto state = SharedState::attach(options.state);
  auto models = readModels(options);
  if (!state || !models || options.slot >= SharedStateContent::kMaxClients)
    return kFailed;
  Client client(options, state->content(), std::move(*models));
  if (options.role == Role::Poor)
    impoverish();
  client.connect();
  const uint64_t lastStep = options.role == Role::Suicide ? client.random().below(options.steps) : options.steps;
  for (uint64_t step = 0; step < options.steps; ++step) {
    const Action &action = chooseAction(options.role, client.random());
    if (step == lastStep)
      dieSoon(client.random());
    client.perform(action);
    if (client.isServiceGone())
      client.connect();
  }
  if (options.role == Role::Suicide)
    ::pause(); // the thread of dieSoon() ends the process
  client.begin("end");
  return 0;
}

} // namespace avocet::stress

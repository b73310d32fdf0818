//===- FenceActions.cpp - Fenced executions: chained, late, abandoned -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Actions.h"
#include "Pool.h"

#include <sys/eventfd.h>

namespace avocet::stress {
namespace {

using namespace hal;
using namespace std::chrono_literals;

constexpr auto kLate = {ErrorStatus::MissedDeadlineTransient, ErrorStatus::MissedDeadlinePersistent};

struct ForeignFence {
  SharedHandle file;
  SyncFence fence;
  void signal() const { (void)::eventfd_write(file->get(), 1); }
};

std::optional<ForeignFence> makeForeign(Client &client) {
  auto file = std::make_shared<const FileDescriptor>(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  auto fence = SyncFence::adopt(file);
  if (!fence) {
    client.add(Count::Refused);
    return std::nullopt;
  }
  return ForeignFence{std::move(file), std::move(*fence)};
}

std::vector<Pool> makePools(Client &client, uint64_t size, size_t count) {
  std::vector<Pool> pools;
  for (size_t i = 0; i < count; ++i) {
    auto pool = Pool::make(size);
    if (!pool) {
      client.add(Count::Refused);
      return {};
    }
    pool->clear();
    pools.push_back(std::move(*pool));
  }
  return pools;
}

/// Pools and launches of a chain.
struct Chain {
  std::vector<Pool> pools; ///< input, then each output, which is the next input
  std::vector<FencedLaunch> launches;
};

/// Waits without a limit: a fence that never signals is a hang.
bool awaitFence(Client &client, const FencedLaunch &launch, std::initializer_list<ErrorStatus> allowed = {}) {
  if (launch.fence.wait({}) == FenceState::Signaled) {
    client.tick();
    return true;
  }
  auto info = launch.info->executionInfo();
  if (info)
    client.fail("a fence in its error state for an execution that succeeded");
  // A late fence may be reported before the end of the service is.
  (void)client.judge("fence", info, allowed);
  return false;
}

/// Launches a chain that waits for `first`; stops where a launch is refused.
Chain launchChain(Client &client, const Held &held, const std::optional<ForeignFence> &first) {
  Chain chain{makePools(client, held.model->bytes(), kApplications + 1), {}};
  if (chain.pools.empty())
    return chain;
  chain.pools[0].fill(held.model->input);
  for (size_t i = 0, count = 1 + client.random().below(kApplications); i < count; ++i) {
    std::vector<SyncFence> waitFor;
    if (i > 0)
      waitFor.push_back(chain.launches.back().fence);
    else if (first)
      waitFor.push_back(first->fence);
    auto launched = held.prepared->executeFenced(requestOf(chain.pools[i], chain.pools[i + 1]), waitFor, {});
    // The previous launch may have failed already, because the service died. If its fence is known to be in its error
    // state, the next one is refused.
    if (i > 0 && !launched && launched.error().code == ErrorStatus::InvalidArgument &&
        !awaitFence(client, chain.launches.back()))
      break;
    if (!client.judge("executeFenced", launched) || !launched->info)
      break;
    chain.launches.push_back(std::move(*launched));
  }
  return chain;
}

void chain(Client &client) {
  const auto held = client.anyHeld();
  if (!held)
    return;
  const auto foreign = client.random().oneIn(2) ? makeForeign(client) : std::nullopt;
  Chain chain = launchChain(client, *held, foreign);
  if (foreign)
    foreign->signal();
  if (client.random().oneIn(6))
    return; // abandons the launches
  for (size_t i = 0; i < chain.launches.size(); ++i) {
    if (!awaitFence(client, chain.launches[i]))
      return;
    client.compare("fence", *held->model, i + 1, chain.pools[i + 1].copy());
  }
}

/// Waits for a fence that is never signaled: the deadline must end the execution, or the release of the launch.
void wait(Client &client) {
  const auto held = client.anyHeld();
  const auto foreign = held ? makeForeign(client) : std::nullopt;
  auto pools = foreign ? makePools(client, held->model->bytes(), 2) : std::vector<Pool>();
  if (pools.empty())
    return;
  FencedOptions options;
  options.execution.deadline = BootClock::now() + std::chrono::milliseconds(client.random().below(10));
  auto launched = held->prepared->executeFenced(requestOf(pools[0], pools[1]), {foreign->fence}, options);
  if (!client.judge("executeFenced with a deadline", launched, kLate) || client.random().oneIn(3))
    return;
  if (awaitFence(client, *launched, kLate))
    client.fail("an execution did not wait for its fence");
  client.haveEffect();
}

constexpr Action kActions[] = {{"fences", 8, chain}, {"late fence", 3, wait}};

} // namespace

std::span<const Action> fenceActions() { return kActions; }

} // namespace avocet::stress

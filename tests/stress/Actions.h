//===- Actions.h - Actions of clients ------------------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_ACTIONS_H
#define AVOCET_TESTS_STRESS_ACTIONS_H

#include "Client.h"

#include <span>
#include <string>
#include <vector>

namespace avocet::stress {

struct Action {
  const char *name;
  uint32_t weight;
  void (*run)(Client &client);
  bool isHostile = false; ///< of vandals only
  bool isGreedy = false;  ///< of greedy clients only
};

/// Executions of all kinds (RunActions.cpp), fences (FenceActions.cpp), memory (MemoryActions.cpp), actions that
/// clients must not do (HostileActions.cpp).
std::span<const Action> runActions();
std::span<const Action> fenceActions();
std::span<const Action> memoryActions();
std::span<const Action> hostileActions();

/// A random action of those that the role does, by weight.
const Action &chooseAction(Role role, Random &random);

/// All actions; the index is an action's number in the shared state.
std::vector<const Action *> allActions();
size_t numberOf(const Action &action);

/// Runs and effects of an action (ActionCounts). A few runs without effect prove nothing, because the client may have
/// had no memory or models; `isSuspicious` says whether there were enough.
struct ActionReport {
  std::string name;
  uint64_t runs = 0, effects = 0;
  static constexpr uint64_t kEnoughRuns = 10;
  bool isSuspicious() const { return runs >= kEnoughRuns && effects == 0; }
};
std::vector<ActionReport> reportActions(const SharedStateContent &state);

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_ACTIONS_H

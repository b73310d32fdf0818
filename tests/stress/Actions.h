//===- Actions.h - What clients do ---------------------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_ACTIONS_H
#define AVOCET_TESTS_STRESS_ACTIONS_H

#include "Client.h"

#include <span>

namespace avocet::stress {

struct Action {
  const char *name;
  uint32_t weight;
  void (*run)(Client &client);
  bool isHostile = false; ///< of vandals only
  bool isGreedy = false;  ///< of greedy clients only
};

/// Executions of all kinds (RunActions.cpp), fences (FenceActions.cpp), memory (MemoryActions.cpp), what nobody should
/// do (HostileActions.cpp).
std::span<const Action> runActions();
std::span<const Action> fenceActions();
std::span<const Action> memoryActions();
std::span<const Action> hostileActions();

/// By weight, of those that the role does.
const Action &chooseAction(Role role, Random &random);

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_ACTIONS_H

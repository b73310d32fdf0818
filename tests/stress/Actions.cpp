//===- Actions.cpp --------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Actions.h"

#include <algorithm>

namespace avocet::stress {
namespace {

bool isFor(const Action &action, Role role) {
  return (!action.isHostile || role == Role::Vandal) && (!action.isGreedy || role == Role::Greedy);
}

/// Hostile and greedy actions get five times their weight, so that their roles do them as often as all others together.
uint32_t weightOf(const Action &action) {
  return action.isHostile || action.isGreedy ? 5 * action.weight : action.weight;
}

template <typename Visit> void forEachAction(Role role, Visit visit) {
  for (const Action *action : allActions())
    if (isFor(*action, role))
      visit(*action);
}

constexpr auto kLists = {runActions, fenceActions, memoryActions, hostileActions};

} // namespace

std::vector<const Action *> allActions() {
  std::vector<const Action *> all;
  for (auto list : kLists)
    for (const Action &action : list())
      all.push_back(&action);
  return all;
}

size_t numberOf(const Action &action) {
  const std::vector<const Action *> all = allActions();
  return static_cast<size_t>(std::ranges::find(all, &action) - all.begin());
}

std::vector<ActionReport> reportActions(const SharedStateContent &state) {
  std::vector<ActionReport> reports;
  for (const Action *action : allActions()) {
    const ActionCounts &counts = state.actions.at(reports.size());
    reports.push_back({action->name, counts.runs, counts.effects});
  }
  return reports;
}

const Action &chooseAction(Role role, Random &random) {
  uint64_t total = 0;
  forEachAction(role, [&](const Action &action) { total += weightOf(action); });
  uint64_t left = random.below(total);
  const Action *chosen = nullptr;
  forEachAction(role, [&](const Action &action) {
    if (!chosen && left < weightOf(action))
      chosen = &action;
    left -= chosen ? 0 : weightOf(action);
  });
  return *chosen;
}

} // namespace avocet::stress

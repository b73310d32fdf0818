//===- PlanChanges.h - Small changes of plans -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The neighbors of a plan, for a search that simulates: two cascades become one, one becomes two, the border between
// two moves, a cascade runs in another way, a tensor moves to DRAM or back, an operation gets other blocks, transfers
// get more or less slack. Each neighbor can be lowered; whether its buffers find places is known after that.
// Deterministic.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_SEARCH_PLANCHANGES_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_SEARCH_PLANCHANGES_H

#include "CascadeWays.h"
#include "TensorUses.h"
#include "Transfers/Transfers.h"

#include <optional>
#include <random>
#include <string>

namespace avocet::compiler::schedule {

struct PlanChange {
  std::string what;
  Plan plan;
  TransferOptions order;
  uint32_t operation = kNone; ///< the first one that it is about; kNone: all
};

class PlanChanges {
public:
  /// Problem and costs must outlive the object.
  PlanChanges(const Problem &problem, TileCosts &costs);

  /// A plan from which draw() takes ranges of operations.
  void addDonor(Plan plan) { donors_.push_back(std::move(plan)); }

  /// A change by chance; nullopt if the one that was drawn is not possible, or is against a pin. Each call draws the
  /// next one.
  std::optional<PlanChange> draw(const Plan &plan, const TransferOptions &order);

private:
  std::optional<PlanChange> drawPair(const Plan &plan, const TransferOptions &order);
  std::optional<PlanChange> drawOne(const Plan &plan, const TransferOptions &order);
  size_t anyCascade(const Plan &plan, size_t count);
  uint32_t anyOperation(const Plan &plan);
  uint32_t costlyOperation();
  uint32_t anyTensor(const Plan &plan);
  uint32_t below(size_t limit) { return uint32_t(random_() % limit); }
  std::optional<PlanChange> join(const Plan &plan);
  std::optional<PlanChange> split(const Plan &plan);
  std::optional<PlanChange> moveBorder(const Plan &plan);
  std::optional<PlanChange> runOtherwise(const Plan &plan);
  std::optional<PlanChange> moveTensor(const Plan &plan);
  std::optional<PlanChange> resizeBlocks(const Plan &plan);
  std::optional<PlanChange> changeSlack(const Plan &plan, const TransferOptions &order);
  std::optional<PlanChange> graft(const Plan &plan);
  std::optional<PlanChange> grafted(const Plan &plan, const Plan &donor, uint32_t first, uint32_t end) const;

  std::optional<Cascade> anyWay(uint32_t first, uint32_t end);
  std::optional<PlanChange> replaced(const Plan &plan, size_t index, size_t count, std::vector<Cascade> cascades);
  bool canBeInDram(const std::vector<Cascade> &cascades, uint32_t tensor) const;

  const Problem &problem_;
  TensorUses uses_;
  CascadeWays ways_;
  std::vector<Plan> donors_;
  std::vector<uint64_t> cyclesUpTo_; ///< by operation: of it and all before it, by engine or port, whichever needs more
  std::optional<uint32_t> focus_;    ///< operation near which the next change is
  // NOLINTNEXTLINE(bugprone-random-generator-seed): equal networks get equal plans
  std::mt19937 random_{1};
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_SEARCH_PLANCHANGES_H

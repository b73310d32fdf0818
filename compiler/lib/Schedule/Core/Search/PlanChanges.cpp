//===- PlanChanges.cpp - Small changes of plans -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanChanges.h"

#include <algorithm>

namespace avocet::compiler::schedule {

namespace {

std::string describe(const Cascade &cascade) {
  std::string text = cascade.end == cascade.first + 1
                         ? "operation " + std::to_string(cascade.first)
                         : "operations " + std::to_string(cascade.first) + " to " + std::to_string(cascade.end - 1);
  text += " in stripes of " + std::to_string(cascade.stripeRows) + " rows";
  if (cascade.channelParts > 1)
    text += " and " + std::to_string(cascade.channelParts) + " parts";
  return cascade.ahead ? text + ", one stripe ahead" : text;
}

} // namespace

PlanChanges::PlanChanges(const Problem &problem, TileCosts &costs)
    : problem_(problem), uses_(problem),
      ways_(problem, uses_, costs, problem.target->sram().bytes, problem.target->sram().bytes / 256) {}

std::optional<PlanChange> PlanChanges::draw(const Plan &plan, const TransferOptions &order) {
  std::optional<PlanChange> change;
  const uint32_t kind = below(16);
  if (kind < 2)
    change = join(plan);
  else if (kind < 4)
    change = split(plan);
  else if (kind < 5)
    change = moveBorder(plan);
  else if (kind < 7)
    change = moveTensor(plan);
  else if (kind < 8)
    return changeSlack(plan, order);
  else if (kind < 12)
    change = resizeBlocks(plan);
  else
    change = runOtherwise(plan);
  if (change)
    change->order = order;
  return change;
}

/// One of the ways that the planner considers, or stripes of any height.
std::optional<Cascade> PlanChanges::anyWay(uint32_t first, uint32_t end) {
  const uint32_t height = problem_.operations[end - 1].outputs[0].shape.height;
  if (end > first + 1 && (!ways_.joins(first, end) || end - first > CascadeWays::kLongestCascade))
    return std::nullopt;
  const std::vector<CascadeWay> &ways = ways_.of(first, end).ways;
  if (!ways.empty() && below(4))
    return ways[below(ways.size())].cascade;
  if (end == first + 1 && !problem_.operations[first].rowWise)
    return std::nullopt;
  const uint32_t stripes = 1 + below(std::min(height, 16u));
  return Cascade{first, end, (height + stripes - 1) / stripes, 1, end > first + 1 && below(2) == 1};
}

bool PlanChanges::canBeInDram(const std::vector<Cascade> &cascades, uint32_t tensor) const {
  return problem_.tensors[tensor].networkOutputs.empty() && std::ranges::none_of(cascades, [&](const Cascade &cascade) {
           return readsOwnStores(problem_, cascade, tensor);
         });
}

/// The plan with cascades [index, index + count) replaced. Spilled tensors stay spilled.
std::optional<PlanChange> PlanChanges::replaced(const Plan &plan, size_t index, size_t count,
                                                std::vector<Cascade> cascades) {
  const auto begin = plan.cascades.begin() + ptrdiff_t(index);
  if (std::equal(begin, begin + ptrdiff_t(count), cascades.begin(), cascades.end()))
    return std::nullopt;
  PlanChange change;
  for (const Cascade &cascade : cascades)
    change.what += (change.what.empty() ? "" : ", ") + describe(cascade);
  Plan &next = change.plan;
  next.blocks = plan.blocks;
  next.cascades.assign(plan.cascades.begin(), begin);
  next.cascades.insert(next.cascades.end(), cascades.begin(), cascades.end());
  next.cascades.insert(next.cascades.end(), begin + ptrdiff_t(count), plan.cascades.end());
  next.residencies = residenciesOf(problem_, next.cascades);
  for (uint32_t tensor = 0; tensor < next.residencies.size(); ++tensor)
    if (next.residencies[tensor] == Residency::Sram && plan.residencies[tensor] == Residency::Dram &&
        canBeInDram(next.cascades, tensor))
      next.residencies[tensor] = Residency::Dram;
  return change;
}

std::optional<PlanChange> PlanChanges::join(const Plan &plan) {
  if (plan.cascades.size() < 2)
    return std::nullopt;
  const size_t index = below(plan.cascades.size() - 1);
  const Cascade &a = plan.cascades[index], &b = plan.cascades[index + 1];
  if (a.pieceBytes || b.pieceBytes)
    return std::nullopt;
  std::optional<Cascade> way = anyWay(a.first, b.end);
  return way ? replaced(plan, index, 2, {*way}) : std::nullopt;
}

std::optional<PlanChange> PlanChanges::split(const Plan &plan) {
  const size_t index = below(plan.cascades.size());
  const Cascade &cascade = plan.cascades[index];
  if (cascade.end == cascade.first + 1)
    return std::nullopt;
  const uint32_t border = cascade.first + 1 + below(cascade.end - cascade.first - 1);
  std::optional<Cascade> a = anyWay(cascade.first, border), b = anyWay(border, cascade.end);
  return a && b ? replaced(plan, index, 1, {*a, *b}) : std::nullopt;
}

std::optional<PlanChange> PlanChanges::moveBorder(const Plan &plan) {
  if (plan.cascades.size() < 2)
    return std::nullopt;
  const size_t index = below(plan.cascades.size() - 1);
  const Cascade &a = plan.cascades[index], &b = plan.cascades[index + 1];
  const uint32_t border = below(2) ? a.end + 1 : a.end - 1;
  if (a.pieceBytes || b.pieceBytes || border == a.first || border == b.end)
    return std::nullopt;
  std::optional<Cascade> first = anyWay(a.first, border), second = anyWay(border, b.end);
  return first && second ? replaced(plan, index, 2, {*first, *second}) : std::nullopt;
}

std::optional<PlanChange> PlanChanges::runOtherwise(const Plan &plan) {
  const size_t index = below(plan.cascades.size());
  const Cascade &cascade = plan.cascades[index];
  if (cascade.pieceBytes)
    return std::nullopt;
  std::optional<Cascade> way = anyWay(cascade.first, cascade.end);
  return way ? replaced(plan, index, 1, {*way}) : std::nullopt;
}

std::optional<PlanChange> PlanChanges::moveTensor(const Plan &plan) {
  const uint32_t tensor = below(plan.residencies.size());
  if (problem_.tensors[tensor].networkInput != kNone || plan.residencies[tensor] == Residency::Ring ||
      residenciesOf(problem_, plan.cascades)[tensor] != Residency::Sram || !canBeInDram(plan.cascades, tensor))
    return std::nullopt;
  for (const Cascade &cascade : plan.cascades) // pieces have all operands in DRAM
    if (cascade.pieceBytes && plan.residencies[tensor] == Residency::Dram)
      return std::nullopt;
  const bool toDram = plan.residencies[tensor] == Residency::Sram;
  PlanChange change{
      "result of operation " + std::to_string(uses_.of(tensor).writer) + (toDram ? " to DRAM" : " in SRAM"), plan, {}};
  change.plan.residencies[tensor] = toDram ? Residency::Dram : Residency::Sram;
  return change;
}

std::optional<PlanChange> PlanChanges::resizeBlocks(const Plan &plan) {
  const uint32_t operation = below(problem_.operations.size());
  const kernels::BlockShift old = plan.blocks.empty() ? kernels::BlockShift() : plan.blocks[operation];
  kernels::BlockShift shift = old;
  for (int8_t *factor : {&shift.height, &shift.width, &shift.channels})
    if (below(2))
      *factor = int8_t(int(below(5)) - 2);
  if (shift == old || std::holds_alternative<firmware::DspCommand>(problem_.operations[operation].command))
    return std::nullopt;
  PlanChange change{"operation " + std::to_string(operation) + " in blocks of " + std::to_string(shift.height) + ", " +
                        std::to_string(shift.width) + ", " + std::to_string(shift.channels) + " doublings",
                    plan,
                    {}};
  change.plan.blocks.resize(problem_.operations.size());
  change.plan.blocks[operation] = shift;
  return change;
}

std::optional<PlanChange> PlanChanges::changeSlack(const Plan &plan, const TransferOptions &order) {
  constexpr uint32_t kSlacks[] = {0, 1, 2, 3, 4, 6, 8};
  const uint32_t slack = kSlacks[below(std::size(kSlacks))];
  if (slack == order.slackSteps && order.prefetch)
    return std::nullopt;
  return PlanChange{"transfers with slack of " + std::to_string(slack) + " tiles", plan, {true, slack}};
}

} // namespace avocet::compiler::schedule

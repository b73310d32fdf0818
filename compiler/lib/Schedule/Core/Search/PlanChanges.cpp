//===- PlanChanges.cpp - Small changes of plans -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanChanges.h"

#include "Schedule/Core/Lowering.h"
#include "avocet/base/Rounding.h"
#include "avocet/kernels/BlockChoice.h"

#include <algorithm>

namespace avocet::compiler::schedule {

namespace {

/// One of so many changes is followed by a second one, at most so many cascades away.
constexpr uint32_t kOneOfPairs = 3;
constexpr size_t kNear = 3;

/// Common borders of two plans that a graft reaches over at most.
constexpr size_t kLongestGraft = 10;

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
      ways_(problem, uses_, costs, problem.target->sram().bytes, problem.target->sram().bytes / 256) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < problem.operations.size(); ++i) {
    const MapShape &shape = problem.operations[i].outputs[0].shape;
    const uint64_t bytes = constantBytes(problem, problem.operations[i], 0, shape.channels);
    sum += std::max(costs.inStripes(i, shape.height).cycles, kernels::loadRate(*problem.target).cyclesFor(bytes));
    cyclesUpTo_.push_back(sum);
  }
}

/// An operation, in proportion to its cycles.
uint32_t PlanChanges::costlyOperation() {
  const uint64_t at = (uint64_t(random_()) << 32 | random_()) % std::max<uint64_t>(1, cyclesUpTo_.back());
  return uint32_t(std::ranges::upper_bound(cyclesUpTo_, at) - cyclesUpTo_.begin());
}

/// The first of `count` cascades: near the focus, if there is one; else by chance or in proportion to cycles.
size_t PlanChanges::anyCascade(const Plan &plan, size_t count) {
  const size_t numPlaces = plan.cascades.size() + 1 - count;
  const auto placeOf = [&](uint32_t operation) {
    const auto at = std::ranges::upper_bound(plan.cascades, operation, {}, &Cascade::first) - 1;
    return std::min(size_t(at - plan.cascades.begin()), numPlaces - 1);
  };
  if (!focus_)
    return below(2) ? below(numPlaces) : placeOf(costlyOperation());
  const size_t center = placeOf(*focus_);
  const size_t begin = center - std::min(center, kNear), end = std::min(numPlaces, center + kNear + 1);
  return begin + below(end - begin);
}

std::optional<PlanChange> PlanChanges::drawOne(const Plan &plan, const TransferOptions &order) {
  std::optional<PlanChange> change;
  const uint32_t kind = below(donors_.empty() || focus_ ? 16 : 20);
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
  else if (kind < 16)
    change = runOtherwise(plan);
  else
    change = graft(plan);
  if (change)
    change->order = order;
  return change;
}

std::optional<PlanChange> PlanChanges::draw(const Plan &plan, const TransferOptions &order) {
  std::optional<PlanChange> change = drawPair(plan, order);
  return change && followsPins(problem_.pins, uses_, change->plan, change->order) ? change : std::nullopt;
}

std::optional<PlanChange> PlanChanges::drawPair(const Plan &plan, const TransferOptions &order) {
  focus_.reset();
  std::optional<PlanChange> first = drawOne(plan, order);
  if (!first || first->operation == kNone || below(kOneOfPairs))
    return first;
  focus_ = first->operation;
  std::optional<PlanChange> second = drawOne(first->plan, first->order);
  if (!second)
    return first;
  second->what = first->what + "; " + second->what;
  return second;
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
  return Cascade{first, end, divideUp(height, stripes), 1, end > first + 1 && below(2) == 1};
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
  change.operation = begin->first;
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
  const size_t index = anyCascade(plan, 2);
  const Cascade &a = plan.cascades[index], &b = plan.cascades[index + 1];
  if (a.pieceBytes || b.pieceBytes)
    return std::nullopt;
  std::optional<Cascade> way = anyWay(a.first, b.end);
  return way ? replaced(plan, index, 2, {*way}) : std::nullopt;
}

std::optional<PlanChange> PlanChanges::split(const Plan &plan) {
  const size_t index = anyCascade(plan, 1);
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
  const size_t index = anyCascade(plan, 2);
  const Cascade &a = plan.cascades[index], &b = plan.cascades[index + 1];
  const uint32_t border = below(2) ? a.end + 1 : a.end - 1;
  if (a.pieceBytes || b.pieceBytes || border == a.first || border == b.end)
    return std::nullopt;
  std::optional<Cascade> first = anyWay(a.first, border), second = anyWay(border, b.end);
  return first && second ? replaced(plan, index, 2, {*first, *second}) : std::nullopt;
}

std::optional<PlanChange> PlanChanges::runOtherwise(const Plan &plan) {
  const size_t index = anyCascade(plan, 1);
  const Cascade &cascade = plan.cascades[index];
  if (cascade.pieceBytes)
    return std::nullopt;
  std::optional<Cascade> way = anyWay(cascade.first, cascade.end);
  return way ? replaced(plan, index, 1, {*way}) : std::nullopt;
}

/// Near the focus, if there is one.
uint32_t PlanChanges::anyOperation(const Plan &plan) {
  if (!focus_)
    return below(2) ? below(problem_.operations.size()) : costlyOperation();
  const Cascade &cascade = plan.cascades[anyCascade(plan, 1)];
  return cascade.first + below(cascade.end - cascade.first);
}

uint32_t PlanChanges::anyTensor(const Plan &plan) {
  if (!focus_)
    return below(plan.residencies.size());
  const std::vector<uint32_t> &results = uses_.writtenBy(anyOperation(plan));
  return results[below(results.size())];
}

std::optional<PlanChange> PlanChanges::moveTensor(const Plan &plan) {
  const uint32_t tensor = anyTensor(plan);
  if (problem_.tensors[tensor].networkInput != kNone || plan.residencies[tensor] == Residency::Ring ||
      residenciesOf(problem_, plan.cascades)[tensor] != Residency::Sram || !canBeInDram(plan.cascades, tensor))
    return std::nullopt;
  for (const Cascade &cascade : plan.cascades) // pieces have all operands in DRAM
    if (cascade.pieceBytes && plan.residencies[tensor] == Residency::Dram)
      return std::nullopt;
  const bool toDram = plan.residencies[tensor] == Residency::Sram;
  PlanChange change{"result of operation " + std::to_string(uses_.of(tensor).writer) +
                        (toDram ? " to DRAM" : " in SRAM"),
                    plan,
                    {},
                    uses_.of(tensor).writer};
  change.plan.residencies[tensor] = toDram ? Residency::Dram : Residency::Sram;
  return change;
}

std::optional<PlanChange> PlanChanges::resizeBlocks(const Plan &plan) {
  const uint32_t operation = anyOperation(plan);
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
                    {},
                    operation};
  change.plan.blocks.resize(problem_.operations.size());
  change.plan.blocks[operation] = shift;
  return change;
}

std::optional<PlanChange> PlanChanges::changeSlack(const Plan &plan, const TransferOptions &order) {
  constexpr uint32_t kSlacks[] = {0, 1, 2, 3, 4, 6, 8};
  const uint32_t slack = kSlacks[below(std::size(kSlacks))];
  if (slack == order.slackSteps && order.prefetch)
    return std::nullopt;
  return PlanChange{"transfers with slack of " + std::to_string(slack) + " tiles", plan, {true, slack}, kNone};
}

/// Operations [first, end), which begin and end at borders of both plans, as the donor runs them.
std::optional<PlanChange> PlanChanges::grafted(const Plan &plan, const Plan &donor, uint32_t first,
                                               uint32_t end) const {
  const auto rangeOf = [&](const Plan &of) {
    return std::pair(std::ranges::lower_bound(of.cascades, first, {}, &Cascade::first),
                     std::ranges::lower_bound(of.cascades, end, {}, &Cascade::first));
  };
  const auto [begin, stop] = rangeOf(plan);
  const auto [from, to] = rangeOf(donor);
  PlanChange change{
      "operations " + std::to_string(first) + " to " + std::to_string(end - 1) + " as in another plan", {}, {}, first};
  Plan &next = change.plan;
  next.cascades.assign(plan.cascades.begin(), begin);
  next.cascades.insert(next.cascades.end(), from, to);
  next.cascades.insert(next.cascades.end(), stop, plan.cascades.end());
  next.blocks = plan.blocks;
  next.blocks.resize(problem_.operations.size());
  for (uint32_t op = first; op < end; ++op)
    next.blocks[op] = donor.blocks.empty() ? kernels::BlockShift() : donor.blocks[op];
  next.residencies = residenciesOf(problem_, next.cascades);
  for (uint32_t tensor = 0; tensor < next.residencies.size(); ++tensor) {
    const uint32_t writer = uses_.of(tensor).writer;
    const Plan &model = writer >= first && writer < end ? donor : plan;
    if (next.residencies[tensor] == Residency::Sram && model.residencies[tensor] == Residency::Dram &&
        canBeInDram(next.cascades, tensor))
      next.residencies[tensor] = Residency::Dram;
  }
  if (next.cascades == plan.cascades && next.residencies == plan.residencies)
    return std::nullopt;
  return change;
}

std::optional<PlanChange> PlanChanges::graft(const Plan &plan) {
  const Plan &donor = donors_[below(donors_.size())];
  const auto hasPieces = [](const Plan &of) {
    return std::ranges::any_of(of.cascades, [](const Cascade &cascade) { return cascade.pieceBytes > 0; });
  };
  if (hasPieces(plan) || hasPieces(donor))
    return std::nullopt;
  std::vector<uint32_t> borders;
  for (const Cascade &cascade : plan.cascades)
    if (std::ranges::binary_search(donor.cascades, cascade.first, {}, &Cascade::first))
      borders.push_back(cascade.first);
  borders.push_back(uint32_t(problem_.operations.size()));
  const size_t first = below(borders.size() - 1);
  const size_t end = first + 1 + below(std::min(kLongestGraft, borders.size() - 1 - first));
  return grafted(plan, donor, borders[first], borders[end]);
}

} // namespace avocet::compiler::schedule

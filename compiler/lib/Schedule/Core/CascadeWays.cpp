//===- CascadeWays.cpp - The ways to run a range of operations --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CascadeWays.h"

#include "ConstantGroup.h"
#include "Lowering.h"
#include "avocet/base/Rounding.h"
#include "avocet/kernels/BlockChoice.h"

#include <algorithm>
#include <utility>

namespace avocet::compiler::schedule {

namespace {

/// Heights of stripes to try, in rows.
constexpr uint32_t kStripes[] = {2, 4, 8, 16, 28};

/// An operation that needs at most this part of the SRAM without such stripes does not load weights repeatedly.
constexpr uint64_t kAmple = 4;

bool isTooFine(uint32_t rows, uint32_t height) { return height / rows > CascadeWays::kMostStripes; }

uint32_t granulesOf(const Operation &op) {
  return op.channelGranule ? divideUp(op.outputs[0].shape.channels, op.channelGranule) : 1;
}

} // namespace

CascadeWays::CascadeWays(const Problem &problem, const TensorUses &uses, TileCosts &costs, uint64_t budget,
                         uint64_t leastAvoided)
    : problem_(problem), uses_(uses), costs_(costs), budget_(budget), leastAvoided_(leastAvoided) {
  for (const Operation &op : problem.operations)
    constants_.push_back(alignUp(constantBytes(problem, op, 0, op.outputs[0].shape.channels)));
  scratch_.residencies.assign(problem.tensors.size(), Residency::Sram);
}

bool CascadeWays::joins(uint32_t first, uint32_t end) const {
  uint64_t constants = 0;
  for (uint32_t i = first; i < end; ++i) {
    const bool hasOneRow = problem_.operations[i].outputs[0].shape.height == 1;
    if (!problem_.operations[i].rowWise || (i > first && hasOneRow && readsOwnResults(problem_, first, i + 1)))
      return false;
    constants += ownConstants(first, i);
  }
  return constants <= budget_;
}

/// Bytes of the constants of an operation that no other one of the cascade before it reads.
uint64_t CascadeWays::ownConstants(uint32_t first, uint32_t operation) const {
  return sharedConstants(problem_, first, operation) == kNone ? constants_[operation] : 0;
}

const CascadeRange &CascadeWays::of(uint32_t first, uint32_t end) {
  auto [entry, isNew] = known_.try_emplace(uint64_t(first) * (kMostWriters + 1) + (end - first));
  CascadeRange &range = entry->second;
  if (!isNew)
    return range;
  range.borders = bordersOf(first, end);
  if (end == first + 1)
    runAlone(range, first);
  else if (joins(first, end))
    runTogether(range, first, end);
  return range;
}

CascadeWay CascadeWays::way(const Cascade &cascade) {
  const CascadeRange &range = of(cascade.first, cascade.end);
  for (const CascadeWay &known : range.ways)
    if (known.cascade == cascade)
      return known;
  return evaluate(range, cascade);
}

std::vector<CascadeWay> CascadeWays::bothWays(const Cascade &cascade) {
  std::vector<CascadeWay> ways{evaluate(of(cascade.first, cascade.end), cascade)};
  if (cascade.channelParts > 1 && cascade.stripeRows == problem_.operations[cascade.end - 1].outputs[0].shape.height)
    ways.push_back(inOneBuffer(ways.front()));
  return ways;
}

void CascadeWays::findAll(uint32_t first) {
  const uint32_t most = std::min(uint32_t(problem_.operations.size()), first + kLongestCascade);
  for (uint32_t end = first + 1; end <= most && (end == first + 1 || joins(first, end)); ++end)
    of(first, end);
  if (const std::optional<uint32_t> end = longJoin(first))
    of(first, *end);
}

std::optional<uint32_t> CascadeWays::longJoin(uint32_t first) const {
  for (uint32_t tensor : uses_.writtenBy(first)) {
    const TensorUses::Range &range = uses_.of(tensor);
    const uint32_t count = range.lastWriter + 1 - range.writer;
    if (range.hasShortRuns && range.writer == first && count > kLongestCascade && count <= kMostWriters &&
        joins(first, range.lastWriter + 1))
      return range.lastWriter + 1;
  }
  return std::nullopt;
}

std::vector<BorderTensor> CascadeWays::bordersOf(uint32_t first, uint32_t end) const {
  std::vector<BorderTensor> borders;
  auto add = [&](uint32_t tensor, bool isRead) {
    for (const BorderTensor &border : borders)
      if (border.tensor == tensor)
        return;
    borders.push_back({tensor, isRead, end > first + 1 && readsOwnStores(problem_, {first, end, 1}, tensor)});
  };
  for (uint32_t i = first; i < end; ++i) {
    for (uint32_t tensor : uses_.readBy(i))
      if (!uses_.of(tensor).isWritten || uses_.of(tensor).writer < first)
        add(tensor, true);
    for (uint32_t tensor : uses_.writtenBy(i))
      if (uses_.crosses(tensor, first))
        add(tensor, true);
      else if (uses_.of(tensor).reader >= end || !problem_.tensors[tensor].networkOutputs.empty())
        add(tensor, false);
  }
  return borders;
}

void CascadeWays::runAlone(CascadeRange &range, uint32_t index) {
  const uint32_t height = problem_.operations[index].outputs[0].shape.height;
  add(range, evaluate(range, {index, index + 1, height, 1}));
  addParts(range, index, index + 1);
  if (problem_.operations[index].rowWise)
    for (uint32_t rows : kStripes)
      if (rows < height && !isTooFine(rows, height))
        add(range, evaluate(range, {index, index + 1, rows, 1}));
  addStripesOfParts(range, index);
  addSmallest(range, index);
}

/// Parts of the output channels: large weights need not be loaded before the work begins, nor stay until it ends. A
/// part has at least the bytes that a channel keeps in flight; of the first operation, for which all waits, a few
/// bursts.
void CascadeWays::addParts(CascadeRange &range, uint32_t first, uint32_t end) {
  const Operation &op = problem_.operations[first];
  const uint64_t inFlight = std::max(1u, problem_.target->dma().outstandingBytes);
  const uint64_t leastBytes = first == 0 ? 4 * problem_.target->dram().burstBytes : inFlight;
  const uint32_t mostParts =
      uint32_t(std::min<uint64_t>(granulesOf(op) / problem_.target->mac().cores, constants_[first] / leastBytes));
  const uint32_t height = problem_.operations[end - 1].outputs[0].shape.height;
  for (uint32_t parts = 2; parts <= mostParts; parts *= 2) {
    const CascadeWay way = evaluate(range, {first, end, height, parts});
    if (!add(range, way))
      add(range, inOneBuffer(way));
  }
}

/// With half the memory, each part is loaded after the tiles of the part before it.
CascadeWay CascadeWays::inOneBuffer(CascadeWay way) const {
  way.constantBytes = way.firstBytes;
  way.cycles += kernels::loadRate(*problem_.target).cyclesFor(way.loadedBytes - way.firstBytes);
  return way;
}

/// Stripes whose weights are loaded again part by part: for operands and weights that both do not fit.
void CascadeWays::addStripesOfParts(CascadeRange &range, uint32_t index) {
  const Operation &op = problem_.operations[index];
  const uint32_t height = op.outputs[0].shape.height, granules = granulesOf(op);
  if (std::ranges::any_of(range.ways, [&](const CascadeWay &way) { return mostBytes(way) <= budget_ / kAmple; }))
    return;
  uint32_t last = height;
  for (uint32_t stripes = 2; granules > 1 && stripes <= height && stripes <= kMostStripes;
       stripes += std::max(1u, stripes / 4)) {
    const uint32_t rows = divideUp(height, stripes); // 19 rows are stripes of 10 and 9, not of 9, 9 and 1
    if (rows == std::exchange(last, rows))
      continue;
    for (uint32_t parts = 2; parts <= granules; parts *= 2) {
      const bool fits = add(range, evaluate(range, {index, index + 1, rows, parts}));
      if (fits)
        break; // more parts load the same bytes in smaller pieces
    }
  }
}

/// Single rows, or stripes of any number of granules, for an operation that fits in none of the other ways. They make
/// many short tiles, so the first that fits is enough.
void CascadeWays::addSmallest(CascadeRange &range, uint32_t index) {
  if (std::ranges::any_of(range.ways, [&](const CascadeWay &way) { return mostBytes(way) <= budget_; }) ||
      leastBytes(range, index) > budget_)
    return;
  const Operation &op = problem_.operations[index];
  const uint32_t granules = granulesOf(op);
  for (uint32_t rows = op.outputs[0].shape.height;; rows = divideUp(rows, 2)) {
    for (uint32_t parts = 1; parts != 0; parts = parts < granules ? std::min(granules, 2 * parts) : 0)
      if (add(range, smallWay(range, index, rows, parts)))
        return;
    if (rows == 1)
      return;
  }
}

/// A way in stripes of `rows` rows and in parts, with more rows if the schedule would have too many tiles.
CascadeWay CascadeWays::smallWay(const CascadeRange &range, uint32_t index, uint32_t rows, uint32_t parts) {
  const Operation &op = problem_.operations[index];
  const uint32_t height = op.outputs[0].shape.height;
  parts = std::min(parts, kMostStripes);
  const uint32_t leastRows = op.rowWise ? uint32_t(divideUp(uint64_t(height) * parts, kMostStripes)) : height;
  rows = std::max(rows, leastRows);
  const CascadeWay way = evaluate(range, {index, index + 1, rows, parts});
  return parts > 1 && rows == height ? inOneBuffer(way) : way;
}

bool CascadeWays::isReadIn(uint32_t first, uint32_t end, uint32_t tensor) const {
  for (uint32_t i = first; i < end; ++i)
    if (std::ranges::find(uses_.readBy(i), tensor) != uses_.readBy(i).end())
      return true;
  return false;
}

/// The largest tensor that an operation before the last writes, or that several operations read. A tensor that other
/// cascades use too counts, so this is an upper bound of what the cascade spares.
uint64_t CascadeWays::avoidedBytes(uint32_t first, uint32_t end) const {
  uint64_t most = 0;
  for (uint32_t i = first; i + 1 < end; ++i)
    for (uint32_t tensor : uses_.writtenBy(i))
      most = std::max(most, uses_.bytesOf(tensor));
  for (uint32_t i = first + 1; i < end; ++i)
    for (uint32_t tensor : uses_.readBy(i))
      if (isReadIn(first, i, tensor))
        most = std::max(most, uses_.bytesOf(tensor));
  return most;
}

bool CascadeWays::sharesConstants(uint32_t first, uint32_t end) const {
  for (uint32_t i = first + 1; i < end; ++i)
    if (sharedConstants(problem_, first, i) != kNone)
      return true;
  return false;
}

/// Whether the operations make all of a tensor that each of them writes in short runs.
bool CascadeWays::joinsShortRuns(uint32_t first, uint32_t end) const {
  const std::vector<uint32_t> &last = uses_.writtenBy(end - 1);
  return std::ranges::any_of(last, [&](uint32_t tensor) {
    const TensorUses::Range &range = uses_.of(tensor);
    return range.hasShortRuns && range.writer >= first && range.lastWriter == end - 1;
  });
}

void CascadeWays::runTogether(CascadeRange &range, uint32_t first, uint32_t end) {
  const uint32_t height = problem_.operations[end - 1].outputs[0].shape.height;
  range.avoidedBytes = avoidedBytes(first, end);
  range.gainsWithoutAvoiding =
      usesBothEngines(problem_, first, end) || joinsShortRuns(first, end) || sharesConstants(first, end);
  if (!range.isWorthwhile(leastAvoided_))
    return;
  bool fits = false;
  for (bool ahead : {false, true})
    for (uint32_t rows : kStripes) {
      if (rows >= height)
        break;
      if (isTooFine(rows, height))
        continue;
      CascadeWay way = evaluate(range, {first, end, rows, 1, ahead});
      if (leastBytes(way) > budget_) { // more rows need more memory
        range.isLimited = true;
        break;
      }
      fits |= mostBytes(way) <= budget_;
      add(range, std::move(way));
    }
  const bool sharesParts = canShareParts(problem_, first, end);
  if (sharesParts)
    addParts(range, first, end);
  if (height <= kStripes[0] || sharesParts)
    add(range, evaluate(range, {first, end, height, 1}));
  else if (!fits && !isTooFine(1, height))
    add(range, evaluate(range, {first, end, 1, 1}));
}

FlowGraph &CascadeWays::graphOf(const CascadeRange &range, uint32_t first, uint32_t end) {
  if (graph_ && graph_->first == first && graph_->nodes.size() == end - first)
    return *graph_;
  for (uint32_t i = first; i < end; ++i)
    for (uint32_t tensor : uses_.writtenBy(i))
      scratch_.residencies[tensor] = Residency::Ring;
  for (const BorderTensor &border : range.borders)
    scratch_.residencies[border.tensor] = Residency::Dram;
  return graph_.emplace(problem_, uses_, scratch_, first, end);
}

CascadeWay CascadeWays::evaluate(const CascadeRange &range, const Cascade &cascade) {
  const RowFlow flow = flowCascade(graphOf(range, cascade.first, cascade.end), cascade, true);

  CascadeWay way;
  way.cascade = cascade;
  way.innerBytes = ringBytes(problem_, flow);
  setBorders(way, range, flow);
  std::vector<uint32_t> stripes(cascade.end - cascade.first, 0);
  for (const FlowEvent &event : flow.events)
    if (event.kind == FlowKind::Tile)
      ++stripes[event.id - cascade.first];
  setCycles(way, stripes);
  setConstants(way, cascade.end == cascade.first + 1 ? stripes[0] : 1);
  return way;
}

/// Bytes of a map that are loaded before the first tile or stored after the last one that makes it.
uint64_t CascadeWays::edgeOf(const Problem &problem, const RowFlow &flow, uint32_t map) {
  const uint64_t rowBytes = flow.shapeOf(problem, map).rowBytes();
  uint64_t loaded = 0;
  for (const FlowEvent &event : flow.events)
    if (event.kind != FlowKind::Load)
      break;
    else if (event.id == map)
      loaded += event.rows.count() * rowBytes;
  if (!flow.maps.at(map).stored)
    return loaded;
  const auto makes = [&](const FlowEvent &event) {
    if (event.kind != FlowKind::Tile)
      return false;
    const std::vector<Operand> &outputs = problem.operations[event.id].outputs;
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](const Operand &output) { return flow.mapOf(problem, output) == map; });
  };
  const auto last = std::find_if(flow.events.rbegin(), flow.events.rend(), makes);
  const uint64_t stored = last == flow.events.rend() ? 0 : last->rows.count() * rowBytes;
  return loaded + std::min(stored, flow.shapeOf(problem, map).bytes());
}

/// Bytes that the off-chip port moves for `bytes` of a map. A part may have short runs, each of which takes a burst.
uint64_t CascadeWays::movedBytes(const RowFlow &flow, uint32_t map, uint64_t bytes) const {
  if (!flow.isPart(problem_, map))
    return bytes;
  const Operand &part = flow.parts[map - problem_.tensors.size()];
  const uint64_t burst = problem_.target->dram().burstBytes, run = runBytes(part);
  return run < burst ? bytes * divideUp(burst, run) : bytes;
}

uint32_t CascadeWays::loadsOf(const RowFlow &flow, uint32_t map) {
  return uint32_t(std::ranges::count_if(
      flow.events, [&](const FlowEvent &event) { return event.kind == FlowKind::Load && event.id == map; }));
}

void CascadeWays::setBorders(CascadeWay &way, const CascadeRange &range, const RowFlow &flow) const {
  for (const BorderTensor &border : range.borders) {
    CascadeWay::Border &bytes = way.borders.emplace_back();
    const auto add = [&](uint32_t map) {
      if (auto ring = flow.maps.find(map); ring != flow.maps.end()) {
        bytes.ring += alignUp(uint64_t(ring->second.ringRows) * flow.shapeOf(problem_, map).rowBytes());
        bytes.edge += movedBytes(flow, map, edgeOf(problem_, flow, map));
        bytes.moved += movedBytes(flow, map, flow.shapeOf(problem_, map).bytes());
        if (ring->second.loaded && ring->second.ringRows < flow.shapeOf(problem_, map).height)
          bytes.rowLoads = std::max(bytes.rowLoads, loadsOf(flow, map));
      }
    };
    add(border.tensor);
    for (uint32_t i = 0; i < flow.parts.size(); ++i)
      if (flow.parts[i].id == border.tensor)
        add(uint32_t(problem_.tensors.size()) + i);
    way.innerBytes -= bytes.ring;
    if (auto ring = flow.maps.find(border.tensor); ring != flow.maps.end())
      bytes.isWhole = ring->second.ringRows == problem_.tensors[border.tensor].shape.height &&
                      std::ranges::none_of(flow.parts, [&](const Operand &part) { return part.id == border.tensor; });
    if (!border.isRead)
      bytes.inPlace = inPlaceOf(range, border.tensor, flow);
  }
}

InPlaceOperands CascadeWays::inPlaceOf(const CascadeRange &range, uint32_t tensor, const RowFlow &flow) const {
  const uint32_t writer = uses_.of(tensor).writer;
  InPlaceOperands found = inPlaceOperands(problem_, writer);
  for (uint32_t &operand : found) {
    auto border = std::ranges::find_if(
        range.borders, [&](const BorderTensor &other) { return other.isRead && other.tensor == operand; });
    const bool isFree = border != range.borders.end() && isReadBefore(problem_, flow, operand, writer);
    operand = isFree ? uint32_t(border - range.borders.begin()) : kNone;
  }
  return found;
}

/// Parts of compressed weights have different sizes.
uint64_t CascadeWays::largestPart(const Operation &op, uint32_t parts) const {
  uint64_t largest = 0;
  for (uint32_t part = 0; part < parts; ++part)
    largest = std::max(largest,
                       constantBytes(problem_, op, channelOfPart(op, part, parts), channelOfPart(op, part + 1, parts)));
  return largest;
}

void CascadeWays::setConstants(CascadeWay &way, uint32_t stripes) const {
  const Cascade &cascade = way.cascade;
  for (uint32_t i = cascade.first; i < cascade.end; ++i)
    way.constantBytes += ownConstants(cascade.first, i);
  const uint64_t burst = problem_.target->dram().burstBytes;
  way.firstBytes = way.constantBytes;
  if (cascade.channelParts == 1) {
    for (uint32_t i = cascade.first; i < cascade.end; ++i)
      way.loadedBytes += roundUp(ownConstants(cascade.first, i), burst);
    return;
  }
  const Operation &op = problem_.operations[cascade.first];
  way.firstBytes = alignUp(largestPart(op, cascade.channelParts));
  way.constantBytes = std::min(way.constantBytes, 2 * way.firstBytes);
  way.isRepeated = stripes > 1;
  way.loadedBytes =
      uint64_t(stripes) * (roundUp(constants_[cascade.first], burst) + (cascade.channelParts - 1) * burst / 2);
}

/// A tile that reads the results of the tile before it fills the engine after these have drained. Tiles of one
/// operation, and those of operations that run ahead of their readers, do not wait. Operations that run ahead also run
/// beside those of the other engine, except for the first stripe.
void CascadeWays::setCycles(CascadeWay &way, const std::vector<uint32_t> &stripes) {
  const Cascade &cascade = way.cascade;
  const bool waits = !cascade.ahead && readsOwnResults(problem_, cascade.first, cascade.end);
  const kernels::PortUse use = portUse(problem_, cascade);
  uint64_t onArray = 0, onDsp = 0;
  for (uint32_t i = cascade.first; i < cascade.end; ++i) {
    const uint32_t height = problem_.operations[i].outputs[0].shape.height;
    const uint32_t count = std::max(1u, stripes[i - cascade.first]);
    const TilesTime time = costs_.inStripes(i, divideUp(height, count), cascade.channelParts, use);
    const uint64_t tiles = uint64_t(count) * cascade.channelParts;
    const uint64_t port = time.portBytes / problem_.target->sram().portBytesPerCycle;
    (problem_.operations[i].isOnDsp() ? onDsp : onArray) +=
        waits ? time.cycles : std::max(time.busy() + time.exposed, port) + (time.fill + time.drain) / tiles;
    way.portCycles += port;
  }
  const uint64_t most = std::max(onArray, onDsp), least = std::min(onArray, onDsp);
  way.cycles = waits ? most + least : std::max(most + least / std::max(1u, stripes.back()), way.portCycles);
  way.lastCycles = way.cycles / cascade.channelParts;
}

uint64_t CascadeWays::leastBytes(const CascadeWay &way) { return way.innerBytes + way.constantBytes; }

uint64_t CascadeWays::mostBytes(const CascadeWay &way) {
  uint64_t bytes = leastBytes(way);
  for (const CascadeWay::Border &border : way.borders)
    bytes += border.ring;
  return bytes;
}

size_t CascadeWays::resultsInPlace(const CascadeWay &way) {
  return std::ranges::count_if(way.borders,
                               [](const auto &border) { return border.inPlace != InPlaceOperands{kNone, kNone}; });
}

/// Adds a way unless another one is as good in all figures; removes those that it replaces. Returns whether the way
/// fits with all operands in DRAM.
bool CascadeWays::add(CascadeRange &range, CascadeWay way) const {
  if (leastBytes(way) > budget_) {
    range.isLimited = true;
    return false;
  }
  auto asGood = [](const CascadeWay &a, const CascadeWay &b) {
    return a.cycles <= b.cycles && a.loadedBytes <= b.loadedBytes && a.firstBytes <= b.firstBytes &&
           leastBytes(a) <= leastBytes(b) && mostBytes(a) <= mostBytes(b) && resultsInPlace(a) >= resultsInPlace(b);
  };
  const bool fits = mostBytes(way) <= budget_;
  for (const CascadeWay &other : range.ways)
    if (asGood(other, way))
      return fits;
  std::erase_if(range.ways, [&](const CascadeWay &other) { return asGood(way, other); });
  range.ways.push_back(std::move(way));
  return fits;
}

uint64_t CascadeWays::leastBytes(uint32_t index) {
  CascadeRange range;
  range.borders = bordersOf(index, index + 1);
  return leastBytes(range, index);
}

uint64_t CascadeWays::leastBytes(const CascadeRange &range, uint32_t index) {
  const Operation &op = problem_.operations[index];
  uint64_t least = UINT64_MAX;
  for (uint32_t rows : {op.outputs[0].shape.height, 1u})
    for (uint32_t parts : {1u, granulesOf(op)})
      least = std::min(least, mostBytes(smallWay(range, index, rows, parts)));
  return least;
}

} // namespace avocet::compiler::schedule

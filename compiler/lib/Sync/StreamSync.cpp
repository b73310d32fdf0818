//===- StreamSync.cpp - One list of commands becomes many streams ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every byte range of one memory: the last command that wrote it and, per engine, the last command that has read it
// since. This is sufficient, because all writes of a byte are ordered, and every read before a write is ordered before
// that write.
//
//===----------------------------------------------------------------------===//

#include "StreamSync.h"

#include "avocet/compiler/Support/Cancel.h"
#include "avocet/firmware_iface/Footprint.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace avocet::compiler {
namespace {

/// For each engine, a position in its stream, counted from 1; 0 means none.
using Positions = std::array<uint32_t, kMaxEngines>;

class AccessMap {
public:
  /// Records a read of [begin, end) by command `position` of `engine` and raises `needed` to the writes it must follow.
  void read(uint64_t begin, uint64_t end, uint32_t engine, uint32_t position, Positions &needed);

  /// Records a write and raises `needed` to the reads and writes it must follow.
  void write(uint64_t begin, uint64_t end, uint32_t engine, uint32_t position, Positions &needed);

private:
  struct Access {
    uint64_t end = 0;
    uint32_t writer = 0;         ///< engine
    uint32_t writerPosition = 0; ///< 0: never written
    Positions readers{};         ///< since the last write
  };
  using Map = std::map<uint64_t, Access>;

  /// Makes `at` a border between entries if it lies inside one; returns the first entry at or after it.
  Map::iterator splitAt(uint64_t at);

  Map map_; ///< by first byte; entries do not overlap
};

AccessMap::Map::iterator AccessMap::splitAt(uint64_t at) {
  auto next = map_.lower_bound(at);
  if (next == map_.begin())
    return next;
  auto inside = std::prev(next);
  if (inside->second.end <= at)
    return next;
  Access tail = inside->second;
  inside->second.end = at;
  return map_.emplace_hint(next, at, tail);
}

void AccessMap::read(uint64_t begin, uint64_t end, uint32_t engine, uint32_t position, Positions &needed) {
  auto entry = splitAt(begin);
  splitAt(end);
  uint64_t covered = begin;
  auto readGap = [&](uint64_t gapEnd) {
    Access access;
    access.end = gapEnd;
    access.readers[engine] = position;
    map_.emplace_hint(entry, covered, access);
  };
  for (; entry != map_.end() && entry->first < end; ++entry) {
    if (covered < entry->first)
      readGap(entry->first);
    Access &access = entry->second;
    needed[access.writer] = std::max(needed[access.writer], access.writerPosition);
    access.readers[engine] = position;
    covered = access.end;
  }
  if (covered < end)
    readGap(end);
}

void AccessMap::write(uint64_t begin, uint64_t end, uint32_t engine, uint32_t position, Positions &needed) {
  auto first = splitAt(begin);
  auto last = splitAt(end);
  for (auto entry = first; entry != last; ++entry) {
    const Access &access = entry->second;
    needed[access.writer] = std::max(needed[access.writer], access.writerPosition);
    for (size_t other = 0; other < kMaxEngines; ++other)
      needed[other] = std::max(needed[other], access.readers[other]);
  }
  auto hint = map_.erase(first, last);
  Access access;
  access.end = end;
  access.writer = engine;
  access.writerPosition = position;
  map_.emplace_hint(hint, begin, access);
}

/// Command `position` of engine `engine` must have finished before.
struct Dependence {
  uint32_t engine;
  uint32_t position;
};

/// A command's position in its stream, and the commands for which it waits.
struct Placed {
  uint32_t engine;
  uint32_t position;
  std::vector<Dependence> waits;
};

Result<std::vector<firmware::Engine>> enginesOf(std::span<const LinearCommand> list) {
  std::set<firmware::Engine> engines;
  for (const LinearCommand &entry : list) {
    engines.insert(entry.engine);
    if (engines.size() > kMaxEngines)
      return unsupported("the program uses more than " + std::to_string(kMaxEngines) + " engines");
  }
  return std::vector<firmware::Engine>(engines.begin(), engines.end());
}

/// Regions that no command of the list writes impose no order; most reads are of constants.
class WrittenRegions {
public:
  explicit WrittenRegions(std::span<const std::vector<firmware::ByteRange>> footprints) {
    for (const auto &footprint : footprints)
      for (const firmware::ByteRange &range : footprint)
        if (range.write)
          regions_.insert(range.region);
  }
  bool contains(uint32_t region) const { return regions_.count(region) != 0; }

private:
  std::set<uint32_t> regions_;
};

/// Finds the waits of the list's commands, in list order.
class WaitFinder {
public:
  WaitFinder(std::span<const LinearCommand> list, std::span<const firmware::Engine> engines)
      : list_(list), engines_(engines), listIndex_(engines.size()), clocks_(engines.size()) {}

  std::vector<Placed> run() {
    std::vector<std::vector<firmware::ByteRange>> footprints(list_.size());
    for (size_t i = 0; i < list_.size() && !isCancelled(); ++i)
      firmware::appendFootprint(list_[i].command.body, footprints[i]);
    WrittenRegions written(footprints);
    std::vector<Placed> placed;
    placed.reserve(list_.size());
    for (size_t i = 0; i < list_.size() && !isCancelled(); ++i)
      placed.push_back(place(i, footprints[i], written));
    return placed;
  }

private:
  Placed place(size_t index, std::span<const firmware::ByteRange> footprint, const WrittenRegions &written) {
    uint32_t engine = engineNumber(list_[index].engine);
    listIndex_[engine].push_back(static_cast<uint32_t>(index));
    auto position = static_cast<uint32_t>(listIndex_[engine].size());
    Positions needed{};
    for (const firmware::ByteRange &range : footprint) {
      if (range.begin >= range.end || !written.contains(range.region))
        continue;
      AccessMap &map = maps_[range.region];
      range.write ? map.write(range.begin, range.end, engine, position, needed)
                  : map.read(range.begin, range.end, engine, position, needed);
    }
    std::vector<Dependence> waits = prune(engine, needed);
    snapshots_.push_back(clocks_[engine]);
    snapshots_.back()[engine] = position;
    return {engine, position, std::move(waits)};
  }

  /// Drops commands that have certainly finished. The latest awaited command comes first, because only a later command
  /// can have waited for an earlier one; merging its clock then drops the others that it implies.
  std::vector<Dependence> prune(uint32_t engine, const Positions &needed) {
    std::vector<Dependence> open;
    for (uint32_t other = 0; other < engines_.size(); ++other)
      if (other != engine && needed[other] > clocks_[engine][other])
        open.push_back({other, needed[other]});
    std::sort(open.begin(), open.end(), [&](Dependence a, Dependence b) { return listIndexOf(a) > listIndexOf(b); });
    std::vector<Dependence> waits;
    for (Dependence dependence : open) {
      if (clocks_[engine][dependence.engine] >= dependence.position)
        continue;
      waits.push_back(dependence);
      const Positions &known = snapshots_[listIndexOf(dependence)];
      for (size_t other = 0; other < engines_.size(); ++other)
        clocks_[engine][other] = std::max(clocks_[engine][other], known[other]);
    }
    return waits;
  }

  uint32_t listIndexOf(Dependence dependence) const { return listIndex_[dependence.engine][dependence.position - 1]; }

  uint32_t engineNumber(firmware::Engine engine) const {
    return static_cast<uint32_t>(std::lower_bound(engines_.begin(), engines_.end(), engine) - engines_.begin());
  }

  std::span<const LinearCommand> list_;
  std::span<const firmware::Engine> engines_;
  std::vector<std::vector<uint32_t>> listIndex_; ///< by engine and position - 1
  std::vector<Positions> clocks_;                ///< by engine: commands finished before its next command
  std::vector<Positions> snapshots_;             ///< by list index: commands finished once this command has finished
  std::unordered_map<uint32_t, AccessMap> maps_; ///< by region
};

/// The awaited positions of each engine in ascending order; the semaphore value of entry i is i + 1.
std::vector<std::vector<uint32_t>> awaitedPositions(std::span<const Placed> placed, size_t engines) {
  std::vector<std::vector<uint32_t>> awaited(engines);
  for (const Placed &entry : placed)
    for (Dependence wait : entry.waits)
      awaited[wait.engine].push_back(wait.position);
  for (std::vector<uint32_t> &positions : awaited) {
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  }
  return awaited;
}

/// Writes the commands into their streams, with waits before and signals after them.
class StreamWriter {
public:
  StreamWriter(std::span<const LinearCommand> list, std::span<const firmware::Engine> engines,
               std::span<const Placed> placed)
      : list_(list), placed_(placed), awaited_(awaitedPositions(placed, engines.size())) {
    for (size_t engine = 0; engine < engines.size(); ++engine) {
      semaphores_.push_back(awaited_[engine].empty() ? 0 : result_.semaphores++);
      result_.streams.push_back({engines[engine], {}});
    }
  }

  uint32_t semaphores() const { return result_.semaphores; }

  SyncedStreams run() && {
    for (uint32_t index = 0; index < list_.size() && !isCancelled(); ++index)
      append(index);
    return std::move(result_);
  }

private:
  void append(uint32_t index) {
    const Placed &entry = placed_[index];
    std::vector<StreamCommand> &commands = result_.streams[entry.engine].commands;
    uint32_t layer = list_[index].command.layer;
    for (Dependence wait : entry.waits)
      commands.push_back({{layer, firmware::WaitCommand{semaphores_[wait.engine], countOf(wait)}}, index});
    commands.push_back({list_[index].command, index});
    if (std::binary_search(awaited_[entry.engine].begin(), awaited_[entry.engine].end(), entry.position))
      commands.push_back({{layer, firmware::SignalCommand{semaphores_[entry.engine]}}, index});
  }

  uint32_t countOf(Dependence wait) const {
    const std::vector<uint32_t> &positions = awaited_[wait.engine];
    auto found = std::lower_bound(positions.begin(), positions.end(), wait.position);
    return static_cast<uint32_t>(found - positions.begin()) + 1;
  }

  std::span<const LinearCommand> list_;
  std::span<const Placed> placed_;
  std::vector<std::vector<uint32_t>> awaited_;
  std::vector<uint32_t> semaphores_; ///< by engine
  SyncedStreams result_;
};

} // namespace

Result<SyncedStreams> splitStreams(std::span<const LinearCommand> list, uint32_t maxSemaphores) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<firmware::Engine> engines, enginesOf(list));
  std::vector<Placed> placed = WaitFinder(list, engines).run();
  if (isCancelled())
    return Status(StatusCode::Aborted, "cancelled");
  StreamWriter writer(list, engines, placed);
  if (writer.semaphores() > maxSemaphores)
    return resourceExhausted("the program needs " + std::to_string(writer.semaphores()) +
                             " semaphores, the target has " + std::to_string(maxSemaphores));
  return std::move(writer).run();
}

} // namespace avocet::compiler

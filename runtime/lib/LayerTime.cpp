//===- LayerTime.cpp - To which layer each cycle of a job belongs ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/LayerTime.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

namespace avocet::runtime {
namespace {

using firmware::CommandSpan;
using firmware::EngineKind;

constexpr uint32_t kWait = 1;
static_assert(std::is_same_v<std::variant_alternative_t<kWait, firmware::CommandBody>, firmware::WaitCommand>);

using Piece = OwnedCycles;
/// In order and disjoint.
using Pieces = std::vector<Piece>;

void append(Pieces &pieces, uint64_t start, uint64_t end, uint32_t layer) {
  if (start < end)
    pieces.push_back({start, end, layer});
}

/// The cycles in which an engine has a command, from its spans in order.
class EngineUse {
public:
  /// The spans of one run of a section, which begins at `start`.
  void beginSection(uint64_t start) {
    drain();
    free_ = completion_ = start;
  }

  void add(const CommandSpan &span) {
    if (span.operation == kWait) {
      append(pieces_, free_, std::min(completion_, span.endCycle), layer_); // the last commands drain
      free_ = std::max(free_, span.endCycle);
      return;
    }
    // A command that starts late was not held back by a wait, but by the front end.
    const uint64_t turned = std::max(free_, span.endCycle - std::min(span.drainCycles, span.endCycle));
    noteHiddenResults(span.layer);
    append(pieces_, free_, turned, span.layer);
    free_ = turned;
    completion_ = std::max(completion_, span.endCycle);
    layer_ = span.layer;
  }

  Pieces finish() {
    drain();
    return std::move(pieces_);
  }

  /// Cycles in which results of `layer` left while the engine had the command of another layer.
  const std::vector<std::pair<uint32_t, uint64_t>> &hiddenResults() const { return hidden_; }

private:
  void noteHiddenResults(uint32_t next) {
    if (completion_ > free_ && layer_ != next)
      hidden_.emplace_back(layer_, completion_ - free_);
  }

  void drain() {
    append(pieces_, free_, completion_, layer_);
    free_ = std::max(free_, completion_);
  }

  Pieces pieces_;
  std::vector<std::pair<uint32_t, uint64_t>> hidden_;
  uint64_t free_ = 0;       ///< the engine takes the next command from here
  uint64_t completion_ = 0; ///< of the last command
  uint32_t layer_ = firmware::kNoLayer;
};

/// Parts of `pieces` that no piece of `others` covers. Both in order and disjoint.
Pieces without(const Pieces &pieces, const Pieces &others) {
  Pieces rest;
  size_t first = 0;
  for (const Piece &piece : pieces) {
    uint64_t start = piece.start;
    while (first < others.size() && others[first].end <= start)
      ++first;
    for (size_t i = first; i < others.size() && others[i].start < piece.end; ++i) {
      append(rest, start, std::min(piece.end, others[i].start), piece.layer);
      start = std::max(start, others[i].end);
    }
    append(rest, start, piece.end, piece.layer);
  }
  return rest;
}

Pieces merged(const Pieces &a, const Pieces &b) {
  Pieces all;
  std::ranges::merge(a, b, std::back_inserter(all), {}, &Piece::start, &Piece::start);
  return all;
}

/// Overlapping pieces as one; the layer is that of the first.
Pieces united(Pieces pieces) {
  std::ranges::sort(pieces, {}, &Piece::start);
  Pieces all;
  for (const Piece &piece : pieces) {
    if (!all.empty() && piece.start <= all.back().end)
      all.back().end = std::max(all.back().end, piece.end);
    else
      append(all, piece.start, piece.end, piece.layer);
  }
  return all;
}

uint64_t lengthOf(const Pieces &pieces) {
  uint64_t sum = 0;
  for (const Piece &piece : pieces)
    sum += piece.length();
  return sum;
}

class Division {
public:
  Division(const firmware::JobProfile &profile, size_t numLayers)
      : profile_(profile), cycles_(profile.record.counters.cycles), layers_(numLayers + 1) {
    readSections();
    readSpans();
  }

  TimeDivision divide() {
    const Pieces visibleDsp = without(dsp_, array_), computing = merged(array_, visibleDsp);
    const Pieces waiting = waitsBetween(computing);
    add(array_, &LayerTime::array);
    add(visibleDsp, &LayerTime::dsp);
    add(waiting, &LayerTime::wait);
    TimeDivision division;
    division.owners = merged(computing, waiting);
    hide(division.owners);
    division.overlap = overlapOf(computing);
    layers_.back().wait += cycles_ - lengthOf(computing) - lengthOf(waiting); // of the control program
    division.layers = std::move(layers_);
    return division;
  }

private:
  size_t indexOf(uint32_t layer) const { return std::min<size_t>(layer, layers_.size() - 1); }

  void readSections() {
    for (const firmware::SectionSpan &section : profile_.sections)
      sections_.push_back({section.startCycle, std::min(section.endCycle, cycles_)});
    if (sections_.empty())
      sections_.push_back({0, cycles_});
  }

  void readSpans() {
    std::vector<const CommandSpan *> array, dsp;
    for (const CommandSpan &span : profile_.spans) {
      if (span.engine.kind != EngineKind::Dma)
        (span.engine.kind == EngineKind::Mac ? array : dsp).push_back(&span);
      else if (span.operation != kWait)
        append(transfers_, span.startCycle, std::min(span.endCycle, cycles_), span.layer);
    }
    EngineUse arrayUse = useOf(array);
    for (const auto &[layer, cycles] : arrayUse.hiddenResults())
      layers_[indexOf(layer)].hidden.results += cycles;
    array_ = arrayUse.finish();
    dsp_ = useOf(dsp).finish();
  }

  EngineUse useOf(std::vector<const CommandSpan *> &spans) const {
    std::ranges::sort(spans, {},
                      [](const CommandSpan *span) { return std::tuple(span->run, span->command, span->startCycle); });
    EngineUse use;
    uint32_t run = UINT32_MAX;
    for (const CommandSpan *span : spans) {
      if (span->run != run)
        use.beginSection(span->run < sections_.size() ? sections_[span->run].start : 0);
      run = span->run;
      use.add(*span);
    }
    return use;
  }

  void add(const Pieces &pieces, uint64_t LayerTime::*member) {
    for (const Piece &piece : pieces)
      layers_[indexOf(piece.layer)].*member += piece.length();
  }

  /// Cycles of sections without a command on either engine, with the layer that waits.
  Pieces waitsBetween(const Pieces &computing) {
    Pieces waits;
    for (Piece idle : without(sections_, computing)) {
      const auto next = std::ranges::lower_bound(computing, idle.end, {}, &Piece::start);
      if (next != computing.end() && next->start == idle.end) {
        idle.layer = next->layer;
        waits.push_back(idle);
      } else {
        appendTail(idle, next == computing.begin() ? firmware::kNoLayer : std::prev(next)->layer, waits);
      }
    }
    return waits;
  }

  /// The cycles of a section after its last command on an engine, whose layer is `last`: transfers complete. One
  /// without a layer, as that of a result, leaves them to the layer before.
  void appendTail(const Piece &tail, uint32_t last, Pieces &waits) const {
    Pieces ends;
    for (const Piece &transfer : transfers_)
      if (transfer.end > tail.start && transfer.start < tail.end)
        ends.push_back(transfer);
    std::ranges::sort(ends, {}, [](const Piece &piece) { return std::tuple(piece.end, piece.start, piece.layer); });
    uint64_t start = tail.start;
    for (const Piece &transfer : ends) {
      last = transfer.layer == firmware::kNoLayer ? last : transfer.layer;
      append(waits, start, std::min(transfer.end, tail.end), last);
      start = std::max(start, std::min(transfer.end, tail.end));
    }
    append(waits, start, tail.end, last);
  }

  void hide(const Pieces &owners) {
    for (const Piece &piece : dsp_)
      layers_[indexOf(piece.layer)].hidden.dsp += piece.length();
    for (const Piece &piece : without(dsp_, array_))
      layers_[indexOf(piece.layer)].hidden.dsp -= piece.length();
    std::vector<Pieces> own(layers_.size()), moved(layers_.size());
    for (const Piece &piece : owners)
      own[indexOf(piece.layer)].push_back(piece);
    for (const Piece &piece : transfers_)
      moved[indexOf(piece.layer)].push_back(piece);
    for (size_t i = 0; i + 1 < layers_.size(); ++i)
      layers_[i].hidden.transfers = lengthOf(without(united(std::move(moved[i])), own[i]));
  }

  Overlap overlapOf(const Pieces &computing) const {
    const Pieces moving = united(transfers_);
    Overlap overlap;
    overlap.onlyComputing = lengthOf(without(computing, moving));
    overlap.onlyMoving = lengthOf(without(moving, computing));
    overlap.both = lengthOf(moving) - overlap.onlyMoving;
    overlap.neither = cycles_ - lengthOf(computing) - overlap.onlyMoving;
    return overlap;
  }

  const firmware::JobProfile &profile_;
  const uint64_t cycles_;
  Pieces sections_; ///< runs of sections
  Pieces array_, dsp_;
  Pieces transfers_; ///< as they are: they overlap
  std::vector<LayerTime> layers_;
};

} // namespace

TimeDivision divideTime(const firmware::JobProfile &profile, size_t numLayers) {
  if (!profile.spans.empty())
    return Division(profile, numLayers).divide();
  TimeDivision division;
  division.layers.resize(numLayers + 1);
  division.layers.back().wait = profile.record.counters.cycles;
  return division;
}

} // namespace avocet::runtime

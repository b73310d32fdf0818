//===- LayerTime.h - To which layer each cycle of a job belongs -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers overlap (cascades, prefetch), so the cycles of a job are divided among them. A cycle belongs to
//
//   - the layer of the command on the MAC array,
//   - else the layer of the command on the DSP,
//   - else the layer that waits: the one whose command is next to start on the array or the DSP. After the last of
//     them it is the layer whose transfer completes next, or the last layer if that has none.
//
// Cycles of the control program, and of a job without spans, belong to no layer. So each cycle belongs to one layer or
// to none, and the cycles add up to those of the job. Work for a layer in cycles of another layer, or of the same layer
// on the array, is hidden: it is listed apart and is in no sum.
//
// A command is on its engine until the engine turns to the next one (CommandSpan::drainCycles), or until its last
// results have left if no other command follows at once.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_LAYERTIME_H
#define AVOCET_RUNTIME_LAYERTIME_H

#include "avocet/firmware_iface/Profile.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace avocet::runtime {

/// Work for a layer that took no cycles of its own.
struct HiddenCycles {
  uint64_t dsp = 0;       ///< commands on the DSP while the array had a command
  uint64_t results = 0;   ///< its last results left the array, which worked on a command of another layer
  uint64_t transfers = 0; ///< at least one of its transfers ran in cycles of other layers, or of none

  uint64_t total() const { return dsp + results + transfers; }
  bool operator==(const HiddenCycles &) const = default;
};

struct LayerTime {
  uint64_t array = 0; ///< a command was on the MAC array
  uint64_t dsp = 0;   ///< a command was on the DSP, and none on the array
  uint64_t wait = 0;  ///< neither engine had a command
  HiddenCycles hidden;

  uint64_t cycles() const { return array + dsp + wait; }
  bool operator==(const LayerTime &) const = default;
};

/// The cycles of a job by whether an engine computed (the array or the DSP had a command) and a DMA channel moved data.
struct Overlap {
  uint64_t both = 0;
  uint64_t onlyComputing = 0;
  uint64_t onlyMoving = 0;
  uint64_t neither = 0;

  bool operator==(const Overlap &) const = default;
};

/// Cycles [start, end) that belong to one layer, or to none: firmware::kNoLayer.
struct OwnedCycles {
  uint64_t start = 0, end = 0;
  uint32_t layer = firmware::kNoLayer;

  uint64_t length() const { return end - start; }
  bool operator==(const OwnedCycles &) const = default;
};

struct TimeDivision {
  std::vector<LayerTime> layers;   ///< by number; one more at the end for what belongs to no layer
  std::vector<OwnedCycles> owners; ///< in order; without the cycles of the control program, and without spans none
  Overlap overlap;                 ///< zeros without spans
};

/// Requires spans of one job with layers below `numLayers`; others count as none.
TimeDivision divideTime(const firmware::JobProfile &profile, size_t numLayers);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_LAYERTIME_H

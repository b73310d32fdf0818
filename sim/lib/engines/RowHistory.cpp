//===- RowHistory.cpp - When each output row is written ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engines/RowHistory.h"

#include "avocet/base/Rounding.h"

#include <algorithm>
#include <optional>

namespace avocet::sim {

using namespace firmware;

namespace {

/// Whether two maps use different bytes of each period, counted from the begin of `a`.
bool areApartIn(uint64_t period, const FeatureMap &a, uint64_t bytesA, const FeatureMap &b, uint64_t bytesB) {
  const uint64_t beginB = (b.address.offset % period + period - a.address.offset % period) % period;
  return bytesA <= beginB && beginB + bytesB <= period;
}

uint64_t pixelBytes(const FeatureMap &map) { return uint64_t{map.channels} * sizeOf(map.type); }
uint64_t rowBytes(const FeatureMap &map) {
  return (uint64_t{std::max(map.width, 1u)} - 1) * map.pixelStride + pixelBytes(map);
}

/// Whether two maps are different columns of the same rows, or different channels of the same pixels: they interleave,
/// but have no byte in common.
bool areInterleaved(const FeatureMap &a, const FeatureMap &b) {
  const uint64_t row = a.rowStride, pixel = a.pixelStride;
  if (row == 0 || b.rowStride != row)
    return false;
  const bool haveSamePixels = pixel != 0 && b.pixelStride == pixel && row % pixel == 0;
  return areApartIn(row, a, rowBytes(a), b, rowBytes(b)) ||
         (haveSamePixels && areApartIn(pixel, a, pixelBytes(a), b, pixelBytes(b)));
}

/// Whether a range lies inside the buffer of a map.
bool lieInside(const ByteRange &range, const FeatureMap &map) {
  return range.begin >= map.address.offset && range.end <= map.address.offset + uint64_t{map.ringRows} * map.rowStride;
}

/// The maps that are tracked by row: the output, the inputs that a command reads row by row, and the addend of a
/// residual addition.
struct RowMaps {
  std::vector<const FeatureMap *> inputs;
  const FeatureMap *output = nullptr;
  const FeatureMap *addend = nullptr;

  /// Whether all maps that a range can belong to interleave with `written`.
  bool areApart(const ByteRange &read, const FeatureMap &written) const {
    bool isOfMap = false;
    const auto isApart = [&](const FeatureMap *map) {
      const bool isInside = map && lieInside(read, *map);
      isOfMap |= isInside;
      return !isInside || areInterleaved(*map, written);
    };
    return std::ranges::all_of(inputs, isApart) && isApart(addend) && isOfMap;
  }
};

RowMaps rowMapsOf(const CommandBody &body) {
  RowMaps maps;
  if (const auto *eltwise = std::get_if<EltwiseCommand>(&body))
    return {{&eltwise->inputA, &eltwise->inputB}, &eltwise->output};
  if (const auto *dsp = std::get_if<DspCommand>(&body)) {
    if (!dsp->inputs.empty())
      maps.inputs = {&dsp->inputs[0]};
    if (dsp->outputs.size() == 1)
      maps.output = &dsp->outputs[0];
    return maps;
  }
  if (const auto *conv = std::get_if<ConvCommand>(&body); conv && conv->residual.isPresent())
    maps.addend = &conv->residual.addend;
  std::visit(
      [&](const auto &command) {
        if constexpr (requires { command.input.ringRows; }) {
          maps.inputs = {&command.input};
          maps.output = &command.output;
        }
      },
      body);
  return maps;
}

bool wraps(const FeatureMap &map) { return uint64_t{map.firstRow} + map.height > map.ringRows; }

/// Row y of `reader` is row y + shift of `writer`, in the same buffer; nothing if their rows do not coincide.
struct RowRelation {
  int64_t shift;
  uint64_t ringRows;
};
std::optional<RowRelation> relate(const FeatureMap &reader, const FeatureMap &writer) {
  if (reader.rowStride != writer.rowStride || reader.rowStride == 0)
    return std::nullopt;
  const int64_t distance = int64_t{reader.address.offset} - int64_t{writer.address.offset};
  const int64_t stride = reader.rowStride;
  const int64_t rows = -divideUp(-distance, stride); // rounded down
  if (!wraps(reader) && !wraps(writer))
    return RowRelation{int64_t{reader.firstRow} + rows - int64_t{writer.firstRow}, 0};
  if (reader.ringRows != writer.ringRows || rows != 0)
    return std::nullopt;
  return RowRelation{int64_t{reader.firstRow} - int64_t{writer.firstRow}, reader.ringRows};
}

bool overlap(const ByteRange &a, const ByteRange &b) {
  return a.region == b.region && a.begin < b.end && b.begin < a.end;
}

/// Rows of a producer, counted from its first, that are among the first `rows` rows of a reader.
uint64_t producerRows(uint64_t rows, int64_t shift, uint64_t ringRows, uint64_t height) {
  if (ringRows == 0) {
    const int64_t end = static_cast<int64_t>(rows) + shift;
    return end <= 0 ? 0 : std::min<uint64_t>(height, static_cast<uint64_t>(end));
  }
  const int64_t ring = static_cast<int64_t>(ringRows);
  const uint64_t first = static_cast<uint64_t>(((shift % ring) + ring) % ring); // producer's row at the reader's row 0
  const uint64_t beforeWrap = std::min(rows, ringRows - first);
  const uint64_t upTo = first < height && rows != 0 ? std::min(height, first + beforeWrap) : 0;
  return std::max(upTo, std::min(height, rows - beforeWrap));
}

} // namespace

void RowHistory::addDependencies(size_t producer, const PreparedCommand &command) {
  const PreparedCommand &writer = *producers_[producer].command;
  const RowMaps reads = rowMapsOf(command.command.body), writes = rowMapsOf(writer.command.body);
  for (const ByteRange &read : command.ranges)
    for (const ByteRange &written : writer.ranges) {
      if (read.write || !written.write || !overlap(read, written) ||
          (writes.output && reads.areApart(read, *writes.output)))
        continue;
      std::optional<RowRelation> relation;
      for (const FeatureMap *input : reads.inputs)
        if (writes.output && !relation && lieInside(read, *input))
          relation = relate(*input, *writes.output);
      // In the same buffer, the input's rows reach at least as far as the addend's.
      const bool isAddend = !relation && writes.output && reads.addend && lieInside(read, *reads.addend);
      if (isAddend)
        relation = relate(*reads.addend, *writes.output);
      if (relation)
        dependencies_.push_back({producer, true, isAddend, relation->shift, relation->ringRows, writes.output->height});
      else
        dependencies_.push_back({producer, false});
    }
}

void RowHistory::begin(const PreparedCommand &command, uint64_t now) {
  while (!producers_.empty() && producers_.front().completion <= now)
    producers_.pop_front();
  dependencies_.clear();
  for (size_t i = 0; i < producers_.size(); ++i)
    addDependencies(i, command);
  producers_.push_back({&command, {}, UINT64_MAX});
}

uint64_t RowHistory::rowTime(Dependency &dependency, uint64_t rows) const {
  const Producer &producer = producers_[dependency.producer];
  if (rows == 0)
    return 0;
  size_t &entry = dependency.reached;
  while (entry < producer.progress.size() && producer.progress[entry].rows < rows)
    ++entry;
  return entry < producer.progress.size() ? producer.progress[entry].time : producer.completion;
}

uint64_t RowHistory::readyTime(const kernels::BlockRun &run) {
  uint64_t time = 0;
  for (Dependency &d : dependencies_) {
    const uint32_t rows = d.isAddend ? run.addendRowsEnd : run.inputRowsEnd;
    time = std::max(time, d.byRow ? rowTime(d, producerRows(rows, d.shift, d.ringRows, d.height))
                                  : producers_[d.producer].completion);
  }
  return time;
}

void RowHistory::addRows(uint32_t rows, uint64_t time) {
  auto &progress = producers_.back().progress;
  if (rows != 0 && (progress.empty() || progress.back().rows < rows))
    progress.push_back({rows, time});
}

void RowHistory::finish(uint64_t time) { producers_.back().completion = time; }

} // namespace avocet::sim

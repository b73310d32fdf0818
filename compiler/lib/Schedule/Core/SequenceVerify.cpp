//===- SequenceVerify.cpp - Verification of a schedule ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Core/Memory/Allocation.h"
#include "Sequence.h"
#include "avocet/firmware_iface/Addresses.h"
#include "avocet/firmware_iface/Footprint.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

/// Disjoint ranges of bytes that have been written.
class Written {
public:
  void add(uint64_t begin, uint64_t end) {
    auto next = ranges_.upper_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
      end = std::max(end, next->second);
      next = ranges_.erase(next);
    }
    while (next != ranges_.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = ranges_.erase(next);
    }
    ranges_[begin] = end;
  }
  bool covers(uint64_t begin, uint64_t end) const {
    auto next = ranges_.upper_bound(begin);
    return next != ranges_.begin() && std::prev(next)->second >= end;
  }

private:
  std::map<uint64_t, uint64_t> ranges_;
};

/// The bytes of one end of a copy, or of a map with gaps: runs in up to three loops.
struct Runs {
  uint64_t begin = 0, bytes = 0;
  std::array<uint64_t, 3> counts{1, 1, 1}, strides{};

  template <typename Visit> Status forEach(Visit visit) const {
    for (uint64_t k = 0; k < counts[2]; ++k)
      for (uint64_t j = 0; j < counts[1]; ++j)
        for (uint64_t i = 0; i < counts[0]; ++i) {
          const uint64_t at = begin + k * strides[2] + j * strides[1] + i * strides[0];
          AVOCET_RETURN_IF_ERROR(visit(at, at + bytes));
        }
    return Status::ok();
  }
};

/// Footprints cover the gaps between the bytes of a part of a tensor. Finds what the command really accesses there.
struct GapFinder {
  std::vector<std::pair<ByteRange, Runs>> found; ///< a range of the footprint, and its bytes

  void operator()(const auto &command) {
    std::decay_t<decltype(command)>::visitFields(command, [&](const char *, const auto &field) {
      using Field = std::decay_t<decltype(field)>;
      if constexpr (std::is_same_v<Field, FeatureMap>)
        addMap(field);
      else if constexpr (std::is_same_v<Field, std::vector<FeatureMap>>)
        for (const FeatureMap &map : field)
          addMap(map);
      else if constexpr (std::is_same_v<Field, Residual>)
        addMap(field.addend);
    });
  }
  void operator()(const DmaCommand &dma) {
    if (dma.kind == DmaKind::Copy)
      addEnd(dma, dma.source);
    addEnd(dma, dma.destination);
  }

private:
  void addMap(FeatureMap map) {
    const uint64_t pixel = uint64_t(map.channels) * sizeOf(map.type);
    const uint32_t first = map.firstRow, beforeWrap = std::min(map.height, map.ringRows - first);
    if (map.ringRows == 0 || map.pixelStride == 0 || map.rowStride == 0)
      return;
    const std::pair<uint32_t, uint32_t> parts[] = {{first, beforeWrap}, {0, map.height - beforeWrap}};
    for (auto [row, rows] : parts)
      if (rows != 0)
        add({map.address.offset + uint64_t(row) * map.rowStride,
             pixel,
             {map.width, rows, 1},
             {map.pixelStride, map.rowStride, 0}});
  }

  void addEnd(const DmaCommand &dma, const DmaEnd &end) {
    add({end.offset, dma.runBytes, {dma.count0, dma.count1, dma.count2}, {end.stride0, end.stride1, end.stride2}});
  }

  void add(const Runs &runs) {
    uint64_t end = runs.begin + runs.bytes, bytes = runs.bytes;
    for (size_t i = 0; i < runs.counts.size(); ++i) {
      end += (runs.counts[i] - 1) * runs.strides[i];
      bytes *= runs.counts[i];
    }
    if (end - runs.begin != bytes)
      found.push_back({{kSramRegion, runs.begin, end, false}, runs});
  }
};

class Verifier {
public:
  Verifier(const Problem &problem, const Sequence &sequence)
      : problem_(problem), sequence_(sequence), written_(sequence.buffers.size()) {
    for (const Buffer &buffer : sequence.buffers) {
      bases_.push_back(end_);
      end_ += (buffer.bytes + 1) / 16 * 16 + 32; // apart, so that no range reaches a neighbor undetected
    }
    for (size_t i = 0; i < sequence.buffers.size(); ++i)
      if (sequence.buffers[i].space == BufferSpace::Input || sequence.buffers[i].space == BufferSpace::Constants)
        written_[i].add(0, sequence.buffers[i].bytes);
  }

  Status run() {
    for (size_t i = 0; i < sequence_.steps.size(); ++i)
      if (Status status = checkStep(sequence_.steps[i]); !status.isOk())
        return std::move(status).withContext("step " + std::to_string(i));
    return checkPlaces();
  }

private:
  Status checkStep(const Step &step) {
    for (uint32_t buffer : step.buffers)
      if (buffer >= sequence_.buffers.size())
        return internalError("refers to a buffer that does not exist");
    CommandBody body = step.command;
    size_t used = 0;
    bool onChip = true;
    std::visit(
        [&](auto &command) {
          visitAddresses(command, [&](auto &field) {
            if (used >= step.buffers.size() || !(onChip &= relocate(field, step.buffers[used])))
              return;
            ++used;
          });
        },
        body);
    if (used != step.buffers.size() || !onChip)
      return internalError("must have one buffer for each address, all in SRAM");
    std::vector<ByteRange> ranges;
    appendFootprint(body, ranges);
    GapFinder gaps;
    std::visit(gaps, body);
    for (bool write : {false, true}) // a command reads before it writes
      for (const ByteRange &range : ranges)
        if (range.write == write)
          AVOCET_RETURN_IF_ERROR(checkRange(step, range, gaps));
    return Status::ok();
  }

  /// Relocates into one space in which all buffers are side by side.
  bool relocate(SramAddress &address, uint32_t buffer) {
    address += uint32_t(bases_[buffer]);
    return sequence_.buffers[buffer].space == BufferSpace::Sram;
  }
  bool relocate(DmaEnd &end, uint32_t buffer) {
    end.offset += bases_[buffer];
    return true;
  }

  Status checkRange(const Step &step, const ByteRange &range, const GapFinder &gaps) {
    for (uint32_t buffer : step.buffers) {
      const uint64_t base = bases_[buffer];
      if (range.begin < base || range.end > base + sequence_.buffers[buffer].bytes)
        continue;
      for (const auto &[cover, runs] : gaps.found)
        if (cover.begin == range.begin && cover.end == range.end)
          return runs.forEach([&](uint64_t begin, uint64_t end) { return access(buffer, begin, end, range.write); });
      return access(buffer, range.begin, range.end, range.write);
    }
    return internalError("accesses bytes outside its buffers");
  }

  Status access(uint32_t buffer, uint64_t begin, uint64_t end, bool isWrite) {
    const uint64_t base = bases_[buffer];
    if (isWrite)
      written_[buffer].add(begin - base, end - base);
    else if (!written_[buffer].covers(begin - base, end - base))
      return internalError("reads bytes of " + sequence_.buffers[buffer].name + " that no earlier step has written");
    return Status::ok();
  }

  Status checkPlaces() const {
    AllocationProblem allocation{{}, problem_.target->sram().bytes, 1};
    std::vector<uint64_t> addresses;
    const std::vector<Lifetime> lifetimes = lifetimesOf(sequence_);
    std::vector<BufferUse> uses(sequence_.buffers.size());
    for (uint32_t time = 0; time < sequence_.steps.size(); ++time) {
      const Step &step = sequence_.steps[time];
      for (size_t i = 0; i < step.buffers.size(); ++i) {
        const Buffer &buffer = sequence_.buffers[step.buffers[i]];
        if (buffer.space != BufferSpace::Sram || buffer.address == kUnplaced)
          continue;
        const auto written = i + 1 == step.buffers.size() ? piecewiseWrite(step.command) : std::nullopt;
        for (const BufferBytes &bytes : uses[step.buffers[i]].begin(buffer.bytes, written)) {
          allocation.blocks.push_back({bytes.end - bytes.begin, time, lifetimes[step.buffers[i]].last, {}});
          addresses.push_back(buffer.address + bytes.begin);
        }
      }
    }
    return allocation.verify(addresses);
  }

  const Problem &problem_;
  const Sequence &sequence_;
  std::vector<uint64_t> bases_;
  uint64_t end_ = 0;
  std::vector<Written> written_; ///< by buffer
};

} // namespace

Status Sequence::verify(const Problem &problem) const { return Verifier(problem, *this).run(); }

} // namespace avocet::compiler::schedule

//===- SequenceVerify.cpp - Verification of a schedule ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/Allocation.h"
#include "avocet/compiler/Schedule/Core/Sequence.h"
#include "avocet/firmware_iface/Addresses.h"
#include "avocet/firmware_iface/Footprint.h"

#include <algorithm>
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

class Verifier {
public:
  Verifier(const Problem &problem, const Sequence &sequence)
      : problem_(problem), sequence_(sequence), written_(sequence.buffers.size()) {
    for (const Buffer &buffer : sequence.buffers) {
      bases_.push_back(end_);
      end_ += (buffer.bytes + 1) / 16 * 16 + 32; // apart, so that no range reaches a neighbour undetected
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
    for (bool write : {false, true}) // a command reads before it writes
      for (const ByteRange &range : ranges)
        if (range.write == write)
          AVOCET_RETURN_IF_ERROR(checkRange(step, range));
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

  Status checkRange(const Step &step, const ByteRange &range) {
    for (uint32_t buffer : step.buffers) {
      const uint64_t base = bases_[buffer];
      if (range.begin < base || range.end > base + sequence_.buffers[buffer].bytes)
        continue;
      if (range.write)
        written_[buffer].add(range.begin - base, range.end - base);
      else if (!written_[buffer].covers(range.begin - base, range.end - base))
        return internalError("reads bytes of " + sequence_.buffers[buffer].name + " that no earlier step has written");
      return Status::ok();
    }
    return internalError("accesses bytes outside its buffers");
  }

  Status checkPlaces() const {
    AllocationProblem allocation{{}, problem_.target->sram().bytes, 1};
    std::vector<uint64_t> addresses;
    std::vector<Lifetime> lifetimes = lifetimesOf(sequence_);
    for (size_t i = 0; i < sequence_.buffers.size(); ++i) {
      const Buffer &buffer = sequence_.buffers[i];
      if (buffer.space != BufferSpace::Sram || buffer.address == kUnplaced || !lifetimes[i].used())
        continue;
      allocation.blocks.push_back({buffer.bytes, lifetimes[i].first, lifetimes[i].last, {}});
      addresses.push_back(buffer.address);
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

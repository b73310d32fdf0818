//===- Allocate.cpp - Phase allocate ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "Schedule/Core/Memory/Allocation.h"
#include "avocet/compiler/Schedule/SchedulePasses.h"

#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/Section.h"

#include "Schedule/Core/Lowering.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace avocet::compiler {

#define GEN_PASS_DEF_ALLOCATEPASS
#include "avocet/compiler/Schedule/SchedulePasses.h.inc"

namespace {

using npu::BufferOp;
using npu::Space;

class Allocator {
public:
  /// `constantsEnd`: end of the constants of earlier sections; this program's constants follow.
  Allocator(npu::ProgramOp program, const TargetPtr &target, uint64_t constantsEnd)
      : program_(program), target_(target), constantsEnd_(constantsEnd) {
    findLifetimes();
  }

  LogicalResult run() {
    int64_t scratch = 0;
    if (failed(place(Space::Sram, target_->sram().bytes, 0, sram_)) ||
        failed(place(Space::Scratch, uint64_t(1) << 32, frameBytesOf(program_), scratch)))
      return failure();
    layOutConstants();
    for (auto &[buffer, lifetime] : lifetimes_)
      if (buffer.getSpace() == Space::Input || buffer.getSpace() == Space::Output)
        buffer.setAddress(0);
    program_.setSramBytes(sram_);
    program_.setScratchBytes(scratch);
    return success();
  }

private:
  struct Piece {
    schedule::BufferBytes bytes;
    uint32_t first;
  };
  struct Range {
    uint32_t first, last;
    schedule::BufferUse use;
    std::vector<Piece> pieces; ///< bytes of the buffer, by the time from which they are in use
  };

  void findLifetimes() {
    uint32_t time = 0;
    for (Operation &op : program_.getBody().front()) {
      auto command = dyn_cast<npu::CommandOpInterface>(op);
      if (!command)
        continue;
      const auto written = schedule::piecewiseWrite(command.getTemplate());
      for (auto [index, value] : llvm::enumerate(command.getAddressBuffers())) {
        auto buffer = value.getDefiningOp<BufferOp>();
        Range &lifetime = lifetimes_.insert({buffer, {time, time, {}, {}}}).first->second;
        lifetime.last = time;
        const bool isLast = index + 1 == command.getAddressBuffers().size();
        for (const auto &bytes : lifetime.use.begin(uint64_t(buffer.getBytes()), isLast ? written : std::nullopt))
          lifetime.pieces.push_back({bytes, time});
      }
      ++time;
    }
  }

  /// Assigns addresses from `base` on to the buffers of a space.
  LogicalResult place(Space space, uint64_t capacity, int64_t base, int64_t &peak) {
    schedule::AllocationProblem problem{{}, capacity, schedule::kAlignment};
    std::vector<BufferOp> buffers;
    std::vector<uint64_t> proposal;
    for (auto &[buffer, lifetime] : lifetimes_)
      if (buffer.getSpace() == space) {
        buffers.push_back(buffer);
        problem.blocks.push_back({uint64_t(buffer.getBytes()), lifetime.first, lifetime.last, std::nullopt});
        proposal.push_back(buffer.getProposal() ? uint64_t(*buffer.getProposal()) : capacity);
      }
    if (!isValid(buffers, proposal, capacity)) {
      auto found = schedule::allocate(problem);
      if (isCancelled())
        return failure();
      if (!found.isOk())
        return program_.emitError() << stringifySpace(space) << ": " << found.status().message();
      proposal = std::move(found).value();
    }
    for (auto [buffer, address] : llvm::zip(buffers, proposal)) {
      buffer.setAddress(base + int64_t(address));
      buffer.removeProposalAttr();
    }
    peak = base + int64_t(schedule::peakOf(problem, proposal));
    return success();
  }

  /// Whether no byte is in use by two buffers at a time.
  bool isValid(std::vector<BufferOp> &buffers, const std::vector<uint64_t> &proposal, uint64_t capacity) const {
    schedule::AllocationProblem problem{{}, capacity, 1};
    std::vector<uint64_t> addresses;
    for (auto [buffer, address] : llvm::zip(buffers, proposal)) {
      if (address % schedule::kAlignment || address > capacity || uint64_t(buffer.getBytes()) > capacity - address)
        return false;
      const Range &lifetime = lifetimes_.find(buffer)->second;
      for (const Piece &piece : lifetime.pieces) {
        problem.blocks.push_back({piece.bytes.end - piece.bytes.begin, piece.first, lifetime.last, std::nullopt});
        addresses.push_back(address + piece.bytes.begin);
      }
    }
    return problem.verify(addresses).isOk();
  }

  /// Assigns addresses in the order of first use, which is the order in which the device reads the constants.
  void layOutConstants() {
    uint64_t end = constantsEnd_;
    for (auto &[buffer, lifetime] : lifetimes_) {
      if (buffer.getSpace() != Space::Constants)
        continue;
      end = schedule::alignUp(end);
      buffer.setAddress(int64_t(end));
      end += uint64_t(buffer.getBytes());
    }
    program_.setConstantsBytes(int64_t(end));
  }

  npu::ProgramOp program_;
  const TargetPtr &target_;
  llvm::MapVector<BufferOp, Range> lifetimes_; ///< in order of first use
  const uint64_t constantsEnd_;
  int64_t sram_ = 0;
};

/// Sections share one region, in which their constants are adjacent, and the same scratch memory after the frame.
LogicalResult allocatePrograms(ModuleOp module, const TargetPtr &target) {
  uint64_t constantsEnd = 0;
  for (auto program : module.getOps<npu::ProgramOp>()) {
    if (isCancelled() || failed(Allocator(program, target, constantsEnd).run()))
      return failure();
    constantsEnd = uint64_t(*program.getConstantsBytes());
    for (auto buffer : llvm::make_early_inc_range(program.getOps<BufferOp>()))
      if (buffer->use_empty())
        buffer.erase();
  }
  return success();
}

struct Allocate : impl::AllocatePassBase<Allocate> {
  using AllocatePassBase::AllocatePassBase;
  Allocate() = default;
  explicit Allocate(TargetPtr target) : given_(std::move(target)) {}

  void runOnOperation() override {
    TargetPtr target = passTarget(getOperation(), given_, targetName);
    if (!target || failed(allocateModule(getOperation(), target)))
      signalPassFailure();
  }

private:
  TargetPtr given_;
};

} // namespace

LogicalResult allocateModule(ModuleOp module, const TargetPtr &target) {
  if (failed(verifyBuffers(module)))
    return failure();
  if (failed(allocatePrograms(module, target)))
    return failure();
  return success(succeeded(verifyBuffers(module)) && succeeded(verifyAddresses(module, target)));
}

/// Calls `visit` with each segment of the constants region, and its buffer.
static LogicalResult forEachSegment(npu::ProgramOp program,
                                    llvm::function_ref<LogicalResult(npu::SegmentAttr, BufferOp)> visit) {
  for (auto buffer : program.getOps<BufferOp>())
    if (buffer.getSpace() == Space::Constants && buffer.getAddress())
      for (auto segment : buffer.getContents()->getAsRange<npu::SegmentAttr>())
        if (failed(visit(segment, buffer)))
          return failure();
  return success();
}

void countSegments(npu::ProgramOp program, UnreadSegments &unread) {
  (void)forEachSegment(program, [&](npu::SegmentAttr segment, BufferOp) {
    if (ConstantEntry *entry = entryOf(segment.getData()))
      ++unread[entry];
    return success();
  });
}

LogicalResult writeConstants(npu::ProgramOp program, std::vector<uint8_t> &bytes, UnreadSegments &unread) {
  if (!program.isAllocated())
    return program.emitError("has no addresses yet");
  const uint64_t end = std::max<uint64_t>(bytes.size(), *program.getConstantsBytes());
  bytes.reserve(end); // without writing: memory that is not written yet takes no pages
  const auto write = [&](npu::SegmentAttr segment, BufferOp buffer) -> LogicalResult {
    const uint64_t at = uint64_t(*buffer.getAddress()) + segment.getOffset();
    if (at > end || segment.getSize() > end - at)
      return buffer.emitError("leaves the constants region");
    bytes.resize(std::max<uint64_t>(bytes.size(), at + segment.getSize()));
    if (failed(schedule::copyConstant(segment.getData(), segment.getSource(),
                                      std::span(bytes).subspan(at, segment.getSize()))))
      return buffer.emitError("has a constant without readable bytes");
    ConstantEntry *entry = entryOf(segment.getData());
    if (auto left = unread.find(entry); left != unread.end() && --left->second == 0)
      freeConstant(*entry);
    return success();
  };
  if (failed(forEachSegment(program, write)))
    return failure();
  bytes.resize(end);
  return success();
}

std::unique_ptr<Pass> createAllocatePass(TargetPtr target) { return std::make_unique<Allocate>(std::move(target)); }

} // namespace avocet::compiler

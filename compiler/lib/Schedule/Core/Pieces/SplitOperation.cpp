//===- SplitOperation.cpp - Choice of pieces --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantGroup.h"
#include "Pieces/Piece.h"
#include "Schedule/Core/Lowering.h"
#include "Schedule/Core/TileCommand.h"
#include "avocet/base/Rounding.h"

#include "avocet/compiler/Support/Cancel.h"
#include "avocet/kernels/Kernel.h"

#include <algorithm>
#include <numeric>

namespace avocet::compiler::schedule {

using namespace firmware;

namespace {

constexpr uint64_t kMostPieces = 16384;
/// 40 us, as a fraction of a second: no command without parts may take longer.
constexpr uint64_t kCommandsPerSecond = 25'000;
/// Overhead of a piece in addition to its transfers: latencies, pipeline fill and drain.
constexpr uint64_t kPieceCycles = 512;
/// Pieces of long axes end at multiples of this, which gives them regular shapes.
constexpr uint32_t kGrain = 512;

uint32_t halved(uint32_t size) {
  const uint32_t half = divideUp(size, 2);
  return half >= 2 * kGrain ? roundUp(half, kGrain) : half;
}

/// Cycles of the off-chip port: every run is transferred in whole bursts.
uint64_t portCycles(const Target &target, const Box &box) {
  const uint64_t burst = target.dram().burstBytes;
  return box.runs() * target.dram().bandwidth.cyclesFor(roundUp(box.runBytes, burst));
}

uint64_t portCycles(const Target &target, const Piece &piece) {
  uint64_t cycles = portCycles(target, piece.output);
  for (const Box &output : piece.moreOutputs)
    cycles += portCycles(target, output);
  for (const Piece::Input &input : piece.inputs)
    cycles += portCycles(target, input.box);
  return cycles;
}

/// The memory that pieces need together, with each operand counted once.
class Memory {
public:
  Memory(const Problem &problem, const Operation &op)
      : problem_(problem), op_(op), inputs_(op.inputs.size(), 0), outputs_(op.outputs.size(), 0) {}

  void add(const Piece &piece) {
    for (const Piece::Input &input : piece.inputs)
      inputs_[input.operand] = std::max(inputs_[input.operand], alignUp(input.box.bytes()));
    outputs_[0] = std::max(outputs_[0], alignUp(piece.output.bytes()));
    for (size_t i = 0; i < piece.moreOutputs.size(); ++i)
      outputs_[i + 1] = std::max(outputs_[i + 1], alignUp(piece.moreOutputs[i].bytes()));
    state_ = std::max(state_, alignUp(piece.state.bytes));
    constants_ = std::max(constants_,
                          alignUp(constantGroup(problem_, op_, piece.channelsBegin, piece.channelsEnd, false).bytes));
  }
  uint64_t bytes() const {
    uint64_t sum = constants_ + state_;
    for (const std::vector<uint64_t> *buffers : {&inputs_, &outputs_})
      sum = std::accumulate(buffers->begin(), buffers->end(), sum);
    return sum;
  }

private:
  const Problem &problem_;
  const Operation &op_;
  std::vector<uint64_t> inputs_, outputs_;
  uint64_t constants_ = 0, state_ = 0;
};

/// The pieces of one splitter.
class Search {
public:
  Search(const Problem &problem, const Operation &op, const Splitter &splitter)
      : problem_(problem), op_(op), splitter_(splitter), sizes_(splitter.largest()) {}

  /// Repeatedly halves the axis that saves most memory for the time it costs, until a piece fits.
  bool run(uint64_t budget, PieceGroup &pieces) {
    for (;;) {
      const std::optional<Piece> typical = middlePiece(sizes_);
      if (count(sizes_) > kMostPieces || isCancelled())
        return false;
      if (typical && memoryOf(*typical) <= budget && isShort(*typical) && makeAll(budget, pieces))
        return true;
      if (!halveOne())
        return false;
    }
  }

private:
  uint64_t memoryOf(const Piece &piece) const {
    Memory memory(problem_, op_);
    memory.add(piece);
    return memory.bytes();
  }

  /// Whether the smallest parts of the command are short enough for yields between them.
  bool isShort(const Piece &piece) const {
    if (!splitter_.limitsTime())
      return true;
    const Target &target = *problem_.target;
    const kernels::Kernel *kernel = kernels::findKernel(piece.command);
    CommandBody smallest = piece.command;
    while (kernel->parts(smallest) > 1)
      smallest = kernel->part(smallest, 0, 1);
    return kernel->cost(target, smallest).cycles <= target.clockHz() / kCommandsPerSecond;
  }

  uint64_t count(const std::vector<uint32_t> &sizes) const {
    uint64_t count = 1;
    for (size_t axis = 0; axis < sizes.size() && count <= kMostPieces; ++axis)
      count *= divideUp(splitter_.extents()[axis], sizes[axis]);
    return count;
  }

  /// The number of pieces if the last ones were as large as the others.
  double share(const std::vector<uint32_t> &sizes) const {
    double share = 1;
    for (size_t axis = 0; axis < sizes.size(); ++axis)
      share *= double(splitter_.extents()[axis]) / sizes[axis];
    return share;
  }

  std::optional<Piece> middlePiece(const std::vector<uint32_t> &sizes) const {
    std::vector<Range> ranges;
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      const uint32_t extent = splitter_.extents()[axis];
      const uint32_t begin = extent / sizes[axis] / 2 * sizes[axis];
      ranges.push_back({begin, std::min(extent, begin + sizes[axis])});
    }
    return legalPiece(ranges);
  }

  std::optional<Piece> legalPiece(const std::vector<Range> &ranges) const {
    std::optional<Piece> piece = splitter_.piece(ranges);
    if (!piece)
      return std::nullopt;
    const kernels::Kernel *kernel = kernels::findKernel(piece->command);
    return kernel && kernel->check(*problem_.target, piece->command).isOk() ? piece : std::nullopt;
  }

  bool halveOne() {
    std::optional<std::vector<uint32_t>> best;
    double least = 0;
    for (size_t axis = 0; axis < sizes_.size(); ++axis) {
      if (sizes_[axis] == 1)
        continue;
      std::vector<uint32_t> sizes = sizes_;
      sizes[axis] = halved(sizes[axis]);
      const std::optional<Piece> piece = middlePiece(sizes);
      if (!piece)
        continue;
      const double cycles = share(sizes) * double(kPieceCycles + portCycles(*problem_.target, *piece));
      const double cost = cycles * double(memoryOf(*piece));
      if (!best || cost < least) {
        least = cost;
        best = std::move(sizes);
      }
    }
    if (best)
      sizes_ = std::move(*best);
    return best.has_value();
  }

  /// Makes all pieces, outermost axis slowest. False if one does not fit.
  bool makeAll(uint64_t budget, PieceGroup &pieces) const {
    pieces.clear();
    pieces.reserve(count(sizes_));
    Memory memory(problem_, op_);
    std::vector<Range> ranges;
    for (uint32_t size : sizes_)
      ranges.push_back({0, size});
    for (bool more = true; more; more = next(ranges)) {
      std::optional<Piece> piece = legalPiece(ranges);
      if (piece)
        memory.add(*piece);
      if (!piece || memory.bytes() > budget)
        return false;
      pieces.push_back(std::move(*piece));
    }
    return true;
  }

  bool next(std::vector<Range> &ranges) const {
    for (size_t axis = ranges.size(); axis-- > 0;) {
      const uint32_t extent = splitter_.extents()[axis];
      if (ranges[axis].end < extent) {
        ranges[axis] = {ranges[axis].end, std::min(extent, ranges[axis].end + sizes_[axis])};
        return true;
      }
      ranges[axis] = {0, sizes_[axis]};
    }
    return false;
  }

  const Problem &problem_;
  const Operation &op_;
  const Splitter &splitter_;
  std::vector<uint32_t> sizes_; ///< of a piece, by axis
};

} // namespace

static std::optional<Pieces> splitInto(const Problem &problem, uint32_t operation, uint64_t budget, Cut cut,
                                       uint32_t copies) {
  const Operation &op = problem.operations[operation];
  Pieces result;
  result.copies = copies;
  for (const std::unique_ptr<Splitter> &splitter : splittersOf(problem, operation, cut)) {
    PieceGroup &group = result.groups.emplace_back();
    if (!Search(problem, op, *splitter).run(budget / copies, group))
      return std::nullopt;
    Memory memory(problem, op);
    for (const Piece &piece : group) {
      memory.add(piece);
      result.portCycles += portCycles(*problem.target, piece);
    }
    result.memory = std::max(result.memory, copies * memory.bytes());
  }
  return result.groups.empty() ? std::nullopt : std::optional(std::move(result));
}

/// Splitters count elements and bytes of an operand in 32 bits.
static bool isCountable(const Operand &operand) {
  const MapShape &shape = operand.shape;
  const uint64_t pixels = uint64_t(shape.height) * shape.width;
  return pixels <= UINT32_MAX && pixels * shape.channels <= UINT32_MAX / sizeOf(shape.type);
}

std::optional<Pieces> splitOperation(const Problem &problem, uint32_t operation, uint64_t budget, Cut cut) {
  const Operation &op = problem.operations[operation];
  if (op.dynamicScale != kNone || !std::all_of(op.outputs.begin(), op.outputs.end(), isCountable) ||
      !std::all_of(op.inputs.begin(), op.inputs.end(), isCountable))
    return std::nullopt;
  std::optional<Pieces> pieces;
  for (uint32_t copies = 2; !pieces && copies > 0 && !isCancelled(); --copies)
    pieces = splitInto(problem, operation, budget, cut, copies);
  return pieces;
}

} // namespace avocet::compiler::schedule

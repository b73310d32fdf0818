//===- PinChecks.cpp - Pins that no plan can follow -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CascadeWays.h"
#include "ConstantGroup.h"
#include "Isolation.h"
#include "TileCommand.h"

#include <algorithm>
#include <tuple>

namespace avocet::compiler::schedule {

namespace {

std::string text(uint64_t number) { return std::to_string(number); }

uint32_t heightOf(const Problem &problem, const CascadePin &pin) {
  return problem.operations[pin.end - 1].outputs[0].shape.height;
}

class Checker {
public:
  explicit Checker(const Problem &problem)
      : problem_(problem), pins_(problem.pins), uses_(problem), costs_(problem),
        ways_(problem, uses_, costs_, problem.target->sram().bytes, 0) {}

  std::vector<PinError> run() && {
    for (const auto &[first, pin] : pins_.cascades)
      check(pin);
    for (const auto &[tensor, pin] : pins_.memories)
      check(tensor, pin);
    for (const auto &[operation, pin] : pins_.blocks)
      check(operation, pin);
    for (const auto &[operation, pin] : pins_.shifts)
      if (!isOnArray(operation))
        fail(pin.hint, operation, "the operation has no blocks, since it runs on the DSP; leave the hint out");
      else if (pins_.blocks.contains(operation))
        contradict(pin.hint, pins_.blocks.at(operation).hint, operation);
    std::ranges::sort(errors_, {},
                      [](const PinError &error) { return std::tie(error.operation, error.hint, error.message); });
    return std::move(errors_);
  }

  /// Of cascades that need more than the SRAM.
  std::vector<PinError> tooLarge() && {
    for (const auto &[first, pin] : pins_.cascades)
      checkMemory(pin);
    return std::move(errors_);
  }

private:
  void fail(uint32_t hint, uint32_t operation, std::string message) {
    errors_.push_back({hint, operation, std::move(message)});
  }
  void contradict(uint32_t hint, uint32_t other, uint32_t operation) {
    fail(hint, operation, "it contradicts hint " + text(other + 1) + "; leave out one of them");
  }
  bool isOnArray(uint32_t operation) const { return !problem_.operations[operation].isOnDsp(); }

  void check(const CascadePin &pin) {
    if (const auto cut = pins_.cuts.upper_bound(pin.first); cut != pins_.cuts.end() && cut->first < pin.end)
      return contradict(pin.hint, cut->second, cut->first - 1);
    if (pin.spills)
      checkSpills(pin);
    if (pin.pieceBytes)
      return checkPieces(pin);
    if (checkJoin(pin) && checkRows(pin))
      checkParts(pin);
  }

  void checkSpills(const CascadePin &pin) {
    for (uint32_t tensor : *pin.spills) {
      const TensorUses::Range &range = uses_.of(tensor);
      if (!range.isWritten || range.writer < pin.first || range.writer >= pin.end)
        fail(pin.hint, pin.first, "'spill' may only name results of the cascade's own operators");
      else if (range.reader < pin.end || uses_.isOnlyStored(tensor))
        fail(pin.hint, range.writer, "no operator after the cascade reads this result, so it cannot be spilled");
    }
  }

  void checkPieces(const CascadePin &pin) {
    const uint64_t most = problem_.target->sram().bytes;
    if (pin.end != pin.first + 1)
      fail(pin.hint, pin.first,
           "only one operation can run in pieces, and the cascade has " + text(pin.end - pin.first));
    else if (*pin.pieceBytes > most)
      fail(pin.hint, pin.first,
           "pieces of " + text(*pin.pieceBytes) + " bytes do not fit in the " + text(most) + " bytes of SRAM");
    else if (!splitOperation(problem_, pin.first, *pin.pieceBytes))
      fail(pin.hint, pin.first,
           "the operation cannot be cut into pieces of at most " + text(*pin.pieceBytes) +
               " bytes; try more, or leave 'pieces' out");
  }

  bool checkJoin(const CascadePin &pin) {
    if (pin.end - pin.first > CascadeWays::kMostWriters) {
      fail(pin.hint, pin.first,
           "the cascade has " + text(pin.end - pin.first) + " operations, accepted are up to " +
               text(CascadeWays::kMostWriters));
      return false;
    }
    for (uint32_t end = pin.first + 2; end <= pin.end; ++end) {
      if (ways_.joins(pin.first, end))
        continue;
      const uint32_t last = end - 1, odd = problem_.operations[pin.first].rowWise ? last : pin.first;
      fail(pin.hint, odd,
           !problem_.operations[odd].rowWise
               ? "the operation needs all rows of its operands at once, so it can only run alone"
           : problem_.operations[last].outputs[0].shape.height == 1
               ? "the operation makes one row of what the operations before it make, so it cannot share "
                 "stripes with them; end the cascade before it"
               : "the constants of the cascade up to here do not fit in the " + text(problem_.target->sram().bytes) +
                     " bytes of SRAM; end the cascade before it");
      return false;
    }
    return true;
  }

  bool checkRows(const CascadePin &pin) {
    const uint32_t height = heightOf(problem_, pin), last = pin.end - 1;
    if (!pin.stripeRows)
      return true;
    const uint32_t least = divideUp(height, CascadeWays::kMostStripes);
    if (*pin.stripeRows < least || *pin.stripeRows > height) {
      fail(pin.hint, last,
           "'rows' is " + text(*pin.stripeRows) + ", accepted are " + text(least) + " to " + text(height) +
               ", the rows of the last operation's result");
      return false;
    }
    if (*pin.stripeRows < height && !problem_.operations[pin.first].rowWise) {
      fail(pin.hint, pin.first, "the operation needs all rows of its operands at once; 'rows' must be " + text(height));
      return false;
    }
    return true;
  }

  void checkParts(const CascadePin &pin) {
    const bool isAlone = pin.end == pin.first + 1;
    if (isAlone && pin.ahead == true)
      fail(pin.hint, pin.first, "one operation has no readers in its cascade, so 'ahead' must be false");
    const uint32_t parts = pin.channelParts.value_or(1);
    if (parts == 1)
      return;
    const Operation &op = problem_.operations[pin.first];
    const uint32_t granules = op.channelGranule ? divideUp(op.outputs[0].shape.channels, op.channelGranule) : 1;
    if (!isAlone && !canShareParts(problem_, pin.first, pin.end))
      fail(pin.hint, pin.first, "only convolutions with the same constants share parts; 'parts' must be 1");
    else if (parts == 0 || parts > granules)
      fail(pin.hint, pin.first,
           "'parts' is " + text(parts) + ", accepted are 1 to " + text(granules) +
               ", the groups of output channels that weights are stored in");
    else if (!isAlone && pin.stripeRows.value_or(heightOf(problem_, pin)) != heightOf(problem_, pin))
      fail(pin.hint, pin.first, "with several parts, 'rows' must be " + text(heightOf(problem_, pin)));
  }

  /// Bytes of SRAM that a way needs at least: each operand in the memory where it takes less.
  uint64_t leastBytes(const CascadeRange &range, const CascadeWay &way) const {
    uint64_t bytes = way.innerBytes + way.constantBytes;
    for (size_t i = 0; i < range.borders.size(); ++i) {
      const uint32_t tensor = range.borders[i].tensor;
      if (way.borders[i].inPlace != InPlaceOperands{kNone, kNone})
        continue; // may take the place of an operand
      const bool isOutside = !uses_.of(tensor).isWritten || uses_.isOnlyStored(tensor);
      bytes += isOutside ? way.borders[i].ring : std::min(way.borders[i].ring, uses_.bytesOf(tensor));
    }
    return bytes;
  }

  uint64_t leastBytes(const Cascade &cascade) {
    const CascadeRange &range = ways_.of(cascade.first, cascade.end);
    uint64_t least = UINT64_MAX;
    for (const CascadeWay &way : ways_.bothWays(cascade))
      least = std::min(least, leastBytes(range, way));
    return least;
  }

  void checkMemory(const CascadePin &pin) {
    const uint64_t most = problem_.target->sram().bytes;
    const std::vector<Cascade> cascades = pinnedCascades(problem_, pin);
    uint64_t least = UINT64_MAX;
    for (const Cascade &cascade : cascades)
      least = std::min(least, leastBytes(cascade));
    if (cascades.empty() || least <= most)
      return;
    Cascade smaller = cascades.front();
    uint32_t fitting = 0; // stripes of so many rows fit, of more do not
    for (uint32_t begin = 1, end = smaller.stripeRows; begin < end;) {
      smaller.stripeRows = begin + (end - begin) / 2;
      if (leastBytes(smaller) <= most)
        fitting = smaller.stripeRows, begin = smaller.stripeRows + 1;
      else
        end = smaller.stripeRows;
    }
    fail(
        pin.hint, pin.first,
        text(cascades.front().stripeRows) + " rows at a time need at least " + text(least) +
            " bytes of SRAM, and there are " + text(most) + "; " +
            (fitting ? "'rows' may be at most " + text(fitting) : "not even one row fits, so end the cascade earlier"));
  }

  void check(uint32_t tensor, const MemoryPin &pin) {
    const TensorUses::Range &range = uses_.of(tensor);
    const uint32_t writer = range.writer;
    if (uses_.isOnlyStored(tensor))
      return fail(pin.hint, writer, "no operator reads this result, so it goes straight to its network output");
    if (range.reader <= range.writer)
      return fail(pin.hint, writer, "no operator reads this result; leave the hint out");
    const CascadePin *cascade = pins_.cascadeWith(writer);
    if (!cascade)
      return;
    const bool isInside = range.reader < cascade->end;
    const bool differs = cascade->spills && std::ranges::binary_search(*cascade->spills, tensor) != pin.inDram;
    if (isInside || differs)
      contradict(pin.hint, cascade->hint, writer);
  }

  void check(uint32_t operation, const BlockPin &pin) {
    const firmware::Target &target = *problem_.target;
    if (!isOnArray(operation))
      return fail(pin.hint, operation, "the operation has no blocks, since it runs on the DSP; leave the hint out");
    const firmware::CommandBody command = wholeCommand(problem_, operation);
    const firmware::Block step = kernels::blockStep(target, command), whole = kernels::wholeBlock(target, command);
    const firmware::Extent3 &largest = target.mac().largestBlock;
    const auto checkExtent = [&](const char *axis, uint32_t extent, uint32_t multiple, uint32_t most, uint32_t all) {
      most = std::min(most, all);
      if (extent > 0 && extent <= most && (extent % multiple == 0 || extent == all))
        return true;
      std::string accepted = "1 to " + text(most);
      if (multiple > 1)
        accepted = "multiples of " + text(multiple) + " up to " + text(most) +
                   (most == all && all % multiple ? " and " + text(all) : "");
      fail(pin.hint, operation,
           std::string("the block has ") + text(extent) + " " + axis + ", accepted are " + accepted);
      return false;
    };
    if (!checkExtent("rows", pin.block.height, 1, largest.height, whole.height) ||
        !checkExtent("columns", pin.block.width, 1, largest.width, whole.width) ||
        !checkExtent("channels", pin.block.channels, step.channels, largest.channels, whole.channels))
      return;
    if (kernels::fixedBlock(target, command, pin.block).cycles == 0)
      fail(pin.hint, operation,
           "two of these blocks, with what they read, do not fit in the array's buffer of " +
               text(target.mac().bufferBytes) + " bytes; make the block smaller");
  }

  const Problem &problem_;
  const Pins &pins_;
  TensorUses uses_;
  TileCosts costs_;
  CascadeWays ways_;
  std::vector<PinError> errors_;
};

} // namespace

std::vector<Cascade> pinnedCascades(const Problem &problem, const CascadePin &pin) {
  std::vector<Cascade> cascades;
  if (pin.pieceBytes || (!pin.stripeRows && !pin.channelParts))
    return cascades;
  const bool isAlone = pin.end == pin.first + 1;
  for (const bool ahead : {false, true})
    if (pin.ahead ? *pin.ahead == ahead : !ahead || !isAlone)
      cascades.push_back(
          {pin.first, pin.end, pin.stripeRows.value_or(heightOf(problem, pin)), pin.channelParts.value_or(1), ahead});
  return cascades;
}

std::vector<PinError> checkPins(const Problem &problem) {
  return problem.pins.isEmpty() ? std::vector<PinError>() : Checker(problem).run();
}

std::vector<PinError> pinsTooLarge(const Problem &problem) { return Checker(problem).tooLarge(); }

std::vector<PinError> pinsAbout(const Problem &problem, uint32_t operation) {
  const TensorUses uses(problem);
  std::vector<PinError> found;
  if (const CascadePin *pin = problem.pins.cascadeWith(operation))
    found.push_back({pin->hint, operation, "says how it runs"});
  for (const auto &[tensor, pin] : problem.pins.memories)
    if (!pin.inDram && uses.crosses(tensor, operation))
      found.push_back({pin.hint, operation, "keeps " + text(uses.bytesOf(tensor)) + " bytes in SRAM meanwhile"});
  return found;
}

} // namespace avocet::compiler::schedule

//===- Problem.cpp - Rules of a well-formed problem -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include <algorithm>
#include <span>
#include <string>

namespace avocet::compiler::schedule {

StoredWeights StoredWeights::packed(uint64_t bytesPerChannel) {
  StoredWeights weights;
  weights.bytesPerChannel_ = bytesPerChannel;
  return weights;
}

StoredWeights StoredWeights::compressed(firmware::WeightIndex index, uint32_t channelsPerGranule) {
  StoredWeights weights;
  weights.index_ = std::make_shared<const firmware::WeightIndex>(std::move(index));
  weights.channelsPerGranule_ = channelsPerGranule;
  return weights;
}

uint64_t StoredWeights::bytesOf(uint32_t begin, uint32_t end) const {
  return index_ ? index_->bytesOf(granulesTo(begin), granulesTo(end)) : (end - begin) * bytesPerChannel_;
}

std::vector<firmware::WeightIndex::Range> StoredWeights::rangesOf(uint32_t begin, uint32_t end) const {
  if (!index_)
    return {{begin * bytesPerChannel_, bytesOf(begin, end)}};
  const auto ranges = index_->rangesOf(granulesTo(begin), granulesTo(end));
  return {ranges.begin(), ranges.end()};
}

void StoredWeights::describe(firmware::ConvCommand &command, uint32_t begin, uint32_t end) const {
  command.weightFormat = index_ ? firmware::WeightFormat::Compressed : firmware::WeightFormat::Packed;
  command.weightBytes = static_cast<uint32_t>(bytesOf(begin, end));
  command.sliceChannels = index_ ? end - begin : 0;
  command.firstSliceChannel = 0;
}

uint64_t Operation::operandBytes() const {
  uint64_t bytes = 0;
  for (const auto *operands : {&inputs, &outputs})
    for (const Operand &operand : *operands)
      bytes += operand.shape.bytes();
  return bytes;
}

uint64_t runBytes(const Operand &operand) {
  if (operand.isDense())
    return operand.shape.bytes();
  const bool hasDenseRows = operand.rowSpan() == operand.shape.rowBytes();
  return hasDenseRows ? operand.shape.rowBytes() : operand.shape.pixelBytes();
}

uint64_t portBytes(const firmware::Target &target, const Operand &operand) {
  const uint64_t run = runBytes(operand);
  return operand.shape.bytes() / run * roundUp(run, uint64_t(target.dram().burstBytes));
}

std::optional<RowPlaces> rowPlacesIn(const MapShape &tensor, const Operand &operand) {
  const uint32_t rowBytes = tensor.rowBytes();
  const bool isOneRow = operand.shape.height == 1;
  if (!isOneRow && operand.rowStep() % rowBytes != 0)
    return std::nullopt;
  if (operand.offset % rowBytes + operand.rowSpan() > rowBytes)
    return std::nullopt;
  return RowPlaces{uint32_t(operand.offset / rowBytes), isOneRow ? 1 : operand.rowStep() / rowBytes};
}

bool isSamePlace(const Operand &a, const Operand &b) {
  return a.isConstant == b.isConstant && a.id == b.id && a.offset == b.offset && a.shape == b.shape &&
         a.rowStep() == b.rowStep() && a.pixelStep() == b.pixelStep();
}

namespace {

/// Bytes [begin, end).
struct Bytes {
  uint64_t begin = 0, end = 0;
  bool touches(const Bytes &other) const { return begin < other.end && other.begin < end; }
};

/// The bytes of every period, the first of which begins at `origin`, that the operand can use; nullopt if it crosses
/// the border of a period.
std::optional<Bytes> bytesOfPeriod(const Operand &operand, uint64_t period, uint64_t origin) {
  uint64_t bytes = operand.shape.pixelBytes();
  if (operand.shape.width > 1 && operand.pixelStep() % period != 0)
    bytes = operand.rowSpan();
  if (operand.shape.height > 1 && operand.rowStep() % period != 0)
    bytes = operand.span();
  const uint64_t begin = (operand.offset + period - origin % period) % period;
  return begin + bytes <= period ? std::optional(Bytes{begin, begin + bytes}) : std::nullopt;
}

/// The operand's part in one period, from byte `begin` of it on: rows and pixels that repeat with the period are one.
Operand partInPeriod(Operand operand, uint64_t period, uint64_t begin) {
  operand.rowStride = operand.rowStep();
  operand.pixelStride = operand.pixelStep();
  operand.offset = begin;
  if (operand.rowStride % period == 0)
    operand.shape.height = 1;
  if (operand.pixelStride % period == 0)
    operand.shape.width = 1;
  return operand;
}

bool isSmaller(const Operand &part, const Operand &whole) {
  return part.shape.height < whole.shape.height || part.shape.width < whole.shape.width;
}

/// Whether what the operands use of each period has no common bytes.
bool areApartInPeriod(const MapShape &tensor, const Operand &a, const Operand &b, uint64_t period, uint64_t origin) {
  const std::optional<Bytes> ofA = bytesOfPeriod(a, period, origin), ofB = bytesOfPeriod(b, period, origin);
  if (!ofA || !ofB)
    return false;
  if (!ofA->touches(*ofB))
    return true;
  const Operand partOfA = partInPeriod(a, period, ofA->begin), partOfB = partInPeriod(b, period, ofB->begin);
  return (isSmaller(partOfA, a) || isSmaller(partOfB, b)) && !mayOverlap(tensor, partOfA, partOfB);
}

} // namespace

/// Boxes of a tensor are apart along its rows, its columns (the same bytes of every row) or its channels (the same
/// bytes of every pixel). The rows and pixels may also be those of a box, whose parts are side by side in it (a join in
/// a join), and the pixels may repeat in each row only, if the inner join sees a row of the outer one as pixels.
bool mayOverlap(const MapShape &tensor, const Operand &a, const Operand &b) {
  if (a.offset == b.offset)
    return true;
  if (!Bytes{a.offset, a.offset + a.span()}.touches({b.offset, b.offset + b.span()}))
    return false;
  const uint64_t periods[] = {tensor.rowBytes(), tensor.pixelBytes(), a.rowStep(),
                              a.pixelStep(),     b.rowStep(),         b.pixelStep()};
  for (const uint64_t period : periods) {
    if (period == 0)
      continue;
    // A box can begin anywhere in the tensor, and its rows with it.
    for (const uint64_t origin : {uint64_t(0), a.offset, b.offset})
      if (areApartInPeriod(tensor, a, b, period, origin))
        return false;
  }
  return true;
}

namespace {

/// An operation's output in a tensor.
struct Writer {
  uint32_t operation = 0;
  const Operand *operand = nullptr;
};

class Checker {
public:
  explicit Checker(const Problem &problem) : problem_(problem), writers_(problem.tensors.size()) {}

  Status run() {
    if (!problem_.target)
      return invalidArgument("problem: no target");
    for (const Tensor &tensor : problem_.tensors)
      if (tensor.shape.bytes() == 0)
        return invalidArgument("problem: a tensor has no bytes");
    for (bool outputs : {true, false}) // what is read depends on all that is written
      for (uint32_t i = 0; i < problem_.operations.size(); ++i)
        if (Status status = outputs ? checkOutputs(i) : checkInputs(i); !status.isOk())
          return std::move(status).withContext("operation " + std::to_string(i));
    return checkTensors();
  }

private:
  Status checkInputs(uint32_t index) {
    const Operation &op = problem_.operations[index];
    if (op.window.stride == 0 || op.window.reach == 0)
      return invalidArgument("has an empty row window");
    for (const Operand &input : op.inputs)
      AVOCET_RETURN_IF_ERROR(checkInput(index, input));
    for (uint32_t constant : {op.weights, op.records, op.table})
      if (constant != kNone && constant >= problem_.constants.size())
        return invalidArgument("refers to a constant that does not exist");
    if (op.hasWeightsInput())
      AVOCET_RETURN_IF_ERROR(checkSets(op));
    if (op.hasAddend())
      AVOCET_RETURN_IF_ERROR(checkAddend(op));
    if (op.dynamicScale == kNone)
      return Status::ok();
    if (op.dynamicScale >= problem_.tensors.size())
      return invalidArgument("has a dynamic scale that does not exist");
    return checkWritten(index, {false, op.dynamicScale, problem_.tensors[op.dynamicScale].shape});
  }

  static Status checkSets(const Operation &op) {
    const Operand &weights = op.inputs[Operation::kWeightsInput];
    if (op.outputs[0].shape.height % weights.shape.height != 0)
      return invalidArgument("has rows that do not fall into its sets of weights");
    return weights.isDense() ? Status::ok() : invalidArgument("has weights with gaps");
  }

  static Status checkAddend(const Operation &op) {
    if (op.inputs[Operation::kAddendInput].shape != op.outputs[0].shape)
      return invalidArgument("adds a tensor of another shape or type than its result's");
    return op.table == kNone ? Status::ok() : invalidArgument("has a table and an addend");
  }

  Status checkInput(uint32_t index, const Operand &input) {
    const size_t count = input.isConstant ? problem_.constants.size() : problem_.tensors.size();
    if (input.id >= count)
      return invalidArgument("reads a tensor or constant that does not exist");
    if (!input.isConstant) {
      AVOCET_RETURN_IF_ERROR(checkPlace(input));
      return checkWritten(index, input);
    }
    const uint64_t have = problem_.constants[input.id].bytes;
    if (have != input.shape.bytes() || input.offset != 0 || !input.isDense())
      return invalidArgument("reads " + std::to_string(input.shape.bytes()) + " of " + std::to_string(have) + " bytes");
    return Status::ok();
  }

  /// Whether the operand lies in its tensor, and its elements are apart and aligned.
  Status checkPlace(const Operand &operand) const {
    const uint64_t bytes = problem_.tensors[operand.id].shape.bytes(), element = sizeOf(operand.shape.type);
    if (operand.shape.bytes() == 0)
      return invalidArgument("has an operand without bytes");
    if ((operand.shape.width > 1 && operand.pixelStep() < operand.shape.pixelBytes()) ||
        (operand.shape.height > 1 && operand.rowStep() < operand.rowSpan()))
      return invalidArgument("has an operand whose rows or pixels overlap");
    if (operand.offset % element || operand.pixelStep() % element || operand.rowStep() % element)
      return invalidArgument("has an operand whose elements are not aligned");
    if (operand.offset > bytes || operand.span() > bytes - operand.offset)
      return invalidArgument("has an operand of " + std::to_string(operand.span()) + " bytes from byte " +
                             std::to_string(operand.offset) + " of a tensor of " + std::to_string(bytes));
    return Status::ok();
  }

  Status checkWritten(uint32_t index, const Operand &input) const {
    const Tensor &tensor = problem_.tensors[input.id];
    bool isWritten = tensor.networkInput != kNone || !writers_[input.id].empty();
    for (const Writer &writer : writers_[input.id])
      isWritten &= writer.operation < index || !mayOverlap(tensor.shape, input, *writer.operand);
    return isWritten ? Status::ok()
                     : invalidArgument("reads tensor " + std::to_string(input.id) + " before it is written");
  }

  Status checkOutputs(uint32_t index) {
    if (problem_.operations[index].outputs.empty())
      return invalidArgument("has no output");
    for (const Operand &output : problem_.operations[index].outputs) {
      if (output.isConstant || output.id >= problem_.tensors.size())
        return invalidArgument("writes a tensor that does not exist");
      AVOCET_RETURN_IF_ERROR(checkPlace(output));
      const MapShape &shape = problem_.tensors[output.id].shape;
      if (output.fill >= 0 && (output.shape.bytes() != shape.bytes() || !output.isDense()))
        return invalidArgument("fills a part of a tensor");
      bool isFree = problem_.tensors[output.id].networkInput == kNone;
      for (const Writer &other : writers_[output.id])
        isFree &= !mayOverlap(shape, output, *other.operand);
      if (!isFree)
        return invalidArgument("writes tensor " + std::to_string(output.id) + " again");
      writers_[output.id].push_back({index, &output});
    }
    return Status::ok();
  }

  /// What is written must be whole.
  Status checkTensors() const {
    for (size_t i = 0; i < problem_.tensors.size(); ++i) {
      const Tensor &tensor = problem_.tensors[i];
      uint64_t written = tensor.networkInput != kNone ? tensor.shape.bytes() : 0;
      for (const Writer &writer : writers_[i])
        written += writer.operand->shape.bytes();
      if (written == 0 && !tensor.networkOutputs.empty())
        return invalidArgument("network output tensor " + std::to_string(i) + " is never written");
      if (written != 0 && written != tensor.shape.bytes())
        return invalidArgument("tensor " + std::to_string(i) + " is written in part");
    }
    return Status::ok();
  }

  const Problem &problem_;
  std::vector<std::vector<Writer>> writers_; ///< by tensor
};

} // namespace

bool usesBothEngines(const Problem &problem, uint32_t first, uint32_t end) {
  const auto operations = std::span(problem.operations).subspan(first, end - first);
  return std::ranges::any_of(operations, &Operation::isOnDsp) && !std::ranges::all_of(operations, &Operation::isOnDsp);
}

Status Problem::check() const { return Checker(*this).run(); }

uint64_t cascadeBudget(const firmware::Target &target) { return target.sram().bytes * 15 / 16; }

} // namespace avocet::compiler::schedule

//===- EmitPieces.cpp - Pieces as steps of a sequence -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmitPieces.h"

#include "ConstantGroup.h"
#include "Piece.h"
#include "Schedule/Core/TileCommand.h"
#include "avocet/firmware_iface/Output.h"

#include <algorithm>
#include <unordered_map>

namespace avocet::compiler::schedule {
namespace {

using namespace firmware;

DmaEnd strided(const Box &box, uint64_t offset) {
  DmaEnd end;
  end.offset = offset + box.offset;
  end.stride0 = uint32_t(box.strides[0]);
  end.stride1 = uint32_t(box.strides[1]);
  end.stride2 = uint32_t(box.strides[2]);
  return end;
}

DmaEnd dense(const Box &box) {
  const uint32_t rowBytes = box.runBytes * box.counts[0], planeBytes = rowBytes * box.counts[1];
  DmaEnd end;
  end.stride0 = box.counts[0] > 1 ? box.runBytes : 0;
  end.stride1 = box.counts[1] > 1 ? rowBytes : 0;
  end.stride2 = box.counts[2] > 1 ? planeBytes : 0;
  return end;
}

DmaCommand copyOf(const Box &box, uint64_t offset, bool isLoad) {
  DmaCommand copy;
  copy.runBytes = box.runBytes;
  copy.count0 = box.counts[0];
  copy.count1 = box.counts[1];
  copy.count2 = box.counts[2];
  copy.source = isLoad ? strided(box, offset) : dense(box);
  copy.destination = isLoad ? dense(box) : strided(box, offset);
  return copy;
}

/// Joins copies that repeat at equal distances to one copy with one more count. Copies come in the order of the dense
/// end.
class Joiner {
public:
  Joiner(uint32_t depth, std::vector<DmaCommand> &result) : depth_(depth), result_(result) {}

  void add(const DmaCommand &copy) {
    if (count_ != 0 && follows(copy)) {
      ++count_;
      return;
    }
    flush();
    first_ = copy;
    count_ = 1;
  }

  void flush() {
    if (count_ > 1) {
      (depth_ == 0 ? first_.count0 : depth_ == 1 ? first_.count1 : first_.count2) = count_;
      strideOf(first_.source) = uint32_t(sourceStep_);
      strideOf(first_.destination) = uint32_t(destinationStep_);
    }
    if (count_ != 0)
      result_.push_back(first_);
    count_ = 0;
  }

private:
  bool follows(DmaCommand copy) {
    const uint64_t source = copy.source.offset - first_.source.offset;
    const uint64_t destination = copy.destination.offset - first_.destination.offset;
    copy.source.offset = first_.source.offset;
    copy.destination.offset = first_.destination.offset;
    if (!(copy == first_) || std::max(source, destination) > UINT32_MAX)
      return false;
    if (count_ == 1) {
      sourceStep_ = source;
      destinationStep_ = destination;
    }
    return source == count_ * sourceStep_ && destination == count_ * destinationStep_;
  }

  uint32_t &strideOf(DmaEnd &end) const { return depth_ == 0 ? end.stride0 : depth_ == 1 ? end.stride1 : end.stride2; }

  const uint32_t depth_;
  std::vector<DmaCommand> &result_;
  DmaCommand first_;
  uint32_t count_ = 0;
  uint64_t sourceStep_ = 0, destinationStep_ = 0;
};

/// The contiguous parts of a box in the tensor, as copies.
class Scatter {
public:
  Scatter(const Operand &operand, bool isLoad, std::vector<DmaCommand> &result)
      : operand_(operand), isLoad_(isLoad), joiner_(0, result) {}

  void run(const Box &box) {
    for (uint64_t k = 0; k < box.counts[2]; ++k)
      for (uint64_t j = 0; j < box.counts[1]; ++j)
        for (uint64_t i = 0; i < box.counts[0]; ++i)
          addRun(box.offset + k * box.strides[2] + j * box.strides[1] + i * box.strides[0], box.runBytes);
    joiner_.flush();
  }

private:
  /// Bytes [begin, begin + bytes) of the dense operand.
  void addRun(uint64_t begin, uint64_t bytes) {
    const MapShape &shape = operand_.shape;
    const uint64_t pixel = shape.pixelBytes(), row = shape.rowBytes();
    const uint64_t unit = operand_.pixelStep() == pixel ? row : pixel;
    while (bytes > 0) {
      const uint64_t part = std::min(bytes, unit - begin % unit);
      const uint64_t place = operand_.offset + begin / row * operand_.rowStep() +
                             begin % row / pixel * operand_.pixelStep() + begin % pixel;
      DmaCommand copy;
      copy.runBytes = uint32_t(part);
      copy.source.offset = isLoad_ ? place : dense_;
      copy.destination.offset = isLoad_ ? dense_ : place;
      joiner_.add(copy);
      begin += part;
      dense_ += part;
      bytes -= part;
    }
  }

  const Operand &operand_;
  const bool isLoad_;
  uint64_t dense_ = 0; ///< bytes done
  Joiner joiner_;
};

/// The copies between a box of an operand, dense in SRAM, and the operand's place in its tensor; one if the operand is
/// dense. Sources or destinations are relative to the start of the tensor.
std::vector<DmaCommand> copiesOf(const Operand &operand, const Box &box, bool isLoad) {
  if (operand.isDense())
    return {copyOf(box, operand.offset, isLoad)};
  std::vector<DmaCommand> copies, joined;
  Scatter(operand, isLoad, copies).run(box);
  for (uint32_t depth : {1, 2}) {
    Joiner joiner(depth, joined);
    for (const DmaCommand &copy : copies)
      joiner.add(copy);
    joiner.flush();
    copies = std::move(joined);
    joined.clear();
  }
  return copies;
}

} // namespace

namespace {

/// Buffers of one size, used alternately; the second one is created at first use.
class Turns {
public:
  /// `key` identifies the contents. True if they must be loaded into buffer().
  bool take(uint64_t key) {
    const bool isNew = !used_ || key != key_;
    turn_ = isNew && used_ ? (turn_ + 1) % copies : turn_;
    key_ = key;
    used_ = true;
    return isNew;
  }
  uint32_t turn() const { return turn_; }

  uint32_t buffers[2] = {kNone, kNone};
  uint64_t bytes = 0;
  uint32_t copies = 2;

private:
  uint64_t key_ = 0;
  uint32_t turn_ = 0;
  bool used_ = false;
};

struct AddressSetter {
  const ConstantOffsets &offsets;
  const bool hasTable;
  void operator()(auto &command) const {
    if constexpr (requires { command.channelRecords; }) {
      command.weights = offsets.weights;
      command.channelRecords = offsets.records;
      if (hasTable)
        command.lookupTable = offsets.table;
    }
  }
  void operator()(LookupCommand &lookup) const { lookup.table = offsets.table; }
};

/// The pieces of one group.
class Emitter {
public:
  Emitter(const PieceContext &context, uint32_t operation, const PieceGroup &group, uint32_t copies)
      : context_(context), operation_(operation), op_(context.problem.operations[operation]), group_(group),
        inputs_(op_.inputs.size()), outputs_(op_.outputs.size()), outside_(op_.inputs.size(), kNone) {
    constants_.copies = copies;
    for (std::vector<Turns> *operands : {&inputs_, &outputs_})
      for (Turns &operand : *operands)
        operand.copies = copies;
    for (const Piece &piece : group) {
      for (const Piece::Input &input : piece.inputs)
        inputs_[input.operand].bytes = std::max(inputs_[input.operand].bytes, input.box.bytes());
      for (size_t i = 0; i <= piece.moreOutputs.size(); ++i)
        outputs_[i].bytes = std::max(outputs_[i].bytes, outputBox(piece, i).bytes());
      constants_.bytes = std::max(constants_.bytes, constantsOf(piece).bytes);
      stateBytes_ = std::max(stateBytes_, piece.state.bytes);
    }
  }

  void run() {
    for (const Piece &piece : group_)
      emit(piece);
  }

private:
  ConstantGroup constantsOf(const Piece &piece) const {
    return constantGroup(context_.problem, op_, piece.channelsBegin, piece.channelsEnd, false);
  }

  uint32_t addBuffer(BufferSpace space, uint64_t bytes, const char *prefix) {
    context_.sequence.buffers.push_back({space, 0, bytes, prefix + std::to_string(operation_), {}, kUnplaced});
    context_.sequence.buffers.back().operation = operation_;
    return uint32_t(context_.sequence.buffers.size() - 1);
  }

  uint32_t bufferOf(Turns &turns, const char *prefix) {
    uint32_t &buffer = turns.buffers[turns.turn()];
    if (buffer == kNone)
      buffer = addBuffer(BufferSpace::Sram, turns.bytes, prefix);
    return buffer;
  }

  void emit(const Piece &piece) {
    std::vector<uint32_t> buffers;
    for (const Piece::Input &input : piece.inputs)
      buffers.push_back(load(input));
    if (piece.state.isRead)
      buffers.push_back(state());
    const std::vector<uint32_t> results = piece.state.isWritten ? std::vector{state()} : nextResults(piece);
    // Computed weights and addends are after the output in the command.
    const bool isLater = op_.hasWeightsInput() || op_.hasAddend();
    buffers.insert(isLater ? buffers.end() - 1 : buffers.end(), results.begin(), results.end());
    compute(piece, std::move(buffers));
    for (size_t i = 0; i < results.size() && !piece.state.isWritten; ++i)
      for (uint32_t destination : context_.destinations(op_.outputs[i].id))
        for (DmaCommand &copy : copiesOf(op_.outputs[i], outputBox(piece, i), false))
          addStep(copy, {results[i], destination});
  }

  static const Box &outputBox(const Piece &piece, size_t output) {
    return output == 0 ? piece.output : piece.moreOutputs[output - 1];
  }

  std::vector<uint32_t> nextResults(const Piece &piece) {
    std::vector<uint32_t> buffers;
    for (size_t i = 0; i <= piece.moreOutputs.size(); ++i) {
      outputs_[i].take(pieceNumber_);
      buffers.push_back(bufferOf(outputs_[i], "p"));
    }
    ++pieceNumber_;
    return buffers;
  }

  uint32_t state() {
    if (state_ == kNone)
      state_ = addBuffer(BufferSpace::Sram, stateBytes_, "a");
    return state_;
  }

  /// Loads the box if necessary and returns its buffer.
  uint32_t load(const Piece::Input &input) {
    Turns &turns = inputs_[input.operand];
    const bool isNew = turns.take(keyOf(input.operand, input.box));
    const uint32_t buffer = bufferOf(turns, "q");
    if (isNew)
      for (DmaCommand &copy : copiesOf(op_.inputs[input.operand], input.box, true))
        addStep(copy, {outsideOf(input.operand), buffer});
    return buffer;
  }

  /// A number that changes whenever the box changes.
  uint64_t keyOf(uint32_t operand, const Box &box) {
    lastBoxes_.resize(op_.inputs.size());
    auto &[last, key] = lastBoxes_[operand];
    if (!(last == box)) {
      last = box;
      ++key;
    }
    return key;
  }

  uint32_t outsideOf(uint32_t index) {
    const Operand &operand = op_.inputs[index];
    if (!operand.isConstant)
      return context_.source(operand.id);
    if (outside_[index] == kNone) {
      const uint64_t bytes = context_.problem.constants[operand.id].bytes;
      outside_[index] = addBuffer(BufferSpace::Constants, bytes, "k");
      context_.sequence.buffers[outside_[index]].contents = {{operand.id, 0, bytes, 0}};
    }
    return outside_[index];
  }

  void compute(const Piece &piece, std::vector<uint32_t> buffers) {
    CommandBody command = piece.command;
    if (constants_.bytes) {
      const ConstantGroup group = constantsOf(piece);
      const bool isNew = constants_.take(piece.channelsBegin);
      const uint32_t local = bufferOf(constants_, "w");
      if (isNew)
        loadConstants(group, piece.channelsBegin, local);
      std::visit(AddressSetter{group.offsets, op_.table != kNone}, command);
      if (op_.weights != kNone) // before an addend
        buffers.insert(op_.hasAddend() ? buffers.end() - 1 : buffers.end(), {local, local});
      else if (op_.hasWeightsInput())
        buffers.push_back(local);
      if (op_.table != kNone)
        buffers.push_back(local);
    }
    const StepTime time = chooseBlock(context_.chooser, *context_.problem.target, op_, command);
    Step &step = addStep(std::move(command), std::move(buffers));
    step.time = time;
    step.origin = {operation_, placeOf(piece)};
  }

  /// Where a piece of the first result begins.
  TilePlace placeOf(const Piece &piece) const {
    const MapShape &shape = op_.outputs[0].shape;
    const uint64_t offset = piece.output.offset;
    TilePlace place{uint32_t(offset / shape.rowBytes()), uint32_t(offset % shape.rowBytes() / shape.pixelBytes()),
                    uint32_t(offset % shape.pixelBytes() / sizeOf(shape.type))};
    place.isBox = !piece.state.isWritten && isBox(piece.output, shape, place, *firstOutput(piece.command));
    return place;
  }

  /// Whether the map of a copy of the box has rows and pixels of the result.
  static bool isBox(const Box &box, const MapShape &shape, const TilePlace &begin, const FeatureMap &map) {
    const uint64_t element = sizeOf(shape.type);
    const ElementAxis copied[] = {{box.counts[2], box.strides[2]},
                                  {box.counts[1], box.strides[1]},
                                  {box.counts[0], box.strides[0]},
                                  {box.runBytes / element, element}};
    const ElementAxis mapped[] = {
        {map.height, shape.rowBytes()}, {map.width, shape.pixelBytes()}, {map.channels, element}};
    return map.type == shape.type && visitSameBytes(copied, mapped) &&
           begin.row + uint64_t(map.height) <= shape.height && begin.column + uint64_t(map.width) <= shape.width &&
           begin.channel + uint64_t(map.channels) <= shape.channels;
  }

  void loadConstants(const ConstantGroup &group, uint32_t firstChannel, uint32_t local) {
    auto [remote, isNew] = groups_.try_emplace(firstChannel, kNone);
    if (isNew) {
      remote->second = addBuffer(BufferSpace::Constants, group.bytes, "c");
      context_.sequence.buffers[remote->second].contents = group.contents;
    }
    DmaCommand copy;
    copy.runBytes = uint32_t(group.bytes);
    addStep(copy, {remote->second, local});
  }

  Step &addStep(CommandBody command, std::vector<uint32_t> buffers) {
    context_.sequence.steps.push_back({std::move(command), std::move(buffers), op_.layer, 0, {}, 0});
    return context_.sequence.steps.back();
  }

  const PieceContext &context_;
  const uint32_t operation_;
  const Operation &op_;
  const PieceGroup &group_;
  std::vector<Turns> inputs_, outputs_;
  Turns constants_;
  std::vector<uint32_t> outside_;                   ///< buffers of constant operands
  std::vector<std::pair<Box, uint64_t>> lastBoxes_; ///< by operand
  std::unordered_map<uint32_t, uint32_t> groups_;   ///< buffers of constants by first channel
  uint64_t pieceNumber_ = 0, stateBytes_ = 0;
  uint32_t state_ = kNone; ///< one buffer, since each piece needs the state of the piece before it
};

} // namespace

void emitPieces(const PieceContext &context, uint32_t operation, const Pieces &pieces) {
  for (const PieceGroup &group : pieces.groups)
    Emitter(context, operation, group, pieces.copies).run();
}

} // namespace avocet::compiler::schedule

//===- Lowering.cpp - From decisions to commands ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "avocet/base/Rounding.h"
#include "avocet/compiler/Support/Cancel.h"

#include "BlockChain.h"
#include "ConstantGroup.h"
#include "Isolation.h"
#include "Memory/SequenceBuffers.h"
#include "Pieces/EmitPieces.h"
#include "RowCopy.h"
#include "TensorUses.h"
#include "TileCommand.h"
#include "TileCosts.h"
#include "TileWaits.h"
#include "avocet/firmware_iface/Output.h"

#include <algorithm>

namespace avocet::compiler::schedule {

using namespace firmware;

uint32_t channelOfPart(const Operation &op, uint32_t part, uint32_t parts) {
  const uint32_t channels = op.outputs[0].shape.channels;
  if (part == 0 || part == parts || !op.channelGranule)
    return part == 0 ? 0 : channels;
  const uint64_t granules = divideUp(channels, op.channelGranule);
  return uint32_t(std::min<uint64_t>(channels, granules * part / parts * op.channelGranule));
}

namespace {

class Lowering {
public:
  Lowering(const Problem &problem, const Plan &plan, kernels::BlockChooser &chooser, TileCutter &cutter)
      : problem_(problem), plan_(plan), chooser_(chooser), cutter_(cutter), uses_(problem),
        buffers_(problem, plan, sequence_), whole_(problem.tensors.size(), kNone) {}

  Sequence run() {
    for (const Cascade &cascade : plan_.cascades) {
      if (isCancelled())
        break;
      cascade.pieceBytes ? lowerInPieces(cascade) : lowerCascade(cascade);
    }
    for (uint32_t tensor = 0; tensor < problem_.tensors.size(); ++tensor)
      if (problem_.tensors[tensor].networkInput != kNone)
        forwardInput(tensor);
    finishTiles();
    return std::move(sequence_);
  }

private:
  struct TileStep {
    Tile tile;
    uint32_t step = 0;
    bool isCut = false; ///< the step is a piece of a long tile
    kernels::PortUse portUse = kernels::PortUse::WithTransfers;
  };
  /// A part of an operation's constants, in SRAM.
  struct Part {
    uint32_t begin = 0, end = 0; ///< output channels
    ConstantGroup group;
    uint32_t remote = kNone, local = kNone; ///< buffers; kNone without constants
    bool loaded = false;
    uint32_t owner = kNone; ///< operation of the cascade that loads the constants, if it is another one
  };

  /// The operand's buffer in SRAM: the ring of its map in this cascade, or the whole tensor.
  uint32_t localBuffer(const Operand &operand) {
    if (plan_.residencies[operand.id] != Residency::Sram)
      return rings_.at(flow_.mapOf(problem_, operand));
    uint32_t &buffer = whole_[operand.id];
    if (buffer == kNone)
      buffer = buffers_.addForTensor(operand.id, BufferSpace::Sram, 0, problem_.tensors[operand.id].shape.bytes(),
                                     "t" + std::to_string(operand.id));
    return buffer;
  }

  void lowerCascade(const Cascade &cascade) {
    flow_ = flowCascade(problem_, uses_, plan_, cascade, true);
    portUse_ = portUse(problem_, cascade);
    rings_.clear();
    for (uint32_t op = cascade.first; op < cascade.end; ++op) // in program order, for deterministic results
      makeRings(op);
    parts_.assign(cascade.end - cascade.first, {});
    for (uint32_t op = cascade.first; op < cascade.end; ++op)
      makeParts(op, cascade);
    if (cascade.channelParts > 1 && cascade.end > cascade.first + 1)
      return emitPartByPart(cascade);
    for (const FlowEvent &event : flow_.events)
      emit(event, cascade);
  }

  /// The operations make all rows of one part of their channels after the other.
  void emitPartByPart(const Cascade &cascade) {
    for (const FlowEvent &event : flow_.events)
      if (event.kind == FlowKind::Load)
        emitLoad(event.id, event.rows);
    for (size_t part = 0; part < parts_.front().size(); ++part)
      for (const FlowEvent &event : flow_.events)
        if (event.kind == FlowKind::Tile)
          emitPart(event, cascade, part);
    for (const FlowEvent &event : flow_.events)
      if (event.kind == FlowKind::Tile)
        emitStores(event);
      else if (event.kind == FlowKind::Store)
        emit(event, cascade);
  }

  void emit(const FlowEvent &event, const Cascade &cascade) {
    switch (event.kind) {
    case FlowKind::Load:
      return emitLoad(event.id, event.rows);
    case FlowKind::Tile:
      return emitTiles(event, cascade);
    case FlowKind::Store:
      return emitStore({false, event.id, problem_.tensors[event.id].shape}, event.rows);
    }
  }

  /// Operands are outside SRAM; a result without readers has no buffer there.
  void lowerInPieces(const Cascade &cascade) {
    const std::optional<Pieces> pieces = splitOperation(problem_, cascade.first, cascade.pieceBytes);
    if (!pieces) // cancelled: otherwise the plan has checked that they exist
      return;
    const PieceContext context{problem_, chooser_, sequence_,
                               [this](uint32_t tensor) { return buffers_.remote(tensor); },
                               [this](uint32_t tensor) { return destinationsOf(tensor); }};
    emitPieces(context, cascade.first, *pieces);
  }

  std::vector<uint32_t> destinationsOf(uint32_t tensor) {
    if (!leavesChip(tensor))
      return {};
    std::vector<uint32_t> buffers = buffers_.extraOutputs(tensor);
    buffers.insert(buffers.begin(), buffers_.remote(tensor));
    return buffers;
  }

  void makeRings(uint32_t index) {
    const Operation &op = problem_.operations[index];
    for (const Operand &input : op.inputs)
      if (!input.isConstant)
        makeRing(flow_.mapOf(problem_, input));
    if (op.dynamicScale != kNone)
      makeRing(op.dynamicScale);
    if (shareWithOperand(index))
      return;
    for (const Operand &output : op.outputs)
      makeRing(flow_.mapOf(problem_, output));
  }

  void makeRing(uint32_t map) {
    auto kept = flow_.maps.find(map);
    if (kept == flow_.maps.end() || rings_.count(map))
      return;
    const uint64_t bytes = uint64_t(std::max(1u, kept->second.ringRows)) * flow_.shapeOf(problem_, map).rowBytes();
    const char *prefix = flow_.isPart(problem_, map) ? "v" : "r";
    rings_[map] =
        buffers_.addForTensor(flow_.tensorOf(problem_, map), BufferSpace::Sram, 0, bytes, prefix + std::to_string(map));
  }

  /// Gives the result of an operation the buffer of an operand that it may overwrite. False if there is none.
  bool shareWithOperand(uint32_t op) {
    const uint32_t result = problem_.operations[op].outputs[0].id;
    for (uint32_t operand : inPlaceOperands(problem_, op))
      if (operand != kNone && isWhole(result) && isWhole(operand) && mayBeOverwritten(operand, op) &&
          isReadBefore(problem_, flow_, operand, op)) {
        const uint32_t buffer = localBuffer({false, operand, problem_.tensors[operand].shape});
        if (plan_.residencies[result] == Residency::Sram)
          whole_[result] = buffer;
        else
          rings_[result] = buffer;
        return true;
      }
    return false;
  }

  /// Whether the cascade has all rows of the tensor in SRAM, each in its own place.
  bool isWhole(uint32_t tensor) const {
    auto kept = flow_.maps.find(tensor);
    return kept == flow_.maps.end() || kept->second.ringRows == problem_.tensors[tensor].shape.height;
  }

  /// A copy of a tensor in DRAM belongs to the cascade alone.
  bool mayBeOverwritten(uint32_t tensor, uint32_t op) const {
    return plan_.residencies[tensor] == Residency::Sram ? isLastUse(problem_, uses_, tensor, op)
                                                        : !flow_.maps.at(tensor).stored;
  }

  void makeParts(uint32_t index, const Cascade &cascade) {
    const Operation &op = problem_.operations[index];
    std::vector<Part> &parts = parts_[index - cascade.first];
    for (uint32_t p = 0; p < cascade.channelParts; ++p) {
      Part part;
      part.begin = channelOfPart(op, p, cascade.channelParts);
      part.end = channelOfPart(op, p + 1, cascade.channelParts);
      if (part.begin == part.end)
        continue;
      part.group = constantGroup(problem_, op, part.begin, part.end, true);
      part.owner = sharedConstants(problem_, cascade.first, index);
      if (part.owner == kNone)
        cascade.channelParts == 1 && isKept(index) ? takeKept(part, index) : makeConstantBuffers(part, index);
      else
        part.local = parts_[part.owner - cascade.first][parts.size()].local;
      parts.push_back(std::move(part));
    }
    if (parts.size() > 1 && cascade.stripeRows < op.outputs[0].shape.height)
      shareLocals(parts, index);
  }

  /// Parts that are loaded again for every stripe alternate in two buffers; otherwise all of them would have to stay.
  void shareLocals(std::vector<Part> &parts, uint32_t op) {
    const uint32_t shared[2] = {parts[0].local, parts[1].local};
    for (size_t i = 0; i < parts.size(); ++i) {
      uint64_t &bytes = sequence_.buffers[shared[i % 2]].bytes;
      bytes = std::max(bytes, parts[i].group.bytes);
      parts[i].local = shared[i % 2];
    }
  }

  bool isKept(uint32_t op) const { return !plan_.keptConstants.empty() && plan_.keptConstants[op] != kNone; }

  /// The constants are in SRAM since an earlier cascade, unless this is the first.
  void takeKept(Part &part, uint32_t op) {
    const auto [known, isFirst] = kept_.try_emplace(plan_.keptConstants[op], kNone);
    if (isFirst) {
      makeConstantBuffers(part, op);
      known->second = part.local;
    } else {
      part.local = known->second;
      part.loaded = true;
    }
  }

  void makeConstantBuffers(Part &part, uint32_t op) {
    if (part.group.contents.empty())
      return;
    part.remote = buffers_.addForConstants(op, BufferSpace::Constants, part.group.bytes, "c");
    sequence_.buffers[part.remote].contents = part.group.contents;
    part.local = buffers_.addForConstants(op, BufferSpace::Sram, part.group.bytes, "w");
  }

  /// Constants of an operation that is split by channels and by rows are loaded again for every stripe.
  void emitTiles(const FlowEvent &event, const Cascade &cascade) {
    if (event.rows.begin == 0)
      emitFills(problem_.operations[event.id]);
    for (size_t part = 0; part < parts_[event.id - cascade.first].size(); ++part)
      emitPart(event, cascade, part);
    emitStores(event);
  }

  void emitPart(const FlowEvent &event, const Cascade &cascade, size_t number) {
    const Operation &op = problem_.operations[event.id];
    std::vector<Part> &parts = parts_[event.id - cascade.first];
    Part &part = parts[number], &loader = part.owner == kNone ? part : parts_[part.owner - cascade.first][number];
    if (!loader.loaded && loader.local != kNone)
      emitConstants(loader, op.layer);
    loader.loaded = parts.size() == 1 || cascade.end > cascade.first + 1;
    emitSets(op, event, part);
  }

  void emitStores(const FlowEvent &event) {
    const Operation &op = problem_.operations[event.id];
    for (const Operand &output : op.outputs)
      if (leavesChip(output.id) && !isStoredInRows(output))
        emitStore(output, op.rowWise ? event.rows : Rows{0, output.shape.height});
  }

  /// Whether the flow stores the rows that contain the operand.
  bool isStoredInRows(const Operand &output) const {
    return uses_.of(output.id).hasShortRuns && !flow_.isPart(problem_, flow_.mapOf(problem_, output));
  }

  bool leavesChip(uint32_t tensor) const {
    return plan_.residencies[tensor] == Residency::Dram || !problem_.tensors[tensor].networkOutputs.empty();
  }

  void emitFills(const Operation &op) {
    for (const Operand &output : op.outputs)
      if (output.fill >= 0) {
        DmaCommand fill;
        fill.kind = DmaKind::Fill;
        fill.fillValue = uint32_t(output.fill);
        fill.runBytes = uint32_t(output.shape.bytes());
        addStep(fill, {localBuffer(output)}, op.layer);
      }
  }

  void emitConstants(const Part &part, uint32_t layer) {
    DmaCommand copy;
    copy.runBytes = uint32_t(part.group.bytes);
    addStep(copy, {part.remote, part.local}, layer);
  }

  /// One tile for each set of weights in the rows.
  void emitSets(const Operation &op, const FlowEvent &event, const Part &part) {
    const uint32_t each = op.rowsPerSet();
    for (Rows rows = event.rows; rows.begin < event.rows.end; rows.begin = rows.end) {
      rows.end = std::min(event.rows.end, (rows.begin / each + 1) * each);
      emitTile(op, {event.id, rows, part.begin, part.end}, part);
    }
  }

  uint32_t bufferOf(const Operand &input, const Part &part) {
    return input.isConstant ? part.local : localBuffer(input);
  }

  void emitTile(const Operation &op, const Tile &tile, const Part &part) {
    TilePlaces places;
    std::vector<uint32_t> buffers;
    for (const Operand &input : op.inputs) {
      places.inputs.push_back(input.isConstant ? wholePlace(input) : placeOf(input));
      buffers.push_back(bufferOf(input, part));
    }
    if (op.hasWeightsInput() || op.hasAddend()) // comes later in the command
      buffers.pop_back();
    for (const Operand &output : op.outputs) {
      places.outputs.push_back(placeOf(output));
      buffers.push_back(localBuffer(output));
    }
    if (op.weights != kNone)
      buffers.insert(buffers.end(), {part.local, part.local});
    else if (op.hasWeightsInput())
      buffers.insert(buffers.end(), {bufferOf(op.inputs[Operation::kWeightsInput], part), part.local});
    if (op.dynamicScale != kNone)
      buffers.push_back(localBuffer({false, op.dynamicScale, problem_.tensors[op.dynamicScale].shape}));
    if (op.table != kNone)
      buffers.push_back(part.local);
    if (op.hasAddend())
      buffers.push_back(bufferOf(op.inputs[Operation::kAddendInput], part));
    CommandBody command = tileCommand(problem_, tile, places, part.group.offsets);
    StepTime time = chooseBlock(chooser_, *problem_.target, op, command, portUse_);
    pinBlock(problem_, tile.operation, command, time);
    const bool isCut = cutter_.isLong(command, time);
    if (isCut)
      shift(tile.operation, command, time);
    const FeatureMap whole = *firstOutput(command);
    for (TilePiece &piece : cutter_.cut(std::move(command), time)) {
      Step &step = addStep(std::move(piece.command), buffers, op.layer);
      step.time = piece.time;
      step.origin = originOf(tile, whole, *firstOutput(step.command));
      tiles_.push_back({tile, uint32_t(sequence_.steps.size() - 1), isCut, portUse_});
    }
  }

  StepOrigin originOf(const Tile &tile, const FeatureMap &whole, const FeatureMap &piece) const {
    const bool isInRows = problem_.operations[tile.operation].rowWise;
    const TilePlace first{isInRows ? tile.rows.begin : 0, 0, tile.channelsBegin};
    return {tile.operation, placeOfPart(first, whole, piece)};
  }

  void shift(uint32_t operation, CommandBody &command, StepTime &time) const {
    if (!plan_.blocks.empty())
      shiftBlock(*problem_.target, plan_.blocks[operation], command, time);
  }

  /// Blocks of short tiles depend on those of the array's tiles around them, and waits on all blocks. The DSP waits for
  /// whole tiles. Pieces of a tile do not wait for each other; those that are cut by rows run from the first row to the
  /// last.
  void finishTiles() {
    std::vector<ChainTile> chained;
    for (const TileStep &each : tiles_)
      if (!each.isCut && !sequence_.steps[each.step].isDsp() && each.portUse == kernels::PortUse::WithTransfers)
        chained.push_back({each.step, each.tile.operation});
    chooseChainedBlocks(chooser_, problem_, sequence_, chained);
    TileWaits waits(problem_);
    uint32_t number = 0, counted = 0;
    for (const TileStep &each : tiles_) {
      for (; counted < each.step; ++counted)
        number += !sequence_.steps[counted].isDma();
      Step &step = sequence_.steps[each.step];
      if (!each.isCut) {
        shift(each.tile.operation, step.command, step.time);
        pinBlock(problem_, each.tile.operation, step.command, step.time);
      }
      const TileWait wait = waits.next(each.tile, step.command, number);
      step.waits = wait.share;
      step.after = wait.after;
    }
  }

  MapPlace placeOf(const Operand &operand) const {
    const uint32_t map = flow_.mapOf(problem_, operand);
    auto kept = flow_.maps.find(map);
    if (kept == flow_.maps.end())
      return wholePlace(operand);
    const uint32_t ring = std::max(1u, kept->second.ringRows);
    return flow_.isPart(problem_, map) ? densePlace(operand.shape, ring)
                                       : ringPlace(problem_.tensors[map].shape, operand, ring);
  }

  /// Moves rows between SRAM and the remote buffer; a range that wraps around in the ring is two transfers.
  template <typename Emit> void forTransfers(const Operand &operand, Rows rows, Emit emit) {
    const MapPlace local = placeOf(operand);
    while (rows.begin < rows.end) {
      const uint32_t slot = (local.firstRow + rows.begin) % local.ringRows;
      const uint32_t count = std::min(rows.count(), local.ringRows - slot);
      const CopyEnd inSram{local.offset + uint64_t(slot) * local.rowStride, local.rowStride, local.pixelStride};
      const CopyEnd remote{operand.offset + uint64_t(rows.begin) * operand.rowStep(), operand.rowStep(),
                           operand.pixelStep()};
      emit({operand.shape.width, operand.shape.pixelBytes(), count}, inSram, remote);
      rows.begin += count;
    }
  }

  void emitLoad(uint32_t map, Rows rows) {
    const uint32_t tensor = flow_.tensorOf(problem_, map);
    const Operand operand = flow_.isPart(problem_, map) ? flow_.parts[map - problem_.tensors.size()]
                                                        : Operand{false, tensor, problem_.tensors[tensor].shape};
    forTransfers(operand, rows, [&](const CopyExtents &extents, const CopyEnd &local, const CopyEnd &remote) {
      addStep(copyRows(extents, remote, local), {buffers_.remote(tensor), rings_.at(map)}, kNoLayer);
    });
  }

  void emitStore(const Operand &output, Rows rows) {
    forTransfers(output, rows, [&](const CopyExtents &extents, const CopyEnd &local, const CopyEnd &remote) {
      const uint32_t from = localBuffer(output), to = buffers_.remote(output.id);
      addStep(copyRows(extents, local, remote), {from, to}, kNoLayer);
      for (uint32_t extra : buffers_.extraOutputs(output.id))
        addStep(copyRows(extents, local, remote), {from, extra}, kNoLayer);
    });
  }

  /// Copies a network input that is also a network output from region to region.
  void forwardInput(uint32_t tensor) {
    for (uint32_t output : problem_.tensors[tensor].networkOutputs) {
      DmaCommand copy;
      copy.runBytes = uint32_t(problem_.tensors[tensor].shape.bytes());
      const uint32_t source = buffers_.remote(tensor);
      addStep(copy, {source, buffers_.output(tensor, output)}, kNoLayer);
    }
  }

  Step &addStep(CommandBody command, std::vector<uint32_t> buffers, uint32_t layer) {
    sequence_.steps.push_back({std::move(command), std::move(buffers), layer, 0, {}, 0, kNone, {}});
    return sequence_.steps.back();
  }

  const Problem &problem_;
  const Plan &plan_;
  kernels::BlockChooser &chooser_;
  TileCutter &cutter_;
  const TensorUses uses_;
  Sequence sequence_;
  SequenceBuffers buffers_;
  std::vector<uint32_t> whole_;                                ///< buffers in SRAM by tensor
  RowFlow flow_;                                               ///< of the current cascade
  kernels::PortUse portUse_ = kernels::PortUse::WithTransfers; ///< the same
  std::unordered_map<uint32_t, uint32_t> rings_;               ///< buffers by map of the flow
  std::vector<std::vector<Part>> parts_;                       ///< by operation of the cascade
  std::unordered_map<uint32_t, uint32_t> kept_;                ///< buffers of constants that stay, by first operation
  std::vector<TileStep> tiles_;                                ///< in order, without those of operations in pieces
};

} // namespace

uint64_t constantBytes(const Problem &problem, const Operation &op, uint32_t begin, uint32_t end) {
  return constantGroup(problem, op, begin, end, true).bytes;
}

kernels::PortUse portUse(const Problem &problem, const Cascade &cascade) {
  const bool shares = cascade.ahead && usesBothEngines(problem, cascade.first, cascade.end);
  return shares ? kernels::PortUse::Half : kernels::PortUse::WithTransfers;
}

Sequence lowerPlan(const Problem &problem, const Plan &plan, kernels::BlockChooser &chooser, TileCutter &cutter) {
  return Lowering(problem, plan, chooser, cutter).run();
}

} // namespace avocet::compiler::schedule

//===- CmdVerify.cpp - Rules of the command level ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Cmd/Cmd.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

using namespace mlir;

namespace avocet::compiler::cmd {

LogicalResult RegionOp::verify() {
  bool numbered = getMeaning() == Meaning::Input || getMeaning() == Meaning::Output;
  if (!numbered && getIndex() != 0)
    return emitOpError("index is ") << getIndex() << ", must be 0 for " << stringifyMeaning(getMeaning());
  if (static_cast<int64_t>(getBytes()) < 0)
    return emitOpError("size must not be negative");
  return success();
}

LogicalResult DataOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getValue().getType());
  if (!type || type.getRank() != 1 || !type.getElementType().isInteger(8))
    return emitOpError("value must be a tensor of bytes of rank 1");
  return success();
}

LogicalResult StreamOp::verifyRegions() {
  if (getKind() != StreamKind::Dma && getIndex() != 0)
    return emitOpError("index is ") << getIndex() << ", must be 0 for " << stringifyStreamKind(getKind());
  firmware::EngineKind kind = engine().kind;
  for (Operation &op : getBody().front()) {
    auto command = dyn_cast<StreamCommandInterface>(&op);
    if (!command)
      return op.emitOpError("is no command; a stream must hold only commands");
    if (command.engineKind().value_or(kind) != kind)
      return op.emitOpError("is not a command of the ") << stringifyStreamKind(getKind()) << " engine";
  }
  return success();
}

/// The existing sections and regions depend on the surrounding operations and are checked where these are known.
LogicalResult ControlOp::verify() {
  llvm::ArrayRef<int32_t> raw = getWords();
  auto program = firmware::decodeControl({reinterpret_cast<const uint32_t *>(raw.data()), raw.size()});
  Status status = program ? firmware::verifyControl(*program, firmware::kMaxSections, UINT32_MAX) : program.status();
  if (!status)
    return emitOpError(status.message());
  for (ArrayAttr operands : {getInputs().value_or(nullptr), getOutputs().value_or(nullptr)})
    if (operands && !llvm::all_of(operands, llvm::IsaPred<DictionaryAttr>))
      return emitOpError("inputs and outputs must be dictionaries");
  return success();
}

namespace {

/// Runs the waits and signals of a section's streams until no stream advances. Counters only grow, so the order in
/// which streams are visited does not change the final state.
class SemaphoreRun {
public:
  SemaphoreRun(ProgramOp program, llvm::ArrayRef<StreamOp> section) : counts_(program.getSemaphores(), 0) {
    for (StreamOp stream : section)
      next_.push_back(const_cast<StreamOp &>(stream).getBody().front().begin());
  }

  LogicalResult run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Block::iterator &position : next_) {
        FailureOr<bool> advanced = advance(position);
        if (failed(advanced))
          return failure();
        moved |= *advanced;
      }
    }
    for (Block::iterator position : next_)
      if (!isa<EndOp>(*position))
        return position->emitOpError("is never satisfied: the streams wait for each other or for a missing signal");
    return success();
  }

private:
  /// Moves one stream to its next unsatisfied wait or its end; returns whether it moved.
  FailureOr<bool> advance(Block::iterator &position) {
    Block::iterator start = position;
    for (; !isa<EndOp>(*position); ++position) {
      if (auto wait = dyn_cast<WaitOp>(*position)) {
        if (failed(checkNumber(wait, wait.getCommand().semaphore)))
          return failure();
        if (counts_[wait.getCommand().semaphore] < wait.getCommand().value)
          break;
      } else if (auto signal = dyn_cast<SignalOp>(*position)) {
        if (failed(checkNumber(signal, signal.getCommand().semaphore)))
          return failure();
        ++counts_[signal.getCommand().semaphore];
      }
    }
    return position != start;
  }

  LogicalResult checkNumber(Operation *op, uint32_t semaphore) {
    if (semaphore < counts_.size())
      return success();
    return op->emitOpError("names semaphore ") << semaphore << ", the program has " << counts_.size();
  }

  std::vector<uint64_t> counts_;
  std::vector<Block::iterator> next_;
};

/// Maximum number of semaphores of a program; real devices have far fewer, and memory is allocated for each.
constexpr uint32_t kMaxSemaphores = 1u << 16;

LogicalResult verifyChildren(ProgramOp program) {
  std::set<std::pair<uint32_t, firmware::Engine>> engines;
  size_t datas = 0, controls = 0;
  for (Operation &op : program.getBody().front()) {
    if (auto stream = dyn_cast<StreamOp>(&op)) {
      if (!engines.insert({stream.getSection(), stream.engine()}).second)
        return stream.emitOpError("is the second one of its engine");
      if (stream.getSection() >= firmware::kMaxSections)
        return stream.emitOpError("section is ") << stream.getSection() << ", must be below " << firmware::kMaxSections;
    } else if (isa<DataOp>(op)) {
      if (++datas > 1)
        return op.emitOpError("is the second one of the program");
    } else if (isa<ControlOp>(op)) {
      if (++controls > 1)
        return op.emitOpError("is the second one of the program");
    } else if (!isa<RegionOp>(op)) {
      return op.emitOpError("is not allowed in a cmd.program");
    }
  }
  return success();
}

/// Checks the region and layer numbers of every command.
LogicalResult verifyNumbers(ProgramOp program) {
  size_t regions = llvm::range_size(program.getBody().getOps<RegionOp>());
  size_t layers = program.getLayers().size();
  WalkResult result = program.walk([&](StreamCommandInterface op) {
    firmware::Command command = op.toCommand();
    if (command.layer != firmware::kNoLayer && command.layer >= layers) {
      op->emitOpError("names layer ") << command.layer << ", the program has " << layers;
      return WalkResult::interrupt();
    }
    auto *dma = std::get_if<firmware::DmaCommand>(&command.body);
    if (dma && std::max(dma->source.region, dma->destination.region) > regions) {
      op->emitOpError("names region ") << std::max(dma->source.region, dma->destination.region) << ", the program has "
                                       << regions;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace

LogicalResult ProgramOp::verifyRegions() {
  if (getSemaphores() > kMaxSemaphores)
    return emitOpError("needs ") << getSemaphores() << " semaphores, at most " << kMaxSemaphores << " are possible";
  if (failed(verifyChildren(*this)) || failed(verifyNumbers(*this)))
    return failure();
  std::map<uint32_t, llvm::SmallVector<StreamOp>> sections;
  for (StreamOp stream : getBody().getOps<StreamOp>())
    sections[stream.getSection()].push_back(stream);
  for (auto &[number, streams] : sections)
    if (failed(SemaphoreRun(*this, streams).run()))
      return failure();
  return success();
}

} // namespace avocet::compiler::cmd

//===- HintWriter.cpp - Decisions of a schedule as hints --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HintWriter.h"

#include <algorithm>

namespace avocet::compiler::schedule {

HintWriter::HintWriter(const LayerTable &layers, const Problem &problem, uint32_t firstLayer)
    : layers_(layers), problem_(problem), firstLayer_(firstLayer) {
  for (uint32_t i = 0; i < problem.operations.size(); ++i) {
    const Operation &op = problem.operations[i];
    operations_[op.layer].push_back(i);
    for (uint32_t output = 0; output < op.outputs.size(); ++output)
      writers_.try_emplace(op.outputs[output].id, i, output);
  }
}

const std::vector<uint32_t> &HintWriter::operationsBeside(uint32_t operation) const {
  return operations_.at(problem_.operations[operation].layer);
}

OperatorRef HintWriter::refToLayerOf(uint32_t operation) const {
  const uint32_t layer = firstLayer_ + problem_.operations[operation].layer;
  const auto [entry, isNew] = known_.try_emplace(layer);
  if (isNew)
    entry->second = layers_.refTo(layer);
  return entry->second;
}

OperatorRef HintWriter::refTo(uint32_t operation) const {
  OperatorRef ref = refToLayerOf(operation);
  const std::vector<uint32_t> &all = operationsBeside(operation);
  if (all.size() > 1)
    ref.operation = uint32_t(std::ranges::find(all, operation) - all.begin());
  return ref;
}

OperatorRef HintWriter::refToResult(uint32_t tensor) const {
  const auto [writer, output] = writers_.at(tensor);
  OperatorRef ref = refTo(writer);
  ref.output = output;
  return ref;
}

std::string HintWriter::cascade(const CascadeChoice &choice) const {
  const Cascade &cascade = choice.cascade;
  CascadeHint hint;
  const uint32_t last = cascade.end - 1;
  const bool beginsLayer = operationsBeside(cascade.first).front() == cascade.first;
  const bool endsLayer = operationsBeside(last).back() == last;
  hint.first = beginsLayer ? refToLayerOf(cascade.first) : refTo(cascade.first);
  hint.last = endsLayer ? refToLayerOf(last) : refTo(last);
  if (problem_.operations[cascade.first].layer == problem_.operations[last].layer && !(beginsLayer && endsLayer))
    hint.first = refTo(cascade.first), hint.last = refTo(last); // a part of the layer
  if (cascade.pieceBytes) {
    hint.pieces = cascade.pieceBytes;
  } else {
    hint.rows = cascade.stripeRows;
    if (cascade.channelParts > 1)
      hint.parts = cascade.channelParts;
    if (cascade.first != last)
      hint.ahead = cascade.ahead;
  }
  hint.spills.emplace();
  for (uint32_t tensor : choice.spills)
    hint.spills->push_back(refToResult(tensor));
  return jsonOf(Hint(std::move(hint)));
}

std::string HintWriter::block(uint32_t operation, const firmware::Block &extents) const {
  return jsonOf(Hint(BlockHint{refTo(operation), extents, {}}));
}

std::string HintWriter::doublings(uint32_t operation, const kernels::BlockShift &shift) const {
  return jsonOf(Hint(BlockHint{refTo(operation), {}, shift}));
}

std::string HintWriter::transfers(const TransferOptions &order) const {
  return jsonOf(Hint(TransfersHint{refToLayerOf(0), order}));
}

} // namespace avocet::compiler::schedule

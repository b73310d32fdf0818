//===- RowFlow.cpp - Order of the stripes of a cascade ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/RowFlow.h"

#include "avocet/compiler/Schedule/Core/Lowering.h"

#include <algorithm>

namespace avocet::compiler::schedule {

Rows inputRows(const Operation &op, uint32_t index, Rows rows) {
  const uint32_t height = op.inputs[index].shape.height;
  if (!op.rowWise || (index == Operation::kWeightsInput && op.hasWeightsInput()))
    return {0, height};
  if (index > 0 ||
      (op.inputs.size() > 1 && !op.hasWeightsInput())) // element-wise: the same rows, or the one row that is broadcast
    return height == 1 ? Rows{0, 1} : Rows{std::min(rows.begin, height), std::min(rows.end, height)};
  const RowWindow &w = op.window;
  uint64_t begin = uint64_t(rows.begin) * w.stride, end = uint64_t(rows.end - 1) * w.stride + w.reach;
  begin = begin > w.padTop ? begin - w.padTop : 0;
  end = end > w.padTop ? end - w.padTop : 0;
  return {uint32_t(std::min<uint64_t>(begin, height)), uint32_t(std::min<uint64_t>(end, height))};
}

Rows tensorRows(const Problem &problem, const Operand &operand, Rows rows) {
  const MapShape &shape = problem.tensors[operand.id].shape;
  return shape.height == operand.shape.height ? rows : Rows{0, shape.height};
}

namespace {

class Flow {
public:
  Flow(const Problem &problem, const Plan &plan, const Cascade &cascade, bool lookAhead)
      : problem_(problem), plan_(plan), cascade_(cascade), lookAhead_(lookAhead) {
    made_.assign(cascade.end - cascade.first, 0);
    for (uint32_t op = cascade.first; op < cascade.end; ++op)
      addOperation(op);
    findSteadyRows();
  }

  RowFlow run() {
    const Operation &last = problem_.operations[cascade_.end - 1];
    const uint32_t height = last.outputs[0].shape.height;
    for (uint32_t row = 0; row < height;) {
      row = std::min(height, row + cascade_.stripeRows);
      make(cascade_.end - 1, row);
    }
    for (uint32_t op = cascade_.first; op < cascade_.end; ++op) // results that leave the cascade must be complete
      if (leaves(op))
        make(op, problem_.operations[op].outputs[0].shape.height);
    for (auto &[id, tensor] : flow_.tensors)
      finishRing(id, tensor);
    return std::move(flow_);
  }

private:
  struct State {
    uint32_t producer = kNone;                          ///< operation of the cascade
    uint32_t have = 0;                                  ///< rows made or loaded so far
    uint32_t step = 0;                                  ///< most rows that arrived at once
    std::vector<std::pair<uint32_t, uint32_t>> readers; ///< operation, input index
  };

  void addOperation(uint32_t index) {
    const Operation &op = problem_.operations[index];
    for (uint32_t i = 0; i < op.inputs.size(); ++i)
      if (!op.inputs[i].isConstant)
        addReader(op.inputs[i].id, index, i);
    if (op.dynamicScale != kNone)
      addReader(op.dynamicScale, index, kNone);
    for (const Operand &output : op.outputs) {
      states_[output.id].producer = index;
      if (plan_.residencies[output.id] != Residency::Sram)
        flow_.tensors[output.id].stored = plan_.residencies[output.id] == Residency::Dram;
    }
  }

  void addReader(uint32_t tensor, uint32_t op, uint32_t input) {
    State &state = states_[tensor];
    state.readers.emplace_back(op, input);
    bool inside = state.producer != kNone;
    if (!inside && (plan_.residencies[tensor] == Residency::Dram))
      flow_.tensors[tensor].loaded = true;
    else if (!inside)
      state.have = problem_.tensors[tensor].shape.height;
  }

  bool leaves(uint32_t op) const {
    for (const Operand &output : problem_.operations[op].outputs)
      if (plan_.residencies[output.id] != Residency::Ring)
        return true;
    return false;
  }

  /// Rows of the tensor that the reader needs for output rows `rows`.
  Rows needs(std::pair<uint32_t, uint32_t> reader, uint32_t tensor, Rows rows) const {
    if (reader.second == kNone)
      return {0, problem_.tensors[tensor].shape.height};
    const Operation &op = problem_.operations[reader.first];
    return tensorRows(problem_, op.inputs[reader.second], inputRows(op, reader.second, rows));
  }

  /// Computes the rows per tile in the steady state. The first stripe needs more rows of all earlier operations (halos
  /// add up). Making these in tiles of the steady height keeps the rings as small as later stripes need.
  void findSteadyRows() {
    steady_.assign(made_.size(), 0);
    steady_.back() = cascade_.stripeRows;
    for (uint32_t i = uint32_t(made_.size()); i-- > 0;) {
      const Operation &op = problem_.operations[cascade_.first + i];
      steady_[i] = std::max(steady_[i], 1u);
      for (const Operand &input : op.inputs)
        if (uint32_t producer = input.isConstant ? kNone : states_.at(input.id).producer; producer != kNone) {
          uint32_t &rows = steady_[producer - cascade_.first];
          rows = std::max(rows,
                          alignedEnd(producer, uint64_t(steady_[i]) * (op.inputs.size() > 1 ? 1 : op.window.stride)));
        }
    }
  }

  void make(uint32_t index, uint32_t upTo) {
    const uint32_t &made = made_[index - cascade_.first];
    const bool rowWise = problem_.operations[index].rowWise;
    while (made < upTo)
      makeTile(index, rowWise ? std::min(upTo, made + steady_[index - cascade_.first])
                              : problem_.operations[index].outputs[0].shape.height);
  }

  void makeTile(uint32_t index, uint32_t upTo) {
    const Operation &op = problem_.operations[index];
    uint32_t &made = made_[index - cascade_.first];
    provideInputs(op, {made, upTo});
    const uint32_t next = std::min(op.outputs[0].shape.height, upTo + (upTo - made));
    if (cascade_.ahead && upTo < next)
      provideInputs(op, {upTo, next});
    if (op.dynamicScale != kNone)
      provide(op.dynamicScale, 1);
    Rows rows{made, upTo};
    made = upTo;
    flow_.events.push_back({false, index, rows});
    for (const Operand &output : op.outputs)
      arrived(output.id, &output == &op.outputs[0] ? rows : Rows{0, output.shape.height});
  }

  void provideInputs(const Operation &op, Rows rows) {
    for (uint32_t i = 0; i < op.inputs.size(); ++i)
      if (!op.inputs[i].isConstant)
        provide(op.inputs[i].id, tensorRows(problem_, op.inputs[i], inputRows(op, i, rows)).end);
  }

  void provide(uint32_t tensor, uint32_t upTo) {
    State &state = states_[tensor];
    if (state.have >= upTo)
      return;
    if (state.producer != kNone)
      return make(state.producer, alignedEnd(state.producer, upTo));
    const uint32_t height = problem_.tensors[tensor].shape.height;
    const uint32_t quantum = std::min(height, std::max(upTo - state.have, loadRows(tensor)));
    Rows rows{state.have, std::min(height, state.have + quantum)};
    flow_.events.push_back({true, tensor, rows});
    arrived(tensor, rows);
  }

  /// Rounds up to whole array steps, which avoids partly filled steps.
  uint32_t alignedEnd(uint32_t producer, uint64_t upTo) const {
    const uint32_t step = problem_.target->mac().dense.height;
    const uint32_t height = problem_.operations[producer].outputs[0].shape.height;
    return std::min<uint64_t>(height, (upTo + step - 1) / step * step);
  }

  /// Loads at least a kilobyte: shorter loads do not hide the memory's latency.
  uint32_t loadRows(uint32_t tensor) const {
    constexpr uint32_t kLeastBytes = 1024;
    const uint32_t rowBytes = problem_.tensors[tensor].shape.rowBytes();
    return std::max(1u, (kLeastBytes + rowBytes - 1) / rowBytes);
  }

  /// Updates the rows that must be present together once `rows` have arrived.
  void arrived(uint32_t tensor, Rows rows) {
    State &state = states_[tensor];
    state.have = std::max(state.have, rows.end);
    state.step = std::max(state.step, rows.count());
    auto ring = flow_.tensors.find(tensor);
    if (ring == flow_.tensors.end())
      return;
    uint32_t oldest = rows.begin;
    for (auto reader : state.readers) {
      uint32_t done = made_[reader.first - cascade_.first];
      uint32_t height = problem_.operations[reader.first].outputs[0].shape.height;
      if (done < height)
        oldest = std::min(oldest, needs(reader, tensor, {done, done + 1}).begin);
    }
    ring->second.ringRows = std::max(ring->second.ringRows, state.have - oldest);
  }

  void finishRing(uint32_t id, FlowTensor &tensor) const {
    const State &state = states_.at(id);
    if (lookAhead_ && (tensor.loaded || tensor.stored))
      tensor.ringRows += state.step;
    tensor.ringRows = std::min(tensor.ringRows, problem_.tensors[id].shape.height);
  }

  const Problem &problem_;
  const Plan &plan_;
  const Cascade &cascade_;
  bool lookAhead_;
  std::vector<uint32_t> made_, steady_; ///< by operation of the cascade
  std::unordered_map<uint32_t, State> states_;
  RowFlow flow_;
};

} // namespace

uint64_t ringBytes(const Problem &problem, const RowFlow &flow) {
  uint64_t bytes = 0;
  for (const auto &[tensor, kept] : flow.tensors)
    bytes += alignUp(uint64_t(kept.ringRows) * problem.tensors[tensor].shape.rowBytes());
  return bytes;
}

RowFlow flowCascade(const Problem &problem, const Plan &plan, const Cascade &cascade, bool lookAhead) {
  return Flow(problem, plan, cascade, lookAhead).run();
}

} // namespace avocet::compiler::schedule

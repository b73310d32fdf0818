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

/// Whether output rows depend on the same rows of the input: an operand of an element-wise operation, or an addend.
static bool isElementwise(const Operation &op, uint32_t index) {
  return index > 0 || (op.inputs.size() > 1 && !std::holds_alternative<firmware::ConvCommand>(op.command));
}

Rows inputRows(const Operation &op, uint32_t index, Rows rows) {
  const uint32_t height = op.inputs[index].shape.height;
  if (!op.rowWise || (index == Operation::kWeightsInput && op.hasWeightsInput()))
    return {0, height};
  if (isElementwise(op, index)) // the same rows, or the one row that is broadcast
    return height == 1 ? Rows{0, 1} : Rows{std::min(rows.begin, height), std::min(rows.end, height)};
  const RowWindow &w = op.window;
  uint64_t begin = uint64_t(rows.begin) * w.stride, end = uint64_t(rows.end - 1) * w.stride + w.reach;
  begin = begin > w.padTop ? begin - w.padTop : 0;
  end = end > w.padTop ? end - w.padTop : 0;
  return {uint32_t(std::min<uint64_t>(begin, height)), uint32_t(std::min<uint64_t>(end, height))};
}

Rows tensorRows(const Problem &problem, const Operand &operand, Rows rows) {
  const MapShape &shape = problem.tensors[operand.id].shape;
  const std::optional<uint32_t> first = firstRowIn(shape, operand);
  return first ? Rows{*first + rows.begin, *first + rows.end} : Rows{0, shape.height};
}

uint32_t RowFlow::mapOf(const Problem &problem, const Operand &operand) const {
  for (uint32_t i = 0; i < parts.size(); ++i)
    if (isSamePlace(parts[i], operand))
      return uint32_t(problem.tensors.size()) + i;
  return operand.id;
}

uint32_t RowFlow::tensorOf(const Problem &problem, uint32_t map) const {
  return isPart(problem, map) ? parts[map - problem.tensors.size()].id : map;
}

const MapShape &RowFlow::shapeOf(const Problem &problem, uint32_t map) const {
  return isPart(problem, map) ? parts[map - problem.tensors.size()].shape : problem.tensors[map].shape;
}

namespace {

class Flow {
public:
  Flow(const Problem &problem, const Plan &plan, const Cascade &cascade, bool lookAhead)
      : problem_(problem), plan_(plan), cascade_(cascade), lookAhead_(lookAhead) {
    made_.assign(cascade.end - cascade.first, 0);
    findParts();
    for (uint32_t op = cascade.first; op < cascade.end; ++op)
      addUsers(op);
    for (auto &[id, state] : states_)
      addMap(id, state);
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
    for (auto &[id, map] : flow_.maps)
      finishRing(id, map);
    return std::move(flow_);
  }

private:
  /// An operation of the cascade that writes a map, or reads it; `index` kNone: as its dynamic scale.
  struct User {
    uint32_t operation = 0, index = 0;
  };
  struct State {
    std::vector<User> writers, readers;
    bool isLoaded = false;
    uint32_t have = 0; ///< rows made or loaded so far
    uint32_t step = 0; ///< most rows that arrived at once
  };

  /// Calls `use` with each operand of the cascade that is in DRAM.
  template <typename Use> void forOperandsInDram(Use use) const {
    const auto visit = [&](const Operand &operand, bool isOutput) {
      if (!operand.isConstant && plan_.residencies[operand.id] == Residency::Dram)
        use(operand, isOutput);
    };
    for (uint32_t i = cascade_.first; i < cascade_.end; ++i) {
      for (const Operand &input : problem_.operations[i].inputs)
        visit(input, false);
      for (const Operand &output : problem_.operations[i].outputs)
        visit(output, true);
    }
  }

  /// Parts of a tensor are staged by themselves unless the cascade makes all of the tensor and reads it.
  void findParts() {
    struct Use {
      uint64_t written = 0;
      bool isRead = false, hasParts = false;
    };
    std::unordered_map<uint32_t, Use> uses;
    bool hasParts = false;
    forOperandsInDram([&](const Operand &operand, bool isOutput) {
      Use &use = uses[operand.id];
      use.written += isOutput ? operand.shape.bytes() : 0;
      use.isRead |= !isOutput;
      hasParts |= operand.shape.bytes() != problem_.tensors[operand.id].shape.bytes();
    });
    if (!hasParts)
      return;
    forOperandsInDram([&](const Operand &operand, bool) {
      const Use &use = uses[operand.id];
      const uint64_t bytes = problem_.tensors[operand.id].shape.bytes();
      const bool isRing = use.isRead && use.written == bytes;
      if (!isRing && operand.shape.bytes() != bytes && !flow_.isPart(problem_, mapOf(operand)))
        flow_.parts.push_back(operand);
    });
  }

  uint32_t mapOf(const Operand &operand) const { return flow_.mapOf(problem_, operand); }

  void addUsers(uint32_t index) {
    const Operation &op = problem_.operations[index];
    for (uint32_t i = 0; i < op.inputs.size(); ++i)
      if (!op.inputs[i].isConstant)
        states_[mapOf(op.inputs[i])].readers.push_back({index, i});
    if (op.dynamicScale != kNone)
      states_[op.dynamicScale].readers.push_back({index, kNone});
    for (uint32_t i = 0; i < op.outputs.size(); ++i)
      states_[mapOf(op.outputs[i])].writers.push_back({index, i});
  }

  const Operand &outputOf(User writer) const { return problem_.operations[writer.operation].outputs[writer.index]; }

  /// A ring in which rows wrap has the map's rows.
  void addMap(uint32_t id, State &state) {
    const Residency residency = plan_.residencies[flow_.tensorOf(problem_, id)];
    if (residency == Residency::Sram)
      return;
    state.isLoaded = residency == Residency::Dram && state.writers.empty();
    FlowMap &map = flow_.maps[id];
    map.loaded = state.isLoaded;
    map.stored = residency == Residency::Dram && !state.writers.empty();
    bool hasRows = flow_.isPart(problem_, id);
    if (hasRows)
      return;
    const MapShape &shape = problem_.tensors[id].shape;
    hasRows = true;
    for (User writer : state.writers)
      hasRows &= firstRowIn(shape, outputOf(writer)).has_value();
    for (User reader : state.readers)
      hasRows &= reader.index == kNone ||
                 firstRowIn(shape, problem_.operations[reader.operation].inputs[reader.index]).has_value();
    map.ringRows = hasRows ? 0 : shape.height;
  }

  bool leaves(uint32_t op) const {
    for (const Operand &output : problem_.operations[op].outputs)
      if (plan_.residencies[output.id] != Residency::Ring)
        return true;
    return false;
  }

  /// Rows of an operand in rows of the map.
  Rows rowsIn(uint32_t map, const Operand &operand, Rows rows) const {
    return flow_.isPart(problem_, map) ? rows : tensorRows(problem_, operand, rows);
  }

  /// Rows of the map that the reader needs for output rows `rows`.
  Rows needs(User reader, uint32_t map, Rows rows) const {
    if (reader.index == kNone)
      return {0, problem_.tensors[map].shape.height};
    const Operation &op = problem_.operations[reader.operation];
    return rowsIn(map, op.inputs[reader.index], inputRows(op, reader.index, rows));
  }

  /// Calls `use` for each writer of what the operand reads.
  template <typename Use> void forWritersOf(const Operand &input, uint32_t map, Use use) {
    if (flow_.isPart(problem_, map))
      return;
    const MapShape &shape = problem_.tensors[map].shape;
    for (User writer : states_.at(map).writers)
      if (outputOf(writer).shape == shape || mayOverlap(shape, input, outputOf(writer)))
        use(writer);
  }

  /// Computes the rows per tile in the steady state. The first stripe needs more rows of all earlier operations (halos
  /// add up). Making these in tiles of the steady height keeps the rings as small as later stripes need.
  void findSteadyRows() {
    steady_.assign(made_.size(), 0);
    steady_.back() = cascade_.stripeRows;
    for (uint32_t i = uint32_t(made_.size()); i-- > 0;) {
      const Operation &op = problem_.operations[cascade_.first + i];
      steady_[i] = std::max(steady_[i], 1u);
      for (uint32_t index = 0; index < op.inputs.size(); ++index)
        if (const Operand &input = op.inputs[index]; !input.isConstant)
          forWritersOf(input, mapOf(input), [&](User writer) {
            uint32_t &rows = steady_[writer.operation - cascade_.first];
            const uint64_t needed = uint64_t(steady_[i]) * (isElementwise(op, index) ? 1 : op.window.stride);
            rows = std::max(rows, alignedEnd(writer.operation, needed));
          });
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
      provide({false, op.dynamicScale, problem_.tensors[op.dynamicScale].shape}, {0, 1});
    Rows rows{made, upTo};
    made = upTo;
    flow_.events.push_back({false, index, rows});
    for (const Operand &output : op.outputs) {
      const uint32_t map = mapOf(output);
      arrived(map, rowsIn(map, output, &output == &op.outputs[0] ? rows : Rows{0, output.shape.height}));
    }
  }

  void provideInputs(const Operation &op, Rows rows) {
    for (uint32_t i = 0; i < op.inputs.size(); ++i)
      if (!op.inputs[i].isConstant)
        provide(op.inputs[i], inputRows(op, i, rows));
  }

  /// Makes or loads the rows of the map up to the last that the operand's rows need.
  void provide(const Operand &input, Rows rows) {
    const uint32_t map = mapOf(input), upTo = rowsIn(map, input, rows).end;
    if (states_.at(map).isLoaded)
      return load(map, upTo);
    forWritersOf(input, map, [&](User writer) {
      if (const uint32_t needed = ownRows(writer, upTo); made_[writer.operation - cascade_.first] < needed)
        make(writer.operation, alignedEnd(writer.operation, needed));
    });
  }

  /// Rows of the writer's operand up to row `upTo` of the tensor.
  uint32_t ownRows(User writer, uint32_t upTo) const {
    const Operand &output = outputOf(writer);
    const std::optional<uint32_t> first = firstRowIn(problem_.tensors[output.id].shape, output);
    if (!first)
      return output.shape.height;
    return std::min(output.shape.height, upTo - std::min(upTo, *first));
  }

  void load(uint32_t map, uint32_t upTo) {
    State &state = states_.at(map);
    if (state.have >= upTo)
      return;
    const uint32_t height = flow_.shapeOf(problem_, map).height;
    const uint32_t quantum = std::min(height, std::max(upTo - state.have, loadRows(map)));
    Rows rows{state.have, std::min(height, state.have + quantum)};
    flow_.events.push_back({true, map, rows});
    arrived(map, rows);
  }

  /// Rounds up to whole array steps, which avoids partly filled steps.
  uint32_t alignedEnd(uint32_t producer, uint64_t upTo) const {
    const uint32_t step = problem_.target->mac().dense.height;
    const uint32_t height = problem_.operations[producer].outputs[0].shape.height;
    return std::min<uint64_t>(height, (upTo + step - 1) / step * step);
  }

  /// Loads at least a kilobyte: shorter loads do not hide the memory's latency.
  uint32_t loadRows(uint32_t map) const {
    constexpr uint32_t kLeastBytes = 1024;
    const uint32_t rowBytes = flow_.shapeOf(problem_, map).rowBytes();
    return std::max(1u, (kLeastBytes + rowBytes - 1) / rowBytes);
  }

  /// Updates the rows that must be present together once `rows` have arrived.
  void arrived(uint32_t map, Rows rows) {
    State &state = states_.at(map);
    state.have = std::max(state.have, rows.end);
    state.step = std::max(state.step, rows.count());
    auto ring = flow_.maps.find(map);
    if (ring == flow_.maps.end())
      return;
    uint32_t oldest = rows.begin;
    for (User reader : state.readers) {
      uint32_t done = made_[reader.operation - cascade_.first];
      uint32_t height = problem_.operations[reader.operation].outputs[0].shape.height;
      if (done < height)
        oldest = std::min(oldest, needs(reader, map, {done, done + 1}).begin);
    }
    if (state.writers.size() > 1)
      oldest = std::min(oldest, oldestToWrite(map, state));
    ring->second.ringRows = std::max(ring->second.ringRows, state.have - std::min(state.have, oldest));
  }

  /// The first row of the map that a writer has not made.
  uint32_t oldestToWrite(uint32_t map, const State &state) const {
    uint32_t oldest = UINT32_MAX;
    for (User writer : state.writers) {
      const Operand &output = outputOf(writer);
      const uint32_t done = made_[writer.operation - cascade_.first];
      if (done < output.shape.height)
        oldest = std::min(oldest, rowsIn(map, output, {done, done + 1}).begin);
    }
    return oldest;
  }

  void finishRing(uint32_t id, FlowMap &map) const {
    const State &state = states_.at(id);
    if (lookAhead_ && (map.loaded || map.stored))
      map.ringRows += state.step;
    map.ringRows = std::min(map.ringRows, flow_.shapeOf(problem_, id).height);
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
  for (const auto &[id, map] : flow.maps)
    bytes += alignUp(uint64_t(map.ringRows) * flow.shapeOf(problem, id).rowBytes());
  return bytes;
}

RowFlow flowCascade(const Problem &problem, const Plan &plan, const Cascade &cascade, bool lookAhead) {
  return Flow(problem, plan, cascade, lookAhead).run();
}

} // namespace avocet::compiler::schedule

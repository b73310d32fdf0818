//===- RowFlow.cpp - Order of the stripes of a cascade ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowFlow.h"

#include "FlowGraph.h"
#include "Lowering.h"
#include "avocet/base/Rounding.h"

#include <algorithm>

namespace avocet::compiler::schedule {

bool isElementwise(const Operation &op, uint32_t index) {
  return index > 0 || (op.inputs.size() > 1 && !std::holds_alternative<firmware::ConvCommand>(op.command));
}

Rows inputRows(const Operation &op, uint32_t index, Rows rows) {
  const uint32_t height = op.inputs[index].shape.height;
  if (!op.rowWise)
    return {0, height};
  if (op.readsWeights(index))
    return {rows.begin / op.rowsPerSet(), divideUp(rows.end, op.rowsPerSet())};
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
  const std::optional<RowPlaces> places = rowPlacesIn(shape, operand);
  return places ? places->of(rows) : Rows{0, shape.height};
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
  Flow(FlowGraph &graph, const Cascade &cascade, bool lookAhead)
      : problem_(graph.problem), cascade_(cascade), lookAhead_(lookAhead), nodes_(graph.nodes), states_(graph.states),
        flow_(graph.flow) {
    findSteadyRows();
  }

  RowFlow run() {
    const uint32_t last = uint32_t(nodes_.size() - 1);
    const uint32_t height = nodes_[last].height();
    for (uint32_t row = 0; row < height;) {
      row = std::min(height, row + cascade_.stripeRows);
      make(last, row);
      for (uint32_t i = 0; i < last; ++i) // they may read the same rows
        if (nodes_[i].isEnd)
          make(i, alignedEnd(nodes_[i], shareOf(nodes_[i], row)));
    }
    for (uint32_t i = 0; i < nodes_.size(); ++i) // results that leave the cascade must be complete
      if (nodes_[i].leaves)
        make(i, nodes_[i].height());
    for (auto &[id, map] : flow_.maps)
      map = finishedRing(states_.at(id), flow_.shapeOf(problem_, id).rowBytes());
    return std::move(flow_);
  }

private:
  /// Rows of an operand in rows of its map.
  static Rows rowsIn(const FlowLink &link, Rows rows) {
    return link.places ? link.places->of(rows) : Rows{0, link.state->height};
  }

  /// Rows of an operation when the last one has made `rows` rows.
  uint64_t shareOf(const FlowNode &node, uint32_t rows) const {
    return uint64_t(node.height()) * rows / nodes_.back().height();
  }

  /// Computes the rows per tile in the steady state. The first stripe needs more rows of all earlier operations (halos
  /// add up). Making these in tiles of the steady height keeps the rings as small as later stripes need.
  void findSteadyRows() {
    nodes_.back().steady = cascade_.stripeRows;
    for (uint32_t i = uint32_t(nodes_.size()); i-- > 0;) {
      FlowNode &node = nodes_[i];
      if (node.isEnd && i + 1 < nodes_.size())
        node.steady = std::max(node.steady, alignedEnd(node, shareOf(node, cascade_.stripeRows)));
      node.steady = std::max(node.steady, 1u);
      for (const FlowLink &input : node.inputs) {
        if (input.index == kNone)
          continue;
        for (const FlowLink *writer : input.writers) {
          FlowNode &producer = nodes_[writer->operation];
          producer.steady = std::max(producer.steady, alignedEnd(producer, steadyRowsOf(node, input.index)));
        }
      }
    }
  }

  /// Rows of an input that a tile of the steady height adds.
  static uint64_t steadyRowsOf(const FlowNode &node, uint32_t input) {
    if (node.op->readsWeights(input))
      return divideUp(node.steady, node.op->rowsPerSet());
    return uint64_t(node.steady) * (isElementwise(*node.op, input) ? 1 : node.op->window.stride);
  }

  void make(uint32_t number, uint32_t upTo) {
    const FlowNode &node = nodes_[number];
    while (node.made < upTo)
      makeTile(number, node.op->rowWise ? std::min(upTo, node.made + node.steady) : node.height());
  }

  void makeTile(uint32_t number, uint32_t upTo) {
    FlowNode &node = nodes_[number];
    provideInputs(node, {node.made, upTo});
    const uint32_t next = std::min(node.height(), upTo + (upTo - node.made));
    if (cascade_.ahead && upTo < next && !node.makesWeights)
      provideMaps(node, {upTo, next});
    if (node.op->dynamicScale != kNone)
      provide(node.inputs.back(), {0, 1});
    const Rows rows{node.made, upTo};
    node.made = upTo;
    flow_.events.push_back({FlowKind::Tile, cascade_.first + number, rows});
    for (const FlowLink &output : node.outputs)
      arrived(*output.state, rowsIn(output, output.height == node.height() ? rows : Rows{0, output.height}));
    for (const FlowLink &output : node.outputs)
      if (output.state->storesRows)
        storeRows(output.map, *output.state);
  }

  /// Stores the rows that all writers have made since the last store.
  void storeRows(uint32_t map, MapState &state) {
    uint32_t complete = state.height;
    for (const FlowLink *writer : state.writers)
      complete = std::min(complete, oldestToWrite(*writer));
    if (complete > state.stored)
      flow_.events.push_back({FlowKind::Store, map, {state.stored, complete}});
    state.stored = std::max(state.stored, complete);
  }

  void provideInputs(const FlowNode &node, Rows rows) {
    provideMaps(node, rows);
    for (const FlowLink &input : node.inputs)
      if (node.op->readsWeights(input.index))
        provide(input, inputRows(*node.op, input.index, rows));
  }

  /// What tiles may need one stripe ahead. A second set of weights would take more memory than the wait at the end of a
  /// set is worth.
  void provideMaps(const FlowNode &node, Rows rows) {
    for (const FlowLink &input : node.inputs)
      if (input.index != kNone && !node.op->readsWeights(input.index))
        provide(input, inputRows(*node.op, input.index, rows));
  }

  /// Makes or loads the rows of the map up to the last that the operand's rows need.
  void provide(const FlowLink &input, Rows rows) {
    const uint32_t upTo = rowsIn(input, rows).end;
    if (input.state->ring.loaded)
      return load(input, upTo);
    for (const FlowLink *writer : input.writers) {
      const FlowNode &node = nodes_[writer->operation];
      if (const uint32_t needed = ownRows(*writer, upTo); node.made < needed)
        make(writer->operation, alignedEnd(node, needed));
    }
  }

  /// Rows of the writer's operand up to row `upTo` of the tensor.
  static uint32_t ownRows(const FlowLink &writer, uint32_t upTo) {
    return writer.places ? std::min(writer.height, writer.places->countBefore(upTo)) : writer.height;
  }

  void load(const FlowLink &input, uint32_t upTo) {
    MapState &state = *input.state;
    if (state.have >= upTo)
      return;
    const uint32_t quantum = std::min(state.height, std::max(upTo - state.have, loadRows(input.map)));
    const Rows rows{state.have, std::min(state.height, state.have + quantum)};
    flow_.events.push_back({FlowKind::Load, input.map, rows});
    arrived(state, rows);
  }

  /// Rounds up to whole array steps, which avoids partly filled steps. Sets of weights are made one by one.
  uint32_t alignedEnd(const FlowNode &producer, uint64_t upTo) const {
    const uint32_t step = producer.makesWeights ? 1 : problem_.target->mac().dense.height;
    return std::min<uint64_t>(producer.height(), roundUp(upTo, step));
  }

  /// Loads at least a kilobyte: shorter loads do not hide the memory's latency.
  uint32_t loadRows(uint32_t map) const {
    constexpr uint32_t kLeastBytes = 1024;
    const uint32_t rowBytes = flow_.shapeOf(problem_, map).rowBytes();
    return std::max(1u, divideUp(kLeastBytes, rowBytes));
  }

  /// Updates the rows that must be present together once `rows` have arrived.
  void arrived(MapState &state, Rows rows) const {
    state.have = std::max(state.have, rows.end);
    state.step = std::max(state.step, rows.count());
    if (state.isWhole)
      return;
    uint32_t oldest = rows.begin;
    for (const FlowLink *reader : state.readers)
      oldest = std::min(oldest, oldestToRead(*reader));
    if (state.writers.size() > 1)
      for (const FlowLink *writer : state.writers)
        oldest = std::min(oldest, oldestToWrite(*writer));
    state.ring.ringRows = std::max(state.ring.ringRows, state.have - std::min(state.have, oldest));
  }

  /// The first row of the map that a reader still needs.
  uint32_t oldestToRead(const FlowLink &reader) const {
    const FlowNode &node = nodes_[reader.operation];
    if (node.made == node.height())
      return UINT32_MAX;
    return reader.index == kNone ? 0
                                 : rowsIn(reader, inputRows(*node.op, reader.index, {node.made, node.made + 1})).begin;
  }

  /// The first row of the map that a writer has not made.
  uint32_t oldestToWrite(const FlowLink &writer) const {
    const uint32_t made = nodes_[writer.operation].made;
    return made < writer.height ? rowsIn(writer, {made, made + 1}).begin : UINT32_MAX;
  }

  /// Rows that the port moves in the latency of a store, so that short tiles need not wait for the memory of the store
  /// before the last one.
  uint32_t rowsInStores(uint64_t rowBytes) const {
    constexpr uint64_t kMostShare = 64; // of the SRAM, so that no operation needs much more than its stripe
    const firmware::DramModel &dram = problem_.target->dram();
    const uint64_t bytes = dram.writeLatencyCycles * dram.bandwidth.count / dram.bandwidth.cycles;
    return uint32_t(divideUp(std::min(bytes, problem_.target->sram().bytes / kMostShare), rowBytes));
  }

  FlowMap finishedRing(const MapState &state, uint64_t rowBytes) const {
    FlowMap ring = state.ring;
    if (lookAhead_ && (ring.loaded || ring.stored))
      ring.ringRows += ring.stored ? std::max(state.step, rowsInStores(rowBytes)) : state.step;
    ring.ringRows = std::min(roundUp(ring.ringRows, state.ringUnit), state.height);
    return ring;
  }

  const Problem &problem_;
  const Cascade &cascade_;
  bool lookAhead_;
  std::vector<FlowNode> &nodes_; ///< by operation of the cascade
  const std::unordered_map<uint32_t, MapState> &states_;
  RowFlow flow_;
};

} // namespace

uint64_t ringBytes(const Problem &problem, const RowFlow &flow) {
  uint64_t bytes = 0;
  for (const auto &[id, map] : flow.maps)
    bytes += alignUp(uint64_t(map.ringRows) * flow.shapeOf(problem, id).rowBytes());
  return bytes;
}

RowFlow flowCascade(FlowGraph &graph, const Cascade &cascade, bool lookAhead) {
  graph.reset();
  return Flow(graph, cascade, lookAhead).run();
}

RowFlow flowCascade(const Problem &problem, const TensorUses &uses, const Plan &plan, const Cascade &cascade,
                    bool lookAhead) {
  FlowGraph graph(problem, uses, plan, cascade.first, cascade.end);
  return flowCascade(graph, cascade, lookAhead);
}

} // namespace avocet::compiler::schedule

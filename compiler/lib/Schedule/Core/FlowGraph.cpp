//===- FlowGraph.cpp - Operations and maps of a cascade -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlowGraph.h"

#include "Lowering.h"
#include "TensorUses.h"

#include <algorithm>
#include <numeric>

namespace avocet::compiler::schedule {

namespace {

class Builder {
public:
  Builder(const TensorUses &uses, const Plan &plan, FlowGraph &graph)
      : problem_(graph.problem), uses_(uses), plan_(plan), flow_(graph.flow), graph_(graph) {}

  void run(uint32_t end) {
    for (uint32_t op = graph_.first; op < end; ++op)
      operations_.push_back(&problem_.operations[op]);
    findParts();
    for (const Operation *op : operations_)
      addNode(*op);
    for (FlowNode &node : graph_.nodes)
      addUsers(node);
    for (auto &[id, state] : graph_.states)
      addMap(id, state);
    for (FlowNode &node : graph_.nodes)
      for (FlowLink &input : node.inputs)
        findWriters(input, node);
    findMakersOfWeights();
    for (FlowNode &node : graph_.nodes)
      node.isEnd =
          std::ranges::all_of(node.outputs, [](const FlowLink &output) { return output.state->readers.empty(); });
  }

private:
  /// Calls `use` with each operand of the cascade that is in DRAM.
  template <typename Use> void forOperandsInDram(Use use) const {
    const auto visit = [&](const Operand &operand, bool isOutput) {
      if (!operand.isConstant && plan_.residencies[operand.id] == Residency::Dram)
        use(operand, isOutput);
    };
    for (const Operation *op : operations_) {
      for (const Operand &input : op->inputs)
        visit(input, false);
      for (const Operand &output : op->outputs)
        visit(output, true);
    }
  }

  /// Uses of a tensor in DRAM.
  struct Use {
    uint64_t written = 0;       ///< bytes
    uint64_t readPortBytes = 0; ///< if each operand is loaded by itself
    bool isRead = false;
  };

  /// Parts of a tensor are staged by themselves unless the cascade makes all of the tensor and reads it, or whole rows
  /// take less time.
  void findParts() {
    std::unordered_map<uint32_t, Use> uses;
    bool hasParts = false;
    forOperandsInDram([&](const Operand &operand, bool isOutput) {
      Use &use = uses[operand.id];
      use.written += isOutput ? operand.shape.bytes() : 0;
      use.readPortBytes += isOutput ? 0 : portBytes(*problem_.target, operand);
      use.isRead |= !isOutput;
      hasParts |= operand.shape.bytes() != problem_.tensors[operand.id].shape.bytes();
    });
    if (!hasParts)
      return;
    forOperandsInDram([&](const Operand &operand, bool) {
      if (operand.shape.bytes() != problem_.tensors[operand.id].shape.bytes() && !isInRows(operand, uses[operand.id]) &&
          !flow_.isPart(problem_, flow_.mapOf(problem_, operand)))
        flow_.parts.push_back(operand);
    });
  }

  /// Whether a part of a tensor is staged as a part of the tensor's rows.
  bool isInRows(const Operand &part, const Use &use) const {
    const uint64_t bytes = problem_.tensors[part.id].shape.bytes();
    const TensorUses::Range &range = uses_.of(part.id);
    if (use.written != 0)
      return use.written == bytes && (use.isRead || range.hasShortRuns);
    const bool isMade = !range.isWritten || range.lastWriter < graph_.first;
    return isMade && use.readPortBytes > roundUp(bytes, uint64_t(problem_.target->dram().burstBytes)) &&
           rowPlacesIn(problem_.tensors[part.id].shape, part);
  }

  void addNode(const Operation &op) {
    const uint32_t number = uint32_t(graph_.nodes.size());
    FlowNode &node = graph_.nodes.emplace_back();
    node.op = &op;
    for (uint32_t i = 0; i < op.inputs.size(); ++i)
      if (!op.inputs[i].isConstant)
        node.inputs.push_back(linkOf(op.inputs[i], number, i));
    if (op.dynamicScale != kNone)
      node.inputs.push_back(linkOf({false, op.dynamicScale, problem_.tensors[op.dynamicScale].shape}, number, kNone));
    for (uint32_t i = 0; i < op.outputs.size(); ++i) {
      node.outputs.push_back(linkOf(op.outputs[i], number, i));
      node.leaves |= plan_.residencies[op.outputs[i].id] != Residency::Ring;
    }
  }

  FlowLink linkOf(const Operand &operand, uint32_t operation, uint32_t index) const {
    FlowLink link{operation, index, flow_.mapOf(problem_, operand), operand.shape.height};
    if (!flow_.isPart(problem_, link.map))
      link.places = rowPlacesIn(problem_.tensors[link.map].shape, operand);
    return link;
  }

  void addUsers(FlowNode &node) {
    for (FlowLink &input : node.inputs) {
      input.state = &graph_.states[input.map];
      input.state->readers.push_back(&input);
    }
    for (FlowLink &output : node.outputs) {
      output.state = &graph_.states[output.map];
      output.state->writers.push_back(&output);
    }
  }

  /// Rows wrap only if they are rows of the map for all its users.
  void addMap(uint32_t id, MapState &state) {
    state.height = flow_.shapeOf(problem_, id).height;
    const Residency residency = plan_.residencies[flow_.tensorOf(problem_, id)];
    findRowStores(id, residency, state);
    if (residency == Residency::Sram)
      return;
    state.isWhole = false;
    state.ring.loaded = residency == Residency::Dram && state.writers.empty();
    state.ring.stored = residency == Residency::Dram && !state.writers.empty();
    state.isRing = true;
    for (const auto &links : {state.writers, state.readers})
      for (const FlowLink *link : links)
        addToRing(*link, state);
    flow_.maps[id] = state.ring;
  }

  /// Rows with short runs are stored when they are complete. The cascade with the last writer does it for a tensor that
  /// stays in SRAM.
  void findRowStores(uint32_t map, Residency residency, MapState &state) const {
    if (flow_.isPart(problem_, map) || state.writers.empty() || !uses_.of(map).hasShortRuns)
      return;
    if (residency == Residency::Dram)
      state.storesRows = true;
    else if (!problem_.tensors[map].networkOutputs.empty())
      state.storesRows = uses_.of(map).lastWriter < graph_.first + operations_.size();
  }

  static void addToRing(const FlowLink &link, MapState &state) {
    const bool isReadWhole = link.index == kNone;
    state.isRing = state.isRing && (link.places || isReadWhole);
    if (link.places)
      state.ringUnit =
          uint32_t(std::min<uint64_t>(state.height, std::lcm(uint64_t(state.ringUnit), uint64_t(link.places->step))));
  }

  void findWriters(FlowLink &input, const FlowNode &node) const {
    if (flow_.isPart(problem_, input.map))
      return;
    const MapShape &shape = problem_.tensors[input.map].shape;
    for (const FlowLink *writer : input.state->writers) {
      const Operand &output = graph_.nodes[writer->operation].op->outputs[writer->index];
      if (input.index == kNone || output.shape == shape || mayOverlap(shape, node.op->inputs[input.index], output))
        input.writers.push_back(writer);
    }
  }

  void findMakersOfWeights() {
    for (const FlowNode &node : graph_.nodes)
      for (const FlowLink &input : node.inputs)
        if (node.op->readsWeights(input.index))
          for (const FlowLink *writer : input.writers)
            graph_.nodes[writer->operation].makesWeights = true;
  }

  const Problem &problem_;
  const TensorUses &uses_;
  const Plan &plan_;
  RowFlow &flow_;
  FlowGraph &graph_;
  std::vector<const Operation *> operations_;
};

} // namespace

FlowGraph::FlowGraph(const Problem &problem, const TensorUses &uses, const Plan &plan, uint32_t first, uint32_t end)
    : problem(problem), first(first) {
  Builder(uses, plan, *this).run(end);
}

void FlowGraph::reset() {
  for (FlowNode &node : nodes)
    node.made = node.steady = 0;
  for (auto &[id, state] : states) {
    state.have = state.step = state.stored = 0;
    state.ring.ringRows = state.isRing ? 0 : state.height;
  }
}

} // namespace avocet::compiler::schedule

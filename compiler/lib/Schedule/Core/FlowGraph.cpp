//===- FlowGraph.cpp - Operations and maps of a cascade -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlowGraph.h"

#include "Lowering.h"

#include <algorithm>

namespace avocet::compiler::schedule {

namespace {

class Builder {
public:
  Builder(const Plan &plan, FlowGraph &graph)
      : problem_(graph.problem), plan_(plan), flow_(graph.flow), graph_(graph) {}

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
      if (!isRing && operand.shape.bytes() != bytes && !flow_.isPart(problem_, flow_.mapOf(problem_, operand)))
        flow_.parts.push_back(operand);
    });
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
      link.firstRow = firstRowIn(problem_.tensors[link.map].shape, operand).value_or(kNone);
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
    if (residency == Residency::Sram)
      return;
    state.isWhole = false;
    state.ring.loaded = residency == Residency::Dram && state.writers.empty();
    state.ring.stored = residency == Residency::Dram && !state.writers.empty();
    const auto hasRows = [](const FlowLink *link) { return link->firstRow != kNone || link->index == kNone; };
    state.isRing = std::ranges::all_of(state.writers, hasRows) && std::ranges::all_of(state.readers, hasRows);
    flow_.maps[id] = state.ring;
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

  const Problem &problem_;
  const Plan &plan_;
  RowFlow &flow_;
  FlowGraph &graph_;
  std::vector<const Operation *> operations_;
};

} // namespace

FlowGraph::FlowGraph(const Problem &problem, const Plan &plan, uint32_t first, uint32_t end)
    : problem(problem), first(first) {
  Builder(plan, *this).run(end);
}

void FlowGraph::reset() {
  for (FlowNode &node : nodes)
    node.made = node.steady = 0;
  for (auto &[id, state] : states) {
    state.have = state.step = 0;
    state.ring.ringRows = state.isRing ? 0 : state.height;
  }
}

} // namespace avocet::compiler::schedule

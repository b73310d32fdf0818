//===- Graph.cpp - Names and order in an ONNX graph -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxSteps.h"

#include "Import/Common/FileChecks.h"
#include "Import/Common/UniqueNames.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using namespace onnx_file;

class GraphCheck {
public:
  /// `outer` is null for the network.
  GraphCheck(Location location, GraphProto &graph, const GraphCheck *outer)
      : location_(location), graph_(graph), outer_(outer) {}

  LogicalResult run() {
    if (failed(defineInputs()) || failed(defineResults()))
      return failure();
    for (ValueInfoProto &value :
         llvm::concat<ValueInfoProto>(*graph_.mutable_input(), *graph_.mutable_output(), *graph_.mutable_value_info()))
      if (failed(checkType(value)))
        return failure();
    for (current_ = 0; current_ < graph_.node_size(); ++current_)
      if (failed(checkNode(*graph_.mutable_node(current_))))
        return failure();
    llvm::StringSet<> outputs;
    for (const ValueInfoProto &output : graph_.output()) {
      if (!outer_ && !outputs.insert(output.name()).second)
        return error() << "two outputs are called '" << output.name() << "'";
      if (!isDefined(output.name()))
        return error() << "the output '" << output.name() << "' is no input, no initializer and no result of a node";
    }
    return success();
  }

private:
  InFlightDiagnostic error() const {
    InFlightDiagnostic error = emitError(location_);
    if (outer_)
      error << "graph '" << graph_.name() << "' of " << describe(outer_->graph_.node(outer_->current_)) << ": ";
    return error;
  }

  LogicalResult checkName(StringRef name, StringRef ofWhat) const {
    const std::optional<std::string> problem = nameProblem(ofWhat, name);
    return problem ? LogicalResult(error() << *problem) : success();
  }

  LogicalResult defineInputs() {
    for (const ValueInfoProto &input : graph_.input()) {
      if (failed(checkName(input.name(), "an input")))
        return failure();
      if (!places_.try_emplace(input.name(), kBefore).second)
        return error() << "two inputs are called '" << input.name() << "'";
      if (!outer_ && (input.type().value_case() == TypeProto::VALUE_NOT_SET ||
                      (input.type().has_tensor_type() && input.type().tensor_type().elem_type() == 0)))
        return error() << "the input '" << input.name() << "' has no type";
    }
    for (const TensorProto &initializer : graph_.initializer()) {
      if (failed(checkName(initializer.name(), "an initializer")))
        return failure();
      if (!initializers_.try_emplace(initializer.name(), &initializer).second)
        return error() << "two initializers are called '" << initializer.name() << "'";
      places_.try_emplace(initializer.name(), kBefore);
    }
    return success();
  }

  LogicalResult defineResults() {
    for (int index = 0; index < graph_.node_size(); ++index)
      for (const std::string &output : graph_.node(index).output()) {
        if (output.empty())
          continue;
        if (failed(checkName(output, "")))
          return failure();
        const auto [place, isNew] = places_.try_emplace(output, index);
        if (!isNew)
          return error() << describe(graph_.node(index)) << " computes '" << output << "', which is "
                         << (place->second == kBefore ? "an input or an initializer"
                                                      : "a result of " + describe(graph_.node(place->second)));
      }
    return success();
  }

  LogicalResult checkType(ValueInfoProto &value) const {
    if (!value.type().has_tensor_type())
      return success();
    TypeProto::Tensor &type = *value.mutable_type()->mutable_tensor_type();
    if (!TensorProto::DataType_IsValid(type.elem_type()))
      return error() << "the value '" << value.name() << "' has the element type " << type.elem_type()
                     << ", which is none of the format's";
    SmallVector<int64_t> extents;
    for (int axis = 0; axis < type.shape().dim_size(); ++axis) {
      TensorShapeProto::Dimension &extent = *type.mutable_shape()->mutable_dim(axis);
      if (extent.dim_value() < 0) // some exporters write -1 for an unknown one
        extent.clear_value();
      extents.push_back(extent.dim_value());
    }
    if (auto wrong = wrongExtent(extents, 0, kMaxOnnxElements))
      return error() << "the value '" << value.name() << "' has the extent " << *wrong
                     << "; the product of extents must be at most 2^40";
    const TensorProto *initializer = initializers_.lookup(value.name());
    if (initializer && !agree(type, *initializer))
      return error() << "the value '" << value.name() << "' has another type or shape than the initializer of its name";
    return success();
  }

  static bool agree(const TypeProto::Tensor &type, const TensorProto &initializer) {
    const auto isSame = [](const TensorShapeProto::Dimension &extent, int64_t actual) {
      return !extent.has_dim_value() || extent.dim_value() == actual;
    };
    return (type.elem_type() == 0 || type.elem_type() == initializer.data_type()) &&
           (!type.has_shape() || llvm::equal(type.shape().dim(), initializer.dims(), isSame));
  }

  LogicalResult checkNode(NodeProto &node) {
    for (StringRef name : {node.name(), node.op_type()})
      if (failed(checkName(name, "a node")))
        return failure();
    for (const std::string &input : node.input())
      if (!input.empty() && !isDefined(input))
        return explain(node, input);
    for (GraphProto *graph : graphsOf(node))
      if (failed(GraphCheck(location_, *graph, this).run()))
        return failure();
    return success();
  }

  /// The graph, this or one around it, that has a value of this name.
  const GraphCheck *ownerOf(StringRef name) const {
    const GraphCheck *graph = this;
    while (graph && !graph->places_.contains(name))
      graph = graph->outer_;
    return graph;
  }

  bool isDefined(StringRef name) const {
    const GraphCheck *graph = ownerOf(name);
    return graph && graph->places_.lookup(name) < graph->current_;
  }

  LogicalResult explain(const NodeProto &node, StringRef name) const {
    const GraphCheck *graph = ownerOf(name);
    if (!graph)
      return error() << describe(node) << " reads '" << name
                     << "', which is no input, no initializer and no result of a node";
    const int place = graph->places_.lookup(name);
    const SmallVector<int> cycle = graph->cycleThrough(place);
    if (cycle.empty())
      return error() << describe(node) << " reads '" << name << "', a result of " << describe(graph->graph_.node(place))
                     << ", which comes later; sort the nodes in topological order";
    InFlightDiagnostic error = graph->error();
    error << "nodes form a cycle: ";
    constexpr size_t kMostShown = 8;
    for (const int each : ArrayRef(cycle).take_front(kMostShown))
      error << describe(graph->graph_.node(each)) << " -> ";
    return error << (cycle.size() > kMostShown ? "... -> " : "") << describe(graph->graph_.node(cycle.front()));
  }

  /// The nodes on a way from `place` to the current node, each read by the next. Empty: there is none.
  SmallVector<int> cycleThrough(int place) const {
    // A search from `place` along what nodes read, apart from their graphs.
    std::vector<int> reader(static_cast<size_t>(graph_.node_size()), kBefore);
    SmallVector<int> open = {place};
    reader[place] = place;
    while (!open.empty() && reader[current_] == kBefore) {
      const int index = open.pop_back_val();
      for (const std::string &input : graph_.node(index).input())
        if (const auto found = places_.find(input);
            found != places_.end() && found->second != kBefore && reader[found->second] == kBefore) {
          reader[found->second] = index;
          open.push_back(found->second);
        }
    }
    SmallVector<int> cycle;
    if (reader[current_] != kBefore)
      for (cycle = {current_}; cycle.back() != place;)
        cycle.push_back(reader[cycle.back()]);
    return cycle;
  }

  static constexpr int kBefore = -1; ///< the place of inputs and initializers
  Location location_;
  GraphProto &graph_;
  const GraphCheck *outer_;
  llvm::StringMap<int> places_; ///< the node that computes a value, by name
  llvm::StringMap<const TensorProto *> initializers_;
  int current_ = 0; ///< the node that is checked
};

/// Takes the names of nodes, or adds those that are missing.
void nameNodes(OnnxNodes &nodes, UniqueNames &names, bool adds) {
  for (int index = 0; index < nodes.size(); ++index) {
    NodeProto &node = nodes[index];
    if (node.name().empty() && adds)
      node.set_name(names.add(node.op_type() + "_" + std::to_string(index)));
    else if (!adds && !names.take(node.name()))
      node.clear_name();
    for (GraphProto *graph : graphsOf(node))
      nameNodes(*graph->mutable_node(), names, adds);
  }
}

} // namespace

LogicalResult checkGraph(Location location, GraphProto &graph) { return GraphCheck(location, graph, nullptr).run(); }

std::string describe(const NodeProto &node) { return "node '" + node.name() + "' (" + node.op_type() + ")"; }

SmallVector<GraphProto *> graphsOf(NodeProto &node) {
  SmallVector<GraphProto *> graphs;
  for (AttributeProto &attribute : *node.mutable_attribute())
    if (attribute.has_g())
      graphs.push_back(attribute.mutable_g());
  return graphs;
}

void nameNodes(OnnxNodes &nodes) {
  UniqueNames names;
  nameNodes(nodes, names, /*adds=*/false); // those of the file come first
  nameNodes(nodes, names, /*adds=*/true);
}

} // namespace avocet::compiler

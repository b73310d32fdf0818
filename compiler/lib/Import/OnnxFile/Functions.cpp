//===- Functions.cpp - Functions and operator sets of ONNX ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxSteps.h"

#include "Import/Common/UniqueNames.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using namespace onnx_file;

constexpr size_t kMaxCalls = 32; ///< of functions inside each other
constexpr uint64_t kMaxCopiedBytes = uint64_t{128} << 20;
constexpr uint64_t kObjectWeight = 4; ///< objects take up to 35 times as much memory as their bytes in the file

/// Versions that are accepted of an operator set. Sets of other domains are of functions in the file, or unknown.
struct KnownSet {
  StringRef domain;
  int64_t first, last;
};
constexpr KnownSet kKnownSets[] = {{"", 1, 26}, {"ai.onnx.ml", 1, 5}, {"com.microsoft", 1, 1}};

StringRef titleOf(StringRef domain) { return domain.empty() ? "ai.onnx" : domain; }

using OperatorSets = llvm::StringMap<int64_t>; ///< versions by domain

/// The operator sets that a model or a function, `user`, imports.
FailureOr<OperatorSets> readSets(Location location, const Twine &user,
                                 const google::protobuf::RepeatedPtrField<OperatorSetIdProto> &imports) {
  OperatorSets sets;
  for (const OperatorSetIdProto &import : imports) {
    const StringRef domain = import.domain() == "ai.onnx" ? StringRef() : StringRef(import.domain());
    const auto [place, isNew] = sets.try_emplace(domain, import.version());
    if (!isNew && place->second != import.version())
      return emitError(location) << user << " imports the operators '" << titleOf(domain) << "' in versions "
                                 << place->second << " and " << import.version() << ", must import one";
    const auto *known = llvm::find_if(kKnownSets, [&](const KnownSet &each) { return each.domain == domain; });
    if (known != std::end(kKnownSets) && (import.version() < known->first || import.version() > known->last))
      return emitError(location) << user << " imports version " << import.version() << " of the operators '"
                                 << titleOf(domain) << "' (opset), " << known->first << " to " << known->last
                                 << " are accepted; export it for one of them, or use onnx.version_converter";
  }
  return sets;
}

/// Sets the version of a node, whose domain must be imported.
LogicalResult setVersion(Location location, const OperatorSets &sets, NodeProto &node) {
  const auto found = sets.find(node.domain());
  if (found == sets.end())
    return emitError(location) << describe(node) << " is of the operators '" << titleOf(node.domain())
                               << "', of which no version is imported; add one to opset_import";
  node.set_version(found->second);
  return success();
}

struct Function {
  const FunctionProto *proto = nullptr;
  OperatorSets sets;
};

std::string keyOf(StringRef domain, StringRef name, StringRef overload) {
  return (domain + Twine('\0') + name + Twine('\0') + overload).str();
}

std::string titleOf(const FunctionProto &function) {
  return "function '" + (function.domain().empty() ? "" : function.domain() + ".") + function.name() + "'";
}

/// What all calls together make.
struct Copies {
  Location location;
  UniqueNames &values;
  int nodes = 0;
  uint64_t bytes = 0;

  /// Counts bytes that are copied for the node.
  LogicalResult add(uint64_t more, const NodeProto &node) {
    bytes += more;
    if (nodes <= kMaxOnnxNodes && bytes <= kMaxCopiedBytes)
      return success();
    return emitError(location) << "with its functions the model has more than " << kMaxOnnxNodes << " nodes or "
                               << kMaxCopiedBytes << " bytes of copies at " << describe(node) << "; divide it";
  }
};

/// Turns a copy of a function's nodes into those of one call: names of values, names of nodes, attributes.
class CallWriter {
public:
  CallWriter(const NodeProto &call, const FunctionProto &function, Copies &copies)
      : call_(call), function_(function), copies_(copies) {}

  LogicalResult write(OnnxNodes &nodes) {
    if (failed(readCall()))
      return failure();
    llvm::StringMap<std::string> &names = scopes_.emplace_back();
    for (int i = 0; i < function_.input_size(); ++i)
      if (!names.try_emplace(function_.input(i), i < call_.input_size() ? call_.input(i) : "").second)
        return error() << "the function has two inputs '" << function_.input(i) << "'";
    for (int i = 0; i < call_.output_size(); ++i) {
      const std::string &result = function_.output(i);
      if (call_.output(i).empty() || names.try_emplace(result, call_.output(i)).second)
        continue;
      // It is an input, or another result.
      NodeProto &identity = *nodes.Add();
      identity.set_op_type("Identity");
      identity.set_name(result);
      identity.set_version(13); // the function may import no operators of ONNX
      identity.add_input(result);
      identity.add_output(result + '\0' + std::to_string(i));
      names.try_emplace(identity.output(0), call_.output(i));
    }
    return writeNodes(nodes);
  }

private:
  InFlightDiagnostic error() const {
    return emitError(copies_.location) << describe(call_) << " calls " << titleOf(function_) << ": ";
  }

  LogicalResult readCall() {
    if (call_.input_size() > function_.input_size() || call_.output_size() > function_.output_size())
      return error() << "it has " << call_.input_size() << " inputs and " << call_.output_size()
                     << " outputs, the function has " << function_.input_size() << " and " << function_.output_size();
    for (const std::string &name : function_.attribute())
      attributes_[name] = nullptr; // no default
    for (const AttributeProto &attribute : function_.attribute_proto())
      attributes_[attribute.name()] = &attribute;
    for (const AttributeProto &attribute : call_.attribute()) {
      const auto found = attributes_.find(attribute.name());
      if (found == attributes_.end())
        return error() << "the function has no attribute '" << attribute.name() << "'";
      found->second = &attribute;
    }
    return success();
  }

  void define(const std::string &name) {
    const auto [place, isNew] = scopes_.back().try_emplace(name);
    if (isNew && copies_.bytes <= kMaxCopiedBytes) { // above it, add() fails
      place->second = copies_.values.add(call_.name() + "/" + name);
      copies_.bytes += place->second.size();
    }
  }

  LogicalResult rename(std::string &name, const std::string &user) const {
    if (name.empty())
      return success();
    for (const llvm::StringMap<std::string> &scope : llvm::reverse(scopes_))
      if (auto found = scope.find(name); found != scope.end()) {
        name = found->second;
        return copies_.add(name.size(), call_);
      }
    return error() << user << " reads '" << name << "', which is no input of the function and no result in it";
  }

  LogicalResult writeNodes(OnnxNodes &nodes) {
    for (const NodeProto &node : nodes)
      for (const std::string &output : node.output())
        define(output);
    for (NodeProto &node : nodes) {
      const std::string user = "its " + describe(node);
      for (std::string &name : llvm::concat<std::string>(*node.mutable_input(), *node.mutable_output()))
        if (failed(rename(name, user)))
          return failure();
      // Graphs that come from the call have the names of its place already.
      for (GraphProto *graph : graphsOf(node))
        if (failed(writeGraph(*graph)))
          return failure();
      for (int i = node.attribute_size() - 1; i >= 0; --i)
        if (!node.attribute(i).ref_attr_name().empty() && failed(writeAttribute(node, i)))
          return failure();
      node.set_name(call_.name() + "/" + node.name());
      if (failed(copies_.add(node.name().size(), call_)))
        return failure();
    }
    return success();
  }

  LogicalResult writeAttribute(NodeProto &node, int index) {
    AttributeProto &attribute = *node.mutable_attribute(index);
    const AttributeProto *value = attributes_.lookup(attribute.ref_attr_name());
    if (!value) { // the default of the operator counts
      node.mutable_attribute()->DeleteSubrange(index, 1);
      return success();
    }
    if (attribute.type() != AttributeProto::UNDEFINED && attribute.type() != value->type())
      return error() << "attribute '" << value->name() << "' has type "
                     << AttributeProto::AttributeType_Name(value->type()) << ", its " << describe(node) << " needs "
                     << AttributeProto::AttributeType_Name(attribute.type());
    // Nodes in graphs are counted only when all of the call are copied.
    if (failed(copies_.add(kObjectWeight * (value->has_g() ? 8 : 1) * value->ByteSizeLong(), call_)))
      return failure();
    const std::string name = attribute.name();
    attribute = *value;
    attribute.set_name(name);
    return success();
  }

  LogicalResult writeGraph(GraphProto &graph) {
    scopes_.emplace_back();
    for (const ValueInfoProto &input : graph.input())
      define(input.name());
    for (const TensorProto &initializer : graph.initializer())
      define(initializer.name());
    if (failed(writeNodes(*graph.mutable_node())))
      return failure();
    const std::string user = "its graph '" + graph.name() + "'";
    for (ValueInfoProto &value : llvm::concat<ValueInfoProto>(*graph.mutable_input(), *graph.mutable_output()))
      if (failed(rename(*value.mutable_name(), user)))
        return failure();
    for (TensorProto &initializer : *graph.mutable_initializer())
      if (failed(rename(*initializer.mutable_name(), user)))
        return failure();
    graph.clear_value_info();
    scopes_.pop_back();
    return success();
  }

  const NodeProto &call_;
  const FunctionProto &function_;
  Copies &copies_;
  llvm::StringMap<const AttributeProto *> attributes_; ///< of the call, and defaults; null: neither
  SmallVector<llvm::StringMap<std::string>> scopes_;   ///< new names, by those in the function
};

class FunctionInliner {
public:
  FunctionInliner(Location location, UniqueNames &values) : copies_{location, values} {}

  LogicalResult run(ModelProto &model) {
    FailureOr<OperatorSets> sets = readSets(copies_.location, "the model", model.opset_import());
    if (failed(sets))
      return failure();
    for (const FunctionProto &function : model.functions()) {
      FailureOr<OperatorSets> own = readSets(copies_.location, titleOf(function), function.opset_import());
      if (failed(own))
        return failure();
      const std::string key = keyOf(function.domain(), function.name(), function.overload());
      if (!functions_.try_emplace(key, Function{&function, std::move(*own)}).second)
        return emitError(copies_.location) << "the model has " << titleOf(function) << " twice";
    }
    return writeNodes(*model.mutable_graph()->mutable_node(), *sets, 1);
  }

private:
  LogicalResult writeNodes(OnnxNodes &nodes, const OperatorSets &sets, int depth) {
    constexpr int kMaxDepth = 32;
    if (depth > kMaxDepth)
      return emitError(copies_.location) << "graphs are nested deeper than " << kMaxDepth;
    OnnxNodes written;
    for (NodeProto &node : nodes) {
      ++copies_.nodes;
      if (failed(copies_.add(0, node)))
        return failure();
      const auto function = functions_.find(keyOf(node.domain(), node.op_type(), node.overload()));
      // Nodes that came with an attribute of a call have the version that counts there.
      if (!node.has_version() && function == functions_.end() && failed(setVersion(copies_.location, sets, node)))
        return failure();
      for (GraphProto *graph : graphsOf(node))
        if (failed(writeNodes(*graph->mutable_node(), sets, depth + 1)))
          return failure();
      if (node.has_version())
        written.Add(std::move(node));
      else if (failed(writeCall(node, function->second, depth, written)))
        return failure();
    }
    nodes.Swap(&written);
    return success();
  }

  LogicalResult writeCall(const NodeProto &call, const Function &function, int depth, OnnxNodes &written) {
    const bool isRecursive = llvm::is_contained(active_, function.proto);
    if (isRecursive || active_.size() == kMaxCalls) {
      InFlightDiagnostic error = emitError(copies_.location);
      error << describe(call) << (isRecursive ? " calls a function inside itself: " : " calls functions too deeply: ");
      for (const FunctionProto *each : active_)
        error << titleOf(*each) << " calls ";
      return error << titleOf(*function.proto) << "; write the network without that";
    }
    if (failed(copies_.add(kObjectWeight * function.proto->ByteSizeLong(), call)))
      return failure();
    OnnxNodes nodes = function.proto->node();
    if (failed(CallWriter(call, *function.proto, copies_).write(nodes)))
      return failure();
    active_.push_back(function.proto);
    if (failed(writeNodes(nodes, function.sets, depth)))
      return failure();
    active_.pop_back();
    for (NodeProto &node : nodes)
      written.Add(std::move(node));
    return success();
  }

  llvm::StringMap<Function> functions_; ///< by keyOf()
  Copies copies_;
  SmallVector<const FunctionProto *> active_; ///< whose calls are written, the outermost first
};

} // namespace

LogicalResult inlineFunctions(Location location, ModelProto &model, UniqueNames &values) {
  if (failed(FunctionInliner(location, values).run(model)))
    return failure();
  if (model.functions_size() > 0)
    nameNodes(*model.mutable_graph()->mutable_node());
  model.clear_functions();
  return success();
}

} // namespace avocet::compiler

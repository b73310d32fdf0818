//===- NetworkContext.cpp - Networks in EPContext nodes ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "context/NetworkContext.h"

#include "Onnx.pb.h"
#include "avocet/base/FileBelow.h"
#include "avocet/hal/driver/OnnxExtension.h"
#include "model/Attributes.h"
#include "model/Elements.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <map>

namespace avocet::ort {
namespace {

using onnx_file::AttributeProto;
using onnx_file::NodeProto;

constexpr const char *kType = "EPContext", *kDomain = "com.microsoft";
// Attributes of the operator.
constexpr const char *kContext = "ep_cache_context", *kIsEmbedded = "embed_mode", *kSource = "source",
                     *kIsMain = "main_context", *kPartition = "partition_name";
constexpr uint32_t kFormat = 1; ///< of what nodes have

Result<NodeProto> attributesOf(const Graph &graph, const Node &node) {
  NodeProto read;
  AVOCET_ASSIGN_OR_RETURN(
      const auto attributes,
      (graph.runtime().list<abi::NodeGetNumAttributes, abi::NodeGetAttributes, const abi::OpAttr *>(node.node)));
  for (const abi::OpAttr *attribute : attributes)
    AVOCET_RETURN_IF_ERROR(addAttribute(graph.runtime(), *attribute, read));
  return read;
}

const AttributeProto *find(const NodeProto &node, std::string_view name) {
  const auto found = std::ranges::find(node.attribute(), name, &AttributeProto::name);
  return found == node.attribute().end() ? nullptr : &*found;
}

/// Of the model with the nodes, which has files of networks beside it.
Result<std::filesystem::path> contextPath(const ContextOptions &options, const std::string &modelPath) {
  if (!options.path.empty())
    return std::filesystem::path(options.path);
  if (modelPath.empty())
    return failedPrecondition("the session's model has no path, so files of networks have no place; set "
                              "ep.context_file_path, or ep.context_embed_mode to 1");
  return std::filesystem::path(modelPath).replace_extension("").concat("_ctx.onnx");
}

Result<std::vector<uint8_t>> readBeside(const Graph &graph, const ContextOptions &options, const std::string &name) {
  AVOCET_ASSIGN_OR_RETURN(const std::string modelPath, graph.runtime().text<abi::GraphGetModelPath>(&graph.get()));
  const std::string &model = modelPath.empty() ? options.path : modelPath;
  if (model.empty())
    return failedPrecondition(fmt::format("its network is in the file '{}', and the model has no path; set "
                                          "ep.context_file_path to that of the model",
                                          name));
  AVOCET_ASSIGN_OR_RETURN(const Mapping mapped, mapBelow(std::filesystem::path(model).parent_path().string(), name));
  return std::vector<uint8_t>(mapped.bytes().begin(), mapped.bytes().end());
}

Result<std::vector<hal::Operand>> declarations(const std::vector<const Value *> &values) {
  std::vector<hal::Operand> operands;
  for (const Value *value : values) {
    const auto type = value == nullptr ? std::nullopt : borderType(value->element);
    if (!type || !value->isFixed())
      return unsupported("an input or output has no known shape, or a type that no network has");
    operands.push_back(hal::onnxOperand(*type, std::vector<int32_t>(value->shape->begin(), value->shape->end())));
  }
  return operands;
}

/// The attributes of a node that is made. They are released unless the node takes them.
class NewAttributes {
public:
  explicit NewAttributes(const Runtime &runtime) : runtime_(runtime) {}
  ~NewAttributes() {
    for (abi::OpAttr *attribute : made_)
      if (attribute != nullptr)
        runtime_.get<abi::ReleaseOpAttr>(attribute);
  }
  NewAttributes(const NewAttributes &) = delete;
  NewAttributes &operator=(const NewAttributes &) = delete;

  Status add(const char *name, const std::string &text) {
    return add(name, text.data(), text.size(), abi::AttributeType::String);
  }
  Status add(const char *name, int64_t number) { return add(name, &number, 1, abi::AttributeType::Int); }
  /// Those that the runtime takes become null.
  std::vector<abi::OpAttr *> &all() { return made_; }

private:
  Status add(const char *name, const void *data, size_t count, abi::AttributeType type) {
    return runtime_.call<abi::CreateOpAttr>(name, data, static_cast<int>(count), type, &made_.emplace_back());
  }

  const Runtime &runtime_;
  std::vector<abi::OpAttr *> made_;
};

std::vector<const char *> pointers(const std::vector<std::string> &texts) {
  std::vector<const char *> result;
  for (const std::string &text : texts)
    result.push_back(text.c_str());
  return result;
}

/// The same file with its inputs and outputs in another order.
Result<std::string> reordered(const ContextParts &parts) {
  onnx_file::ModelProto model;
  if (!model.ParseFromString(parts.file))
    return internalError("the network's file cannot be read");
  onnx_file::GraphProto &graph = *model.mutable_graph();
  const auto order = [](auto &values, const std::vector<std::string> &names) {
    std::map<std::string, size_t> places;
    for (size_t i = 0; i < names.size(); ++i)
      places[names[i]] = i;
    std::sort(values.begin(), values.end(),
              [&](const auto &a, const auto &b) { return places[a.name()] < places[b.name()]; });
  };
  order(*graph.mutable_input(), parts.inputs);
  order(*graph.mutable_output(), parts.outputs);
  return model.SerializeAsString();
}

} // namespace

Result<bool> isContext(const Graph &graph, const Node &node) {
  if (node.type != kType || node.domain != kDomain)
    return false;
  AVOCET_ASSIGN_OR_RETURN(const NodeProto attributes, attributesOf(graph, node));
  const AttributeProto *source = find(attributes, kSource);
  return source != nullptr && source->s() == kProviderName;
}

Result<PlannedNetwork> loadContext(const Graph &graph, const Node &node, const ContextOptions &options,
                                   plugin::Engine &engine) {
  AVOCET_ASSIGN_OR_RETURN(const NodeProto attributes, attributesOf(graph, node));
  const AttributeProto *context = find(attributes, kContext), *isEmbedded = find(attributes, kIsEmbedded);
  if (context == nullptr)
    return dataLoss(fmt::format("attribute {} is missing", kContext));
  plugin::Network network;
  network.format = compiler::InputFormat::Onnx;
  if (isEmbedded == nullptr || isEmbedded->i() != 0) {
    network.file.assign(context->s().begin(), context->s().end());
  } else {
    AVOCET_ASSIGN_OR_RETURN(network.file, readBeside(graph, options, context->s()));
  }
  AVOCET_ASSIGN_OR_RETURN(network.inputs, declarations(node.inputs));
  AVOCET_ASSIGN_OR_RETURN(network.outputs, declarations(node.outputs));
  PlannedNetwork planned{nullptr, operandsOf(node.inputs), operandsOf(node.outputs), "", nullptr};
  AVOCET_RETURN_IF_ERROR(planned.prepare(engine, std::move(network), /*asksShapes=*/false));
  return planned;
}

Result<abi::Node *> makeContext(const Runtime &runtime, const ContextOptions &options, const ContextParts &parts) {
  AVOCET_ASSIGN_OR_RETURN(std::string context, reordered(parts));
  if (!options.isEmbedded) {
    AVOCET_ASSIGN_OR_RETURN(const std::filesystem::path model, contextPath(options, parts.modelPath));
    const std::filesystem::path file =
        model.parent_path() / fmt::format("{}_{}.onnx", model.stem().string(), parts.name);
    AVOCET_RETURN_IF_ERROR(writeFile(file.string(), context));
    context = file.filename().string();
  }
  NewAttributes attributes(runtime);
  AVOCET_RETURN_IF_ERROR(attributes.add(kIsMain, 1));
  AVOCET_RETURN_IF_ERROR(attributes.add(kIsEmbedded, options.isEmbedded ? 1 : 0));
  AVOCET_RETURN_IF_ERROR(attributes.add(kContext, context));
  AVOCET_RETURN_IF_ERROR(attributes.add(kSource, std::string(kProviderName)));
  AVOCET_RETURN_IF_ERROR(attributes.add(kPartition, parts.name));
  const std::vector<const char *> inputs = pointers(parts.inputs), outputs = pointers(parts.outputs);
  abi::Node *node = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime.callEditor<abi::CreateNode>(kType, kDomain, parts.name.c_str(), inputs.data(),
                                                             inputs.size(), outputs.data(), outputs.size(),
                                                             attributes.all().data(), attributes.all().size(), &node));
  return node;
}

std::string compatibilityText(std::string_view version) { return fmt::format("avocet;{};{}", kFormat, version); }

abi::Compatibility compatibilityOf(std::string_view text, std::string_view version) {
  if (!text.starts_with("avocet;"))
    return abi::Compatibility::NotApplicable;
  if (text == compatibilityText(version))
    return abi::Compatibility::Optimal;
  return text.starts_with(fmt::format("avocet;{};", kFormat)) ? abi::Compatibility::PreferRecompilation
                                                              : abi::Compatibility::Unsupported;
}

} // namespace avocet::ort

//===- FakeRuntime.cpp - A runtime of graphs in memory ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeRuntime.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace avocet::ort {
namespace {

const char *versionText = "";
uint32_t newestVersion = 0;
std::array<void *, 424> api{}, epApi{};

template <typename Entry, typename Function> void set(Function *function, std::array<void *, 424> &table = api) {
  for (size_t place = 0; place < table.size(); ++place) {
    std::array<void *, 424> probe{};
    probe[place] = reinterpret_cast<void *>(function);
    if (reinterpret_cast<void *>(Entry::in(static_cast<const void *>(probe.data()))) == probe[place])
      table[place] = probe[place];
  }
}

abi::Status *fail(const char *text) {
  return reinterpret_cast<abi::Status *>(new FakeStatus{abi::ErrorCode::Fail, text});
}
const FakeValue &valueOf(const void *object) { return *static_cast<const FakeValue *>(object); }
const FakeNode &nodeOf(const abi::Node *node) { return *reinterpret_cast<const FakeNode *>(node); }
const FakeGraph &graphOf(const abi::Graph *graph) { return *reinterpret_cast<const FakeGraph *>(graph); }
const FakeAttribute &attributeOf(const abi::OpAttr *attribute) {
  return *reinterpret_cast<const FakeAttribute *>(attribute);
}

template <typename Object, typename List, List Object::*list, typename Handle>
abi::Status *count(const Handle *handle, size_t *size) {
  *size = (reinterpret_cast<const Object *>(handle)->*list).size();
  return nullptr;
}

template <typename Object, std::vector<const FakeValue *> Object::*list, typename Handle>
abi::Status *values(const Handle *handle, const abi::ValueInfo **infos, size_t size) {
  for (size_t i = 0; i < size; ++i)
    infos[i] = reinterpret_cast<const abi::ValueInfo *>((reinterpret_cast<const Object *>(handle)->*list)[i]);
  return nullptr;
}

template <std::string FakeNode::*text> abi::Status *nodeText(const abi::Node *node, const char **result) {
  *result = (nodeOf(node).*text).c_str();
  return nullptr;
}

template <bool FakeValue::*flag> abi::Status *valueFlag(const abi::ValueInfo *value, bool *result) {
  *result = valueOf(value).*flag;
  return nullptr;
}

template <typename CountEntry, typename ListEntry, typename Object, std::vector<const FakeValue *> Object::*list,
          typename Handle>
void setValues() {
  set<CountEntry>(count<Object, std::vector<const FakeValue *>, list, Handle>);
  set<ListEntry>(values<Object, list, Handle>);
}

void setStatuses() {
  set<abi::CreateStatus>(+[](abi::ErrorCode code, const char *text) {
    return reinterpret_cast<abi::Status *>(new FakeStatus{code, text});
  });
  set<abi::GetErrorMessage>(
      +[](const abi::Status *status) { return reinterpret_cast<const FakeStatus *>(status)->text.c_str(); });
  set<abi::ReleaseStatus>(+[](abi::Status *status) { delete reinterpret_cast<FakeStatus *>(status); });
  set<abi::GetEpApi>(+[]() -> const void * { return static_cast<const void *>(epApi.data()); });
}

void setPairs() {
  set<abi::GetKeyValue>(+[](const abi::KeyValuePairs *pairs, const char *key) -> const char * {
    const FakePairs &all = *reinterpret_cast<const FakePairs *>(pairs);
    const auto found = all.find(key);
    return found == all.end() ? nullptr : found->second.c_str();
  });
  // Of sessions, which have none here.
  set<abi::GetSessionOptionsConfigEntries>(
      +[](const abi::SessionOptions *, abi::KeyValuePairs **entries) -> abi::Status * {
        *entries = reinterpret_cast<abi::KeyValuePairs *>(new FakePairs());
        return nullptr;
      });
  set<abi::GetKeyValuePairs>(
      +[](const abi::KeyValuePairs *, const char *const **, const char *const **, size_t *size) { *size = 0; });
  set<abi::ReleaseKeyValuePairs>(+[](abi::KeyValuePairs *pairs) { delete reinterpret_cast<FakePairs *>(pairs); });
}

FakeHardware &hardwareOf(const abi::HardwareDevice *device) {
  return *reinterpret_cast<FakeHardware *>(const_cast<abi::HardwareDevice *>(device));
}

void setDevices() {
  set<abi::HardwareDeviceType>(+[](const abi::HardwareDevice *device) { return hardwareOf(device).type; });
  set<abi::HardwareDeviceMetadata>(+[](const abi::HardwareDevice *device) {
    return reinterpret_cast<const abi::KeyValuePairs *>(&hardwareOf(device).metadata);
  });
  set<abi::CreateMemoryInfo>(+[](const char *, abi::MemoryDeviceType, uint32_t, int32_t, abi::DeviceMemoryType, size_t,
                                 abi::AllocatorType, abi::MemoryInfo **info) -> abi::Status * {
    static int theOnly = 0;
    *info = reinterpret_cast<abi::MemoryInfo *>(&theOnly);
    return nullptr;
  });
  set<abi::ReleaseMemoryInfo>(+[](abi::MemoryInfo *) {});
  set<abi::CreateHardwareDevice>(
      +[](abi::HardwareType type, uint32_t, uint32_t, const char *vendor, const abi::KeyValuePairs *,
          abi::HardwareDevice **made) -> abi::Status * {
        *made = reinterpret_cast<abi::HardwareDevice *>(new FakeHardware{.type = type, .vendor = vendor});
        return nullptr;
      },
      epApi);
  set<abi::ReleaseHardwareDevice>(+[](abi::HardwareDevice *device) { delete &hardwareOf(device); }, epApi);
  set<abi::CreateEpDevice>(
      +[](abi::Factory *, const abi::HardwareDevice *device, const abi::KeyValuePairs *, const abi::KeyValuePairs *,
          abi::EpDevice **made) -> abi::Status * {
        *made = reinterpret_cast<abi::EpDevice *>(new FakeEpDevice{&hardwareOf(device)});
        return nullptr;
      },
      epApi);
  set<abi::AddAllocatorInfo>(
      +[](abi::EpDevice *device, const abi::MemoryInfo *) -> abi::Status * {
        reinterpret_cast<FakeEpDevice *>(device)->hasAllocator = true;
        return nullptr;
      },
      epApi);
}

void setTypes() {
  set<abi::GetValueInfoName>(+[](const abi::ValueInfo *value, const char **name) -> abi::Status * {
    *name = valueOf(value).name.c_str();
    return nullptr;
  });
  set<abi::GetValueInfoTypeInfo>(+[](const abi::ValueInfo *value, const abi::TypeInfo **type) -> abi::Status * {
    *type = reinterpret_cast<const abi::TypeInfo *>(value);
    return nullptr;
  });
  set<abi::CastTypeInfoToTensorInfo>(+[](const abi::TypeInfo *type, const abi::TensorInfo **tensor) -> abi::Status * {
    *tensor = valueOf(type).element == 0 ? nullptr : reinterpret_cast<const abi::TensorInfo *>(type);
    return nullptr;
  });
  set<abi::GetTensorElementType>(+[](const abi::TensorInfo *tensor, int32_t *element) -> abi::Status * {
    *element = valueOf(tensor).element;
    return nullptr;
  });
  set<abi::GetDimensionsCount>(+[](const abi::TensorInfo *tensor, size_t *rank) -> abi::Status * {
    *rank = valueOf(tensor).shape ? valueOf(tensor).shape->size() : 0;
    return nullptr;
  });
  set<abi::GetDimensions>(+[](const abi::TensorInfo *tensor, int64_t *extents, size_t rank) -> abi::Status * {
    std::copy_n(valueOf(tensor).shape->begin(), rank, extents);
    return nullptr;
  });
  set<abi::GetSymbolicDimensions>(+[](const abi::TensorInfo *tensor, const char **names, size_t rank) -> abi::Status * {
    for (size_t i = 0; i < rank; ++i)
      names[i] = i < valueOf(tensor).extentNames.size() ? valueOf(tensor).extentNames[i] : "";
    return nullptr;
  });
  set<abi::TensorInfoHasShape>(+[](const abi::TensorInfo *tensor) { return valueOf(tensor).shape.has_value(); });
}

void setTensors() {
  set<abi::ValueInfoIsConstantInitializer>(valueFlag<&FakeValue::isConstant>);
  set<abi::ValueInfoIsGraphOutput>(valueFlag<&FakeValue::isOutput>);
  set<abi::ValueInfoGetInitializerValue>(+[](const abi::ValueInfo *value, const abi::Value **data) -> abi::Status * {
    *data = reinterpret_cast<const abi::Value *>(value);
    return nullptr;
  });
  set<abi::GetTensorSizeInBytes>(+[](const abi::Value *value, size_t *bytes) -> abi::Status * {
    *bytes = valueOf(value).bytes.size();
    return nullptr;
  });
  set<abi::GetTensorData>(+[](const abi::Value *value, const void **data) -> abi::Status * {
    *data = valueOf(value).bytes.data();
    return nullptr;
  });
  set<abi::GetTensorTypeAndShape>(+[](const abi::Value *value, abi::TensorInfo **tensor) -> abi::Status * {
    *tensor = reinterpret_cast<abi::TensorInfo *>(const_cast<abi::Value *>(value));
    return nullptr;
  });
  set<abi::ReleaseTensorInfo>(+[](abi::TensorInfo *) {});
  set<abi::ReleaseValue>(+[](abi::Value *) {});
}

void setGraphs() {
  setValues<abi::GraphGetNumInputs, abi::GraphGetInputs, FakeGraph, &FakeGraph::inputs, abi::Graph>();
  setValues<abi::GraphGetNumOutputs, abi::GraphGetOutputs, FakeGraph, &FakeGraph::outputs, abi::Graph>();
  setValues<abi::GraphGetNumInitializers, abi::GraphGetInitializers, FakeGraph, &FakeGraph::initializers, abi::Graph>();
  set<abi::GraphGetNumNodes>(count<FakeGraph, std::deque<FakeNode>, &FakeGraph::nodes, abi::Graph>);
  set<abi::GraphGetNodes>(+[](const abi::Graph *graph, const abi::Node **nodes, size_t size) -> abi::Status * {
    for (size_t i = 0; i < size; ++i)
      nodes[i] = reinterpret_cast<const abi::Node *>(&graphOf(graph).nodes[i]);
    return nullptr;
  });
  set<abi::GraphGetNumOperatorSets>(
      count<FakeGraph, std::vector<std::pair<std::string, int64_t>>, &FakeGraph::operatorSets, abi::Graph>);
  set<abi::GraphGetOperatorSets>(
      +[](const abi::Graph *graph, const char **domains, int64_t *versions, size_t size) -> abi::Status * {
        for (size_t i = 0; i < size; ++i) {
          domains[i] = graphOf(graph).operatorSets[i].first.c_str();
          versions[i] = graphOf(graph).operatorSets[i].second;
        }
        return nullptr;
      });
  set<abi::GraphGetParentNode>(+[](const abi::Graph *graph, const abi::Node **node) -> abi::Status * {
    *node = reinterpret_cast<const abi::Node *>(graphOf(graph).parent);
    return nullptr;
  });
}

void setNodes() {
  setValues<abi::NodeGetNumInputs, abi::NodeGetInputs, FakeNode, &FakeNode::inputs, abi::Node>();
  setValues<abi::NodeGetNumOutputs, abi::NodeGetOutputs, FakeNode, &FakeNode::outputs, abi::Node>();
  setValues<abi::NodeGetNumImplicitInputs, abi::NodeGetImplicitInputs, FakeNode, &FakeNode::implicit, abi::Node>();
  set<abi::NodeGetId>(+[](const abi::Node *node, size_t *id) -> abi::Status * {
    *id = nodeOf(node).id;
    return nullptr;
  });
  set<abi::NodeGetName>(nodeText<&FakeNode::name>);
  set<abi::NodeGetOperatorType>(nodeText<&FakeNode::type>);
  set<abi::NodeGetDomain>(nodeText<&FakeNode::domain>);
  set<abi::NodeGetEpName>(nodeText<&FakeNode::provider>);
  set<abi::NodeGetNumSubgraphs>(
      count<FakeNode, std::vector<std::pair<std::string, const FakeGraph *>>, &FakeNode::graphs, abi::Node>);
  set<abi::NodeGetSubgraphs>(
      +[](const abi::Node *node, const abi::Graph **graphs, size_t size, const char **names) -> abi::Status * {
        for (size_t i = 0; i < size; ++i) {
          graphs[i] = &nodeOf(node).graphs[i].second->get();
          names[i] = nodeOf(node).graphs[i].first.c_str();
        }
        return nullptr;
      });
}

/// As the runtime: an error unless there is room for all.
abi::Status *readBytes(const void *from, size_t bytes, void *to, size_t room, size_t *size) {
  *size = bytes;
  if (room < bytes)
    return fail("no room");
  if (bytes > 0)
    std::memcpy(to, from, bytes);
  return nullptr;
}

void setAttributes() {
  set<abi::NodeGetNumAttributes>(count<FakeNode, std::vector<FakeAttribute>, &FakeNode::attributes, abi::Node>);
  set<abi::NodeGetAttributes>(+[](const abi::Node *node, const abi::OpAttr **attributes, size_t size) -> abi::Status * {
    for (size_t i = 0; i < size; ++i)
      attributes[i] = reinterpret_cast<const abi::OpAttr *>(&nodeOf(node).attributes[i]);
    return nullptr;
  });
  set<abi::OpAttrGetName>(+[](const abi::OpAttr *attribute, const char **name) -> abi::Status * {
    *name = attributeOf(attribute).name.c_str();
    return nullptr;
  });
  set<abi::OpAttrGetType>(+[](const abi::OpAttr *attribute, abi::AttributeType *type) -> abi::Status * {
    *type = attributeOf(attribute).type;
    return *type == abi::AttributeType::Undefined ? fail("unexpected type") : nullptr;
  });
  set<abi::OpAttrGetTensor>(+[](const abi::OpAttr *attribute, abi::Value **tensor) -> abi::Status * {
    *tensor = reinterpret_cast<abi::Value *>(const_cast<FakeValue *>(&attributeOf(attribute).tensor));
    return nullptr;
  });
  set<abi::ReadOpAttr>(
      +[](const abi::OpAttr *attribute, abi::AttributeType type, void *data, size_t room, size_t *size) {
        const FakeAttribute &read = attributeOf(attribute);
        if (type == abi::AttributeType::Int || type == abi::AttributeType::Ints)
          return readBytes(read.integers.data(), read.integers.size() * sizeof(int64_t), data, room, size);
        if (type == abi::AttributeType::Float || type == abi::AttributeType::Floats)
          return readBytes(read.floats.data(), read.floats.size() * sizeof(float), data, room, size);
        return readBytes(read.text.data(), read.text.size(), data, room, size);
      });
}

} // namespace

FakeStatus taken(abi::Status *status) {
  const std::unique_ptr<FakeStatus> owned(reinterpret_cast<FakeStatus *>(status));
  return *owned;
}

FakeValue &FakeGraph::constant(std::string name, std::vector<uint8_t> bytes) {
  FakeValue &made = value(std::move(name));
  made.isConstant = true;
  made.bytes = std::move(bytes);
  return made;
}

FakeNode &FakeGraph::node(std::string type, std::vector<const FakeValue *> read,
                          std::vector<const FakeValue *> computed) {
  FakeNode &made = nodes.emplace_back(FakeNode{.id = nodes.size(), .type = std::move(type)});
  made.inputs = std::move(read);
  made.outputs = std::move(computed);
  return made;
}

abi::ApiBase fakeRuntime(const char *version, uint32_t newest) {
  versionText = version;
  newestVersion = newest;
  setStatuses();
  setPairs();
  setDevices();
  setTypes();
  setTensors();
  setGraphs();
  setNodes();
  setAttributes();
  return {+[](uint32_t wanted) -> const void * {
            return wanted <= newestVersion ? static_cast<const void *>(api.data()) : nullptr;
          },
          +[]() { return versionText; }};
}

} // namespace avocet::ort

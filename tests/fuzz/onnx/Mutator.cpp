//===- Mutator.cpp - Changes that keep an ONNX file well-formed -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flipped bytes seldom give another file that parses. Three of four mutations therefore change one to three fields of
// the parsed model.
//
//===----------------------------------------------------------------------===//

#include "Onnx.pb.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

using namespace avocet::onnx_file;
using Random = std::minstd_rand;
using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;

int64_t interesting(Random &random) {
  constexpr int64_t kValues[] = {0,         1,        2,   3,   4,  5,    6,     7,         8,
                                 9,         10,       13,  16,  17, 20,   21,    24,        26,
                                 27,        127,      128, 255, -1, -128, 65536, INT32_MAX, int64_t{1} << 40,
                                 INT64_MAX, INT64_MIN};
  return kValues[random() % std::size(kValues)];
}

/// The parts of a model.
struct Parts {
  explicit Parts(ModelProto &model) : model(model) {
    add(*model.mutable_graph());
    for (FunctionProto &function : *model.mutable_functions()) {
      for (std::string &name : *function.mutable_input())
        names.push_back(&name);
      for (std::string &name : *function.mutable_output())
        names.push_back(&name);
      add(*function.mutable_node());
    }
  }

  void add(GraphProto &graph) {
    graphs.push_back(&graph);
    for (auto *list : {graph.mutable_input(), graph.mutable_output()})
      for (ValueInfoProto &value : *list) {
        names.push_back(value.mutable_name());
        values.push_back(&value);
      }
    for (TensorProto &tensor : *graph.mutable_initializer()) {
      names.push_back(tensor.mutable_name());
      tensors.push_back(&tensor);
    }
    add(*graph.mutable_node());
  }

  void add(Nodes &list) {
    lists.push_back(&list);
    for (NodeProto &node : list) {
      nodes.push_back(&node);
      for (auto *both : {node.mutable_input(), node.mutable_output()})
        for (std::string &name : *both)
          names.push_back(&name);
      for (AttributeProto &attribute : *node.mutable_attribute()) {
        attributes.push_back(&attribute);
        if (attribute.has_t())
          tensors.push_back(attribute.mutable_t());
        if (attribute.has_g())
          add(*attribute.mutable_g());
      }
    }
  }

  ModelProto &model;
  std::vector<GraphProto *> graphs;
  std::vector<Nodes *> lists;
  std::vector<NodeProto *> nodes;
  std::vector<AttributeProto *> attributes;
  std::vector<TensorProto *> tensors;
  std::vector<ValueInfoProto *> values;
  std::vector<std::string *> names;
};

template <typename T> T *pick(const std::vector<T *> &parts, Random &random) {
  return parts.empty() ? nullptr : parts[random() % parts.size()];
}

std::string someName(const Parts &parts, Random &random) {
  const std::string *name = pick(parts.names, random);
  return name ? *name : "x";
}

void changeName(Parts &parts, Random &random) {
  std::string *name = pick(parts.names, random);
  if (!name)
    return;
  if (random() % 4 == 0)
    *name = random() % 2 ? "" : *name + "/x";
  else
    *name = someName(parts, random);
}

void changeNodes(Parts &parts, Random &random) {
  Nodes &list = *pick(parts.lists, random);
  if (list.empty() || random() % 8 == 0) {
    list.Add()->set_op_type("Relu");
    return;
  }
  const int index = static_cast<int>(random() % static_cast<unsigned>(list.size()));
  switch (random() % 4) {
  case 0:
    list.SwapElements(index, static_cast<int>(random() % static_cast<unsigned>(list.size())));
    break;
  case 1:
    list.DeleteSubrange(index, 1);
    break;
  case 2:
    *list.Add() = NodeProto(list[index]);
    break;
  default:
    list[index].add_input(someName(parts, random));
  }
}

/// Lets a node call a function, or a function be another.
void changeCall(Parts &parts, Random &random) {
  ModelProto &model = parts.model;
  if (model.functions().empty() || random() % 8 == 0) {
    FunctionProto &function = *model.add_functions();
    function.set_domain("own");
    function.set_name("F" + std::to_string(model.functions_size()));
    *function.mutable_opset_import() = model.opset_import();
    *function.mutable_node() = *pick(parts.lists, random);
    function.add_input(someName(parts, random));
    function.add_output(someName(parts, random));
    function.add_attribute("a");
    return;
  }
  const FunctionProto &function =
      model.functions(static_cast<int>(random() % static_cast<unsigned>(model.functions_size())));
  if (NodeProto *node = pick(parts.nodes, random)) {
    node->set_domain(function.domain());
    node->set_op_type(function.name());
  }
}

/// Lets another operator have the operands and attributes of a node.
void changeOperator(Parts &parts, Random &random) {
  constexpr const char *kKinds[] = {
      "Add",       "Cast",      "Concat",  "Constant",    "Conv",       "ConvTranspose", "CumSum",      "Div",
      "Einsum",    "Expand",    "Flatten", "Gather",      "GatherND",   "Gemm",          "If",          "LSTM",
      "Loop",      "MatMul",    "MaxPool", "Pad",         "ReduceMean", "Reshape",       "Resize",      "Scan",
      "ScatterND", "Shape",     "Slice",   "Softmax",     "Split",      "Squeeze",       "Tile",        "TopK",
      "Transpose", "Unsqueeze", "Where",   "QLinearConv", "Attention",  "GRU",           "GlobalLpPool"};
  if (NodeProto *node = pick(parts.nodes, random)) {
    const NodeProto *other = pick(parts.nodes, random);
    node->set_op_type(random() % 4 == 0 ? other->op_type() : kKinds[random() % std::size(kKinds)]);
  }
}

template <typename Numbers> void changeNumbers(Numbers &numbers, Random &random) {
  if (numbers.empty() || random() % 8 == 0)
    numbers.Add(static_cast<typename Numbers::value_type>(interesting(random)));
  else if (random() % 8 == 0)
    numbers.RemoveLast();
  else
    numbers[static_cast<int>(random() % static_cast<unsigned>(numbers.size()))] =
        static_cast<typename Numbers::value_type>(interesting(random));
}

/// Changes what an attribute has, not its type.
void changeAttributeValue(Parts &parts, Random &random) {
  AttributeProto *attribute = pick(parts.attributes, random);
  if (!attribute)
    return;
  switch (attribute->type()) {
  case AttributeProto::INT:
    attribute->set_i(interesting(random));
    break;
  case AttributeProto::INTS:
    changeNumbers(*attribute->mutable_ints(), random);
    break;
  case AttributeProto::FLOAT:
    attribute->set_f(static_cast<float>(interesting(random)));
    break;
  case AttributeProto::FLOATS:
    changeNumbers(*attribute->mutable_floats(), random);
    break;
  default:
    attribute->set_name(random() % 2 ? "axis" : "mode");
  }
}

/// Changes a number among the elements of a tensor, or an extent so that they still fit.
void changeElements(Parts &parts, Random &random) {
  TensorProto *tensor = pick(parts.tensors, random);
  if (!tensor || tensor->raw_data().empty())
    return;
  std::string &raw = *tensor->mutable_raw_data();
  if (random() % 4 == 0) {
    tensor->add_dims(1);
  } else if (tensor->data_type() == TensorProto::INT64 && raw.size() >= sizeof(int64_t)) {
    const int64_t value = interesting(random);
    std::memcpy(raw.data() + random() % (raw.size() / sizeof(value)) * sizeof(value), &value, sizeof(value));
  } else {
    raw[random() % raw.size()] = static_cast<char>(random());
  }
}

/// Changes an extent of an input.
void changeExtent(Parts &parts, Random &random) {
  ValueInfoProto *value = pick(parts.values, random);
  if (!value || value->type().tensor_type().shape().dim().empty())
    return;
  TensorShapeProto &shape = *value->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(static_cast<int>(random() % static_cast<unsigned>(shape.dim_size())))
      ->set_dim_value(1 + static_cast<int64_t>(random() % 9));
}

void changeAttribute(Parts &parts, Random &random) {
  NodeProto *node = pick(parts.nodes, random);
  if (!node)
    return;
  AttributeProto *attribute = random() % 2 ? pick(parts.attributes, random) : nullptr;
  if (!attribute) {
    attribute = node->add_attribute();
    attribute->set_name(random() % 2 ? "a" : "b" + std::to_string(node->attribute_size()));
  }
  attribute->Clear();
  attribute->set_name("a");
  switch (random() % 6) {
  case 0:
    attribute->set_type(AttributeProto::GRAPH);
    *attribute->mutable_g() = GraphProto(*pick(parts.graphs, random));
    break;
  case 1:
    attribute->set_type(AttributeProto::INT);
    attribute->set_i(interesting(random));
    break;
  case 2:
    attribute->set_ref_attr_name("a");
    break;
  case 3:
    attribute->set_type(AttributeProto::TENSOR);
    if (TensorProto *tensor = pick(parts.tensors, random))
      *attribute->mutable_t() = TensorProto(*tensor);
    break;
  case 4:
    attribute->set_type(AttributeProto::INTS);
    attribute->add_ints(interesting(random));
    break;
  default:
    attribute->set_type(static_cast<AttributeProto::AttributeType>(random() % AttributeProto::AttributeType_ARRAYSIZE));
  }
}

void setEntry(TensorProto &tensor, const std::string &key, const std::string &value) {
  StringStringEntryProto &entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

void changeTensor(Parts &parts, Random &random) {
  TensorProto *tensor = pick(parts.tensors, random);
  if (!tensor)
    tensor = parts.graphs.front()->add_initializer();
  switch (random() % 7) {
  case 0:
    tensor->set_data_type(static_cast<int>(random() % 28));
    break;
  case 1:
    if (tensor->dims().empty() || random() % 4 == 0)
      tensor->add_dims(interesting(random));
    else
      tensor->set_dims(0, interesting(random));
    break;
  case 2:
    tensor->set_raw_data(std::string(random() % 20, '\1'));
    break;
  case 3:
    tensor->add_int32_data(static_cast<int32_t>(interesting(random)));
    break;
  case 4:
    tensor->add_int64_data(interesting(random));
    break;
  case 5:
    tensor->clear_raw_data();
    tensor->clear_int32_data();
    tensor->clear_external_data();
    tensor->set_data_location(TensorProto::EXTERNAL);
    setEntry(*tensor, "location", random() % 4 ? "data" : "../data");
    setEntry(*tensor, random() % 2 ? "offset" : "length", std::to_string(interesting(random)));
    break;
  default:
    tensor->add_uint64_data(static_cast<uint64_t>(interesting(random)));
  }
}

void changeValue(Parts &parts, Random &random) {
  ValueInfoProto *value = pick(parts.values, random);
  if (!value)
    value = random() % 2 ? parts.graphs.front()->add_input() : parts.graphs.front()->add_output();
  TypeProto::Tensor &type = *value->mutable_type()->mutable_tensor_type();
  if (random() % 2)
    type.set_elem_type(static_cast<int>(random() % 28));
  else
    type.mutable_shape()->add_dim()->set_dim_value(interesting(random));
}

void changeVersion(Parts &parts, Random &random) {
  ModelProto &model = parts.model;
  if (random() % 4 == 0)
    model.set_ir_version(interesting(random));
  else if (model.opset_import().empty() || random() % 4 == 0)
    model.add_opset_import()->set_domain(random() % 2 ? "own" : "");
  else
    model.mutable_opset_import(0)->set_version(interesting(random));
}

void change(ModelProto &model, Random &random) {
  // Names and order are most of the reader's rules, values those of the importer.
  using Change = void (*)(Parts &, Random &);
  constexpr Change kChanges[] = {changeName,           changeName,     changeNodes,          changeNodes,
                                 changeCall,           changeTensor,   changeValue,          changeTensor,
                                 changeVersion,        changeOperator, changeAttributeValue, changeElements,
                                 changeAttributeValue, changeElements, changeAttribute,      changeExtent};
  Parts parts(model);
  kChanges[random() % std::size(kChanges)](parts, random);
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned int seed) {
  Random random(seed);
  ModelProto model;
  if (random() % 4 == 0 || !model.ParseFromArray(data, static_cast<int>(size)))
    return LLVMFuzzerMutate(data, size, maxSize);
  const unsigned changes = 1 + static_cast<unsigned>(random() % 3);
  for (unsigned i = 0; i < changes; ++i)
    change(model, random);
  const std::string bytes = model.SerializeAsString();
  if (bytes.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

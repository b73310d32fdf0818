//===- GraphTest.cpp - Graphs of the runtime as networks --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeRuntime.h"
#include "Onnx.pb.h"
#include "model/PartitionModel.h"
#include "partition/Stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace avocet::ort {
namespace {

using namespace onnx_file;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Stages = std::vector<std::vector<size_t>>;

Graph read(const FakeGraph &graph) {
  Result<Graph> read = Graph::read(*Runtime::open(fakeRuntime()), graph.get());
  EXPECT_TRUE(read) << read.status().message();
  return std::move(*read);
}

std::vector<std::string> namesOf(const std::vector<const Value *> &values) {
  std::vector<std::string> names;
  for (const Value *value : values)
    names.push_back(value->name);
  return names;
}

/// x -> 0 -> a -> 1 -> b -> 2 -> c -> 3 -> d, and node 3 reads a too.
class GraphTest : public testing::Test {
protected:
  GraphTest() {
    d_.isOutput = true;
    graph_.node("Relu", {&x_}, {&a_});
    graph_.node("Neg", {&a_}, {&b_});
    graph_.node("Abs", {&b_}, {&c_});
    graph_.node("Add", {&c_, &a_}, {&d_});
    graph_.inputs = {&x_};
    graph_.outputs = {&d_};
  }

  FakeGraph graph_;
  FakeValue &x_ = graph_.value("x"), &a_ = graph_.value("a"), &b_ = graph_.value("b"), &c_ = graph_.value("c"),
            &d_ = graph_.value("d");
};

TEST_F(GraphTest, PartitionSharesValuesWithOthers) {
  const Graph graph = read(graph_);
  const Partition middle = partitionOf(graph, std::vector<size_t>{0, 1});
  EXPECT_THAT(namesOf(middle.inputs), ElementsAre("x"));
  EXPECT_THAT(namesOf(middle.outputs), ElementsAre("a", "b"));
  const Partition last = partitionOf(graph, std::vector<size_t>{3, 2});
  EXPECT_THAT(namesOf(last.inputs), ElementsAre("b", "a"));
  EXPECT_THAT(namesOf(last.outputs), ElementsAre("d"));
}

TEST_F(GraphTest, StagesNeverReturn) {
  const Graph graph = read(graph_);
  EXPECT_EQ(divide(graph, std::vector<size_t>{0, 1, 2, 3}), (Stages{{0, 1, 2, 3}}));
  EXPECT_EQ(divide(graph, std::vector<size_t>{0, 1, 3}), (Stages{{0, 1}, {3}}));
  EXPECT_EQ(divide(graph, std::vector<size_t>{1, 3}), (Stages{{1}, {3}}));
  EXPECT_EQ(divide(graph, std::vector<size_t>{2}), (Stages{{2}}));
  EXPECT_THAT(divide(graph, {}), IsEmpty());
}

TEST_F(GraphTest, IndependentNodesOfAStageAreOneSet) {
  FakeGraph graph;
  FakeValue &x = graph.value("x"), &y = graph.value("y"), &z = graph.value("z");
  graph.node("Relu", {&x}, {&y});
  graph.node("Relu", {&x}, {&z});
  EXPECT_EQ(divide(read(graph), std::vector<size_t>{0, 1}), (Stages{{0, 1}}));
}

ModelProto modelOf(PartitionModel &model, const Graph &graph) {
  const plugin::NetworkView view = model.view(SampleExtents(graph, 1, 64));
  ModelProto read;
  EXPECT_TRUE(read.ParseFromArray(view.file.data(), static_cast<int>(view.file.size())));
  return read;
}

TEST_F(GraphTest, ConstantsAreNotCopiedToAsk) {
  FakeValue &k = graph_.constant("k", {1, 2, 3, 4, 5, 6, 7, 8});
  FakeValue &e = graph_.value("e");
  e.isOutput = true;
  graph_.node("Mul", {&d_, &k}, {&e});
  const Graph graph = read(graph_);
  Result<PartitionModel> model =
      PartitionModel::make(graph, partitionOf(graph, std::vector<size_t>{3, 4}), NodeNames::OfNodes);
  ASSERT_TRUE(model) << model.status().message();
  const plugin::NetworkView view = model->view(SampleExtents(graph, 1, 64));
  ASSERT_EQ(view.pools.size(), 1u);
  EXPECT_EQ(view.pools[0].data(), k.bytes.data());
  const ModelProto network = modelOf(*model, graph);
  EXPECT_EQ(network.graph().node(1).name(), "Mul#4");
  EXPECT_EQ(nodeNamedIn("network:" + network.graph().node(1).name()), 4u);
  EXPECT_EQ(nodeNamedIn("network:conv1"), std::nullopt);
  EXPECT_EQ(network.graph().initializer(0).external_data(0).key(), "pool");
  EXPECT_EQ(network.graph().input(0).type().tensor_type().shape().dim(0).dim_value(), 2);
}

TEST_F(GraphTest, SampledExtentsAreOnlyInViews) {
  FakeValue &batches = graph_.value("batches"), &f = graph_.value("f");
  batches.shape = {-1, 4};
  batches.extentNames = {"batch", nullptr};
  f.isOutput = true;
  graph_.node("Relu", {&batches}, {&f});
  const Graph graph = read(graph_);
  Result<PartitionModel> model =
      PartitionModel::make(graph, partitionOf(graph, std::vector<size_t>{4}), NodeNames::OfModel);
  ASSERT_TRUE(model) << model.status().message();
  const auto extentOf = [](const ModelProto &read) {
    return read.graph().input(0).type().tensor_type().shape().dim(0);
  };
  EXPECT_GT(extentOf(modelOf(*model, graph)).dim_value(), 0);
  const Result<OpenNetwork> open = model->open();
  ModelProto read;
  ASSERT_TRUE(open && read.ParseFromString(open->file));
  EXPECT_EQ(extentOf(read).dim_param(), "batch");
}

TEST_F(GraphTest, CompiledNetworksHaveOnePool) {
  FakeValue &k = graph_.constant("k", {1, 2, 3, 4, 5, 6, 7, 8}), &l = graph_.constant("l", {9, 9, 9, 9, 9, 9, 9, 9});
  FakeValue &e = graph_.value("e");
  e.isOutput = true;
  graph_.node("Sum", {&d_, &k, &l}, {&e});
  const Graph graph = read(graph_);
  Result<PartitionModel> model =
      PartitionModel::make(graph, partitionOf(graph, std::vector<size_t>{4}), NodeNames::OfModel);
  ASSERT_TRUE(model) << model.status().message();
  const Result<plugin::Network> network = model->network();
  ASSERT_TRUE(network);
  ModelProto read;
  ASSERT_TRUE(read.ParseFromArray(network->file.data(), static_cast<int>(network->file.size())));
  EXPECT_EQ(read.graph().initializer(1).external_data(0).value(), "0");
  EXPECT_EQ(read.graph().initializer(1).external_data(1).value(), "64");
  EXPECT_EQ(network->constants->data()[7], 8);
  EXPECT_EQ(network->constants->data()[64], 9);
  const Result<std::string> file = model->file();
  ASSERT_TRUE(file && read.ParseFromString(*file));
  EXPECT_EQ(read.graph().initializer(1).raw_data(), std::string(8, 9));
  EXPECT_EQ(read.graph().initializer(1).external_data_size(), 0);
}

TEST_F(GraphTest, AttributesOfAllTypesAreWritten) {
  FakeNode &node = graph_.nodes[0];
  node.attributes = {
      {.name = "i", .type = abi::AttributeType::Int, .integers = {-3}},
      {.name = "is", .type = abi::AttributeType::Ints, .integers = {1, 2}},
      {.name = "none", .type = abi::AttributeType::Ints},
      {.name = "f", .type = abi::AttributeType::Float, .floats = {0.5f}},
      {.name = "fs", .type = abi::AttributeType::Floats, .floats = {1, 2}},
      {.name = "s", .type = abi::AttributeType::String, .text = std::string("a\0b", 3)},
      {.name = "ss", .type = abi::AttributeType::Strings, .text = std::string("p\0\0q\0", 5)},
      {.name = "t", .type = abi::AttributeType::Tensor, .tensor = {.name = "", .bytes = {1, 2, 3, 4, 5, 6, 7, 8}}}};
  const Graph graph = read(graph_);
  Result<PartitionModel> model =
      PartitionModel::make(graph, partitionOf(graph, std::vector<size_t>{0}), NodeNames::OfModel);
  ASSERT_TRUE(model) << model.status().message();
  const ModelProto network = modelOf(*model, graph);
  const auto &written = network.graph().node(0).attribute();
  EXPECT_EQ(written[0].i(), -3);
  EXPECT_THAT(written[1].ints(), ElementsAre(1, 2));
  EXPECT_EQ(written[2].type(), AttributeProto::INTS);
  EXPECT_EQ(written[3].f(), 0.5f);
  EXPECT_THAT(written[4].floats(), ElementsAre(1, 2));
  EXPECT_EQ(written[5].s(), std::string("a\0b", 3));
  EXPECT_THAT(written[6].strings(), ElementsAre("p", "", "q"));
  EXPECT_EQ(written[7].t().raw_data().size(), 8u);
}

TEST_F(GraphTest, WhatTheRuntimeDoesNotShowIsRefused) {
  graph_.nodes[0].attributes = {{.name = "sparse"}};
  graph_.nodes[1].inputs.push_back(&graph_.constant("text", {}));
  graph_.values.back().element = TensorProto::STRING;
  const Graph graph = read(graph_);
  EXPECT_THAT(checkWritable(graph, *graph.node(0)).message(),
              HasSubstr("attribute 'sparse' has a type that the runtime does not show"));
  EXPECT_THAT(checkWritable(graph, *graph.node(1)).message(), HasSubstr("constant 'text' has elements of type STRING"));
  EXPECT_TRUE(checkWritable(graph, *graph.node(2)).isOk());
}

TEST_F(GraphTest, GraphsInAttributesAreWritten) {
  FakeGraph branch;
  FakeValue &inner = branch.value("inner"), &own = branch.constant("own", {1, 2, 3, 4, 5, 6, 7, 8});
  branch.node("Add", {&a_, &own}, {&inner});
  branch.outputs = {&inner};
  branch.initializers = {&own};
  branch.parent = &graph_.nodes[1];
  graph_.nodes[1].graphs = {{"then_branch", &branch}};
  graph_.nodes[1].implicit = {&a_};
  graph_.nodes[1].attributes = {{.name = "then_branch", .type = abi::AttributeType::Graph}};
  const Graph graph = read(graph_);
  EXPECT_TRUE(read(branch).isNested());
  Result<PartitionModel> model =
      PartitionModel::make(graph, partitionOf(graph, std::vector<size_t>{1}), NodeNames::OfModel);
  ASSERT_TRUE(model) << model.status().message();
  const ModelProto network = modelOf(*model, graph);
  ASSERT_EQ(network.graph().node(0).attribute_size(), 1);
  const GraphProto &written = network.graph().node(0).attribute(0).g();
  EXPECT_EQ(written.node(0).input(0), "a");
  EXPECT_EQ(written.initializer(0).name(), "own");
  EXPECT_EQ(written.output(0).name(), "inner");
}

} // namespace
} // namespace avocet::ort

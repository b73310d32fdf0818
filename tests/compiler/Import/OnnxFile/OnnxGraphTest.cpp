//===- OnnxGraphTest.cpp - Names, order, attributes, versions ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxModels.h"

namespace avocet::compiler {
namespace {

using namespace onnx_file;
using testing::HasSubstr;
using testing::StartsWith;

class OnnxGraphTest : public testing::Test, public OnnxFileOpener {
protected:
  GraphProto &graph() { return *model_.mutable_graph(); }
  std::string error() { return errorOf(model_); }

  std::string text() {
    const auto file = open(model_);
    return file ? textOf(file->graph()) : errors();
  }

  ModelProto model_ = smallModel();
};

TEST_F(OnnxGraphTest, NodesGetNamesAndVersions) {
  addSet(*model_.mutable_opset_import(), "com.microsoft", 1);
  addNode(graph(), "Relu", {"y"}, {"z"}, "Relu_0");
  addNode(graph(), "Gelu", {"z"}, {"a"}).set_domain("com.microsoft");
  addNode(graph(), "Relu", {"a"}, {"b"}, "Relu_0").set_domain("ai.onnx");
  GraphProto &branch = addGraph(addNode(graph(), "If", {"b"}, {"c"}), "then_branch");
  addNode(branch, "Relu", {"b"}, {"inner"});
  EXPECT_EQ(text(), "Relu_0_1 17: Relu(x) -> y\n"
                    "Relu_0 17: Relu(y) -> z\n"
                    "Gelu_2 1: Gelu(z) -> a\n"
                    "Relu_3 17: Relu(a) -> b\n"
                    "If_4 17: If(b) -> c\n"
                    "  then_branch:\n"
                    "    Relu_0_2 17: Relu(b) -> inner\n");
  EXPECT_EQ(open(model_)->graph().node(3).domain(), "");
}

TEST_F(OnnxGraphTest, LeftOutOperandsAreAllowed) {
  addNode(graph(), "Clip", {"y", "", "x"}, {"z", ""});
  EXPECT_THAT(text(), HasSubstr("Clip(y, -, x) -> z, -\n"));
}

TEST_F(OnnxGraphTest, SubgraphsReadAndHideOuterNames) {
  NodeProto &loop = addNode(graph(), "Loop", {"", "", "y"}, {"z"}, "loop");
  GraphProto &body = addGraph(loop, "body");
  for (const char *name : {"i", "keep", "x"})
    body.add_input()->set_name(name);
  addNode(body, "Add", {"x", "y"}, {"s"});
  for (const char *name : {"keep", "s"})
    body.add_output()->set_name(name);
  EXPECT_THAT(text(), HasSubstr("    Add_0 17: Add(x, y) -> s\n"));
  body.mutable_node(0)->set_input(1, "z");
  EXPECT_EQ(error(), "nodes form a cycle: node 'loop' (Loop) -> node 'loop' (Loop)");
  body.mutable_node(0)->set_input(1, "nowhere");
  EXPECT_EQ(error(), "graph '' of node 'loop' (Loop): node 'Add_0' (Add) reads 'nowhere', which is no input, no "
                     "initializer and no result of a node");
  body.mutable_node(0)->set_input(1, "s");
  EXPECT_THAT(error(), StartsWith("graph '' of node 'loop' (Loop): nodes form a cycle: node 'Add_0'"));
  body.mutable_node(0)->set_input(1, "y");
  body.mutable_output(1)->set_name("t");
  EXPECT_EQ(error(), "graph '' of node 'loop' (Loop): the output 't' is no input, no initializer and no result of a "
                     "node");
}

TEST_F(OnnxGraphTest, NameThatSubgraphComputesLaterHidesOuterOne) {
  GraphProto &branch = addGraph(addNode(graph(), "If", {"y"}, {"c"}), "then_branch");
  addNode(branch, "Relu", {"x"}, {"r"}, "first");
  addNode(branch, "Relu", {"y"}, {"x"}, "second");
  EXPECT_THAT(error(), HasSubstr("node 'first' (Relu) reads 'x', a result of node 'second' (Relu), which comes later"));
}

TEST_F(OnnxGraphTest, CycleNamesItsNodes) {
  addNode(graph(), "Add", {"y", "c"}, {"a"}, "A");
  addNode(graph(), "Relu", {"x"}, {"other"}, "beside");
  addNode(graph(), "Neg", {"a"}, {"b"}, "B");
  addNode(graph(), "Abs", {"b"}, {"c"}, "C");
  EXPECT_EQ(error(), "nodes form a cycle: node 'A' (Add) -> node 'B' (Neg) -> node 'C' (Abs) -> node 'A' (Add)");
}

TEST_F(OnnxGraphTest, LongCycleIsCutShort) {
  addNode(graph(), "Add", {"y", "v99"}, {"v0"});
  for (int i = 1; i < 100; ++i)
    addNode(graph(), "Neg", {"v" + std::to_string(i - 1)}, {"v" + std::to_string(i)});
  EXPECT_THAT(error(), HasSubstr("node 'Neg_8' (Neg) -> ... -> node 'Add_1' (Add)"));
}

TEST_F(OnnxGraphTest, WrongOrderNamesBothNodes) {
  addNode(graph(), "Add", {"y", "b"}, {"a"}, "A");
  addNode(graph(), "Neg", {"y"}, {"b"}, "B");
  EXPECT_EQ(error(), "node 'A' (Add) reads 'b', a result of node 'B' (Neg), which comes later; sort the nodes in "
                     "topological order");
}

TEST_F(OnnxGraphTest, MissingNamesAreReported) {
  addNode(graph(), "Add", {"y", "weights"}, {"a"}, "A");
  EXPECT_EQ(error(), "node 'A' (Add) reads 'weights', which is no input, no initializer and no result of a node");
  graph().mutable_node(1)->set_input(1, "y");
  setType(*graph().add_output(), "b");
  EXPECT_EQ(error(), "the output 'b' is no input, no initializer and no result of a node");
  graph().mutable_output(1)->set_name("a");
  graph().add_input();
  EXPECT_EQ(error(), "an input has no name");
  graph().mutable_input()->RemoveLast();
  addInitializer(graph(), "", {0}, TensorProto::FLOAT);
  EXPECT_EQ(error(), "an initializer has no name");
  graph().clear_initializer();
  graph().mutable_node(1)->clear_op_type();
  EXPECT_EQ(error(), "node 'A' has no operator (op_type)");
}

TEST_F(OnnxGraphTest, DoubledNamesAreReported) {
  addNode(graph(), "Neg", {"x"}, {"y"}, "B");
  EXPECT_EQ(error(), "node 'B' (Neg) computes 'y', which is a result of node 'Relu_0' (Relu)");
  graph().mutable_node(1)->set_output(0, "x");
  EXPECT_EQ(error(), "node 'B' (Neg) computes 'x', which is an input or an initializer");
  graph().mutable_node()->RemoveLast();
  setType(*graph().add_input(), "x");
  EXPECT_EQ(error(), "two inputs are called 'x'");
  graph().mutable_input()->RemoveLast();
  setType(*graph().add_output(), "y");
  EXPECT_EQ(error(), "two outputs are called 'y'");
  graph().mutable_output()->RemoveLast();
  for (int i = 0; i < 2; ++i)
    addInitializer(graph(), "w", {0}, TensorProto::FLOAT);
  EXPECT_EQ(error(), "two initializers are called 'w'");
}

TEST_F(OnnxGraphTest, LongNamesAreReported) {
  addNode(graph(), "Neg", {"x"}, {std::string(20000, 'n')});
  EXPECT_THAT(error(), StartsWith("a name begins with 'nnn"));
}

TEST_F(OnnxGraphTest, TypesMustBeKnownAndAgree) {
  TensorProto &initializer = addInitializer(graph(), "x", {2}, TensorProto::FLOAT);
  initializer.set_raw_data("12345678");
  EXPECT_EQ(error(), "");
  graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_value(1);
  EXPECT_EQ(error(), "the value 'x' has another type or shape than the initializer of its name");
  graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("n");
  EXPECT_EQ(error(), "");
  graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::INT32);
  EXPECT_THAT(error(), HasSubstr("the value 'x' has another type"));
  graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(99);
  EXPECT_EQ(error(), "the value 'x' has the element type 99, which is none of the format's");
  graph().mutable_input(0)->clear_type();
  EXPECT_EQ(error(), "the input 'x' has no type");
}

TEST_F(OnnxGraphTest, DeclaredExtentsMustNotOverflow) {
  setType(*graph().add_value_info(), "y", {int64_t{1} << 21, int64_t{1} << 21});
  EXPECT_THAT(error(), HasSubstr("the value 'y' has the extent 2097152; the product of extents must be at most 2^40"));
}

TEST_F(OnnxGraphTest, NegativeExtentIsUnknown) {
  setType(*graph().mutable_output(0), "y", {-1});
  graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_value(-1);
  const auto file = open(model_);
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->graph().input(0).type().tensor_type().shape().dim(0).has_dim_value());
}

TEST_F(OnnxGraphTest, UnknownRankStaysUnknown) {
  graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  addInitializer(graph(), "x", {2}, TensorProto::FLOAT).set_raw_data("12345678");
  const auto file = open(model_);
  ASSERT_TRUE(file) << errors();
  EXPECT_FALSE(file->graph().input(0).type().tensor_type().has_shape());
  graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape(); // a scalar
  EXPECT_THAT(error(), HasSubstr("the value 'x' has another type or shape"));
}

TEST_F(OnnxGraphTest, AttributesHaveTypeTheyClaim) {
  AttributeProto &attribute = addAttribute(*graph().mutable_node(0), "alpha", AttributeProto::FLOAT);
  attribute.set_i(0); // as some writers set all fields
  EXPECT_EQ(error(), "");
  attribute.set_i(1);
  EXPECT_EQ(error(), "attribute 'alpha' of node 'Relu_0' (Relu) has a value of type INT, but says FLOAT");
  attribute.clear_i();
  attribute.set_type(AttributeProto::TENSOR);
  EXPECT_EQ(error(), "attribute 'alpha' of node 'Relu_0' (Relu) has no value");
  attribute.clear_type();
  EXPECT_THAT(error(), HasSubstr("has no type"));
  attribute.set_type(AttributeProto::INT);
  attribute.set_ref_attr_name("beta");
  EXPECT_THAT(error(), HasSubstr("refers to attribute 'beta' of a function, but is in none"));
  attribute.clear_ref_attr_name();
  addAttribute(*graph().mutable_node(0), "alpha", AttributeProto::INT);
  EXPECT_EQ(error(), "node 'Relu_0' (Relu) has two attributes 'alpha'");
}

TEST_F(OnnxGraphTest, TensorsInAttributesAreChecked) {
  TensorProto &tensor = *addAttribute(*graph().mutable_node(0), "value", AttributeProto::TENSOR).mutable_t();
  tensor.set_data_type(TensorProto::INT64);
  EXPECT_THAT(error(), StartsWith("attribute 'value' of node 'Relu_0' (Relu) has 0 bytes of elements"));
}

TEST_F(OnnxGraphTest, VersionsAreLimited) {
  for (int64_t version : {3, 13}) {
    model_.set_ir_version(version);
    EXPECT_EQ(error(), "");
  }
  model_.set_ir_version(14);
  EXPECT_THAT(error(), HasSubstr("version 14 of the format (ir_version), 3 to 13 are accepted"));
  model_.clear_ir_version();
  EXPECT_THAT(error(), HasSubstr("version 0 of the format"));
  model_.set_ir_version(13);
  for (int64_t version : {0, 27}) {
    model_.mutable_opset_import(0)->set_version(version);
    EXPECT_THAT(error(), HasSubstr("the model imports version " + std::to_string(version) +
                                   " of the operators 'ai.onnx' (opset), 1 to 26 are accepted"));
  }
  model_.mutable_opset_import(0)->set_version(26);
  addSet(*model_.mutable_opset_import(), "ai.onnx", 25);
  EXPECT_THAT(error(), HasSubstr("in versions 26 and 25"));
  model_.mutable_opset_import()->RemoveLast();
  graph().mutable_node(0)->set_domain("my.own");
  EXPECT_EQ(error(), "node 'Relu_0' (Relu) is of the operators 'my.own', of which no version is imported; add one to "
                     "opset_import");
  addSet(*model_.mutable_opset_import(), "my.own", 77); // the importer refuses it
  EXPECT_EQ(text(), "Relu_0 77: Relu(x) -> y\n");
}

TEST_F(OnnxGraphTest, OtherFormatsSayWhatTheyAre) {
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {std::string("\x1c\0\0\0TFL3", 8), "a TFLite model"},
      {"\x89HDF\r\n\x1a\n....", "an HDF5 file, as Keras writes"},
      {"PK\3\4....", "a ZIP archive"},
      {"\x80\2ctorch", "a pickle file"},
      {std::string("\x08\x01\x12\x02\x0a\0", 6), "a TensorFlow SavedModel"},
      {"GGUF\3", "a GGUF language model"},
      {std::string("\x20\0\0\0\0\0\0\0{\"w\":", 13), "weights without a network"},
      {"version https://git-lfs.github.com/spec/v1\n", "a pointer to a file of Git LFS"},
      {"just some text", "truncated or corrupt at byte"},
  };
  for (const auto &[bytes, kind] : kinds) {
    openBytes(bytes);
    EXPECT_THAT(errors(), HasSubstr("the file is no ONNX model: it is " + kind));
  }
  openBytes("");
  EXPECT_EQ(errors(), "the file is no ONNX model: it has no graph\n");
}

TEST_F(OnnxGraphTest, EveryTruncationIsReported) {
  addInitializer(graph(), "w", {2}, TensorProto::FLOAT).set_raw_data("12345678");
  GraphProto &branch = addGraph(addNode(graph(), "If", {"y"}, {"c"}), "then_branch");
  addNode(branch, "Relu", {"x"}, {"r"});
  const std::string bytes = model_.SerializeAsString();
  for (size_t size = 0; size < bytes.size(); ++size)
    openBytes(bytes.substr(0, size)); // OnnxFileOpener expects an error exactly if nothing opens
  EXPECT_TRUE(openBytes(bytes));
}

TEST_F(OnnxGraphTest, DeepMessagesAreReported) {
  GraphProto *inner = &graph();
  for (int i = 0; i < 25; ++i)
    inner = &addGraph(addNode(*inner, "If", {"x"}, {}), "then_branch");
  EXPECT_EQ(error(), "the file is no ONNX model: messages are nested deeper than 64");
}

TEST_F(OnnxGraphTest, HundredThousandNodesOpen) {
  for (int i = 0; i < 100'000; ++i)
    addNode(graph(), "Neg", {i == 0 ? "y" : "v" + std::to_string(i - 1)}, {"v" + std::to_string(i)});
  const auto file = open(model_);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->graph().node(100'000).name(), "Neg_100000");
}

TEST_F(OnnxGraphTest, TooManyNodesAreReported) {
  for (int i = 0; i < 1 << 17; ++i)
    addNode(graph(), "Neg", {}, {});
  EXPECT_EQ(error(), "the model has more than 131072 nodes; divide it");
}

TEST_F(OnnxGraphTest, TextThatNothingReadsIsLeftOut) {
  constexpr int kDocString = 6;
  const std::string text(70 << 20, 't'); // more than the reader keeps
  const std::string bytes = model_.SerializeAsString() + fieldOf(kDocString, text);
  EXPECT_TRUE(openBytes(bytes)) << errors();
  model_.set_producer_name(text);
  EXPECT_EQ(error(), "the file is no ONNX model: it has more than 67108864 bytes without the elements of its tensors");
}

} // namespace
} // namespace avocet::compiler

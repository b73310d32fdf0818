//===- OnnxFunctionTest.cpp - Functions of ONNX files -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxModels.h"

namespace avocet::compiler {
namespace {

using namespace onnx_file;
using testing::AllOf;
using testing::HasSubstr;

class OnnxFunctionTest : public testing::Test, public OnnxFileOpener {
protected:
  OnnxFunctionTest() { addSet(*model_.mutable_opset_import(), "own", 1); }

  FunctionProto &addFunction(const std::string &name, const Names &inputs, const Names &outputs, int64_t version = 18) {
    FunctionProto &function = *model_.add_functions();
    function.set_domain("own");
    function.set_name(name);
    for (const std::string &input : inputs)
      function.add_input(input);
    for (const std::string &output : outputs)
      function.add_output(output);
    addSet(*function.mutable_opset_import(), "", version);
    addSet(*function.mutable_opset_import(), "own", 1);
    return function;
  }

  static NodeProto &add(FunctionProto &function, const std::string &kind, const Names &inputs, const Names &outputs,
                        const std::string &domain = "") {
    NodeProto &node = addNode(*function.mutable_node(), kind, inputs, outputs);
    node.set_domain(domain);
    return node;
  }

  NodeProto &addCall(const std::string &function, const Names &inputs, const Names &outputs,
                     const std::string &name = "") {
    NodeProto &node = addNode(*model_.mutable_graph(), function, inputs, outputs, name);
    node.set_domain("own");
    return node;
  }

  std::string text() {
    const auto file = open(model_);
    return file ? textOf(file->graph()) : errors();
  }

  ModelProto model_ = smallModel();
};

TEST_F(OnnxFunctionTest, CallsBecomeNodesWithTheirVersions) {
  FunctionProto &function = addFunction("Twice", {"a"}, {"b"});
  add(function, "Neg", {"a"}, {"t"});
  add(function, "Neg", {"t"}, {"b"}).set_name("last");
  addCall("Twice", {"y"}, {"z"}, "call");
  addCall("Twice", {"z"}, {"u"});
  EXPECT_EQ(text(), "Relu_0 17: Relu(x) -> y\n"
                    "call/Neg_0 18: Neg(y) -> call/t\n"
                    "call/last 18: Neg(call/t) -> z\n"
                    "Twice_2/Neg_0 18: Neg(z) -> Twice_2/t\n"
                    "Twice_2/last 18: Neg(Twice_2/t) -> u\n");
}

TEST_F(OnnxFunctionTest, NewNamesDoNotMeetThoseOfFile) {
  FunctionProto &function = addFunction("Twice", {"y"}, {"x"});
  add(function, "Neg", {"y"}, {"t"});
  add(function, "Neg", {"t"}, {"x"});
  addNode(*model_.mutable_graph(), "Neg", {"x"}, {"call/t"}, "call/Neg_0");
  addCall("Twice", {"call/t"}, {"z"}, "call");
  EXPECT_EQ(text(), "Relu_0 17: Relu(x) -> y\n"
                    "call/Neg_0 17: Neg(x) -> call/t\n"
                    "Neg_2 18: Neg(call/t) -> call/t_1\n"
                    "call/Neg_1 18: Neg(call/t_1) -> z\n");
}

TEST_F(OnnxFunctionTest, FunctionsCallFunctionsAlsoInGraphs) {
  FunctionProto &outer = addFunction("Outer", {"c", "v"}, {"r"});
  NodeProto &branch = add(outer, "If", {"c"}, {"r"});
  GraphProto &graph = addGraph(branch, "then_branch");
  NodeProto &inner = addNode(graph, "Inner", {"v"}, {"c"}); // hides the input
  inner.set_domain("own");
  addNode(graph, "Neg", {"c"}, {"q"});
  graph.add_output()->set_name("q");
  add(addFunction("Inner", {"v"}, {"w"}, 19), "Abs", {"v"}, {"w"});
  addCall("Outer", {"x", "y"}, {"z"}, "o");
  EXPECT_EQ(text(), "Relu_0 17: Relu(x) -> y\n"
                    "o/If_0 18: If(x) -> z\n"
                    "  then_branch:\n"
                    "    o/Inner_0/Abs_0 19: Abs(y) -> o/c\n"
                    "    o/Neg_1 18: Neg(o/c) -> o/q\n");
}

TEST_F(OnnxFunctionTest, AttributesComeFromCallOrDefault) {
  FunctionProto &function = addFunction("F", {"a"}, {"b"});
  function.add_attribute("given");
  function.add_attribute("absent");
  AttributeProto &preset = *function.add_attribute_proto();
  preset.set_name("preset");
  preset.set_type(AttributeProto::INT);
  preset.set_i(7);
  NodeProto &node = add(function, "Flatten", {"a"}, {"b"});
  for (const char *name : {"absent", "given", "preset"})
    addAttribute(node, std::string("my_") + name, AttributeProto::INT).set_ref_attr_name(name);
  NodeProto &call = addCall("F", {"y"}, {"z"}, "call");
  addAttribute(call, "given", AttributeProto::INT).set_i(5);
  EXPECT_THAT(text(), HasSubstr("Flatten(y) -> z\n  my_given = 5\n  my_preset = 7\n"));
  addAttribute(call, "preset", AttributeProto::INT).set_i(8);
  EXPECT_THAT(text(), HasSubstr("my_preset = 8\n"));
  call.mutable_attribute(0)->set_type(AttributeProto::FLOAT);
  call.mutable_attribute(0)->clear_i();
  EXPECT_THAT(errorOf(model_), HasSubstr("attribute 'given' has type FLOAT, its node 'Flatten_0' (Flatten) needs INT"));
  call.mutable_attribute(0)->set_name("other");
  EXPECT_EQ(errorOf(model_), "node 'call' (F) calls function 'own.F': the function has no attribute 'other'");
}

TEST_F(OnnxFunctionTest, GraphOfCallKeepsNamesAndVersions) {
  FunctionProto &function = addFunction("F", {"x"}, {"b"});
  function.add_attribute("branch");
  add(function, "Neg", {"x"}, {"y"}); // names of the call's place, which mean other values here
  NodeProto &node = add(function, "If", {"y"}, {"b"});
  addAttribute(node, "then_branch", AttributeProto::GRAPH).set_ref_attr_name("branch");
  addAttribute(node, "else_branch", AttributeProto::GRAPH).set_ref_attr_name("branch");
  GraphProto &graph = addGraph(addCall("F", {"y"}, {"z"}, "call"), "branch");
  addNode(graph, "Abs", {"x"}, {"r"});
  graph.add_output()->set_name("r");
  EXPECT_EQ(text(), "Relu_0 17: Relu(x) -> y\n"
                    "call/Neg_0 18: Neg(y) -> call/y\n"
                    "call/If_1 18: If(call/y) -> z\n"
                    "  then_branch:\n"
                    "    Abs_0 17: Abs(x) -> r\n"
                    "  else_branch:\n"
                    "    Abs_0_1 17: Abs(x) -> r\n");
}

TEST_F(OnnxFunctionTest, OperandsMayBeLeftOut) {
  FunctionProto &function = addFunction("F", {"a", "b", "c"}, {"d", "e"});
  add(function, "Clip", {"a", "b", "c"}, {"d"});
  add(function, "Neg", {"d"}, {"e"});
  addCall("F", {"y", ""}, {"", "z"}, "call");
  EXPECT_THAT(text(), HasSubstr("Clip(y, -, -) -> call/d\ncall/Neg_1 18: Neg(call/d) -> z\n"));
  addCall("F", {"y", "y", "y", "y"}, {"q"}, "many");
  EXPECT_THAT(text(), HasSubstr("node 'many' (F) calls function 'own.F': it has 4 inputs and 1 outputs, the function "
                                "has 3 and 2"));
}

TEST_F(OnnxFunctionTest, ResultThatIsInputBecomesIdentity) {
  FunctionProto &function = addFunction("F", {"a"}, {"a", "b", "b"});
  add(function, "Neg", {"a"}, {"b"});
  addCall("F", {"y"}, {"p", "q", "r"}, "call");
  EXPECT_EQ(text(), "Relu_0 17: Relu(x) -> y\n"
                    "call/Neg_0 18: Neg(y) -> q\n"
                    "call/a 13: Identity(y) -> p\n"
                    "call/b 13: Identity(q) -> r\n");
}

TEST_F(OnnxFunctionTest, OverloadsAreDistinct) {
  add(addFunction("F", {"a"}, {"b"}), "Neg", {"a"}, {"b"});
  FunctionProto &second = addFunction("F", {"a"}, {"b"});
  add(second, "Abs", {"a"}, {"b"});
  EXPECT_EQ(errorOf(model_), "the model has function 'own.F' twice");
  second.set_overload("abs");
  addCall("F", {"y"}, {"z"}, "call").set_overload("abs");
  EXPECT_THAT(text(), HasSubstr("call/Abs_0 18: Abs(y) -> z\n"));
}

TEST_F(OnnxFunctionTest, RecursionNamesFunctions) {
  add(addFunction("F", {"a"}, {"b"}), "G", {"a"}, {"b"}, "own");
  FunctionProto &second = addFunction("G", {"a"}, {"b"});
  GraphProto &branch = addGraph(add(second, "If", {"a"}, {"b"}), "then_branch");
  addNode(branch, "F", {"a"}, {"q"}).set_domain("own");
  EXPECT_EQ(errorOf(model_), ""); // nothing calls them
  addCall("F", {"y"}, {"z"}, "call");
  EXPECT_THAT(errorOf(model_),
              HasSubstr(" calls a function inside itself: function 'own.F' calls function 'own.G' calls "
                        "function 'own.F'; write the network without that"));
}

TEST_F(OnnxFunctionTest, DeepAndExponentialCallsAreReported) {
  constexpr int kFunctions = 40;
  for (int i = 0; i < kFunctions; ++i) {
    FunctionProto &function = addFunction("F" + std::to_string(i), {"a"}, {"a"});
    if (i > 0) // twice, and nothing else
      for (int k = 0; k < 2; ++k)
        add(function, "F" + std::to_string(i - 1), {"a"}, {""}, "own");
  }
  NodeProto &call = addCall("F39", {"y"}, {"z"}, "call");
  EXPECT_THAT(errorOf(model_), AllOf(HasSubstr("calls functions too deeply: function 'own.F39' calls"),
                                     HasSubstr("write the network without that")));
  call.set_op_type("F25");
  EXPECT_THAT(errorOf(model_), HasSubstr("with its functions the model has more than 131072 nodes"));
}

TEST_F(OnnxFunctionTest, LargeCopiesAreReported) {
  FunctionProto &function = addFunction("F", {"a"}, {"b"});
  NodeProto &node = add(function, "Neg", {"a"}, {"b"});
  AttributeProto &list = addAttribute(node, "list", AttributeProto::INTS);
  for (int i = 0; i < 1 << 18; ++i)
    list.add_ints(i);
  for (int i = 0; i < 100; ++i)
    addCall("F", {"y"}, {"z" + std::to_string(i)});
  EXPECT_THAT(errorOf(model_), HasSubstr("or 134217728 bytes of copies at node 'F_"));
}

TEST_F(OnnxFunctionTest, LongNamesOfManyNodesAreReported) {
  FunctionProto &function = addFunction("F", {"a"}, {"b"});
  add(function, "Neg", {"a"}, {"b"});
  for (int i = 0; i < 10'000; ++i)
    add(function, "Neg", {"a"}, {"c" + std::to_string(i)});
  addCall("F", {"y"}, {"z"}, std::string(1 << 20, 'n'));
  EXPECT_THAT(errorOf(model_), HasSubstr("or 134217728 bytes of copies at node 'nnn"));
  model_.mutable_graph()->mutable_node(1)->set_name("call");
  model_.mutable_graph()->mutable_node(0)->set_output(0, std::string(1 << 20, 'y'));
  model_.mutable_graph()->mutable_node(1)->set_input(0, std::string(1 << 20, 'y'));
  EXPECT_THAT(errorOf(model_), HasSubstr("bytes of copies at node 'call'"));
}

TEST_F(OnnxFunctionTest, FunctionsAreClosed) {
  FunctionProto &function = addFunction("F", {"a"}, {"b"});
  add(function, "Add", {"a", "y"}, {"b"});
  addCall("F", {"y"}, {"z"}, "call");
  EXPECT_EQ(errorOf(model_),
            "node 'call' (F) calls function 'own.F': its node 'Add_0' (Add) reads 'y', which is no input "
            "of the function and no result in it");
  function.mutable_node(0)->set_input(1, "a");
  function.set_output(0, "c");
  setType(*model_.mutable_graph()->add_output(), "z");
  EXPECT_THAT(errorOf(model_), HasSubstr("the output 'z' is no input, no initializer and no result of a node"));
  function.set_input(0, "c");
  function.add_input("c");
  EXPECT_THAT(errorOf(model_), HasSubstr("calls function 'own.F': the function has two inputs 'c'"));
}

TEST_F(OnnxFunctionTest, FunctionImportsItsOperators) {
  FunctionProto &function = addFunction("F", {"a"}, {"b"}, 27);
  add(function, "Neg", {"a"}, {"b"});
  addCall("F", {"y"}, {"z"}, "call");
  EXPECT_THAT(errorOf(model_), HasSubstr("function 'own.F' imports version 27 of the operators 'ai.onnx'"));
  function.clear_opset_import();
  EXPECT_THAT(errorOf(model_),
              HasSubstr("node 'call/Neg_0' (Neg) is of the operators 'ai.onnx', of which no version is "
                        "imported"));
}

TEST_F(OnnxFunctionTest, CalledFunctionReplacesOperator) {
  FunctionProto &function = addFunction("Relu", {"a"}, {"b"});
  function.clear_domain();
  add(function, "Abs", {"a"}, {"b"});
  EXPECT_EQ(text(), "Relu_0/Abs_0 18: Abs(x) -> y\n");
}

} // namespace
} // namespace avocet::compiler

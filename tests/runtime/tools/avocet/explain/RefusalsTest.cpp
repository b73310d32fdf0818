//===- RefusalsTest.cpp - avocet explain of refused networks ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongNetwork.h"
#include "Tflite_generated.h"
#include "ToolRunner.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <memory>

namespace avocet::tool::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using tflite::BuiltinOperator;

/// Operators on quantized vectors that refuse in different phases: 0 ADD, by its activation, and 2 SOFTMAX, by its
/// beta. 1 MUL is accepted.
tflite::ModelT refusedNetwork() {
  tflite::ModelT model;
  model.version = 3;
  model.buffers.emplace_back(std::make_unique<tflite::BufferT>());
  auto graph = std::make_unique<tflite::SubGraphT>();
  const auto add = [&](const std::string &name, float scale) {
    auto tensor = std::make_unique<tflite::TensorT>();
    tensor->name = name;
    tensor->type = tflite::TensorType::INT8;
    tensor->shape = {1, 4};
    tensor->quantization = std::make_unique<tflite::QuantizationT>();
    tensor->quantization->scale = {scale};
    tensor->quantization->zero_point = {0};
    graph->tensors.push_back(std::move(tensor));
  };
  add("x", 0.5f);
  add("sum", 0.5f);
  add("product", 0.5f);
  add("soft", 1.0f / 256);
  graph->tensors.back()->quantization->zero_point = {-128};
  const auto compute = [&](BuiltinOperator kind, int32_t input, int32_t output) {
    auto code = std::make_unique<tflite::OperatorCodeT>();
    code->builtin_code = kind;
    code->deprecated_builtin_code = static_cast<int8_t>(kind);
    auto operation = std::make_unique<tflite::OperatorT>();
    operation->opcode_index = static_cast<uint32_t>(model.operator_codes.size());
    operation->inputs = {input, input};
    operation->outputs = {output};
    model.operator_codes.push_back(std::move(code));
    graph->operators.push_back(std::move(operation));
  };
  compute(BuiltinOperator::ADD, 0, 1);
  tflite::AddOptionsT activation;
  activation.activation = tflite::ActivationFunction::TANH;
  graph->operators.front()->options.Set(activation);
  compute(BuiltinOperator::MUL, 1, 2);
  compute(BuiltinOperator::SOFTMAX, 2, 3);
  graph->operators.back()->inputs = {2};
  tflite::SoftmaxOptionsT softmax;
  softmax.beta = -1;
  graph->operators.back()->options.Set(softmax);
  graph->inputs = {0};
  graph->outputs = {3};
  model.subgraphs.push_back(std::move(graph));
  return model;
}

constexpr const char *kSum = R"(operator   0 ADD
tensor     'sum'
rule       fused activation: is a clamp
found      TANH
accepted   NONE, RELU, RELU_N1_TO_1 or RELU6
to do      run this operator on the host, or change the model
The other operators can run: 'avocet compile MODEL --partition DIR' divides the network, as the TFLite delegate and NNAPI do.
)";

class RefusalsTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    ::setenv("COLUMNS", "80", /*replace=*/1);
    write("refused.tflite", fileOf(refusedNetwork()));
  }

  void TearDown() override {
    ::unsetenv("COLUMNS");
    ToolTest::TearDown();
  }

  ToolResult explain(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"explain", "refused.tflite"});
    ToolResult result = run(arguments);
    EXPECT_EQ(result.exitCode, 1);
    return result;
  }
};

TEST_F(RefusalsTest, OperatorsOfAllPhasesAreListed) {
  const ToolResult result = explain({});
  EXPECT_THAT(result.output, testing::StartsWith("operator   0 ADD\ntensor     'sum'\nrule       fused activation"));
  EXPECT_THAT(result.output, HasSubstr("\noperator   2 SOFTMAX\ntensor     'soft'\nrule       beta: is positive"));
  EXPECT_THAT(result.output, Not(HasSubstr("product")));
  EXPECT_EQ(result.errors, "avocet: error: 2 operation(s) of the model cannot run on target 'e256'\n");
}

TEST_F(RefusalsTest, LayerSelectsByNumberTensorOrText) {
  for (const std::string layer : {"0", "sum", "su", "ADD"})
    EXPECT_EQ(explain({"--layer", layer}).output, kSum) << layer;
  EXPECT_THAT(explain({"--layer", "soft"}).output, testing::StartsWith("operator   2 SOFTMAX\n"));
}

TEST_F(RefusalsTest, LayerThatIsNotRefusedIsAnError) {
  const ToolResult result = explain({"--layer", "product"});
  EXPECT_EQ(result.output, "");
  EXPECT_THAT(result.errors, HasSubstr("--layer product: none of the 2 operators that are refused"));
}

TEST_F(RefusalsTest, TooLittleMemoryNamesBytesAndRemedy) {
  write("lines.mlir", R"(
module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32> {
    %0 = nn.local_response_normalize %x radius 2 bias 1.0 alpha 1.0 beta 1.0 axis 3 : (tensor<1x1x1x65536xf32>) -> tensor<1x1x1x65536xf32>
    return %0 : tensor<1x1x1x65536xf32>
  }
}
)");
  const ToolResult result = run({"explain", "lines.mlir", "-t", "e256s"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_EQ(result.output, "operator   LOCAL_RESPONSE_NORMALIZE\n"
                           "place      lines.mlir:4:10\n"
                           "rule       bytes of on-chip memory for the smallest tile\n"
                           "found      524288\n"
                           "accepted   368640\n"
                           "to do      choose a target with more on-chip memory, or run this operator on the\n"
                           "           host (--fallback cpu)\n");
}

} // namespace
} // namespace avocet::tool::test

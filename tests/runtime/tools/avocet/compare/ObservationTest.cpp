//===- ObservationTest.cpp - What avocet compare can see -*- C++ -*-===//
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

using testing::ContainsRegex;
using testing::HasSubstr;

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";

/// The two largest numbers of 16, and their indices.
tflite::ModelT largestTwo() {
  tflite::ModelT model;
  model.version = 3;
  auto graph = std::make_unique<tflite::SubGraphT>();
  const auto add = [&](const std::string &name, tflite::TensorType type, std::vector<int32_t> shape, uint32_t buffer) {
    auto tensor = std::make_unique<tflite::TensorT>();
    tensor->name = name;
    tensor->type = type;
    tensor->shape = std::move(shape);
    tensor->buffer = buffer;
    graph->tensors.push_back(std::move(tensor));
  };
  add("x", tflite::TensorType::FLOAT32, {1, 16}, 0);
  add("k", tflite::TensorType::INT32, {}, 1);
  add("values", tflite::TensorType::FLOAT32, {1, 2}, 0);
  add("indices", tflite::TensorType::INT32, {1, 2}, 0);
  model.buffers.emplace_back(std::make_unique<tflite::BufferT>());
  model.buffers.emplace_back(std::make_unique<tflite::BufferT>())->data = {2, 0, 0, 0};
  auto code = std::make_unique<tflite::OperatorCodeT>();
  code->builtin_code = tflite::BuiltinOperator::TOPK_V2;
  code->deprecated_builtin_code = static_cast<int8_t>(tflite::BuiltinOperator::TOPK_V2);
  model.operator_codes.push_back(std::move(code));
  auto operation = std::make_unique<tflite::OperatorT>();
  operation->inputs = {0, 1};
  operation->outputs = {2, 3};
  graph->operators.push_back(std::move(operation));
  graph->inputs = {0};
  graph->outputs = {2, 3};
  model.subgraphs.push_back(std::move(graph));
  return model;
}

/// The two largest numbers inside of a network, and a concatenation with the network's input, which is copied.
tflite::ModelT innerResults() {
  tflite::ModelT model = largestTwo();
  tflite::SubGraphT &graph = *model.subgraphs.front();
  const auto add = [&](const std::string &name, tflite::TensorType type, std::vector<int32_t> shape) {
    auto tensor = std::make_unique<tflite::TensorT>();
    tensor->name = name;
    tensor->type = type;
    tensor->shape = std::move(shape);
    graph.tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(graph.tensors.size() - 1);
  };
  const auto compute = [&](tflite::BuiltinOperator kind, std::vector<int32_t> inputs, int32_t output) {
    auto code = std::make_unique<tflite::OperatorCodeT>();
    code->builtin_code = kind;
    code->deprecated_builtin_code = static_cast<int8_t>(kind);
    auto operation = std::make_unique<tflite::OperatorT>();
    operation->opcode_index = static_cast<uint32_t>(model.operator_codes.size());
    operation->inputs = std::move(inputs);
    operation->outputs = {output};
    model.operator_codes.push_back(std::move(code));
    graph.operators.push_back(std::move(operation));
    return graph.operators.back().get();
  };
  const int32_t sum = add("sum", tflite::TensorType::INT32, {1, 2});
  compute(tflite::BuiltinOperator::ADD, {3, 3}, sum);
  const int32_t curved = add("curved", tflite::TensorType::FLOAT32, {1, 2});
  compute(tflite::BuiltinOperator::TANH, {2}, curved);
  const int32_t joined = add("joined", tflite::TensorType::FLOAT32, {1, 18});
  tflite::ConcatenationOptionsT options;
  options.axis = 1;
  compute(tflite::BuiltinOperator::CONCATENATION, {0, curved}, joined)->options.Set(options);
  const int32_t last = add("last", tflite::TensorType::FLOAT32, {1, 18});
  compute(tflite::BuiltinOperator::TANH, {joined}, last);
  graph.outputs = {sum, last};
  return model;
}

/// Tensors that do not fit on chip of a small device, in orders that change between operations on images.
constexpr const char *kLarge = R"(
module attributes {avocet.phase = "import"} {
  func.func @main(%x: tensor<1x64x48x32xf32>) -> (tensor<1x32x48x64xf32>, tensor<1x1x64x32xf32>) {
    %0 = nn.transpose %x permutation [0, 3, 2, 1] : (tensor<1x64x48x32xf32>) -> tensor<1x32x48x64xf32> loc("turned")
    %1 = nn.max_pool_2d %0 kernel [1, 1] activation relu : (tensor<1x32x48x64xf32>) -> tensor<1x32x48x64xf32> loc("positive")
    %2 = nn.transpose %1 permutation [0, 2, 3, 1] : (tensor<1x32x48x64xf32>) -> tensor<1x48x64x32xf32> loc("again")
    %3 = nn.max_pool_2d %2 kernel [48, 1] : (tensor<1x48x64x32xf32>) -> tensor<1x1x64x32xf32> loc("most")
    %4 = nn.max_pool_2d %2 kernel [3, 3] pad [1, 1, 1, 1] : (tensor<1x48x64x32xf32>) -> tensor<1x48x64x32xf32> loc("near")
    %5 = nn.transpose %4 permutation [0, 3, 1, 2] : (tensor<1x48x64x32xf32>) -> tensor<1x32x48x64xf32> loc("last")
    return %5, %3 : tensor<1x32x48x64xf32>, tensor<1x1x64x32xf32>
  }
}
)";

class ObservationTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    ::setenv("COLUMNS", "1000", /*replace=*/1);
  }

  /// e256 with this much memory, as the file small.toml.
  void makeSmallDevice(const std::string &bytes) {
    std::string text = run({"targets", "--print", "e256"}).output;
    const std::string large = "bytes = 2_097_152";
    ASSERT_NE(text.find(large), std::string::npos);
    write("small.toml", text.replace(text.find(large), large.size(), "bytes = " + bytes));
  }
};

TEST_F(ObservationTest, SecondaryResultsAreComparedAsOutputs) {
  write("topk.tflite", fileOf(largestTwo()));
  const ToolResult right = run({"compare", "topk.tflite", "--against", "reference", "--all"});
  EXPECT_EQ(right.exitCode, 0) << right.errors;
  EXPECT_THAT(right.output, ContainsRegex("'values' +equal\n"));
  EXPECT_THAT(right.output, ContainsRegex("'indices' +equal\n"));
  ASSERT_EQ(run({"compare", "topk.tflite", "--save", "saved"}).exitCode, 0);
  const ToolResult other = run({"compare", "topk.tflite", "--seed", "2", "--against", "saved"});
  EXPECT_EQ(other.exitCode, 1);
  EXPECT_THAT(other.output, ContainsRegex("\n +'indices' +[12] "));
}

TEST_F(ObservationTest, InnerSecondaryResultsAreCompared) {
  write("inner.tflite", fileOf(innerResults()));
  const ToolResult right = run({"compare", "inner.tflite", "--against", "reference", "--all"});
  EXPECT_EQ(right.exitCode, 0) << right.errors;
  EXPECT_THAT(right.output, ContainsRegex("'indices' +equal\n"));
  EXPECT_THAT(right.output, HasSubstr(" 0 of another form"));
  ASSERT_EQ(run({"compare", "inner.tflite", "--save", "saved"}).exitCode, 0);
  const ToolResult other = run({"compare", "inner.tflite", "--seed", "2", "--against", "saved"});
  EXPECT_THAT(other.output, ContainsRegex("\n +'indices' +[12] "));
}

TEST_F(ObservationTest, PartsOfConcatenationAreCompared) {
  write("inner.tflite", fileOf(innerResults()));
  const ToolResult right = run({"compare", "inner.tflite", "--against", "reference", "--all"});
  EXPECT_THAT(right.output, ContainsRegex("'joined' from 0, 0, 0 +equal\n"));
  const ToolResult other = run({"compare", "inner.tflite", "--seed", "2", "--against", "reference", "--save", "saved"});
  EXPECT_EQ(other.exitCode, 0) << other.errors;
}

TEST_F(ObservationTest, PiecesOfLargeOperationsAreCompared) {
  makeSmallDevice("16_384");
  write("large.mlir", kLarge);
  ASSERT_EQ(run({"compare", "large.mlir", "--save", "saved"}).exitCode, 0);
  const ToolResult right = run({"compare", "large.mlir", "-t", "small.toml", "--against", "saved"});
  EXPECT_EQ(right.exitCode, 0) << right.errors;
  EXPECT_THAT(right.output,
              HasSubstr("6 tensors: 6 equal, 0 differ, 0 of another form, 0 not in the oracle, 0 not ob"));
  const ToolResult other = run({"compare", "large.mlir", "-t", "small.toml", "--seed", "2", "--against", "saved"});
  EXPECT_THAT(other.output, HasSubstr("6 tensors: 0 equal, 6 differ"));
  EXPECT_THAT(other.output,
              HasSubstr("first difference\ntensor     'turned'\nelement    row 0, column 0, channel 0 of "));
}

TEST_F(ObservationTest, ChangedSignednessIsTheSameTensor) {
  ASSERT_EQ(run({"compare", kDigits, "--save", "saved"}).exitCode, 0);
  std::string list = read("saved/tensors.json");
  const size_t entry = list.find("\"file\": \"tensor0.bin\"");
  const size_t type = list.find("\"i8\"", entry);
  ASSERT_NE(type, std::string::npos);
  write("saved/tensors.json", list.replace(type, 4, "\"u8\""));
  const ToolResult wrong = run({"compare", kDigits, "--against", "saved"});
  EXPECT_EQ(wrong.exitCode, 1);
  EXPECT_THAT(wrong.output, HasSubstr("10 tensors: 9 equal, 1 differ"));
  std::string bytes = read("saved/tensor0.bin");
  for (char &byte : bytes)
    byte = static_cast<char>(byte ^ '\x80');
  write("saved/tensor0.bin", bytes);
  const ToolResult right = run({"compare", kDigits, "--against", "saved"});
  EXPECT_EQ(right.exitCode, 0) << right.errors;
  EXPECT_THAT(right.output, HasSubstr("10 tensors: 10 equal"));
}

} // namespace
} // namespace avocet::tool::test

//===- IsolateTest.cpp - avocet compare --isolate -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongNetwork.h"
#include "ToolRunner.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace avocet::tool::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";

class IsolateTest : public ToolTest {
protected:
  void SetUp() override {
    ToolTest::SetUp();
    ::setenv("COLUMNS", "1000", /*replace=*/1);
  }
  void TearDown() override {
    ::unsetenv("AVOCET_COMPILER_LIBRARY");
    ToolTest::TearDown();
  }

  /// All later runs use the compiler that makes each minimum a maximum in a file "always".
  static void useFaultyCompiler() { ::setenv("AVOCET_COMPILER_LIBRARY", AVOCET_FAULTY_COMPILER, /*replace=*/1); }
};

TEST_F(IsolateTest, EachOperatorHasItsRow) {
  const ToolResult result = run({"compare", kDigits, "--against", "reference", "--isolate", "--all"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, ContainsRegex("\n 0  CONV_2D +stem +equal\n"));
  EXPECT_THAT(result.output, ContainsRegex("\n 8  ADD +add2 +equal\n"));
  EXPECT_THAT(result.output, HasSubstr("13 results of single operators: 13 equal, 0 differ, 0 not compared\n"));
}

TEST_F(IsolateTest, WrongOperatorIsTheOnlyRow) {
  write("always.tflite", fileOf(longNetwork(9))); // ends with SUB, MINIMUM, MUL; a TANH is fused
  ASSERT_EQ(run({"compare", "always.tflite", "--save", "good"}).exitCode, 0);
  useFaultyCompiler();
  const ToolResult whole = run({"compare", "always.tflite", "--against", "good"});
  EXPECT_EQ(whole.exitCode, 1);
  EXPECT_THAT(whole.output, HasSubstr("8 tensors: 6 equal, 2 differ"));
  const ToolResult alone = run({"compare", "always.tflite", "--against", "good", "--isolate"});
  EXPECT_EQ(alone.exitCode, 1);
  EXPECT_THAT(alone.errors, HasSubstr("1 results of single operators differ"));
  EXPECT_THAT(alone.output, HasSubstr("\n7  MINIMUM "));
  EXPECT_THAT(alone.output, HasSubstr("\n\n9 results of single operators: 6 equal, 1 differ, 2 not compared\n"));
}

/// Stores the filter of a convolution as float16, which a DEQUANTIZE at the begin of the network converts.
void storeFilterAsHalf(tflite::ModelT &model, size_t convolution) {
  tflite::SubGraphT &graph = *model.subgraphs.front();
  const auto filter = static_cast<size_t>(graph.operators[convolution]->inputs[1]);
  const auto half = static_cast<int32_t>(graph.tensors.size());
  auto tensor = std::make_unique<tflite::TensorT>(*graph.tensors[filter]);
  tensor->name = "half";
  tensor->type = tflite::TensorType::FLOAT16;
  std::vector<uint8_t> &bytes = model.buffers[tensor->buffer]->data;
  const size_t elements = bytes.size() / sizeof(float);
  bytes.clear();
  for (size_t i = 0; i < elements; ++i)
    bytes.insert(bytes.end(), {0x00, uint8_t(i % 3 == 0 ? 0xB8 : 0x34)}); // -0.5 or 0.25
  graph.tensors.push_back(std::move(tensor));
  graph.tensors[filter]->buffer = 0;
  auto dequantize = std::make_unique<tflite::OperatorT>();
  dequantize->opcode_index = static_cast<uint32_t>(model.operator_codes.size());
  dequantize->inputs = {half};
  dequantize->outputs = {static_cast<int32_t>(filter)};
  auto code = std::make_unique<tflite::OperatorCodeT>();
  code->builtin_code = tflite::BuiltinOperator::DEQUANTIZE;
  code->deprecated_builtin_code = static_cast<int8_t>(tflite::BuiltinOperator::DEQUANTIZE);
  model.operator_codes.push_back(std::move(code));
  graph.operators.insert(graph.operators.begin(), std::move(dequantize));
}

TEST_F(IsolateTest, OperatorKeepsWeightsStoredAsHalf) {
  tflite::ModelT model = longNetwork(9);
  storeFilterAsHalf(model, 4);
  write("half.tflite", fileOf(model));
  ASSERT_EQ(run({"compare", "half.tflite", "--save", "good"}).exitCode, 0);
  const ToolResult result = run({"compare", "half.tflite", "--against", "good", "--isolate", "--all"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, ContainsRegex("\n *5  CONV_2D +[^ ]+ +equal\n")) << result.output;
}

TEST_F(IsolateTest, FusedOperatorsNeedACompleteOracle) {
  ASSERT_EQ(run({"compare", kDigits, "--save", "fused"}).exitCode, 0); // the additions are parts of convolutions
  const ToolResult result = run({"compare", kDigits, "--against", "fused", "--isolate", "--all"});
  EXPECT_EQ(result.exitCode, 0) << result.errors;
  EXPECT_THAT(result.output, ContainsRegex("residual1 +not in the oracle\n"));
  EXPECT_THAT(result.output, ContainsRegex("add1 +the oracle lacks its input 'residual1'\n"));
}

TEST_F(IsolateTest, InputsOfNetworkAreTheGivenOnes) {
  ASSERT_EQ(run({"compare", kDigits, "--save", "saved"}).exitCode, 0);
  const ToolResult result = run({"compare", kDigits, "--seed", "2", "--against", "saved", "--isolate"});
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.output, HasSubstr("\n0  CONV_2D   stem ")); // all others have inputs of the oracle
  EXPECT_THAT(result.output, HasSubstr(", 1 differ, "));
}

TEST_F(IsolateTest, ArtefactsAreRefused) {
  ASSERT_EQ(run({"compile", kDigits, "-g", "-o", "out"}).exitCode, 0);
  for (const std::vector<std::string> &arguments :
       {std::vector<std::string>{"compare", "out", "--isolate", "--against", "reference", "--model", kDigits},
        {"compare", kDigits, "--isolate", "--save", "x"}}) {
    const ToolResult result = run(arguments);
    EXPECT_EQ(result.exitCode, 1);
    EXPECT_THAT(result.errors, HasSubstr("--isolate compiles each operator of a network"));
  }
}

} // namespace
} // namespace avocet::tool::test

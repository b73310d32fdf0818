//===- DividedTest.cpp - Networks of which the device takes parts - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "DelegateClient.h"
#include "Draft.h"
#include "Model.h"

#include <gtest/gtest.h>

namespace avocet::delegate {
namespace {

using namespace differential;

class DividedNetworkTest : public testing::Test {
protected:
  void SetUp() override {
    const Result<std::string> library = findOracle();
    if (!library)
      GTEST_SKIP() << library.status().message();
    library_ = *library;
  }

  /// TensorFlow Lite's results with and without the delegate.
  void expectSameResults(const TestModel &model, const OracleRequest &request) {
    Oracle plain(library_);
    client_ = std::make_unique<DelegateClient>(library_);
    const Result<std::vector<Bytes>> expected = plain.run(request), found = client_->run(request);
    ASSERT_TRUE(expected) << expected.status().toString();
    ASSERT_TRUE(found) << found.status().toString();
    ASSERT_EQ(found->size(), expected->size());
    for (size_t i = 0; i < found->size(); ++i)
      EXPECT_EQ(compare(model.outputs[i % model.outputs.size()], (*found)[i], (*expected)[i], {.real = 1e-5f}), "")
          << "output " << i;
  }

  std::string library_;
  std::unique_ptr<DelegateClient> client_;
};

const Element kReal{TensorType::FLOAT32};

/// A spectrum between two operators on reals; `last` makes reals of it.
TestModel spectralNetwork(BuiltinOperator last) {
  Model model;
  const int32_t input = model.addInput({4, 8}, kReal, encode(std::vector<double>(32, 0.75), TensorType::FLOAT32));
  const int32_t factor = model.addConstant({1}, kReal, encode({3}, TensorType::FLOAT32));
  const int32_t length = model.addConstant({2}, {TensorType::INT32}, encode({4, 8}, TensorType::INT32));
  const int32_t product = model.addTensor({4, 8}, kReal), spectrum = model.addTensor({4, 5}, {TensorType::COMPLEX64});
  const int32_t real = model.addTensor({4, 5}, kReal), sum = model.addOutput({4, 5}, kReal);
  model.addOperator(BuiltinOperator::MUL, {input, factor}, {product}).options.Set(tflite::MulOptionsT());
  model.addOperator(BuiltinOperator::RFFT2D, {product, length}, {spectrum});
  model.addOperator(last, {spectrum}, {real});
  model.addOperator(BuiltinOperator::ADD, {real, factor}, {sum}).options.Set(tflite::AddOptionsT());
  return model.finish();
}

/// Complex tensors stay in one place: without the conversion of complex numbers, the spectrum stays too.
TEST_F(DividedNetworkTest, UnsupportedOperatorsBetweenPartsStay) {
  const TestModel test = spectralNetwork(BuiltinOperator::CAST);
  expectSameResults(test, {test.file, test.inputs});
  EXPECT_EQ(client_->summary().onDevice, 2u);
  EXPECT_EQ(client_->summary().nodes, 4u);
  EXPECT_EQ(client_->summary().partitions, 2u);
  EXPECT_EQ(client_->summary().bytesCopied, 0u);
}

TEST_F(DividedNetworkTest, SpectraRunOnTheDevice) {
  for (const BuiltinOperator last : {BuiltinOperator::COMPLEX_ABS, BuiltinOperator::REAL, BuiltinOperator::IMAG}) {
    const TestModel test = spectralNetwork(last);
    expectSameResults(test, {test.file, test.inputs});
    EXPECT_EQ(client_->summary().onDevice, 4u) << EnumNameBuiltinOperator(last);
    EXPECT_EQ(client_->summary().partitions, 1u);
  }
}

/// The part after WHERE gets another shape in each run.
TEST_F(DividedNetworkTest, PartsFollowShapesThatDependOnValues) {
  Model model;
  const int32_t input = model.addInput({6}, kReal, encode({1, -1, 2, -2, 3, 4}, TensorType::FLOAT32));
  model.addRun({encode({-1, -1, 2, -2, -3, 4}, TensorType::FLOAT32)});
  model.addRun({encode({1, -1, 2, -2, 3, 5}, TensorType::FLOAT32)});
  const int32_t zero = model.addConstant({1}, kReal, encode({0}, TensorType::FLOAT32));
  const int32_t two = model.addConstant({1}, kReal, encode({2}, TensorType::FLOAT32));
  const int32_t mask = model.addTensor({6}, {TensorType::BOOL}), places = model.addTensor({4, 1}, {TensorType::INT64});
  const int32_t chosen = model.addTensor({4}, kReal), product = model.addOutput({4}, kReal);
  model.addOperator(BuiltinOperator::GREATER, {input, zero}, {mask});
  model.addOperator(BuiltinOperator::WHERE, {mask}, {places});
  model.addOperator(BuiltinOperator::GATHER_ND, {input, places}, {chosen});
  model.addOperator(BuiltinOperator::MUL, {chosen, two}, {product}).options.Set(tflite::MulOptionsT());
  const TestModel test = model.finish();
  expectSameResults(test, {test.file, test.inputs});
  EXPECT_EQ(client_->summary().onDevice, 3u);
  EXPECT_EQ(client_->summary().partitions, 2u);
}

TEST_F(DividedNetworkTest, ResizedInputsRunOnTheDevice) {
  Model model;
  const int32_t input = model.addInput({1, 4}, kReal, encode(std::vector<double>(12, 0.5), TensorType::FLOAT32));
  const int32_t factor = model.addConstant({4}, kReal, encode({1, 2, 3, 4}, TensorType::FLOAT32));
  const int32_t product = model.addOutput({1, 4}, kReal);
  model.addOperator(BuiltinOperator::MUL, {input, factor}, {product}).options.Set(tflite::MulOptionsT());
  const TestModel test = model.finish();
  expectSameResults(test, {test.file, test.inputs, {{3, 4}}});
  EXPECT_EQ(client_->summary().onDevice, 1u);
  EXPECT_EQ(client_->summary().prepared, 2u);
  EXPECT_NE(client_->profile().find("  layer\n"), std::string::npos);
  EXPECT_NE(client_->profile().find("  t2\n"), std::string::npos) << client_->profile(); // the result's name
  EXPECT_EQ(client_->summary().bytesCopied, 0u);
}

/// Opens all shapes of subgraphs but the main one, for which the file records 1 then.
void openShapesOfLoops(TestModel &test) {
  std::unique_ptr<tflite::ModelT> file(tflite::GetModel(test.file.data())->UnPack());
  for (size_t index = 1; index < file->subgraphs.size(); ++index)
    for (auto &tensor : file->subgraphs[index]->tensors)
      if (tensor->shape.size() == 2) {
        tensor->shape_signature = {-1, -1};
        tensor->shape = {1, 1};
      }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(tflite::Model::Pack(builder, file.get()), tflite::ModelIdentifier());
  test.file.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
}

/// The shapes of the state are known too late to leave an operator. Those of the counter are not open.
TEST_F(DividedNetworkTest, OpenShapesInLoopsStay) {
  const Element integer{TensorType::INT32};
  Model model;
  const int32_t start = model.addInput({}, integer, encode({0}, TensorType::INT32));
  const int32_t input = model.addInput({2, 3}, kReal, encode({1, 2, 3, 4, 5, 6}, TensorType::FLOAT32));
  const int32_t turns = model.addOutput({}, integer), sum = model.addOutput({2, 3}, kReal);
  tflite::WhileOptionsT loop;
  loop.condition_subgraph = static_cast<int32_t>(model.openSubgraph());
  const int32_t turn = model.addParameter({}, integer);
  model.addParameter({2, 3}, kReal);
  const int32_t limit = model.addConstant({}, integer, encode({3}, TensorType::INT32));
  model.addOperator(BuiltinOperator::LESS, {turn, limit}, {model.addOutput({}, {TensorType::BOOL})});
  loop.body_subgraph = static_cast<int32_t>(model.openSubgraph());
  const int32_t counter = model.addParameter({}, integer), state = model.addParameter({2, 3}, kReal);
  const int32_t one = model.addConstant({}, integer, encode({1}, TensorType::INT32));
  const int32_t half = model.addConstant({}, kReal, encode({0.5}, TensorType::FLOAT32));
  const int32_t shape = model.addTensor({2}, integer), halves = model.addTensor({2, 3}, kReal);
  const int32_t next = model.addOutput({}, integer), grown = model.addOutput({2, 3}, kReal);
  model.addOperator(BuiltinOperator::ADD, {counter, one}, {next}).options.Set(tflite::AddOptionsT());
  tflite::ShapeOptionsT extents;
  extents.out_type = TensorType::INT32;
  model.addOperator(BuiltinOperator::SHAPE, {state}, {shape}).options.Set(extents);
  model.addOperator(BuiltinOperator::FILL, {shape, half}, {halves});
  model.addOperator(BuiltinOperator::ADD, {state, halves}, {grown}).options.Set(tflite::AddOptionsT());
  model.closeSubgraph();
  model.addOperator(BuiltinOperator::WHILE, {start, input}, {turns, sum}).options.Set(loop);
  TestModel test = model.finish();
  openShapesOfLoops(test);
  expectSameResults(test, {test.file, test.inputs});
  EXPECT_EQ(client_->summary().onDevice, 2u); // the counter's comparison and sum
}

} // namespace
} // namespace avocet::delegate

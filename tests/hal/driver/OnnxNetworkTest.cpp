//===- OnnxNetworkTest.cpp - Models of the ONNX extension -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"
#include "Onnx.pb.h"

#include "avocet/hal/driver/OnnxExtension.h"
#include "avocet/hal/types/Utils.h"

#include <gmock/gmock.h>

namespace avocet::hal {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using namespace onnx_file;

constexpr uint32_t kCount = 3;

/// y = x + c, of which c is in pool 0.
std::string networkFile() {
  ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  GraphProto &graph = *model.mutable_graph();
  ValueInfoProto &input = *graph.add_input();
  input.set_name("x");
  TypeProto::Tensor &type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_value(kCount);
  graph.add_output()->set_name("y");
  TensorProto &constant = *graph.add_initializer();
  constant.set_name("c");
  constant.set_data_type(TensorProto::FLOAT);
  constant.add_dims(kCount);
  constant.set_data_location(TensorProto::EXTERNAL);
  for (const auto &[key, value] : {std::pair("pool", "0"), std::pair("offset", "8")}) {
    StringStringEntryProto &entry = *constant.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  NodeProto &node = *graph.add_node();
  node.set_op_type("Add");
  node.add_input("x");
  node.add_input("c");
  node.add_output("y");
  return model.SerializeAsString();
}

Operand bytesAt(uint64_t offset, uint64_t size, OperandLifeTime lifetime) {
  Operand bytes = tensor(OperandType::TensorQuant8Asymm, {static_cast<uint32_t>(size)}, lifetime);
  bytes.scale = 1;
  bytes.location = {0, offset, size, 0};
  return bytes;
}

class OnnxNetworkTest : public CacheFixture {
protected:
  void SetUp() override {
    CacheFixture::SetUp();
    const float numbers[] = {0, 0, 10, 20, 30};
    std::ranges::copy(numbers, constants_.as<float>().begin());
  }

  /// Operands 0 and 1 are input and output, 2 the file, 3 the constants.
  Model onnxModel() const {
    Model model;
    model.main.operands = {tensor(OperandType::TensorFloat32, {kCount}, OperandLifeTime::SubgraphInput),
                           tensor(OperandType::TensorFloat32, {kCount}, OperandLifeTime::SubgraphOutput)};
    model.main.inputIndexes = {0};
    model.main.outputIndexes = {1};
    model.extensionNameToPrefix = {{std::string(kOnnxExtension), 1}};
    const std::string file = networkFile();
    model.operandValues.assign(file.begin(), file.end());
    model.main.operands.push_back(bytesAt(0, file.size(), OperandLifeTime::ConstantCopy));
    model.main.operands.push_back(bytesAt(0, kConstantBytes, OperandLifeTime::ConstantReference));
    model.pools = {constants_.memory()};
    model.main.operations = {{extensionOperation(1, kOnnxNetwork), {2, 3, 0}, {1}}};
    return model;
  }

  std::string refusal(const Model &model) const {
    const auto prepared = device_->prepareModel(model, {});
    return prepared ? "" : prepared.error().message;
  }

  static constexpr uint64_t kConstantBytes = 20;
  TestPool constants_{kConstantBytes};
};

TEST_F(OnnxNetworkTest, ConstantsComeFromThePool) {
  const auto prepared = prepare(onnxModel());
  ASSERT_NE(prepared, nullptr);
  EXPECT_THAT(run(*prepared), ElementsAre(10, 20, 30));
}

TEST_F(OnnxNetworkTest, FileAndConstantsMayShareAPool) {
  Model model = onnxModel();
  TestPool both(kConstantBytes + model.operandValues.size());
  std::ranges::copy(constants_.bytes(), both.bytes().begin());
  std::ranges::copy(model.operandValues, both.bytes().begin() + kConstantBytes);
  model.main.operands[2] = bytesAt(kConstantBytes, model.operandValues.size(), OperandLifeTime::ConstantReference);
  model.pools = {both.memory()};
  const auto prepared = prepare(model);
  ASSERT_NE(prepared, nullptr);
  EXPECT_THAT(run(*prepared), ElementsAre(10, 20, 30));
}

TEST_F(OnnxNetworkTest, OtherConstantsAreAnotherNetworkInTheCache) {
  DriverOptions options = cachingOptions();
  options.blobCacheBytes = 1 << 24;
  restart(options);
  ASSERT_NE(prepare(onnxModel()), nullptr);
  constants_.as<float>()[2] = 40;
  const auto prepared = prepare(onnxModel());
  ASSERT_NE(prepared, nullptr);
  EXPECT_THAT(run(*prepared), ElementsAre(40, 20, 30));
}

TEST_F(OnnxNetworkTest, CachedNetworksNeedNoCompiler) {
  ASSERT_NE(prepare(onnxModel(), withCache()), nullptr);
  restart(/*withCompiler=*/false);
  const auto fromFiles = loadModel(files_);
  ASSERT_NE(fromFiles, nullptr);
  EXPECT_THAT(run(*fromFiles), ElementsAre(10, 20, 30));
}

TEST_F(OnnxNetworkTest, OpenOutputHasTheShapeOfItsNetwork) {
  Model model = onnxModel();
  model.main.operands[1].dimensions.clear();
  const auto prepared = prepare(model);
  ASSERT_NE(prepared, nullptr);
  EXPECT_THAT(run(*prepared), ElementsAre(10, 20, 30));
  TestPool inputs(kCount * sizeof(float)), outputs(1);
  const ExecutionOutcome outcome = prepared->execute(requestOf({kCount * sizeof(float)}, {1}, inputs, outputs), {});
  EXPECT_EQ(outcome.status, ErrorStatus::OutputInsufficientSize);
  ASSERT_EQ(outcome.outputShapes.size(), 1u);
  EXPECT_THAT(outcome.outputShapes[0].dimensions, ElementsAre(kCount));
}

TEST_F(OnnxNetworkTest, MisuseIsRefused) {
  Model model = onnxModel();
  model.main.operations[0].inputs = {2, 0};
  EXPECT_THAT(refusal(model), HasSubstr("external data in pool 0, but the model comes with 0 pools"));
  model = onnxModel();
  model.main.operations[0].inputs = {2, 3, 3, 0};
  EXPECT_THAT(refusal(model), HasSubstr("an operation of com.avocet.onnx is the only one of its model"));
  model = onnxModel();
  model.main.operands[1].dimensions = {0};
  EXPECT_THAT(refusal(model), HasSubstr("declared with another type, shape or scale than 'y' of its network has"));
  model = onnxModel();
  model.main.operands[1].dimensions = {kCount + 1};
  EXPECT_THAT(refusal(model), HasSubstr("declared with another type, shape or scale than 'y' of its network has"));
  model = onnxModel();
  model.main.operands[3] = bytesAt(0, kConstantBytes - 1, OperandLifeTime::ConstantReference);
  EXPECT_THAT(refusal(model), HasSubstr("its pool 0 has 19 bytes"));
  model = onnxModel();
  const std::string_view text = "module {} // no ONNX";
  model.operandValues.assign(text.begin(), text.end());
  model.main.operands[2] = bytesAt(0, text.size(), OperandLifeTime::ConstantCopy);
  EXPECT_THAT(refusal(model), HasSubstr("not an ONNX model"));
}

} // namespace
} // namespace avocet::hal

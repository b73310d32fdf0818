//===- CachedMetadataTest.cpp - Metadata of models from caches --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"
#include "avocet/hal/driver/TfliteExtension.h"
#include "avocet/hal/types/Utils.h"
#include "model/CompiledModel.h"
#include "model/PreparedModel.h"

#include <cstring>

namespace avocet::hal {
namespace {

using namespace testing;
using enum OperandType;

/// output = input0 + input1, quantized alike.
Model quantizedAdd(OperandType type, float scale, int32_t zeroPoint, const std::vector<uint32_t> &dimensions = {4}) {
  Model model = addModel(dimensions);
  for (uint32_t index : {0, 1, 3}) {
    Operand &operand = model.main.operands[index];
    operand.type = type;
    operand.scale = scale;
    operand.zeroPoint = zeroPoint;
  }
  return model;
}

/// output = input, both of one type.
Model oneInput(OperationType operation, const Operand &input, const Operand &output) {
  Model model;
  model.main.operands = {input, output};
  model.main.operations = {{operation, {0}, {1}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {1};
  return model;
}

/// float32 from weights with a scale for each row.
Model perChannelDequantize(std::vector<float> scales) {
  Operand input = tensor(TensorQuant8SymmPerChannel, {2, 3}, OperandLifeTime::SubgraphInput);
  input.extraParams = SymmPerChannelQuantParams{std::move(scales), 0};
  return oneInput(OperationType::Dequantize, input, tensor(TensorFloat32, {2, 3}, OperandLifeTime::SubgraphOutput));
}

/// The permutation is an input that may be omitted. Its values determine the compiled program.
Model transposeModel() {
  Model model = oneInput(OperationType::Transpose, tensor(TensorFloat32, {2, 3}, OperandLifeTime::SubgraphInput),
                         tensor(TensorFloat32, {0, 0}, OperandLifeTime::SubgraphOutput));
  model.main.operands.push_back(tensor(TensorInt32, {2}, OperandLifeTime::SubgraphInput));
  model.main.operations[0].inputs = {0, 2};
  model.main.inputIndexes = {0, 2};
  return model;
}

struct NamedModel {
  const char *name;
  Model model;
};

std::vector<NamedModel> models() {
  return {{"float", addModel({4})},
          {"unknown extents", addModel({0, 2})},
          {"unknown rank", addModel({})},
          {"unsigned", quantizedAdd(TensorQuant8Asymm, 0.5f, 100)},
          {"signed", quantizedAdd(TensorQuant8AsymmSigned, 0.25f, -3)},
          {"quantized of unknown extents", quantizedAdd(TensorQuant8Asymm, 0.125f, 7, {0, 3})},
          {"values shape the program", transposeModel()}};
}

const PreparedModel &driversOwn(const std::shared_ptr<IPreparedModel> &model) {
  return dynamic_cast<const PreparedModel &>(*model);
}

void expectSameInterface(const Signature &fresh, const Signature &cached, const char *name) {
  EXPECT_EQ(fresh.model().main.operands, cached.model().main.operands) << name;
  EXPECT_EQ(fresh.model().main.inputIndexes, cached.model().main.inputIndexes) << name;
  EXPECT_EQ(fresh.model().main.outputIndexes, cached.model().main.outputIndexes) << name;
}

/// The device also has its own cache of compilations, from which a second preparation comes.
class CachedMetadata : public CacheFixture {
protected:
  void SetUp() override {
    CacheFixture::SetUp();
    reopen(true);
  }
  void reopen(bool withCompiler) {
    DriverOptions options = cachingOptions();
    options.blobCacheBytes = 1 << 24;
    restart(options, withCompiler);
  }
  /// Separate files for each model.
  PrepareOptions withFiles(const std::string &name) const {
    PrepareOptions options;
    options.cache = openFiles(name + ".model", name + ".data", O_RDWR | O_CREAT);
    options.cache.token[31] = static_cast<uint8_t>(name.size());
    return options;
  }
  ErrorStatus share(const std::shared_ptr<IPreparedModel> &a, const std::shared_ptr<IPreparedModel> &b) {
    return device_->allocate({}, {{a, 0, 1}, {b, 0, 1}}, {}).code();
  }
};

TEST_F(CachedMetadata, EqualsThatOfFreshModel) {
  for (const NamedModel &entry : models()) {
    const PrepareOptions options = withFiles(entry.name);
    reopen(true);
    auto fresh = prepare(entry.model, options);
    ASSERT_NE(fresh, nullptr) << entry.name;
    reopen(false);
    auto fromFiles = loadModel(options.cache), fromBlob = prepare(entry.model);
    ASSERT_TRUE(fromFiles && fromBlob) << entry.name;
    const Signature meant(entry.model);
    expectSameInterface(meant, driversOwn(fresh).signature(), entry.name);
    expectSameInterface(meant, driversOwn(fromFiles).signature(), entry.name);
    expectSameInterface(meant, driversOwn(fromBlob).signature(), entry.name);
  }
}

TEST_F(CachedMetadata, EqualModelsShareBuffers) {
  for (const NamedModel &entry : models()) {
    const PrepareOptions options = withFiles(entry.name);
    auto fresh = prepare(entry.model, options), fromBlob = prepare(entry.model);
    auto fromFiles = loadModel(options.cache);
    ASSERT_TRUE(fresh && fromBlob && fromFiles) << entry.name;
    // A buffer whose size follows from no role is a general failure, although the roles are valid.
    const ErrorStatus alone = device_->allocate({}, {{fresh, 0, 1}}, {}).code();
    EXPECT_NE(alone, ErrorStatus::InvalidArgument);
    EXPECT_EQ(share(fresh, fromFiles), alone) << entry.name;
    EXPECT_EQ(share(fresh, fromBlob), alone) << entry.name;
    EXPECT_EQ(share(fromBlob, fromFiles), alone) << entry.name;
  }
}

TEST_F(CachedMetadata, DifferentScalesCannotShareBuffers) {
  const PrepareOptions coarse = withFiles("coarse"), fine = withFiles("finer");
  auto freshCoarse = prepare(quantizedAdd(TensorQuant8Asymm, 0.5f, 100), coarse);
  auto freshFine = prepare(quantizedAdd(TensorQuant8Asymm, 0.25f, 100), fine);
  auto cachedCoarse = loadModel(coarse.cache), cachedFine = loadModel(fine.cache);
  ASSERT_TRUE(freshCoarse && freshFine && cachedCoarse && cachedFine);
  EXPECT_EQ(share(cachedCoarse, cachedFine), ErrorStatus::InvalidArgument);
  EXPECT_EQ(share(freshCoarse, cachedFine), ErrorStatus::InvalidArgument);
  EXPECT_EQ(share(freshFine, cachedCoarse), ErrorStatus::InvalidArgument);
}

TEST_F(CachedMetadata, DifferentZeroPointsCannotShareBuffers) {
  const PrepareOptions low = withFiles("low"), high = withFiles("high");
  ASSERT_NE(prepare(quantizedAdd(TensorQuant8Asymm, 0.5f, 1), low), nullptr);
  auto first = loadModel(low.cache);
  ASSERT_NE(prepare(quantizedAdd(TensorQuant8Asymm, 0.5f, 2), high), nullptr);
  auto second = loadModel(high.cache);
  EXPECT_EQ(share(first, second), ErrorStatus::InvalidArgument);
}

TEST_F(CachedMetadata, CachedModelRunsWithSharedBuffer) {
  const PrepareOptions options = withFiles("state");
  auto fresh = prepare(addModel({4}), options);
  auto cached = loadModel(options.cache);
  ASSERT_TRUE(fresh && cached);
  auto buffer = device_->allocate({}, {{cached, 0, 1}}, {{fresh, 0, 1}});
  ASSERT_TRUE(buffer.isOk()) << buffer.error().message;
  TestPool inputs(32), outputs(16);
  inputs.as<float>()[0] = 3;
  Request write = requestOf({16, 16}, {16}, inputs, outputs), read = write;
  write.outputs[0].location = {.poolIndex = 1};
  write.pools[1] = (*buffer)->token();
  read.pools.push_back((*buffer)->token());
  read.inputs[0].location = {.poolIndex = 2};
  ASSERT_TRUE(fresh->execute(write, {}).isOk());
  ASSERT_TRUE(cached->execute(read, {}).isOk());
  EXPECT_EQ(outputs.as<float>()[0], 3);
}

/// Includes operands that no operation of the device accepts as inputs.
TEST(PreparedFile, KeepsEveryFieldOfOperands) {
  Operand perChannel = perChannelDequantize({0.5f, 0.25f}).main.operands[0];
  Operand extension = tensor(TensorFloat32, {2}, OperandLifeTime::SubgraphInput);
  extension.extraParams = std::vector<uint8_t>{1, 2, 3};
  Operand empty = extension;
  empty.extraParams = std::vector<uint8_t>();
  Operand scalar = tensor(Bool, {}, OperandLifeTime::SubgraphInput);
  Operand wide = tensor(TensorQuant16Asymm, {0, 7}, OperandLifeTime::SubgraphOutput);
  wide.scale = 1.25f;
  wide.zeroPoint = 65535;
  Result<ModelBytes> source = modelBytesOf(perChannelDequantize({0.5f, 0.25f}));
  ASSERT_TRUE(source.isOk());
  CompiledModel model;
  model.source = std::make_shared<ModelBytes>(std::move(*source));
  model.signature.addInput(perChannel);
  for (Operand operand : {extension, empty, scalar, wide}) {
    operand.lifetime = OperandLifeTime::SubgraphOutput;
    model.signature.addOutput(operand);
  }
  Result<std::vector<uint8_t>> bytes = serialize(model);
  ASSERT_TRUE(bytes.isOk()) << bytes.error().message;
  Result<CompiledModel> read = deserialize(*bytes);
  ASSERT_TRUE(read.isOk()) << read.error().message;
  expectSameInterface(model.signature, read->signature, "all fields");
}

/// A client passes the bytes of another model as a network. The driver's cache has these bytes under another kind.
TEST_F(CachedMetadata, RefusesCachedModelBytesAsNetwork) {
  const Model unknown = oneInput(OperationType::Relu, tensor(TensorFloat32, {0}, OperandLifeTime::SubgraphInput),
                                 tensor(TensorFloat32, {0}, OperandLifeTime::SubgraphOutput));
  ASSERT_NE(prepare(unknown), nullptr);
  Result<ModelBytes> source = modelBytesOf(unknown);
  ASSERT_TRUE(source.isOk());
  const std::vector<uint8_t> bytes = source->bytes;
  Model network = unknown;
  network.extensionNameToPrefix = {{std::string(kTfliteExtension), 1}};
  network.operandValues = bytes;
  Operand file = tensor(TensorQuant8Asymm, {static_cast<uint32_t>(bytes.size())}, OperandLifeTime::ConstantCopy);
  file.scale = 1;
  file.location = {0, 0, bytes.size(), 0};
  network.main.operands.push_back(file);
  network.main.operations = {{extensionOperation(1, kTfliteNetwork), {2, 0}, {1}}};
  Result<std::shared_ptr<IPreparedModel>> prepared = device_->prepareModel(network, {});
  EXPECT_FALSE(prepared.isOk());
}

} // namespace
} // namespace avocet::hal

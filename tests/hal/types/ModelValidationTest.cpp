//===- ModelValidationTest.cpp - Rules of models --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "Mutations.h"
#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"

#include <gtest/gtest.h>

#include <map>

namespace avocet::hal::test {
namespace {

using enum OperandType;

TEST(ModelValidation, ReturnsLowestVersion) {
  for (const NamedModel &base : baseModels()) {
    Result<Version> version = validate(base.model);
    ASSERT_TRUE(version.isOk()) << base.name << ": " << version.error().message;
    EXPECT_EQ(*version, base.needs) << base.name << " needs " << toString(*version);
  }
}

TEST(ModelValidation, RefusesEveryMutationAndNamesItsPlace) {
  std::map<std::string, size_t> families;
  for (const NamedModel &base : baseModels()) {
    for (const Mutation &mutation : mutationsOf(base.model)) {
      Model changed = base.model;
      mutation.apply(changed);
      Result<Version> version = validate(changed);
      ASSERT_FALSE(version.isOk()) << base.name << " " << mutation.family << " " << mutation.place;
      EXPECT_EQ(version.code(), ErrorStatus::InvalidArgument);
      EXPECT_TRUE(names(version.error().message, mutation.place))
          << base.name << " " << mutation.family << " at " << mutation.place << ": " << version.error().message;
      ++families[mutation.family];
    }
  }
  EXPECT_EQ(families.size(), 43U) << "a family fits none of the base models";
}

TEST(ModelValidation, NamesSubgraphRuleAndValue) {
  Model model = baseModels()[1].model;
  model.main.operands[0].zeroPoint = 300;
  EXPECT_EQ(validate(model).error().message,
            "main subgraph: operand 0: zero point 300 of TENSOR_QUANT8_ASYMM, must be 0 to 255");
  model = baseModels()[7].model;
  model.referenced[1].operations[0].type = static_cast<OperationType>(106);
  EXPECT_EQ(validate(model).error().message,
            "subgraph 1: operation 0 (unknown operation 106): this operation does not exist");
  model = baseModels()[0].model;
  model.main.operations[0].inputs[1] = 4;
  EXPECT_EQ(validate(model).error().message,
            "main subgraph: operation 0 (ADD): input 1 is INT32, must be TENSOR_FLOAT32");
  model.main.operations[0].inputs.pop_back();
  EXPECT_EQ(validate(model).error().message,
            "main subgraph: operation 0 (ADD): 2 inputs and 1 outputs, must be 3 and 1");
}

/// A model of one operation with new inputs and outputs.
Model single(OperationType type, const std::vector<Operand> &inputs, const std::vector<Operand> &outputs) {
  Model model;
  GraphBuilder graph(model, model.main);
  std::vector<uint32_t> inputIndices;
  std::vector<uint32_t> outputIndices;
  inputIndices.reserve(inputs.size());
  outputIndices.reserve(outputs.size());
  for (const Operand &operand : inputs)
    inputIndices.push_back(graph.input(operand));
  for (const Operand &operand : outputs)
    outputIndices.push_back(graph.output(operand));
  graph.operation(type, inputIndices, outputIndices);
  return model;
}

Version versionOf(const Model &model) {
  Result<Version> version = validate(model);
  EXPECT_TRUE(version.isOk()) << version.error().message;
  return version.isOk() ? *version : kLatestVersion;
}

std::string refusalOf(const Model &model) {
  Result<Version> version = validate(model);
  EXPECT_FALSE(version.isOk());
  return version.isOk() ? "" : version.error().message;
}

TEST(OperationRules, MulRefusesTooSmallOutputScale) {
  Operand input = tensor(TensorQuant8Asymm, {2}, 0.5F);
  Operand scalar = tensor(Int32, {});
  EXPECT_EQ(versionOf(single(OperationType::Mul, {input, input, scalar}, {tensor(TensorQuant8Asymm, {2}, 0.26F)})),
            Version::V1_0);
  EXPECT_NE(refusalOf(single(OperationType::Mul, {input, input, scalar}, {tensor(TensorQuant8Asymm, {2}, 0.25F)}))
                .find("scale 0.25"),
            std::string::npos);
}

/// Convolution of 8 bits; the scale of the output decides the version.
Model conv(float outputScale) {
  Operand scalar = tensor(Int32, {});
  return single(OperationType::Conv2d,
                {tensor(TensorQuant8Asymm, {1, 4, 4, 2}, 0.5F), tensor(TensorQuant8Asymm, {3, 1, 1, 2}, 0.5F),
                 tensor(TensorInt32, {3}, 0.25F), scalar, scalar, scalar, scalar},
                {tensor(TensorQuant8Asymm, {1, 4, 4, 3}, outputScale)});
}

TEST(OperationRules, SmallOutputScaleOfConvNeeds12) {
  EXPECT_EQ(versionOf(conv(0.26F)), Version::V1_0);
  EXPECT_EQ(versionOf(conv(0.25F)), Version::V1_2);
}

TEST(OperationRules, ConvRefusesWrongRank) {
  Model model = conv(1);
  model.main.operands[0].dimensions = {4, 4, 2};
  EXPECT_NE(refusalOf(model).find("input 0 has rank 3, must be 4"), std::string::npos);
}

TEST(OperationRules, ConvRefusesWrongChannelDimension) {
  Model model = conv(1);
  Operand &filter = model.main.operands[1];
  filter.type = TensorQuant8SymmPerChannel;
  filter.scale = 0;
  filter.extraParams = SymmPerChannelQuantParams{{1, 1}, 3};
  EXPECT_NE(refusalOf(model).find("along dimension 3, must be 0"), std::string::npos);
  filter.extraParams = SymmPerChannelQuantParams{{1, 1, 1}, 0};
  EXPECT_EQ(versionOf(model), Version::V1_2);
}

TEST(OperationRules, PaddedZeroPointNeeds12) {
  auto pad = [](int32_t zeroPoint) {
    return single(OperationType::Pad, {tensor(TensorQuant8Asymm, {2, 2}, 1, zeroPoint), tensor(TensorInt32, {2, 2})},
                  {tensor(TensorQuant8Asymm, {4, 4}, 1, zeroPoint)});
  };
  EXPECT_EQ(versionOf(pad(0)), Version::V1_1);
  EXPECT_EQ(versionOf(pad(1)), Version::V1_2);
}

TEST(OperationRules, UnequalQuantizationOfConcatenationNeeds12) {
  auto concatenation = [](float scale) {
    return single(OperationType::Concatenation,
                  {tensor(TensorQuant8Asymm, {2}, 1), tensor(TensorQuant8Asymm, {2}, scale), tensor(Int32, {})},
                  {tensor(TensorQuant8Asymm, {4}, 1)});
  };
  EXPECT_EQ(versionOf(concatenation(1)), Version::V1_0);
  EXPECT_EQ(versionOf(concatenation(2)), Version::V1_2);
}

/// A model of one operation in its first form, on a tensor of this shape.
Model inFirstForm(const OperationSignature &signature, const std::vector<uint32_t> &shape) {
  std::vector<Operand> inputs;
  for (char letter : signature.forms[0].inputs)
    inputs.push_back(letter == 't' ? tensor(TensorFloat32, shape) : tensor(letter == 'I' ? Int32 : Float32, {}));
  return single(signature.type, inputs, {tensor(TensorFloat32, shape)});
}

TEST(OperationRules, RankWithoutAxisDecidesVersion) {
  size_t normalizations = 0;
  for (const OperationSignature &signature : allSignatures()) {
    if (signature.forms.size() != 2 || signature.forms[1].inputs != std::string(signature.forms[0].inputs) + "I")
      continue;
    ++normalizations;
    EXPECT_EQ(versionOf(inFirstForm(signature, {1, 2, 2, 3})), Version::V1_0) << signature.name();
    EXPECT_EQ(versionOf(inFirstForm(signature, {2, 3})),
              signature.type == OperationType::Softmax ? Version::V1_0 : Version::V1_2)
        << signature.name();
    EXPECT_EQ(versionOf(inFirstForm(signature, {1, 2, 3})), Version::V1_2) << signature.name();
    EXPECT_EQ(versionOf(inFirstForm(signature, {1, 1, 1, 2, 3})), Version::V1_2) << signature.name();
  }
  EXPECT_EQ(normalizations, 3u);
}

TEST(OperationRules, FullyConnectedRefusesWrongShapes) {
  auto layer = [](std::vector<uint32_t> input, uint32_t biases) {
    return single(OperationType::FullyConnected,
                  {tensor(TensorFloat32, std::move(input)), tensor(TensorFloat32, {3, 4}),
                   tensor(TensorFloat32, {biases}), tensor(Int32, {})},
                  {tensor(TensorFloat32, {2, 3})});
  };
  EXPECT_EQ(versionOf(layer({2, 4}, 3)), Version::V1_0);
  EXPECT_NE(refusalOf(layer({2, 5}, 3)).find("whole rows of 4"), std::string::npos);
  EXPECT_NE(refusalOf(layer({2, 4}, 2)).find("has 2 elements, must be 3"), std::string::npos);
  EXPECT_NE(refusalOf(layer({8}, 3)).find("rank 1, must be at least 2"), std::string::npos);
}

TEST(OperationRules, CastTypesDecideVersion) {
  auto cast = [](const Operand &from, const Operand &to) { return single(OperationType::Cast, {from}, {to}); };
  EXPECT_EQ(versionOf(cast(tensor(TensorFloat32, {2}), tensor(TensorInt32, {2}))), Version::V1_2);
  EXPECT_EQ(versionOf(cast(tensor(TensorBool8, {2}), tensor(TensorBool8, {2}))), Version::V1_3);
  EXPECT_NE(refusalOf(cast(tensor(TensorBool8, {2}), tensor(TensorInt32, {2}))).find("output 0 is TENSOR_INT32"),
            std::string::npos);
  EXPECT_NE(refusalOf(cast(tensor(TensorFloat32, {2}), tensor(TensorInt32, {3}))).find("shape [3]"), std::string::npos);
}

TEST(OperationRules, RefusesWrongPackReverseAndMirrorPad) {
  Model model = baseModels()[9].model;
  model.main.operands[2].scale = 0.25F;
  EXPECT_NE(refusalOf(model).find("input 1 has scale 0.5"), std::string::npos);
  model = baseModels()[9].model;
  model.main.operands[1].dimensions = {2, 1};
  EXPECT_NE(refusalOf(model).find("input 2 has rank 2, must be that of input 1, 1"), std::string::npos);
  model = baseModels()[10].model;
  model.main.operands[1].dimensions = {2, 3, 1};
  EXPECT_NE(refusalOf(model).find("output 0 has rank 3, must be that of input 0, 2"), std::string::npos);
  Model padded =
      single(OperationType::MirrorPad, {tensor(TensorFloat32, {2, 2}), tensor(TensorInt32, {2, 3}), tensor(Int32, {})},
             {tensor(TensorFloat32, {2, 2})});
  EXPECT_NE(refusalOf(padded).find("input 1 has shape [2,3], must be [rank,2]"), std::string::npos);
}

TEST(OperationRules, RefusesDisagreeingBranches) {
  Model model = baseModels()[7].model;
  model.referenced[1].operands[0].dimensions = {3};
  EXPECT_NE(refusalOf(model).find("disagree: shapes [2] and [3]"), std::string::npos);
  model = baseModels()[7].model;
  model.main.operands[0].dimensions = {2};
  EXPECT_NE(refusalOf(model).find("input 0 must be TENSOR_BOOL8 of shape [1]"), std::string::npos);
  model = baseModels()[7].model;
  model.referenced[0].inputIndexes = {7};
  EXPECT_NE(refusalOf(model).find("operand index out of range"), std::string::npos);
}

TEST(OperationRules, RefusesDisagreeingLoops) {
  Model model = baseModels()[8].model;
  model.referenced[0].operands[1].dimensions = {2};
  EXPECT_NE(refusalOf(model).find("output 0 of the condition must be TENSOR_BOOL8"), std::string::npos);
  model = baseModels()[8].model;
  model.referenced[1].outputIndexes.clear();
  EXPECT_NE(refusalOf(model).find("0 outputs of the body, must be 1"), std::string::npos);
}

/// 60,000 subgraphs, each inside the one before: the validation must not recurse into them.
TEST(ModelValidation, SurvivesDeepNesting) {
  Model model = baseModels()[7].model;
  hal::Subgraph leaf = model.referenced[0];
  model.referenced.assign(60000, leaf);
  for (size_t i = 0; i + 1 < model.referenced.size(); ++i)
    model.referenced[i].operands.push_back(subgraphReference(i + 1));
  EXPECT_EQ(versionOf(model), Version::V1_3);
  model.referenced.back().operands.push_back(subgraphReference(0));
  EXPECT_NE(refusalOf(model).find("cycle"), std::string::npos);
}

/// Time must be linear in the size of the model: 100,000 operations in a row, then one with as many inputs.
TEST(ModelValidation, AcceptsLargeModels) {
  static constexpr uint32_t kCount = 100000;
  Model chain;
  GraphBuilder graph(chain, chain.main);
  uint32_t last = graph.input(tensor(TensorFloat32, {2}));
  for (uint32_t i = 0; i + 1 < kCount; ++i) {
    uint32_t next = graph.temporary(tensor(TensorFloat32, {2}));
    graph.operation(OperationType::Relu, {last}, {next});
    last = next;
  }
  graph.operation(OperationType::Relu, {last}, {graph.output(tensor(TensorFloat32, {2}))});
  EXPECT_EQ(versionOf(chain), Version::V1_0);
  std::vector<Operand> inputs(kCount, tensor(TensorFloat32, {1}));
  inputs.push_back(tensor(Int32, {}));
  EXPECT_EQ(versionOf(single(OperationType::Concatenation, inputs, {tensor(TensorFloat32, {kCount})})), Version::V1_0);
}

TEST(ModelValidation, AcceptsForeignOperands) {
  Model model;
  GraphBuilder graph(model, model.main);
  Operand vendor = tensor(kTensorOemByte, {7}, -3, 1000);
  uint32_t input = graph.input(vendor);
  graph.operation(kOemOperation, {input}, {graph.output(vendor)});
  EXPECT_EQ(versionOf(model), Version::V1_0);
  Model extension = baseModels()[5].model;
  extension.main.operands[1].extraParams = std::vector<uint8_t>{1, 2, 3};
  EXPECT_EQ(versionOf(extension), Version::V1_2);
  extension.main.operands[1].scale = 1;
  EXPECT_NE(refusalOf(extension).find("scale 1"), std::string::npos);
}

TEST(ModelValidation, RelaxedFloatNeedsNoVersion) {
  Model model = baseModels()[0].model;
  model.relaxComputationFloat32toFloat16 = true;
  EXPECT_EQ(versionOf(model), Version::V1_0);
}

} // namespace
} // namespace avocet::hal::test

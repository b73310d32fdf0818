//===- VectorFileTest.cpp ------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorBuilder.h"

#include <gmock/gmock.h>

namespace avocet::hal::conformance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

vectors::CaseT floatCase() {
  return identityCase("floats", OperandType::TensorFloat32, bytesOf<float>({1, 2, 3}), usualKinds());
}

std::unique_ptr<vectors::OperandT> constant(vectors::Lifetime lifetime, OperandType type, Bytes data) {
  auto operand = std::make_unique<vectors::OperandT>();
  operand->type = static_cast<int32_t>(type);
  operand->dimensions = {static_cast<uint32_t>(data.size())};
  operand->lifetime = lifetime;
  operand->data = std::move(data);
  operand->zero_point = 128;
  return operand;
}

TestCase make(vectors::CaseT entry, Form form) {
  std::vector<vectors::CaseT> cases;
  cases.push_back(std::move(entry));
  auto made = fileOf(std::move(cases))->make(0, form);
  EXPECT_TRUE(made.isOk()) << made.status().toString();
  return *made;
}

TEST(VectorFile, InfoNamesOperationsLevelAndKinds) {
  vectors::CaseT entry = floatCase();
  auto add = std::make_unique<vectors::OperationT>();
  add->type = static_cast<int32_t>(OperationType::Add);
  entry.main->operations.insert(entry.main->operations.begin(), std::move(add));
  entry.effective_level = vectors::Level::V1_3;
  std::vector<vectors::CaseT> cases;
  cases.push_back(std::move(entry));
  const CaseInfo info = fileOf(std::move(cases), vectors::Suite::CtsOnly)->info(0);
  EXPECT_EQ(info.name, "own/spec/floats");
  EXPECT_EQ(info.primaryOperation, "RELU");
  EXPECT_THAT(info.operations, ElementsAre("ADD", "RELU"));
  EXPECT_EQ(info.level, Version::V1_3);
  EXPECT_EQ(info.suite, Suite::Optional);
  EXPECT_TRUE(info.kinds.has(RunKind::OneByteShort) && info.kinds.has(RunKind::Caching));
  EXPECT_FALSE(info.kinds.has(RunKind::Validation) || info.kinds.has(RunKind::SignedCoupling));
}

TEST(VectorFile, AsWrittenFormKeepsTheModel) {
  const TestCase made = make(floatCase(), Form::AsWritten);
  ASSERT_EQ(made.model.main.operands.size(), 2u);
  EXPECT_EQ(made.model.main.operands[0].type, OperandType::TensorFloat32);
  EXPECT_EQ(made.model.main.operands[1].lifetime, OperandLifeTime::SubgraphOutput);
  EXPECT_THAT(made.model.main.operands[1].dimensions, ElementsAre(3));
  EXPECT_EQ(made.model.main.operations[0].type, OperationType::Relu);
  EXPECT_THAT(made.model.main.operations[0].outputs, ElementsAre(1));
  EXPECT_EQ(made.inputs[0], bytesOf<float>({1, 2, 3}));
  EXPECT_EQ(made.outputs[0].bytes, bytesOf<float>({1, 2, 3}));
}

TEST(VectorFile, UnknownOutputsFormClearsOutputExtentsOnly) {
  const TestCase made = make(floatCase(), Form::UnknownOutputs);
  EXPECT_THAT(made.model.main.operands[0].dimensions, ElementsAre(3));
  EXPECT_THAT(made.model.main.operands[1].dimensions, ElementsAre(0));
  EXPECT_THAT(made.outputs[0].dimensions, ElementsAre(3));
}

TEST(VectorFile, LifetimeSelectsPlaceOfConstants) {
  vectors::CaseT entry = floatCase();
  const auto type = OperandType::TensorQuant8Asymm;
  entry.main->operands.push_back(constant(vectors::Lifetime::ConstantCopy, type, {1, 2}));
  entry.main->operands.push_back(constant(vectors::Lifetime::ConstantCopy, type, {3}));
  entry.main->operands.push_back(constant(vectors::Lifetime::ConstantReference, type, {4, 5}));
  const Model model = make(std::move(entry), Form::AsWritten).model;
  const DataLocation &second = model.main.operands[3].location;
  EXPECT_EQ(second.length, 1u);
  EXPECT_EQ(model.operandValues.at(second.offset), 3);
  ASSERT_EQ(model.pools.size(), 1u);
  const auto &ashmem = std::get<Ashmem>(model.pools[0]->handle);
  auto mapping = Mapping::map(ashmem.fd->get(), ashmem.size, Mapping::Access::Read);
  ASSERT_TRUE(mapping.isOk());
  const DataLocation &inPool = model.main.operands[4].location;
  EXPECT_EQ(mapping->bytes()[inPool.offset + 1], 5);
}

TEST(VectorFile, SignedFormConvertsUnsignedOperands) {
  vectors::CaseT entry = identityCase("bytes", OperandType::TensorQuant8Asymm, {0, 127, 255}, usualKinds());
  entry.main->operands.push_back(constant(vectors::Lifetime::ConstantCopy, OperandType::TensorQuant8Asymm, {128}));
  entry.main->operands.push_back(constant(vectors::Lifetime::ConstantCopy, OperandType::TensorQuant8Symm, {128}));
  const TestCase made = make(std::move(entry), Form::Signed);
  EXPECT_EQ(made.model.main.operands[0].type, OperandType::TensorQuant8AsymmSigned);
  EXPECT_EQ(made.model.main.operands[0].zeroPoint, -28);
  EXPECT_EQ(made.inputs[0], Bytes({128, 255, 127}));
  EXPECT_EQ(made.outputs[0].bytes, Bytes({128, 255, 127}));
  EXPECT_EQ(made.outputs[0].type, OperandType::TensorQuant8AsymmSigned);
  EXPECT_EQ(made.model.operandValues[made.model.main.operands[2].location.offset], 0);
  EXPECT_EQ(made.model.operandValues[made.model.main.operands[3].location.offset], 128);
}

TEST(VectorFile, EmptyValueIsOmittedArgument) {
  vectors::CaseT entry = floatCase();
  entry.examples[0]->inputs[0]->data.clear();
  EXPECT_FALSE(make(std::move(entry), Form::AsWritten).inputs[0].has_value());
}

std::string refusalOf(Bytes bytes) {
  auto file = VectorFile::adopt(std::move(bytes), "f.nntv");
  return file.isOk() ? "" : file.status().message();
}

Bytes packed(vectors::CaseT entry) {
  std::vector<vectors::CaseT> cases;
  cases.push_back(std::move(entry));
  return pack(std::move(cases));
}

TEST(VectorFile, RejectsInconsistentLists) {
  vectors::CaseT entry = floatCase();
  entry.main->outputs = {7};
  EXPECT_THAT(refusalOf(packed(std::move(entry))), HasSubstr("operand that it does not have"));
  entry = floatCase();
  entry.main->inputs = {0, 1};
  EXPECT_THAT(refusalOf(packed(std::move(entry))), HasSubstr("other numbers of values"));
  entry = floatCase();
  entry.examples.clear();
  EXPECT_THAT(refusalOf(packed(std::move(entry))), HasSubstr("0 examples"));
  entry = floatCase();
  entry.main.reset();
  EXPECT_THAT(refusalOf(packed(std::move(entry))), HasSubstr("no model"));
}

TEST(VectorFile, RejectsTruncatedFiles) {
  const Bytes whole = packed(floatCase());
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string refusal = refusalOf(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)));
    // The last bytes may be padding, so a file without them can be valid.
    if (size + 8 < whole.size())
      EXPECT_THAT(refusal, HasSubstr("f.nntv")) << size;
  }
}

TEST(VectorFile, SurvivesEveryFlippedBit) {
  const Bytes whole = packed(floatCase());
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Bytes spoiled = whole;
    spoiled[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    auto file = VectorFile::adopt(std::move(spoiled), "f.nntv");
    for (size_t i = 0; file.isOk() && i < (*file)->numCases(); ++i)
      for (Form form : {Form::AsWritten, Form::UnknownOutputs, Form::Signed})
        if (auto made = (*file)->make(i, form); made.isOk())
          EXPECT_EQ(made->inputs.size(), made->model.main.inputIndexes.size());
  }
}

TEST(VectorFile, ReportsFolderWithoutVectors) {
  auto cases = findCases(AVOCET_SOURCE_DIR "/tests/hal/conformance");
  ASSERT_FALSE(cases.isOk());
  EXPECT_THAT(cases.status().message(), HasSubstr("no .nntv files"));
  EXPECT_FALSE(findCases("/nowhere/at/all").isOk());
}

} // namespace
} // namespace avocet::hal::conformance

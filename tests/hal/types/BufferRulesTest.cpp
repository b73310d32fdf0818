//===- BufferRulesTest.cpp - Roles of a buffer ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/Validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace avocet::hal {
namespace {

using ::testing::ElementsAre;

/// A model of which only the address matters.
class FakeModel final : public IPreparedModel {
public:
  ExecutionOutcome execute(const Request &, const ExecutionOptions &) override { return {}; }
  ErrorStatus executeAsynchronously(const Request &, const ExecutionOptions &, ExecutionCallback) override {
    return ErrorStatus::GeneralFailure;
  }
  Result<std::shared_ptr<IExecution>> createReusableExecution(const Request &, const ExecutionOptions &) override {
    return generalFailure("fake");
  }
};

Operand tensor(std::vector<uint32_t> dimensions) {
  Operand operand;
  operand.type = OperandType::TensorQuant8Asymm;
  operand.dimensions = std::move(dimensions);
  operand.scale = 0.5f;
  operand.zeroPoint = 3;
  return operand;
}

/// Two known models with one input and one output each.
class BufferRules : public ::testing::Test {
protected:
  struct Entry {
    std::shared_ptr<IPreparedModel> prepared = std::make_shared<FakeModel>();
    Model interface;
  };
  static Entry entry(Operand input, Operand output) {
    Entry entry;
    entry.interface.main.operands = {std::move(input), std::move(output)};
    entry.interface.main.inputIndexes = {0};
    entry.interface.main.outputIndexes = {1};
    return entry;
  }
  Result<Operand> check(const std::vector<uint32_t> &dimensions, const std::vector<BufferRole> &inputs,
                        const std::vector<BufferRole> &outputs) const {
    auto interfaceOf = [this](const IPreparedModel &model) -> const Model * {
      for (const Entry *known : {&first_, &second_})
        if (known->prepared.get() == &model)
          return &known->interface;
      return nullptr;
    };
    return validateBufferRoles(dimensions, inputs, outputs, interfaceOf);
  }
  ErrorStatus codeOf(const std::vector<uint32_t> &dimensions, const std::vector<BufferRole> &inputs,
                     const std::vector<BufferRole> &outputs = {}) const {
    return check(dimensions, inputs, outputs).code();
  }
  BufferRole first(float probability = 1) const { return {first_.prepared, 0, probability}; }
  BufferRole second() const { return {second_.prepared, 0, 1}; }
  /// The second model's input, to be changed.
  Operand &other() { return second_.interface.main.operands[0]; }

  Entry first_ = entry(tensor({0, 4}), tensor({2, 0}));
  Entry second_ = entry(tensor({0, 0}), tensor({}));
};

TEST_F(BufferRules, CombinesDimensionsOfAllRoles) {
  Result<Operand> operand = check({}, {first()}, {first(), second()});
  ASSERT_TRUE(operand.isOk()) << operand.error().message;
  EXPECT_EQ(operand->type, OperandType::TensorQuant8Asymm);
  EXPECT_THAT(operand->dimensions, ElementsAre(2, 4));
  EXPECT_THAT(check({7, 0}, {first()}, {})->dimensions, ElementsAre(7, 4));
  EXPECT_THAT(check({}, {second()}, {})->dimensions, ElementsAre(0, 0));
}

TEST_F(BufferRules, RefusesRolesOfUnknownModels) {
  EXPECT_EQ(codeOf({}, {}), ErrorStatus::InvalidArgument);
  EXPECT_EQ(codeOf({}, {{nullptr, 0, 1}}), ErrorStatus::InvalidArgument);
  EXPECT_EQ(codeOf({}, {{std::make_shared<FakeModel>(), 0, 1}}), ErrorStatus::InvalidArgument);
  EXPECT_EQ(codeOf({}, {{first_.prepared, 1, 1}}), ErrorStatus::InvalidArgument);
  EXPECT_EQ(codeOf({}, {{first_.prepared, std::numeric_limits<uint32_t>::max(), 1}}), ErrorStatus::InvalidArgument);
}

TEST_F(BufferRules, RefusesInvalidProbabilities) {
  EXPECT_EQ(codeOf({}, {first(0.1f)}), ErrorStatus::None);
  for (float wrong :
       {0.f, -0.1f, 1.01f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    EXPECT_EQ(codeOf({}, {first(wrong)}), ErrorStatus::InvalidArgument) << wrong;
}

TEST_F(BufferRules, RefusesRepeatedRole) {
  EXPECT_EQ(codeOf({}, {first(), first(0.5f)}), ErrorStatus::InvalidArgument);
  EXPECT_EQ(codeOf({}, {first()}, {first()}), ErrorStatus::None);
}

TEST_F(BufferRules, RefusesContradictingRoles) {
  ASSERT_EQ(codeOf({}, {first(), second()}), ErrorStatus::None);
  const Operand agreeing = other();
  auto statusWith = [&](auto &&change) {
    other() = agreeing;
    change(other());
    return codeOf({}, {first(), second()});
  };
  EXPECT_EQ(statusWith([](Operand &o) { o.type = OperandType::TensorQuant8AsymmSigned; }),
            ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Operand &o) { o.scale = 0.25f; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Operand &o) { o.zeroPoint = 4; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Operand &o) { o.extraParams = SymmPerChannelQuantParams{{1.f}, 0}; }),
            ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Operand &o) { o.dimensions = {0, 4, 1}; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Operand &o) { o.dimensions = {0, 5}; }), ErrorStatus::InvalidArgument);
  EXPECT_EQ(statusWith([](Operand &o) { o.dimensions = {3, 0}; }), ErrorStatus::None);
}

TEST_F(BufferRules, RefusesDimensionsThatContradictRoles) {
  EXPECT_EQ(codeOf({1, 5}, {first()}), ErrorStatus::InvalidArgument);
  EXPECT_EQ(codeOf({4}, {first()}), ErrorStatus::InvalidArgument);
  EXPECT_EQ(codeOf({1, 4}, {first()}), ErrorStatus::None);
  first_.interface.main.operands[0] = Operand();
  EXPECT_EQ(codeOf({}, {first()}), ErrorStatus::None);
  EXPECT_EQ(codeOf({1}, {first()}), ErrorStatus::InvalidArgument) << "a scalar has no dimensions";
}

} // namespace
} // namespace avocet::hal
